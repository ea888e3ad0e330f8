// In front of the runtime's own code, for the exhaustive test of its protocol (protocol_test.cc): each atomic
// operation is a place where another thread may go on. All of them are sequentially consistent there.
#pragma once

namespace heddle::rt {
void protocol_access(const volatile void* at);
void protocol_pause();
}  // namespace heddle::rt

#define __atomic_load_n(at, order) (::heddle::rt::protocol_access(at), __atomic_load_n(at, order))
#define __atomic_store_n(at, value, order) (::heddle::rt::protocol_access(at), __atomic_store_n(at, value, order))
#define __atomic_exchange_n(at, value, order) (::heddle::rt::protocol_access(at), __atomic_exchange_n(at, value, order))
#define __atomic_compare_exchange_n(at, expected, value, weak, order, failure) \
  (::heddle::rt::protocol_access(at), __atomic_compare_exchange_n(at, expected, value, weak, order, failure))
#define __atomic_fetch_add(at, value, order) (::heddle::rt::protocol_access(at), __atomic_fetch_add(at, value, order))
#define __atomic_fetch_sub(at, value, order) (::heddle::rt::protocol_access(at), __atomic_fetch_sub(at, value, order))
#define __builtin_ia32_pause() ::heddle::rt::protocol_pause()
