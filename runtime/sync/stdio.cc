// stdio in recordings: the lock of a FILE lies inside libc, where nobody sees it as long as it is free. A modelled lock
// around each call puts the calls in order, also those of libraries (std::cout). Otherwise these functions only pass
// on.
#include <stdarg.h>
#include <stdio.h>

#include "runtime/sync/libc_lock.h"

using namespace heddle::rt;

HEDDLE_LIBC_CALL(int, puts, (const char* s), (Snapshot(s).string()), stdout)
HEDDLE_LIBC_CALL(int, putchar, (int c), (c), stdout)
HEDDLE_LIBC_CALL(int, fputs, (const char* s, FILE* f), (Snapshot(s).string(), f), f)
HEDDLE_LIBC_CALL(int, fputc, (int c, FILE* f), (c, f), f)
HEDDLE_LIBC_CALL(int, putc, (int c, FILE* f), (c, f), f)
HEDDLE_LIBC_CALL(size_t, fwrite, (const void* p, size_t size, size_t n, FILE* f),
                 (Snapshot(p, size* n).bytes(), size, n, f), f)
HEDDLE_LIBC_CALL(size_t, fread, (void* p, size_t size, size_t n, FILE* f), (p, size, n, f), f)
HEDDLE_LIBC_CALL(char*, fgets, (char* s, int n, FILE* f), (s, n, f), f)
HEDDLE_LIBC_CALL(int, fgetc, (FILE * f), (f), f)
HEDDLE_LIBC_CALL(int, getc, (FILE * f), (f), f)
HEDDLE_LIBC_CALL(int, getchar, (void), (), stdin)
HEDDLE_LIBC_CALL(ssize_t, getline, (char** line, size_t* n, FILE* f), (line, n, f), f)
HEDDLE_LIBC_CALL(int, vfprintf, (FILE * f, const char* format, va_list a), (f, format, a), f)
HEDDLE_LIBC_CALL(int, vprintf, (const char* format, va_list a), (format, a), stdout)
HEDDLE_LIBC_CALL(int, __vfprintf_chk, (FILE * f, int flag, const char* format, va_list a), (f, flag, format, a), f)
HEDDLE_LIBC_CALL(void, perror, (const char* s), (s), stderr)

HEDDLE_WEAK int printf(const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(stdout, __builtin_return_address(0));
  int n = vfprintf(stdout, format, a);
  va_end(a);
  return n;
}
HEDDLE_WEAK int fprintf(FILE* f, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(f, __builtin_return_address(0));
  int n = vfprintf(f, format, a);
  va_end(a);
  return n;
}
HEDDLE_WEAK int __printf_chk(int flag, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(stdout, __builtin_return_address(0));
  int n = __vfprintf_chk(stdout, flag, format, a);
  va_end(a);
  return n;
}
HEDDLE_WEAK int __fprintf_chk(FILE* f, int flag, const char* format, ...) {
  va_list a;
  va_start(a, format);
  LibcCall call(f, __builtin_return_address(0));
  int n = __vfprintf_chk(f, flag, format, a);
  va_end(a);
  return n;
}

// All streams: libc locks their list, then each of them. Those that every program has are in order, too.
HEDDLE_WEAK int fflush(FILE* f) {
  void* caller = __builtin_return_address(0);
  LibcCall first(f ? f : stdin, caller);
  LibcCall second(f ? nullptr : stdout, caller), third(f ? nullptr : stderr, caller),
      list(f ? nullptr : &libc_streams, caller);
  return HEDDLE_NEXT(int (*)(FILE*), "fflush")(f);
}
