// Locks inside libc (of a FILE, of the loader, of rand()) are not seen as long as they are free. In recordings and
// what executes them, a modelled lock around each call puts the calls in order; otherwise these calls are only passed
// on (control/discipline.h).
#pragma once
#include <stdlib.h>

#include "runtime/hooks/access.h"
#include "runtime/sync/model.h"
#include "runtime/real/next.h"

namespace heddle::rt {

/// Of the dynamic loader, which pthread_create() takes too.
extern char libc_loader;
/// Of stdio's list of all streams.
extern char libc_streams;

class LibcCall {
 public:
  /// `object`: whose address names the lock, which is recursive; null: none.
  LibcCall(void* object, void* caller)
      : object_(object && modelled() && discipline.lock_libc(object, caller) ? object : nullptr) {}
  ~LibcCall() {
    if (HEDDLE_UNLIKELY(object_ != nullptr) && modelled()) discipline.unlock_libc(object_);
  }
  LibcCall(const LibcCall&) = delete;

 private:
  void* object_;
};

// The table's functions where these locks are modelled.
bool model_lock_libc(void* object, void* caller);
bool model_try_lock_libc(void* object, void* caller);
void model_unlock_libc(void* object);
/// A copy of the string that is read as one access; it may take steps. As libc's, null without memory.
bool model_duplicate(const char* string, size_t limit, char** copy);
char* model_snapshot(const void* p, size_t bytes);
bool model_print(int fd, const char* format, va_list a, int* result);
void* model_lock_for_path(const char* path);
void model_flush(FILE* stream);
// And where they are not.
void observe_stream_taken(FILE* stream);
void observe_stream_given(FILE* stream);

/// What a call reads while it takes steps, as one access: a copy of it, where such calls take steps.
class Snapshot {
 public:
  explicit Snapshot(const char* string) : at_(string) {
    if (string && modelled() && discipline.duplicate(string, ~(size_t)0 >> 1, &own_) && own_) at_ = own_;
  }
  Snapshot(const void* p, size_t bytes) : at_(p) {
    if (p && bytes && modelled() && (own_ = discipline.snapshot(p, bytes))) at_ = own_;
  }
  ~Snapshot() {
    if (HEDDLE_UNLIKELY(own_ != nullptr)) free(own_);
  }
  Snapshot(const Snapshot&) = delete;
  const void* bytes() const { return at_; }
  const char* string() const { return static_cast<const char*>(at_); }

 private:
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
