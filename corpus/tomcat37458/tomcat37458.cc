// A class loader: an entry has the bytes of a class until the class is defined, and the class afterwards. Two threads
// that ask for the same class: the one that finds no class yet goes for the bytes, which the other one has just
// dropped.
//
// parameters: threads classes
#include <assert.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../kernel.h"

namespace {
struct Class {
  uint32_t id;
};

struct Entry {
  std::atomic<Class*> loaded = nullptr;
  std::atomic<const std::string*> bytes = nullptr;
};

std::mutex loader_lock;
std::vector<Entry>* entries;
std::atomic<int> defined;

uint32_t hash(const std::string& bytes) {
  uint32_t h = 2166136261u;
  for (char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;  // FAILS
  return h;
}

Class* define(Entry& e) {
  auto* c = new Class{hash(*e.bytes)};  // BUG:use
  defined++;
  e.loaded = c;
  e.bytes = nullptr;  // BUG:drop
  return c;
}

Class* find_class(Entry& e) {
#ifdef FIXED
  std::lock_guard held(loader_lock);
#endif
  if (Class* c = e.loaded) return c;  // BUG:check
  return define(e);
}

void use_all(uint32_t& sum) {
  for (Entry& e : *entries) sum += find_class(e)->id;
}
}  // namespace

int main(int argc, char** argv) {
  int count = parameter(argc, argv, 1, 2), classes = parameter(argc, argv, 2, 3);
  std::vector<std::string> files;
  for (int i = 0; i < classes; i++) files.push_back("class C" + std::to_string(i) + " { }");
  entries = new std::vector<Entry>(classes);
  uint32_t expected = 0;
  for (int i = 0; i < classes; i++) {
    (*entries)[i].bytes = &files[i];
    expected += hash(files[i]);
  }
  std::vector<uint32_t> sums(count);
  std::vector<std::thread> threads;
  for (uint32_t& sum : sums) threads.emplace_back(use_all, std::ref(sum));
  for (std::thread& t : threads) t.join();
  for (uint32_t sum : sums) assert(sum == expected);
  assert(defined >= classes);
  return 0;
}
