// Commands that libc starts in a child: the child's exec is not seen, so what it is to execute is looked at before
// (call_clone() compares it).
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/io/call.h"
#include "runtime/real/next.h"

namespace heddle::rt {
namespace {

/// For the time of one call of libc.
class Starting {
 public:
  Starting(const char* path, char* const* argv, char* const* environment) : command_{path, argv, environment} {
    if (!controlled() || !self) return;
    io_ = &io_of(*self);
    io_->command = &command_;
  }
  ~Starting() {
    if (io_) io_->command = nullptr;
  }
  Starting(const Starting&) = delete;

 private:
  Command command_;
  ThreadIo* io_ = nullptr;
};

// Not by its name: an executable that refers to `environ` counts as one that can walk all of it (docs/security.md), and
// it contains this file.
char** environment_now() {
  char*** const at = (char***)dlsym(RTLD_DEFAULT, "environ");
  return at ? *at : nullptr;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT int system(const char* line) {
  auto* const real = HEDDLE_NEXT(int (*)(const char*), "system");
  if (!line) return real(line);
  char* const argv[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>(line), nullptr};
  const Starting starting("/bin/sh", argv, environment_now());
  return real(line);
}

HEDDLE_EXPORT FILE* popen(const char* line, const char* mode) {
  char* const argv[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>(line), nullptr};
  const Starting starting("/bin/sh", argv, environment_now());
  return HEDDLE_NEXT(FILE* (*)(const char*, const char*), "popen")(line, mode);
}

using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                      char* const*);

HEDDLE_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* argv, char* const* environment) {
  if (io_may_spawn && !io_may_spawn(path)) return EACCES;
  const Starting starting(path, argv, environment);
  return HEDDLE_NEXT(Spawn, "posix_spawn")(pid, path, actions, attributes, argv, environment);
}

HEDDLE_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* argv, char* const* environment) {
  if (io_may_spawn_named && !io_may_spawn_named(file)) return EACCES;
  const Starting starting(file, argv, environment);
  return HEDDLE_NEXT(Spawn, "posix_spawnp")(pid, file, actions, attributes, argv, environment);
}
