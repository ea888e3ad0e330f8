// What the table policy.def says about a system call.
#pragma once
#include <stdint.h>

namespace heddle::rt {

enum class Class : uint8_t {
  PASS, INPUT, EFFECT, WRITE, ODD, NATIVE,
  MMAP, MEMORY, SIGACTION, SIGMASK, SIGRETURN, KILL, YIELD, SLEEP, CLOCK, TIMER, GETPID, GETTID, CLONE, EXEC, EXIT,
  THREADEXIT, FUTEX, AFFINITY, GETCPU, PRCTL, LIMIT, ALTSTACK, URING, VMWRITE, REMAP, UNMAP, SYNC,
  COUNT
};

enum class Wait : uint8_t {
  NEVER, READ, WRITE, WRITEV, RECV, RECVMSG, RECVMMSG, SEND, SENDMSG, OPEN, OPENAT, CONNECT, POLL, SELECT, EPOLL, WAIT4,
  WAITID, FLOCK, FCNTL, MESSAGE, SPLICE, SIGWAIT, SIGSUSPEND, ALWAYS,
};

enum class Writes : uint8_t {
  NONE, AT, RET, IOV, ADDRESS, RECVFROM, RECVMSG, RECVMMSG, SENDMMSG, POLL, SELECT, EVENTS, WAIT4, WAITID, IOCTL, FCNTL,
  GROUPS, THREE_IDS, MESSAGE, MQ, TWO_OFFSETS, VMSPLICE,
};

struct Shape {
  Writes writes;
  uint8_t argument;
  uint16_t bytes;
};

struct Policy {
  const char* name;
  Class cls;
  Wait wait;
  Shape shape;
};

/// Unknown numbers (newer kernels) get an ODD policy with the name "?".
const Policy& policy_of(long number);

}  // namespace heddle::rt
