// stdio's list of all streams, which opening, closing and flushing all of them lock; functions that print through a stream of their own.
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/sync/libc_lock.h"

namespace heddle::rt {
char libc_streams;
}

using namespace heddle::rt;

namespace {

// Opening a FIFO waits for another thread, which may have to open it, too. Asked as the program would: the answer is an input.
void* lock_for(const char* path) {
  if (HEDDLE_LIKELY(!by_hooks) || !modelled()) return nullptr;
  const int before = errno;
  struct stat s;
  const bool waits = path && stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
  errno = before;
  return waits ? nullptr : &libc_streams;
}

}  // namespace

HEDDLE_LIBC_CALL(FILE*, fopen, (const char* path, const char* mode), (path, mode), lock_for(path))
HEDDLE_LIBC_CALL(FILE*, fopen64, (const char* path, const char* mode), (path, mode), lock_for(path))
HEDDLE_LIBC_CALL(FILE*, freopen, (const char* path, const char* mode, FILE* f), (path, mode, f), lock_for(path))
HEDDLE_LIBC_CALL(FILE*, fdopen, (int fd, const char* mode), (fd, mode), &libc_streams)
HEDDLE_LIBC_CALL(FILE*, fmemopen, (void* p, size_t n, const char* mode), (p, n, mode), &libc_streams)
HEDDLE_LIBC_CALL(FILE*, open_memstream, (char** p, size_t* n), (p, n), &libc_streams)
HEDDLE_LIBC_CALL(FILE*, tmpfile, (), (), &libc_streams)
HEDDLE_LIBC_CALL(int, fclose, (FILE * f), (f), &libc_streams)
HEDDLE_LIBC_CALL(int, vdprintf, (int fd, const char* format, va_list a), (fd, format, a), &libc_streams)
HEDDLE_LIBC_CALL(int, __vdprintf_chk, (int fd, int flag, const char* format, va_list a), (fd, flag, format, a), &libc_streams)
HEDDLE_LIBC_CALL(void, vwarn, (const char* format, va_list a), (format, a), stderr)
HEDDLE_LIBC_CALL(void, vwarnx, (const char* format, va_list a), (format, a), stderr)
HEDDLE_LIBC_CALL(void, psignal, (int signo, const char* s), (signo, s), stderr)

HEDDLE_WEAK int dprintf(int fd, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(&libc_streams, __builtin_return_address(0));
  int n = vdprintf(fd, format, a);
  va_end(a);
  return n;
}
HEDDLE_WEAK int __dprintf_chk(int fd, int flag, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(&libc_streams, __builtin_return_address(0));
  int n = __vdprintf_chk(fd, flag, format, a);
  va_end(a);
  return n;
}
HEDDLE_WEAK void warn(const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(stderr, __builtin_return_address(0));
  vwarn(format, a);
  va_end(a);
}
HEDDLE_WEAK void warnx(const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(stderr, __builtin_return_address(0));
  vwarnx(format, a);
  va_end(a);
}
