// A runtime for tests: prints every hook to stderr with its site, or counts them. HEDDLE_TEST=print|count|off.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "abi/events.h"
#include "abi/hooks.h"

static const char* const kKinds[] = {
#define HEDDLE_X(name, text, event_class, object, props) #name,
    HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
};
static unsigned long counts[HEDDLE_EV_COUNT], total;
static int printing, modules, depth;

static const char* text(const int32_t* field) { return *field ? (const char*)field + *field : ""; }
static const char* base(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void note(struct HeddleSite* s, const char* detail) {
  ++counts[s->kind];
  ++total;
  if (!printing || depth) return;
  ++depth;
  fprintf(stderr, "%s%s size=%u flags=%u %s:%u %s [%s]%s\n", "hook ", kKinds[s->kind], s->size, s->flags, base(text(&s->file)),
          s->line, text(&s->function), text(&s->variable), detail);
  --depth;
}

#define ACCESS(name) \
  void name(const volatile void* a, struct HeddleSite* s) { note(s, a ? "" : " null"); }
ACCESS(__heddle_read1) ACCESS(__heddle_read2) ACCESS(__heddle_read4) ACCESS(__heddle_read8) ACCESS(__heddle_read16)
ACCESS(__heddle_write1) ACCESS(__heddle_write2) ACCESS(__heddle_write4) ACCESS(__heddle_write8) ACCESS(__heddle_write16)

static void range(size_t n, struct HeddleSite* s) {
  char detail[40];
  snprintf(detail, sizeof detail, " length=%zu", n);
  note(s, detail);
}
void __heddle_read_range(const volatile void* a, size_t n, struct HeddleSite* s) { range(n, s); }
void __heddle_write_range(const volatile void* a, size_t n, struct HeddleSite* s) { range(n, s); }
void __heddle_read_string(const volatile void* a, size_t limit, uint32_t stops, struct HeddleSite* s) {
  char detail[60];
  snprintf(detail, sizeof detail, " string limit=%zd stops=%x", (ssize_t)limit, stops);
  note(s, detail);
}
void __heddle_read_prefix(const volatile void* a, const volatile void* b, size_t limit, uint32_t folded, struct HeddleSite* s) {
  char detail[60];
  snprintf(detail, sizeof detail, " prefix limit=%zd folded=%u", (ssize_t)limit, folded);
  note(s, detail);
}
void __heddle_write_string(const volatile void* a, const volatile void* b, size_t limit, uint32_t appended, struct HeddleSite* s) {
  char detail[60];
  snprintf(detail, sizeof detail, " copy limit=%zd appended=%u%s", (ssize_t)limit, appended, b ? "" : " null");
  note(s, detail);
}
void __heddle_vector(const volatile void* a, size_t count, int64_t bytes, uint32_t flags, struct HeddleSite* s) {
  char detail[60];
  snprintf(detail, sizeof detail, " vector count=%zd bytes=%lld flags=%u", (ssize_t)count, (long long)bytes, flags);
  note(s, detail);
}
void __heddle_call_out(uint8_t* state) {}
void __heddle_call_in(void) {}
void __heddle_will_write(const volatile void* a, size_t n, struct HeddleSite* s) {}
void __heddle_freeing(const volatile void* a) {}

void __heddle_atomic(const volatile void* a, uint32_t size, uint32_t kind, uint32_t order, uint32_t failure,
                     struct HeddleSite* s) {
  char detail[60];
  if (kind != s->kind || (size & 0xff) != s->size) abort();
  snprintf(detail, sizeof detail, " order=%u/%u", order, failure);
  note(s, detail);
}
void __heddle_atomic_done(const volatile void* a, uint64_t value, uint32_t success, struct HeddleSite* s) {
  if (printing) fprintf(stderr, "done %s value=%llu success=%u\n", kKinds[s->kind], (unsigned long long)value, success);
}
void __heddle_fence(uint32_t order, struct HeddleSite* s) {
  char detail[40];
  snprintf(detail, sizeof detail, " order=%u", order);
  note(s, detail);
}
void __heddle_branch(uint32_t outcome, struct HeddleSite* s) {
  char detail[40];
  snprintf(detail, sizeof detail, " outcome=%u", outcome);
  note(s, detail);
}
uint64_t __heddle_rdtsc(struct HeddleSite* s) { return note(s, " rdtsc"), 1000 + total; }
uint64_t __heddle_rdrand(struct HeddleSite* s) { return note(s, " rdrand"), 4; }

static void summary(void) {
  for (int i = 0; i < HEDDLE_EV_COUNT; ++i)
    if (counts[i]) fprintf(stderr, "count %s %lu\n", kKinds[i], counts[i]);
}

void __heddle_register_module(uint32_t* active, struct HeddleSite* first, struct HeddleSite* last) {
  const char* mode = getenv("HEDDLE_TEST");
  if (!mode) mode = "print";
  ++modules;
  for (struct HeddleSite* s = first; s < last; ++s)
    if (!*text(&s->function) || (s->kind == 0) != !!(s->flags & (HEDDLE_SITE_CALL | HEDDLE_SITE_HEAD)) || s->kind >= HEDDLE_EV_COUNT) abort();
  if (strcmp(mode, "off") == 0) return;
  *active = HEDDLE_ACTIVE | HEDDLE_ACTIVE_BRANCHES;
  printing = strcmp(mode, "print") == 0;
  fprintf(stderr, "module %d sites>0=%d\n", modules, last > first);
  if (!printing && modules == 1) atexit(summary);
}
