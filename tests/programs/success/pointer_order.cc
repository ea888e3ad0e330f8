// expect: clean   Forty threads allocate at once; the order of their pointers decides who locks what.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m, odd, even;
static std::vector<std::unique_ptr<int[]>> blocks;
static void allocate(int n) {
  auto mine = std::make_unique<int[]>(10 + static_cast<std::size_t>(n) % 7);
  auto unused = std::make_unique<int[]>(40);
  std::lock_guard lock(m);
  blocks.push_back(std::move(mine));
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; i++) threads.emplace_back(allocate, i);
  for (auto& t : threads) t.join();
  std::sort(blocks.begin(), blocks.end());
  for (auto& block : blocks) std::lock_guard lock(reinterpret_cast<std::uintptr_t>(block.get()) / 16 % 2 ? odd : even);
}
