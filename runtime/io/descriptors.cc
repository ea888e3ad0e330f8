#include "runtime/io/descriptors.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace heddle::rt {

uint64_t descriptors_let_out;

namespace {

constexpr long kTracked = 1024;
int8_t outer[kTracked];  // original + 1; 0 something else
enum : int8_t { kUnknown, kFile, kDevice, kRandomDevice, kOther };
int8_t kinds[kTracked];
bool open_here[kTracked];  // what the program was given and has not closed
bool never_waits[kTracked];  // O_NONBLOCK was set when it was last asked for
enum : int8_t { kOutside, kInside, kInsideSet };
int8_t inside[kTracked];  // made by the program, and no other process has an end of it; a set: of epoll, of such
                          // descriptors

bool tracked(long fd) { return fd >= 0 && fd < kTracked; }
void copy(long from, long to) {
  if (from == to) return;
  timers_closed(to, to);
  timers_copied(from, to);
  if (!tracked(to)) return;
  outer[to] = tracked(from) ? outer[from] : 0;
  kinds[to] = kUnknown;
  never_waits[to] = false;
  open_here[to] = true;
  inside[to] = tracked(from) ? inside[from] : (int8_t)kOutside;
}
void forget(long first, long last) {
  timers_closed(first, last);
  for (long fd = first < 0 ? 0 : first; fd <= last && fd < kTracked; fd++)
    outer[fd] = 0, kinds[fd] = kUnknown, open_here[fd] = never_waits[fd] = false, inside[fd] = kOutside;
}

void made_inside(long fd, int8_t as = kInside) {
  if (tracked(fd)) inside[fd] = as, kinds[fd] = kUnknown;
}

// Which sets contain which, and which descriptors are the same, is not kept: all of them.
void sets_are_outside() {
  for (int8_t& i : inside)
    if (i == kInsideSet) i = kOutside;
  descriptors_let_out++;
}
void all_is_outside() {
  __builtin_memset(inside, kOutside, sizeof inside);
  descriptors_let_out++;
}

bool carries_descriptors(uint64_t header) {
  msghdr m;
  if (!read_program(&m, header, sizeof m) || !m.msg_control) return false;
  for (uint64_t at = 0; at + sizeof(cmsghdr) <= m.msg_controllen && at < 65536;) {
    cmsghdr one;
    if (!read_program(&one, (uint64_t)m.msg_control + at, sizeof one) || one.cmsg_len < sizeof one) return false;
    if (one.cmsg_level == SOL_SOCKET && one.cmsg_type == SCM_RIGHTS) return true;
    at += CMSG_ALIGN(one.cmsg_len);
  }
  return false;
}
bool sends_descriptors(const Call& c, long result) {
  if (c.number == SYS_sendmsg) return carries_descriptors((uint64_t)c.a[1]);
  for (long i = 0; i < result; i++)
    if (carries_descriptors((uint64_t)c.a[1] + (uint64_t)i * sizeof(mmsghdr))) return true;
  return false;
}

void pair_made_inside(long ends) {
  int fd[2];
  if (read_program(fd, (uint64_t)ends, sizeof fd)) made_inside(fd[0]), made_inside(fd[1]);
}

// The flag belongs to the open file, which may have several descriptors.
void ask_again() { __builtin_memset(never_waits, 0, sizeof never_waits); }

// Both of its ends: what one writes, the other reads.
bool is_pseudo_terminal(const struct stat& st) {
  const unsigned number = major(st.st_rdev);
  return (number >= 136 && number <= 143) || (number == 5 && minor(st.st_rdev) == 2);
}

int8_t kind_of(long fd) {
  if (tracked(fd) && kinds[fd] != kUnknown) return kinds[fd];
  struct stat st;
  if (raw_syscall(SYS_fstat, fd, &st) != 0) return kOther;
  const bool file = S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode);
  const bool device = S_ISCHR(st.st_mode) && !is_pseudo_terminal(st);
  const bool random = device && (st.st_rdev == makedev(1, 8) || st.st_rdev == makedev(1, 9));
  const int8_t kind = file ? kFile : random ? kRandomDevice : device ? kDevice : kOther;
  if (tracked(fd)) kinds[fd] = kind;
  return kind;
}

}  // namespace

