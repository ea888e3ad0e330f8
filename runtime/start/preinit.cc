// Where the runtime starts when it lies in the executable. (As a library of its own it starts in runtime/preload/.)
#include "runtime/rt.h"
#include "runtime/start/start.h"

namespace heddle::rt {
namespace {

void start_first(int, char**, char** environment) { start(environment); }
__attribute__((section(".preinit_array"), used)) void (*preinit)(int, char**, char**) = start_first;

// A program without instrumented code still starts here.
__attribute__((constructor(101))) void begin_before_main() { begin_run(); }

}  // namespace
}  // namespace heddle::rt
