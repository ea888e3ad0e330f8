// HEDDLE_OPTIONS=log=FILE:log_ring=SIZE:log_limit=SIZE:log_fd=N. Other keys are the host's (src/engine/options.def).
#include <sys/syscall.h>

#include "runtime/log/log.h"

namespace heddle::rt::log {
namespace {

constexpr uint64_t kMostLimit = 1ull << 30;  // a reader must be able to hold it

struct Text {
  const char* begin;
  const char* end;
  size_t size() const { return (size_t)(end - begin); }
};

bool is(Text t, const char* word) {
  return t.size() == __builtin_strlen(word) && !__builtin_memcmp(t.begin, word, t.size());
}

void refuse(const char* why, Text what) {
  char line[256];
  size_t n = 0;
  const auto put = [&](const char* p, size_t count) {
    for (size_t i = 0; i < count && n < sizeof line - 1; i++) line[n++] = p[i];
  };
  constexpr const char kEnd[] = "; the program runs without a log";
  put("heddle: ", 8);
  put(why, __builtin_strlen(why));
  put(what.begin, what.size() < 100 ? what.size() : 100);
  put(kEnd, sizeof kEnd - 1);
  line[n++] = '\n';
  raw_syscall(SYS_write, 2, line, n);
}

// "65536", "64k", "1m", "2g". 0: it is no size.
uint64_t size_of(Text t) {
  uint64_t value = 0;
  const char* p = t.begin;
  for (; p < t.end && *p >= '0' && *p <= '9' && value < 1ull << 40; p++) value = value * 10 + (uint64_t)(*p - '0');
  if (p == t.begin || t.end - p > 1) return 0;
  if (p == t.end) return value;
  const char unit = (char)(*p | 32);
  return unit == 'k' ? value << 10 : unit == 'm' ? value << 20 : unit == 'g' ? value << 30 : 0;
}

// A relative name is one of the folder that the program starts in, wherever it goes.
bool take_path(Text name, Settings& out) {
  size_t n = 0;
  if (name.size() == 0) return false;
  if (*name.begin != '/') {
    const long bytes = raw_syscall(SYS_getcwd, out.path, sizeof out.path);
    if (bytes <= 1) return false;
    n = (size_t)bytes - 1;
    if (n > 1) out.path[n++] = '/';
  }
  if (n + name.size() + 1 > sizeof out.path) return false;
  __builtin_memcpy(out.path + n, name.begin, name.size());
  out.path[n + name.size()] = 0;
  return true;
}

const char* take_one(Text key, Text value, Settings& out) {
  if (is(key, "log")) return take_path(value, out) ? nullptr : "log=FILE: the name is empty or too long: ";
  if (is(key, "log_ring")) {
    out.ring_bytes = size_of(value);
    return out.ring_bytes ? nullptr : "log_ring: expected a size such as 64k, not ";
  }
  if (is(key, "log_limit")) {
    out.limit = size_of(value);
    return out.limit && out.limit <= kMostLimit ? nullptr : "log_limit: expected a size up to 1g, not ";
  }
  if (is(key, "log_fd")) {
    out.descriptor = 0;
    for (const char* p = value.begin; p < value.end; p++) {
      if (*p < '0' || *p > '9' || out.descriptor > 1 << 20) return "log_fd: expected a descriptor, not ";
      out.descriptor = out.descriptor * 10 + (*p - '0');
    }
    return value.size() ? nullptr : "log_fd: expected a descriptor, not ";
  }
  return nullptr;
}

}  // namespace

bool read_settings(char** environment, Settings& out) {
  constexpr char kName[] = "HEDDLE_OPTIONS=";
  const char* text = nullptr;
  for (char** e = environment; *e && !text; e++)
    if (!__builtin_strncmp(*e, kName, sizeof kName - 1)) text = *e + sizeof kName - 1;
  while (text && *text) {
    const char* end = text;
    while (*end && *end != ':') end++;
    const char* equals = text;
    while (equals < end && *equals != '=') equals++;
    const Text value{equals < end ? equals + 1 : end, end};
    if (const char* why = take_one({text, equals}, value, out)) return refuse(why, value), false;
    text = *end ? end + 1 : end;
  }
  return true;
}

}  // namespace heddle::rt::log
