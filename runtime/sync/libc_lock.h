// Locks inside libc (of a FILE, of the loader, of rand()) are not seen as long as they are free. In recordings and their replays a
// modelled lock around each call puts the calls in order; otherwise these calls are only passed on.
#pragma once
#include <stdlib.h>

#include "runtime/hooks/access.h"
#include "runtime/sync/model.h"
#include "runtime/sync/next.h"

namespace heddle::rt {

/// `object`: whose address names the lock. Recursive.
void libc_lock(Thread& t, void* object, uint32_t site);
void libc_unlock(Thread& t, void* object);
/// Of the dynamic loader, which pthread_create() takes too.
extern char libc_loader;
/// Of stdio's list of all streams.
extern char libc_streams;

class LibcCall {
 public:
  LibcCall(void* object, void* caller) : object_(HEDDLE_UNLIKELY(by_hooks) && modelled() ? object : nullptr) {
    if (HEDDLE_UNLIKELY(object_ != nullptr)) libc_lock(*self, object_, caller_site(caller));
  }
  ~LibcCall() {
    if (HEDDLE_UNLIKELY(object_ != nullptr) && modelled()) libc_unlock(*self, object_);
  }
  LibcCall(const LibcCall&) = delete;

 private:
  static uint32_t caller_site(void* caller) {
    Inside inside;
    return pc_site(caller);
  }
  void* object_;
};

/// A copy of the string that is read as one access; it may take steps. As libc's, null without memory.
char* duplicate_string(const char* string, size_t limit);

/// What a call reads while it takes steps, as one access: a copy of it, in recordings and their replays.
class Snapshot {
 public:
  explicit Snapshot(const char* string) : Snapshot(nullptr, 0) {
    if (HEDDLE_LIKELY(!by_hooks) || !modelled() || !string)
      at_ = string;
    else
      at_ = (own_ = duplicate_string(string, ~(size_t)0 >> 1)) ? own_ : string;
  }
  Snapshot(const void* p, size_t bytes) : at_(p) {
    if (HEDDLE_LIKELY(!by_hooks) || !modelled() || !p || !bytes || bytes > kMost) return;
    own_ = static_cast<char*>(malloc(bytes));
    if (!own_) return;
    read_again(p, bytes);
    at_ = __builtin_memcpy(own_, p, bytes);
  }
  ~Snapshot() {
    if (HEDDLE_UNLIKELY(own_ != nullptr)) free(own_);
  }
  Snapshot(const Snapshot&) = delete;
  const void* bytes() const { return at_; }
  const char* string() const { return static_cast<const char*>(at_); }

 private:
  static constexpr size_t kMost = 1 << 20;
  const void* at_;
  char* own_ = nullptr;
};

}  // namespace heddle::rt

#define HEDDLE_WEAK HEDDLE_EXPORT __attribute__((weak))  // a program or a sanitizer that brings its own wins

/// name(parameters) under the lock of `object`.
#define HEDDLE_LIBC_CALL(result, name, parameters, arguments, object) \
  HEDDLE_WEAK result name parameters {                                \
    using Function = result(*) parameters;                            \
    ::heddle::rt::LibcCall call(object, __builtin_return_address(0)); \
    return HEDDLE_NEXT(Function, #name) arguments;                    \
  }
