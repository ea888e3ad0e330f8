// A string buffer whose every method is locked. append(other) asks the other buffer for its length, then for that many
// characters: two calls, and in between the other one may have become shorter.
//
// parameters: rounds
#include <assert.h>

#include <cstring>
#include <mutex>
#include <thread>

#include "../kernel.h"

namespace {
class StringBuffer {
 public:
  explicit StringBuffer(const char* text) { put(text, std::strlen(text)); }

  size_t length() {
    std::lock_guard held(lock_);
    return count_;  // BUG:length
  }

  void copy_to(char* target, size_t length) {
    std::lock_guard held(lock_);
    assert(length <= count_);  // BUG:use FAILS
    std::memcpy(target, value_, length);
  }

  void erase(size_t from) {
    std::lock_guard held(lock_);
    count_ = from < count_ ? from : count_;  // BUG:erase
  }

  void append(StringBuffer& other) {
#ifdef FIXED
    std::lock_guard held(other.lock_);
#endif
    size_t length = other.length();
    char text[kCapacity];
    other.copy_to(text, length);
    put(text, length);
  }

  void put(const char* text, size_t length) {
    std::lock_guard held(lock_);
    if (length > kCapacity - count_) length = kCapacity - count_;
    std::memcpy(value_ + count_, text, length);
    count_ += length;
  }

 private:
  static constexpr size_t kCapacity = 128;
#ifdef FIXED
  std::recursive_mutex lock_;
#else
  std::mutex lock_;
#endif
  char value_[kCapacity];
  size_t count_ = 0;
};
}  // namespace

int main(int argc, char** argv) {
  int rounds = parameter(argc, argv, 1, 3);
  StringBuffer shared("abc"), mine("");
  std::thread eraser([&] {
    for (int i = 0; i < rounds; i++) {
      shared.erase(0);
      shared.put("abc", 3);
    }
  });
  for (int i = 0; i < rounds; i++) mine.append(shared);
  eraser.join();
  assert(mine.length() % 3 == 0 && shared.length() == 3);
  return 0;
}
