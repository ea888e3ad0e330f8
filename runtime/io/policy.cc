#include "runtime/io/policy.h"

#include <sys/syscall.h>

namespace heddle::rt {
namespace {

constexpr long kNumbers = 512;

struct Table {
  Policy entry[kNumbers];
};

constexpr Table make_table() {
  constexpr Shape NONE{Writes::NONE, 0, 0}, RECVFROM{Writes::RECVFROM, 0, 0}, RECVMSG{Writes::RECVMSG, 0, 0},
      RECVMMSG{Writes::RECVMMSG, 0, 0}, SENDMMSG{Writes::SENDMMSG, 0, 0}, POLL{Writes::POLL, 0, 0},
      SELECT{Writes::SELECT, 0, 0}, WAIT4{Writes::WAIT4, 0, 0}, WAITID{Writes::WAITID, 0, 0},
      IOCTL{Writes::IOCTL, 0, 0}, FCNTL{Writes::FCNTL, 0, 0}, GROUPS{Writes::GROUPS, 0, 0},
      THREE_IDS{Writes::THREE_IDS, 0, 0}, MESSAGE{Writes::MESSAGE, 0, 0}, MQ{Writes::MQ, 0, 0},
      TWO_OFFSETS{Writes::TWO_OFFSETS, 0, 0}, VMSPLICE{Writes::VMSPLICE, 0, 0};
#define AT(argument, bytes) Shape{Writes::AT, argument, bytes}
#define RET(argument) Shape{Writes::RET, argument, 0}
#define IOV(argument) Shape{Writes::IOV, argument, 0}
#define ADDRESS(argument) Shape{Writes::ADDRESS, argument, 0}
#define EVENTS(argument, bytes) Shape{Writes::EVENTS, argument, bytes}
  Table table{};
  for (Policy& p : table.entry) p = Policy{"?", Class::ODD, Wait::NEVER, NONE};
#define X(name, cls, shape, wait) table.entry[__NR_##name] = Policy{#name, Class::cls, Wait::wait, shape};
#include "runtime/io/policy.def"
#undef X
  return table;
}

constexpr Table table = make_table();
constexpr Policy unknown{"?", Class::ODD, Wait::NEVER, {Writes::NONE, 0, 0}};

}  // namespace

const Policy& policy_of(long number) { return number >= 0 && number < kNumbers ? table.entry[number] : unknown; }

}  // namespace heddle::rt
