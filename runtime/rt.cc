// Rules of this file: async-signal-safe, no libc calls but memory functions.
#include "runtime/rt.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/arena.h"

namespace heddle::rt {

Mode mode = Mode::kIdle;
HeddleRegion* region = nullptr;

void futex_wait(uint32_t* word, uint32_t value, uint64_t timeout_ns, bool shared) {
  timespec limit{(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
  raw_syscall(SYS_futex, word, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, value, timeout_ns ? &limit : nullptr, 0, 0);
}

void futex_wake(uint32_t* word, int count, bool shared) {
  raw_syscall(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, count, 0, 0, 0);
}

void check_failed(const char* what, const char* file, int line) {
  if (region) {
    note("heddle: internal check failed: %s at %s:%d", what, file, line);
    __atomic_add_fetch(&region->host_bell, 1, __ATOMIC_SEQ_CST);
    futex_wake(&region->host_bell, 64, true);
  }
  raw_syscall(SYS_kill, raw_syscall(SYS_getpid), SIGKILL);
  __builtin_trap();
}

void* map_memory(size_t bytes) {
  // Far below the program's own mappings and at fixed places: our use must not shift the program's addresses.
  static uint64_t next = 0x200800000000ull;  // above AddressSanitizer's shadow, and near the region: shared page tables
  bytes = (bytes + 4095) & ~(size_t)4095;
  count_own_mapping(bytes);
  long p = raw_syscall(SYS_mmap, next, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  HEDDLE_CHECK(p > 0);
  next += bytes;  // neighbours become one mapping of the kernel: less to copy at every fork
  return (void*)p;
}

namespace {

constexpr size_t kChunk = 1u << 24;

struct Arena {
  size_t next_chunk = kChunk;
  char *cursor = nullptr, *limit = nullptr;

  void* allocate(size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (HEDDLE_UNLIKELY(bytes > (size_t)(limit - cursor))) {
      size_t chunk = bytes > next_chunk / 16 ? bytes : next_chunk;
      next_chunk = kChunk;
      cursor = (char*)map_memory(chunk);
      limit = cursor + chunk;
    }
    char* p = cursor;
    cursor += bytes;
    return p;
  }
};
Arena hot, cold{256 * 1024};

}  // namespace

void* arena_allocate(size_t bytes) { return hot.allocate(bytes); }
void* arena_allocate_cold(size_t bytes) { return cold.allocate(bytes); }

void arena_prepare() {
  cold.allocate(16);
  hot.allocate(16);
}

namespace {

struct Text {
  char bytes[512];
  size_t used = 0;
  void put(char c) {
    if (used + 1 < sizeof bytes) bytes[used++] = c;
  }
  void put(const char* s) {
    for (; *s; s++) put(*s);
  }
  void number(uint64_t v, unsigned base) {
    char digits[24];
    int n = 0;
    do digits[n++] = "0123456789abcdef"[v % base];
    while (v /= base);
    while (n) put(digits[--n]);
  }
};

void format_into(Text& text, const char* format, va_list args) {
  for (const char* p = format; *p; p++) {
    if (*p != '%') {
      text.put(*p);
      continue;
    }
    switch (*++p) {
      case 's': text.put(va_arg(args, const char*)); break;
      case 'd': {
        int v = va_arg(args, int);
        if (v < 0) text.put('-');
        text.number(v < 0 ? -(int64_t)v : v, 10);
        break;
      }
      case 'u': text.number(va_arg(args, unsigned), 10); break;
      case 'x': text.number(va_arg(args, unsigned), 16); break;
      default: text.put('%'); break;
    }
    if (!*p) break;
  }
}

bool said_before(const char* notes, uint64_t used, const Text& text) {
  for (uint64_t i = 0; i < used;) {
    uint64_t k = 0;
    while (k < text.used && i + k < used && notes[i + k] == text.bytes[k]) k++;
    if (k == text.used && i + k < used && notes[i + k] == 0) return true;
    while (i < used && notes[i]) i++;
    i++;
  }
  return false;
}

}  // namespace

void note(const char* format, ...) {
  if (!region) return;
  Text text;
  va_list args;
  va_start(args, format);
  format_into(text, format, args);
  va_end(args);
  char* notes = area<char>(HEDDLE_AREA_NOTES);
  uint64_t used = region->result.note_bytes;
  if (said_before(notes, used, text) || used + text.used + 1 > region->area[HEDDLE_AREA_NOTES].size) return;
  for (size_t i = 0; i < text.used; i++) notes[used + i] = text.bytes[i];
  notes[used + text.used] = 0;
  region->result.note_bytes = used + text.used + 1;
}

}  // namespace heddle::rt
