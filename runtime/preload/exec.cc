// Behind a script or launcher: a program that gets other rights than its user's when it starts (set-user-ID,
// set-group-ID, file capabilities) loads neither us nor obeys us. The host has to know why it waits in vain, and if the
// program carries the runtime it is not started at all.
//
// Rules of this file: called by processes that nobody controls, also between vfork() and exec: system calls on memory
// of the stack.
#include "runtime/preload/exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/io.h"
#include "runtime/rt.h"

namespace heddle::rt {

int launcher_region = -1;

namespace {

bool gets_other_rights(const struct stat& st, const char* path) {
  char capabilities[64];
  const bool caps = raw_syscall(SYS_getxattr, path, "security.capability", capabilities, sizeof capabilities) > 0;
  return S_ISREG(st.st_mode) && ((st.st_mode & (S_ISUID | S_ISGID)) || caps);
}

// "ELF" and the name by which modules register.
bool carries_runtime(const char* path, uint64_t size) {
  constexpr char kName[] = "__heddle_register_module";
  // What cannot be looked at is not known to be another one.
  const long fd = size ? raw_syscall(SYS_open, path, O_RDONLY | O_CLOEXEC, 0) : -1;
  if (fd < 0) return true;
  const long at = raw_syscall(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
  raw_syscall(SYS_close, fd);
  if (at < 0 && at > -4096) return true;
  const char* bytes = (const char*)at;
  bool found = false;
  for (uint64_t i = 0; !found && i + sizeof kName <= size; i++)
    found = bytes[i] == '_' && __builtin_memcmp(bytes + i, kName, sizeof kName - 1) == 0;
  raw_syscall(SYS_munmap, at, size);
  return found;
}

void tell_host(const char* path, bool refused) {
  uint32_t state = 0;
  const long fd = launcher_region;
  raw_syscall(SYS_pread64, fd, &state, sizeof state, offsetof(HeddleRegion, server_state));
  if (state != HEDDLE_SERVER_NONE) return;  // the program that is meant has been found
  char text[sizeof HeddleRegion::server_error] = HEDDLE_OTHER_RIGHTS;
  size_t n = sizeof HEDDLE_OTHER_RIGHTS - 1;
  for (; *path && n + 1 < sizeof text; path++) text[n++] = *path;
  raw_syscall(SYS_pwrite64, fd, text, n + 1, offsetof(HeddleRegion, server_error));
  state = HEDDLE_SERVER_FAILED;
  if (refused) raw_syscall(SYS_pwrite64, fd, &state, sizeof state, offsetof(HeddleRegion, server_state));
}

// False: it must not be started.
bool may_start(const char* path) {
  struct stat st;
  if (launcher_region < 0 || !path || raw_syscall(SYS_stat, path, &st) != 0 || !gets_other_rights(st, path))
    return true;
  const bool refused = carries_runtime(path, (uint64_t)st.st_size);
  tell_host(path, refused);
  if (refused) errno = EACCES;
  return !refused;
}

// As execvp() looks for it.
bool may_start_named(const char* name) {
  if (launcher_region < 0 || !name || __builtin_strchr(name, '/')) return may_start(name);
  const char* folders = getenv("PATH");
  for (const char* at = folders ? folders : "/bin:/usr/bin"; *at;) {
    char path[4096];
    size_t n = 0;
    while (*at && *at != ':' && n < sizeof path - 2) path[n++] = *at++;
    while (*at && *at != ':') at++;
    if (*at) at++;
    if (n) path[n++] = '/';
    for (const char* c = name; *c && n < sizeof path - 1; c++) path[n++] = *c;
    path[n] = 0;
    if (raw_syscall(SYS_access, path, X_OK) == 0) return may_start(path);
  }
  return true;
}

}  // namespace

bool io_may_spawn(const char* path) { return may_start(path); }
bool io_may_spawn_named(const char* name) { return may_start_named(name); }

}  // namespace heddle::rt

using namespace heddle::rt;

#define HEDDLE_STARTERS(X) X(execve) X(execv) X(execvp) X(execvpe)
namespace {
struct {
#define HEDDLE_X(name) decltype(&::name) name;
  HEDDLE_STARTERS(HEDDLE_X)
#undef HEDDLE_X
} real;
}  // namespace

void heddle::rt::resolve_exec() {
#define HEDDLE_X(name) real.name = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name));
  HEDDLE_STARTERS(HEDDLE_X)
#undef HEDDLE_X
}

HEDDLE_EXPORT int execve(const char* path, char* const* argv, char* const* envp) noexcept {
  return may_start(path) ? real.execve(path, argv, envp) : -1;
}
HEDDLE_EXPORT int execv(const char* path, char* const* argv) noexcept {
  return may_start(path) ? real.execv(path, argv) : -1;
}
HEDDLE_EXPORT int execvp(const char* name, char* const* argv) noexcept {
  return may_start_named(name) ? real.execvp(name, argv) : -1;
}
HEDDLE_EXPORT int execvpe(const char* name, char* const* argv, char* const* envp) noexcept {
  return may_start_named(name) ? real.execvpe(name, argv, envp) : -1;
}
