// Atomics: the code does not execute them itself, it asks us to. So the access lies here, between our two hooks. Orders
// are the ABI's __ATOMIC_* numbers, with hints in the bits above.
#include "runtime/control/control.h"
#include "runtime/detector/detector.h"
#include "runtime/tsan/tsan.h"

using namespace heddle::rt;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
__extension__ using u128 = unsigned __int128;

uint32_t plain_order(int order) {
  uint32_t o = (uint32_t)order & 0xff;
  return o <= __ATOMIC_SEQ_CST ? o : (uint32_t)__ATOMIC_SEQ_CST;
}

// Of 16 bytes libatomic would be asked, which may take locks.
template <class T>
bool swap_if(volatile T* p, T* expected, T wanted) {
  return __atomic_compare_exchange_n(p, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
bool swap_if(volatile u128* p, u128* expected, u128 wanted) {
  u64 low = (u64)*expected, high = (u64)(*expected >> 64);
  bool done;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(done), "+m"(*p), "+a"(low), "+d"(high)
                   : "b"((u64)wanted), "c"((u64)(wanted >> 64))
                   : "memory");
  *expected = (u128)high << 64 | low;
  return done;
}

template <class T>
T load(const volatile T* p) {
  if constexpr (sizeof(T) <= 8) {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  } else {
    T seen = 0;
    swap_if(const_cast<volatile T*>(p), &seen, seen);
    return seen;
  }
}

// The new value is a function of the old one.
template <class T, class F>
T update(volatile T* p, F make) {
  T seen = sizeof(T) <= 8 ? *p : load(p);
  while (!swap_if(p, &seen, make(seen))) {
  }
  return seen;
}

template <class T>
void store(volatile T* p, T value, bool strong) {
  if constexpr (sizeof(T) <= 8) {
    if (strong)
      __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
    else
      __atomic_store_n(p, value, __ATOMIC_RELEASE);
  } else {
    update(p, [value](T) { return value; });
  }
}

template <class T>
void before(const volatile T* p, uint32_t kind, int order, int failure_order, HeddleSite* site) {
  __heddle_atomic(p, sizeof(T), kind, plain_order(order), plain_order(failure_order), site);
}

template <class T, class F>
inline T modify(volatile T* p, int order, void* caller, F make) {
  if (HEDDLE_LIKELY(!self)) return update(p, make);
  HeddleSite* site = code_site(caller, HEDDLE_EV_ATOMIC_RMW, sizeof(T));
  before(p, HEDDLE_EV_ATOMIC_RMW, order, order, site);
  T old = update(p, make);
  __heddle_atomic_done(p, (u64)old, 1, site);
  return old;
}

template <class T>
inline bool compare(volatile T* p, T* expected, T wanted, int order, int failure_order, void* caller) {
  if (HEDDLE_LIKELY(!self)) return swap_if(p, expected, wanted);
  HeddleSite* site = code_site(caller, HEDDLE_EV_ATOMIC_CAS, sizeof(T));
  before(p, HEDDLE_EV_ATOMIC_CAS, order, failure_order, site);
  T seen = *expected;
  bool done = swap_if(p, &seen, wanted);
  __heddle_atomic_done(p, (u64)seen, done, site);
  if (!done) *expected = seen;
  return done;
}

template <class T>
inline T loaded(const volatile T* p, int order, void* caller) {
  if (HEDDLE_LIKELY(!self)) return load(p);
  HeddleSite* site = code_site(caller, HEDDLE_EV_ATOMIC_LOAD, sizeof(T));
  before(p, HEDDLE_EV_ATOMIC_LOAD, order, order, site);
  T value = load(p);
  __heddle_atomic_done(p, (u64)value, 1, site);
  return value;
}

template <class T>
inline void stored(volatile T* p, T value, int order, void* caller) {
  if (HEDDLE_LIKELY(!self)) return store(p, value, plain_order(order) == __ATOMIC_SEQ_CST);
  HeddleSite* site = code_site(caller, HEDDLE_EV_ATOMIC_STORE, sizeof(T));
  before(p, HEDDLE_EV_ATOMIC_STORE, order, order, site);
  store(p, value, true);
  return __heddle_atomic_done(p, (u64)value, 1, site);
}

}  // namespace

#define HEDDLE_HERE __builtin_return_address(0)
#define HEDDLE_TSAN_MODIFY(bits, name, result)                                                               \
  HEDDLE_EXPORT u##bits __tsan_atomic##bits##_##name(volatile u##bits* p, u##bits value, int order) {        \
    return modify(p, order, HEDDLE_HERE, [value](u##bits old) { return (u##bits)(result); });                \
  }
#define HEDDLE_TSAN_ATOMIC(bits)                                                                             \
  HEDDLE_EXPORT u##bits __tsan_atomic##bits##_load(const volatile u##bits* p, int order) {                   \
    return loaded(p, order, HEDDLE_HERE);                                                                    \
  }                                                                                                          \
  HEDDLE_EXPORT void __tsan_atomic##bits##_store(volatile u##bits* p, u##bits value, int order) {            \
    stored(p, value, order, HEDDLE_HERE);                                                                    \
  }                                                                                                          \
  HEDDLE_TSAN_MODIFY(bits, exchange, ((void)old, value))                                                     \
  HEDDLE_TSAN_MODIFY(bits, fetch_add, old + value)                                                           \
  HEDDLE_TSAN_MODIFY(bits, fetch_sub, old - value)                                                           \
  HEDDLE_TSAN_MODIFY(bits, fetch_and, old & value)                                                           \
  HEDDLE_TSAN_MODIFY(bits, fetch_or, old | value)                                                            \
  HEDDLE_TSAN_MODIFY(bits, fetch_xor, old ^ value)                                                           \
  HEDDLE_TSAN_MODIFY(bits, fetch_nand, ~(old & value))                                                       \
  HEDDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile u##bits* p, u##bits* expected,    \
                                                                  u##bits wanted, int order, int failure) {  \
    return compare(p, expected, wanted, order, failure, HEDDLE_HERE);                                        \
  }                                                                                                          \
  HEDDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile u##bits* p, u##bits* expected,      \
                                                                u##bits wanted, int order, int failure) {    \
    return compare(p, expected, wanted, order, failure, HEDDLE_HERE);                                        \
  }                                                                                                          \
  HEDDLE_EXPORT u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits* p, u##bits expected,    \
                                                                   u##bits wanted, int order, int failure) { \
    compare(p, &expected, wanted, order, failure, HEDDLE_HERE);                                              \
    return expected;                                                                                         \
  }
HEDDLE_TSAN_ATOMIC(8)
HEDDLE_TSAN_ATOMIC(16)
HEDDLE_TSAN_ATOMIC(32)
HEDDLE_TSAN_ATOMIC(64)
HEDDLE_TSAN_ATOMIC(128)

HEDDLE_EXPORT void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (HEDDLE_LIKELY(!self)) return;
  return __heddle_fence(plain_order(order), HEDDLE_CODE_SITE(FENCE, 0, 0));
}
// Between a thread and its own signal handler: nobody else can tell.
HEDDLE_EXPORT void __tsan_atomic_signal_fence(int) {}
