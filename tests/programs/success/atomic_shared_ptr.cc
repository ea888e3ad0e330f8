// expect: clean   The holder of libstdc++'s lock bit can always run: no strategy may starve it and call that a livelock.
// runs: 300
#include <atomic>
#include <memory>
#include <thread>

static std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(0)};

int main() {
  auto writer = [] {
    for (int k = 0; k < 8; k++) shared.store(std::make_shared<int>(k));
  };
  auto reader = [] {
    for (int k = 0; k < 8; k++) (void)*shared.load();
  };
  std::jthread a(writer), b(writer), c(reader), d(reader);
}
