// Futexes in memory shared with another process, and loads/stores of fields that another process changes.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace heddle {

template <class T>
T load_shared(const T& field) {
  return std::atomic_ref<T>(const_cast<T&>(field)).load(std::memory_order_acquire);
}
template <class T>
void store_shared(T& field, T value) {
  std::atomic_ref<T>(field).store(value, std::memory_order_release);
}

/// Sleeps until `word` is woken, is no longer `seen`, or `timeout` has passed; may return early.
inline void futex_wait(std::uint32_t& word, std::uint32_t seen, std::chrono::nanoseconds timeout) {
  timespec t{timeout.count() / 1'000'000'000, timeout.count() % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &t, nullptr, 0);
}
inline void futex_wake_all(std::uint32_t& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace heddle
