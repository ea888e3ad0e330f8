// Rules of this file: asked in recordings only, by the holder of the baton; what is not known counts as a dependence.
#include "runtime/io/changes.h"

#include <fcntl.h>

#include "abi/changes.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/stream.h"

namespace heddle::rt {
namespace {

constexpr size_t kLongest = 4096;
char folder[kLongest], base[kLongest], path_text[kLongest];
size_t folder_length;

struct Place {
  long at = AT_FDCWD, path = 0;
};
struct Names {
  Place first, second;
  long flags = O_WRONLY;
};

// The names that a call changes, or would change if its flags say so. False: no such call.
bool names_of(const Call& c, Names& out) {
  switch (c.number) {
    case SYS_open: out = {{AT_FDCWD, c.a[0]}, {}, c.a[1]}; return true;
    case SYS_openat: out = {{c.a[0], c.a[1]}, {}, c.a[2]}; return true;
    case SYS_creat: case SYS_mkdir: case SYS_rmdir: case SYS_unlink: case SYS_truncate:
      out.first = {AT_FDCWD, c.a[0]};
      return true;
    case SYS_mkdirat: case SYS_unlinkat: case SYS_openat2: out.first = {c.a[0], c.a[1]}; return true;
    case SYS_rename: case SYS_link: out.first = {AT_FDCWD, c.a[0]}, out.second = {AT_FDCWD, c.a[1]}; return true;
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_linkat:
      out.first = {c.a[0], c.a[1]}, out.second = {c.a[2], c.a[3]};
      return true;
    case SYS_symlink: out.first = {AT_FDCWD, c.a[1]}; return true;
    case SYS_symlinkat: out.first = {c.a[1], c.a[2]}; return true;
    default: return false;
  }
}

// Page by page: what follows the text's last one may not be there.
const char* text_at(long path) {
  constexpr size_t kPage = 4096;
  for (size_t n = 0; n + 1 < kLongest;) {
    const size_t rest = kPage - ((uint64_t)path + n) % kPage, part = rest < kLongest - 1 - n ? rest : kLongest - 1 - n;
    if (!read_program(path_text + n, (uint64_t)path + n, part)) {
      path_text[n] = 0;
      break;
    }
    path_text[n + part] = 0;
    if (__builtin_memchr(path_text + n, 0, part)) break;
    n += part;
  }
  return path_text;
}

bool begins(const char* text, const char* with) {
  while (*with && *text == *with) text++, with++;
  return !*with;
}

bool climbs(const char* path) {
  for (; *path; path++)
    if (begins(path, "..")) return true;
  return false;
}

// Devices and what the kernel tells: nothing that a program leaves behind. A pseudo-terminal is a channel like a pipe.
bool is_kernels(const char* path) {
  if (climbs(path) || begins(path, "/dev/shm/") || begins(path, "/dev/pt")) return false;
  return begins(path, "/dev/") || begins(path, "/proc/");
}

bool below_folder(const char* path) {
  return folder_length > 1 && begins(path, folder) && (!path[folder_length] || path[folder_length] == '/');
}

const char* base_of(long at) {
  long n;
  if ((int)at == AT_FDCWD) {
    n = raw_syscall(SYS_getcwd, base, sizeof base);
    return failed(n) ? "" : base;
  }
  char link[40] = "/proc/self/fd/";
  size_t end = 14, digits = 1;
  for (long rest = at; rest >= 10; rest /= 10) digits++;
  for (size_t i = digits; i-- > 0; at /= 10) link[end + i] = (char)('0' + at % 10);
  link[end + digits] = 0;
  n = raw_syscall(SYS_readlink, link, base, sizeof base - 1);
  base[failed(n) ? 0 : n] = 0;
  return base;
}

uint32_t changed_at(const char* real_path) {
  return below_folder(real_path) ? HEDDLE_CHANGED_FILES : HEDDLE_CHANGED_FILES | HEDDLE_CHANGED_OUTSIDE;
}

// By where its folder really is: the text may lead through links.
uint32_t changed(const Place& place) {
  if (!place.path) return 0;
  text_at(place.path);
  if (is_kernels(path_text)) return 0;
  size_t end = 0;
  for (size_t i = 0; path_text[i]; i++)
    if (path_text[i] == '/' && path_text[i + 1]) end = i + 1;
  path_text[end] = 0;
  const long parent = raw_syscall(SYS_openat, place.at, end ? path_text : ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  const uint32_t result = changed_at(failed(parent) ? "" : base_of(parent));
  if (!failed(parent)) raw_syscall(SYS_close, parent);
  return result;
}

uint32_t order_of_open(const Call& c) {
  Names names;
  if (!names_of(c, names)) return kInputDepends;
  if (is_kernels(text_at(names.first.path))) return 0;
  return names.flags & (O_CREAT | O_TRUNC) || c.number == SYS_openat2 ? kInputDepends | kInputChanges : kInputDepends;
}

// Two threads that read one descriptor: who comes first gets the first bytes, wherever they come from.
uint32_t order_of_read(const Call& c) {
  const long fd = c.a[0];
  const uint32_t moves = kInputMoves | input_descriptor(fd);
  if (outer_descriptor(fd) >= 0) return moves;
  if (is_device(fd)) return 0;
  if (!is_file(fd)) return kInputDepends | kInputChanges;
  return c.number == SYS_pread64 || c.number == SYS_preadv ? kInputDepends : kInputDepends | moves;
}

// The result of a write to a file is always the same; that of a pipe says how full it was.
uint32_t order_of_write(const Call& c) {
  if (outer_descriptor(c.a[0]) >= 0 || is_device(c.a[0])) return 0;
  return is_file(c.a[0]) ? kInputChanges : kInputChanges | kInputDepends;
}

uint32_t order_of_input(const Call& c) {
  switch (c.number) {
    case SYS_getuid:
    case SYS_getgid:
    case SYS_geteuid:
    case SYS_getegid:
    case SYS_getppid:
    case SYS_getpgrp:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_getgroups:
    case SYS_getresuid:
    case SYS_getresgid:
    case SYS_uname:
    case SYS_sysinfo:
    case SYS_times:
    case SYS_getrusage:
    case SYS_getrlimit:
    case SYS_getitimer:
    case SYS_getrandom:
    case SYS_getpriority:
    case SYS_sched_getparam:
    case SYS_sched_getscheduler:
    case SYS_sched_getattr:
    case SYS_sched_rr_get_interval:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
      return 0;
    // New descriptors: only their numbers depend on others.
    case SYS_pipe: case SYS_pipe2: case SYS_socket: case SYS_socketpair: case SYS_dup: case SYS_eventfd:
    case SYS_eventfd2: case SYS_epoll_create: case SYS_epoll_create1: case SYS_timerfd_create: case SYS_memfd_create:
    case SYS_signalfd: case SYS_signalfd4: case SYS_inotify_init: case SYS_inotify_init1:
      return 0;
    case SYS_open: case SYS_openat: case SYS_openat2: return order_of_open(c);
    case SYS_read: case SYS_readv: case SYS_pread64: case SYS_preadv: case SYS_preadv2: return order_of_read(c);
    case SYS_lseek:
    case SYS_getdents:
    case SYS_getdents64:
      return kInputDepends | kInputMoves | input_descriptor(c.a[0]);
    // Of a pipe or socket: the other end is told.
    case SYS_close:
      return kInputMoves | input_descriptor(c.a[0]) |
             (is_file(c.a[0]) || is_device(c.a[0]) ? 0 : (uint32_t)kInputChanges);
    // Over an open descriptor they close it.
    case SYS_dup2: case SYS_dup3: return kInputChanges;
    case SYS_fstat:
      return outer_descriptor(c.a[0]) >= 0 || is_device(c.a[0]) ? 0 : (uint32_t)kInputDepends;
    case SYS_ioctl:
      if (outer_descriptor(c.a[0]) >= 0 || is_device(c.a[0])) return 0;
      return is_file(c.a[0]) ? kInputDepends : kInputDepends | kInputChanges;
    case SYS_fcntl:
      switch (c.a[1]) {
        case F_DUPFD: case F_DUPFD_CLOEXEC: case F_GETFD: case F_SETFD: case F_GETFL: return 0;
        default: return kInputDepends | kInputChanges;  // locks, O_NONBLOCK, sizes of pipes
      }
    case SYS_newfstatat:
      if (c.a[3] && (c.a[3] & AT_EMPTY_PATH) && (outer_descriptor(c.a[0]) >= 0 || is_device(c.a[0]))) return 0;
      return kInputDepends;
    case SYS_accept: case SYS_accept4: case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg: case SYS_msgrcv:
    case SYS_mq_timedreceive:
    case SYS_mq_open:
    case SYS_mq_getsetattr:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_close_range:
    case SYS_inotify_add_watch: case SYS_inotify_rm_watch: case SYS_io_getevents: case SYS_io_pgetevents:
    case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2:  // an edge is told once
      return kInputDepends | kInputChanges;
    default: return kInputDepends;
  }
}

}  // namespace

void changes_start() {
  long n = raw_syscall(SYS_getcwd, folder, sizeof folder);
  folder_length = failed(n) ? 0 : (size_t)n - 1;
}

uint32_t changed_files(const Call& c, long result) {
  if (c.number == SYS_mq_open || c.number == SYS_semget || c.number == SYS_msgget)
    return HEDDLE_CHANGED_FILES | HEDDLE_CHANGED_OUTSIDE;
  Names names;
  if (!names_of(c, names)) return 0;
  // Names that cannot be taken are no meeting places.
  if ((names.flags & O_ACCMODE) == O_RDONLY || (names.flags & O_EXCL) || (names.flags & O_TMPFILE) == O_TMPFILE)
    return 0;
  if (c.number != SYS_open && c.number != SYS_openat && c.number != SYS_openat2 && c.number != SYS_creat)
    return changed(names.first) | changed(names.second);
  const char* opened = base_of(result);
  return is_kernels(opened) ? 0 : changed_at(opened);
}

uint32_t order_of(const Call& c) {
  switch (c.policy.cls) {
    case Class::INPUT: return order_of_input(c);
    case Class::WRITE: return order_of_write(c);
    case Class::EFFECT: break;
    default: return kInputDepends | kInputChanges;  // timers, signals to other processes
  }
  switch (c.number) {
    case SYS_fsync: case SYS_fdatasync: case SYS_sync: case SYS_syncfs: case SYS_sync_file_range: case SYS_fadvise64:
    case SYS_readahead: case SYS_umask: case SYS_setpriority: case SYS_sched_setparam: case SYS_sched_setscheduler:
      return 0;
    default: return kInputDepends | kInputChanges;
  }
}

}  // namespace heddle::rt
