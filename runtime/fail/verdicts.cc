// What is known before a fatal signal arrives: failed assertions, uncaught exceptions, failed heddle_check().
#include <assert.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/fail.h"
#include "runtime/control/io.h"
#include "runtime/real/real.h"

namespace heddle::rt {


namespace {

void place(const char* text, const char* file, unsigned line, const char* function) {
  HeddleFailure& f = region->result.failure;
  copy_text(f.message, sizeof f.message, text);
  copy_text(f.file, sizeof f.file, file);
  copy_text(f.function, sizeof f.function, function);
  f.line = line;
}

void expect_assertion(const char* text, const char* file, unsigned line, const char* function) {
  discipline.stay_inside();
  if (mode != Mode::kControlled || verdict.kind) return;
  verdict.kind = HEDDLE_FAIL_ASSERTION;
  place(text, file, line, function);
}

// The C++ runtime is used only if the program brought it: looked up, never linked.
using TerminateHandler = void (*)();
TerminateHandler previous_terminate;
struct TypeInfo {
  void** vtable;
  const char* name;
};
TypeInfo* (*current_type)();
struct CaughtException {  // libstdc++'s __cxa_exception; the thrown object follows it
  void* head[10];
  uint64_t exception_class;
  void* tail[3];
};
static_assert(sizeof(CaughtException) == 112, "the Itanium C++ ABI as libstdc++ lays it out on x86-64");
constexpr uint64_t kPrimaryException = 0x474e5543432b2b00;  // "GNUCC++\0"; rethrown copies have another class
struct CaughtExceptions {
  CaughtException* newest;
  unsigned uncaught;
};
CaughtExceptions* (*caught_exceptions)();
TypeInfo* exception_type;  // typeid(std::exception)

// what() of the exception in flight, if it derives from std::exception.
const char* what_of(TypeInfo* thrown) {
  if (!caught_exceptions || !exception_type) return nullptr;
  CaughtException* newest = caught_exceptions()->newest;
  if (!newest || newest->exception_class != kPrimaryException) return nullptr;
  void* object = newest + 1;
  using DoCatch = bool (*)(const TypeInfo*, const TypeInfo*, void**, unsigned);
  if (!reinterpret_cast<DoCatch>(exception_type->vtable[4])(exception_type, thrown, &object, 1)) return nullptr;
  void** vtable = *(void***)object;
  return reinterpret_cast<const char* (*)(void*)>(vtable[2])(object);
}

void on_terminate() {
  TypeInfo* type = mode == Mode::kControlled && !verdict.kind && current_type ? current_type() : nullptr;
  if (type) {
    HeddleFailure& f = region->result.failure;
    copy_text(f.type, sizeof f.type, type->name[0] == '*' ? type->name + 1 : type->name);
    Thread* t = self;
    set_self(nullptr);  // what() may be instrumented code: no points now
    copy_text(f.message, sizeof f.message, what_of(type));
    set_self(t);
    verdict.kind = HEDDLE_FAIL_EXCEPTION;
  }
  if (previous_terminate) previous_terminate();
  abort();
}

struct AbortMessage {  // of glibc, for debuggers
  unsigned size;
  char text[];
};
AbortMessage** abort_message;

// Sanitizers (address, undefined, leak): the report comes as text, then the process dies through their callback.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));
// runtime/tsan/sanitizer.cc: what stands in when there is no sanitizer; the preload build has nothing that does.
extern "C" void heddle_no_death_callback(void (*)()) __attribute__((weak, visibility("hidden")));
extern "C" void __asan_set_error_report_callback(void (*)(const char*)) __attribute__((weak));

// "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x..." -> "AddressSanitizer: heap-use-after-free"
void on_sanitizer_report(const char* report) {
  if (mode != Mode::kControlled) return;
  const char* p = __builtin_strstr(report, "ERROR: ");
  char* to = region->result.failure.message;
  size_t n = 0;
  for (p = p ? p + 7 : report; *p && *p != '\n' && n + 1 < sizeof region->result.failure.message; p++) {
    if (!__builtin_strncmp(p, " on address", 11) || !__builtin_strncmp(p, " on 0x", 6) ||
        !__builtin_strncmp(p, ": 0x", 4) || !__builtin_strncmp(p, " (pc ", 5))
      break;
    to[n++] = *p;
  }
  to[n] = 0;
}

void on_sanitizer_death() {
  if (mode != Mode::kControlled || !self) return;
  HEDDLE_CAPTURE_REGS(*self->info);
  if (!begin_failure(self)) return;
  HeddleFailure& f = region->result.failure;
  f.regs = self->info->regs;
  f.has_regs = 1;
  if (!f.message[0]) copy_text(f.message, sizeof f.message, "sanitizer report");
  commit_failure(HEDDLE_FAIL_SANITIZER);
  await_inspection();
  end_run(kFailedStatus);
}

}  // namespace

const char* libc_abort_message() { return abort_message && *abort_message ? (*abort_message)->text : nullptr; }

bool sanitized() {
  return __sanitizer_set_death_callback && __sanitizer_set_death_callback != heddle_no_death_callback;
}

void fail_prepare() {
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_sanitizer_death);
  if (__asan_set_error_report_callback) __asan_set_error_report_callback(on_sanitizer_report);
  abort_message = (AbortMessage**)dlsym(RTLD_DEFAULT, "__abort_msg");
  current_type = (TypeInfo * (*)()) dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
  caught_exceptions = (CaughtExceptions * (*)()) dlsym(RTLD_DEFAULT, "__cxa_get_globals");
  exception_type = (TypeInfo*)dlsym(RTLD_DEFAULT, "_ZTISt9exception");
  auto set_terminate = (TerminateHandler(*)(TerminateHandler))dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE");
  if (set_terminate) previous_terminate = set_terminate(on_terminate);
}

void fail_start() {
  verdict.kind = HEDDLE_FAIL_NONE;
  fail_thread_start();
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void __assert_fail(const char* text, const char* file, unsigned line, const char* function) noexcept {
  expect_assertion(text, file, line, function);
  HEDDLE_REAL(__assert_fail)(text, file, line, function);
  __builtin_trap();
}
HEDDLE_EXPORT void __assert_perror_fail(int error, const char* file, unsigned line, const char* function) noexcept {
  expect_assertion("assert_perror", file, line, function);
  reinterpret_cast<void (*)(int, const char*, unsigned, const char*)>(real.__assert_perror_fail)(error, file, line,
                                                                                                 function);
  __builtin_trap();
}

// LeakSanitizer stops all threads with ptrace at the end: not under control, where it would wait for ever.
HEDDLE_EXPORT int __lsan_is_turned_off() { return region != nullptr; }

HEDDLE_EXPORT void heddle_check_failed(const char* text, const char* file, int line, const char* function) {
  if (mode != Mode::kControlled) return;
  verdict.kind = HEDDLE_FAIL_CHECK;
  place(text, file, (unsigned)line, function);
  raise(SIGABRT);
}