void descriptors_start() {
  forget(0, kTracked - 1);
  for (int fd = 0; fd < 3; fd++) outer[fd] = (int8_t)(fd + 1);
}

bool is_file(long fd) { return kind_of(fd) == kFile; }
bool is_device(long fd) {
  const int8_t kind = kind_of(fd);
  return kind == kDevice || kind == kRandomDevice;
}
bool is_random_device(long fd) { return kind_of(fd) == kRandomDevice; }
int outer_descriptor(long fd) { return tracked(fd) ? outer[fd] - 1 : -1; }
bool is_nonblocking(long fd) {
  if (tracked(fd) && never_waits[fd] && !io_others_may_act) return true;
  const long flags = raw_syscall(SYS_fcntl, fd, F_GETFL);
  const bool set = !failed(flags) && (flags & O_NONBLOCK);
  if (tracked(fd)) never_waits[fd] = set;
  return set || failed(flags);
}
bool is_inside(long fd) { return tracked(fd) && inside[fd] != kOutside && !io_others_may_act; }
bool never_from_outside(long fd) {
  return fd < 0 || is_inside(fd) || is_file(fd) || raw_syscall(SYS_fcntl, fd, F_GETFD) < 0;
}
bool descriptor_is_open(long fd) { return tracked(fd) && open_here[fd]; }

bool makes_descriptor(const Call& c) {
  switch (c.number) {
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_socket:
    case SYS_accept:
    case SYS_accept4:
    case SYS_dup:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_timerfd_create:
    case SYS_memfd_create:
    case SYS_inotify_init: case SYS_inotify_init1: case SYS_mq_open:
      return true;
    case SYS_fcntl: return c.a[1] == F_DUPFD || c.a[1] == F_DUPFD_CLOEXEC;
    default: return false;
  }
}

void descriptors_follow(const Call& c, long result) {
  if (failed(result) && (c.number != SYS_close || result == -EBADF)) return;  // close() closes, whatever it says
  switch (c.number) {
    case SYS_close: forget(c.a[0], c.a[0]); break;
    case SYS_close_range:
      if (!((unsigned)c.a[2] & 4 /* CLOSE_RANGE_CLOEXEC */))
        forget((unsigned)c.a[0], (unsigned)c.a[1]);
      break;
    case SYS_dup: case SYS_dup2: case SYS_dup3: copy(c.a[0], result); break;
    case SYS_fcntl:
      if (c.a[1] == F_DUPFD || c.a[1] == F_DUPFD_CLOEXEC) copy(c.a[0], result);
      if (c.a[1] == F_SETFL) ask_again();
      break;
    case SYS_ioctl:
      if (c.a[1] == FIONBIO) ask_again();
      break;
    case SYS_pipe: case SYS_pipe2: pair_made_inside(c.a[0]); break;
    case SYS_socketpair: pair_made_inside(c.a[3]); break;
    case SYS_epoll_ctl:  // what it waits for
      if (c.a[1] == EPOLL_CTL_ADD && !never_from_outside(c.a[2])) sets_are_outside();
      break;
    case SYS_sendmsg: case SYS_sendmmsg:
      if (!is_inside(c.a[0]) && sends_descriptors(c, result)) all_is_outside();
      break;
    case SYS_connect: case SYS_bind:  // one of a pair can be given another peer
      if (is_inside(c.a[0])) all_is_outside();
      break;
    default:
      if (makes_descriptor(c) && tracked(result)) open_here[result] = true, never_waits[result] = false;
      break;
  }
  switch (c.number) {
    case SYS_eventfd: case SYS_eventfd2: case SYS_timerfd_create: made_inside(result); break;
    case SYS_epoll_create: case SYS_epoll_create1: made_inside(result, kInsideSet); break;
    default: break;
  }
}

}  // namespace heddle::rt
