// stdio's list of all streams, which opening, closing and flushing all of them lock; functions that print without a
// stream of the program.
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sync/libc_lock.h"

namespace heddle::rt {
char libc_streams;
}

using namespace heddle::rt;

// Opening a FIFO waits for another thread, which may have to open it, too. Asked as the program would: the answer is an
// input.
void* heddle::rt::model_lock_for_path(const char* path) {
  const int before = errno;
  struct stat s;
  const bool waits = path && stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
  errno = before;
  return waits ? nullptr : &libc_streams;
}

namespace {

void* lock_for(const char* path) { return modelled() ? discipline.lock_for_path(path) : nullptr; }

int write_all(int fd, const char* text, int length) {
  for (int done = 0; done < length;) {
    const ssize_t n = write(fd, text + done, (size_t)(length - done));
    if (n < 0) return -1;
    done += (int)n;
  }
  return length;
}

// libc's makes a stream for one call and puts it on the list of all, beside which a write may wait.
int print_to(int fd, const char* format, va_list a) {
  char text[512];
  va_list again;
  va_copy(again, a);
  int n = vsnprintf(text, sizeof text, format, a);
  char* longer = nullptr;
  if (n >= (int)sizeof text) {
    longer = static_cast<char*>(malloc((size_t)n + 1));
    const int now = longer ? vsnprintf(longer, (size_t)n + 1, format, again) : -1;
    if (now < n) n = now;  // somebody may have changed a string meanwhile
  }
  va_end(again);
  if (n > 0) n = write_all(fd, longer ? longer : text, n);
  free(longer);
  return n;
}

}  // namespace

bool heddle::rt::model_print(int fd, const char* format, va_list a, int* result) {
  *result = print_to(fd, format, a);
  return true;
}

void heddle::rt::model_flush(FILE* stream) {
  if (stream) fflush(stream);
}

HEDDLE_LIBC_CALL(FILE*, fopen, (const char* path, const char* mode), (path, mode), lock_for(path))
HEDDLE_LIBC_CALL(FILE*, fopen64, (const char* path, const char* mode), (path, mode), lock_for(path))
HEDDLE_LIBC_CALL(FILE*, fdopen, (int fd, const char* mode), (fd, mode), &libc_streams)
HEDDLE_LIBC_CALL(FILE*, fmemopen, (void* p, size_t n, const char* mode), (p, n, mode), &libc_streams)
HEDDLE_LIBC_CALL(FILE*, open_memstream, (char** p, size_t* n), (p, n), &libc_streams)
HEDDLE_LIBC_CALL(FILE*, tmpfile, (), (), &libc_streams)
HEDDLE_LIBC_CALL(void, vwarn, (const char* format, va_list a), (format, a), stderr)
HEDDLE_LIBC_CALL(void, vwarnx, (const char* format, va_list a), (format, a), stderr)
HEDDLE_LIBC_CALL(void, psignal, (int signo, const char* s), (signo, s), stderr)

// What is left is written first, without the list's lock: a write may wait for another thread, which may want to open a
// file.
static void write_rest(FILE* f) {
  if (modelled()) discipline.flush(f);
}
HEDDLE_WEAK int fclose(FILE* f) {
  write_rest(f);
  LibcCall call(&libc_streams, __builtin_return_address(0));
  return HEDDLE_NEXT(int (*)(FILE*), "fclose")(f);
}
HEDDLE_WEAK FILE* freopen(const char* path, const char* mode, FILE* f) {
  write_rest(f);
  LibcCall call(lock_for(path), __builtin_return_address(0));
  return HEDDLE_NEXT(FILE * (*)(const char*, const char*, FILE*), "freopen")(path, mode, f);
}

HEDDLE_WEAK int vdprintf(int fd, const char* format, va_list a) {
  int n;
  if (modelled() && discipline.print(fd, format, a, &n)) return n;
  return HEDDLE_NEXT(int (*)(int, const char*, va_list), "vdprintf")(fd, format, a);
}
HEDDLE_WEAK int __vdprintf_chk(int fd, int flag, const char* format, va_list a) {
  int n;
  if (modelled() && discipline.print(fd, format, a, &n)) return n;
  return HEDDLE_NEXT(int (*)(int, int, const char*, va_list), "__vdprintf_chk")(fd, flag, format, a);
}
HEDDLE_WEAK int dprintf(int fd, const char* format, ...) {
  va_list a;
  va_start(a, format);
  int n = vdprintf(fd, format, a);
  va_end(a);
  return n;
}
HEDDLE_WEAK int __dprintf_chk(int fd, int flag, const char* format, ...) {
  va_list a;
  va_start(a, format);
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
