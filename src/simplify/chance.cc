#include "src/simplify/chance.h"

#include <cstring>
#include <unordered_map>

#include <sys/syscall.h>

#include "abi/inputs.h"
#include "abi/region.h"

namespace heddle {
namespace {

std::optional<std::string_view> chance_in_call(const HeddleInput& r, std::uint16_t before) {
  switch (r.number) {
    case SYS_getrandom: return "random bytes";
    case SYS_clone: case SYS_clone3: case SYS_fork: case SYS_vfork: return "what another process does";
    case SYS_connect: case SYS_accept: case SYS_accept4: return "what comes through a socket";
    case SYS_sysinfo: case SYS_getrusage: case SYS_times: return "the load of the machine";
    case SYS_alarm: case SYS_setitimer: case SYS_timer_settime: case SYS_timerfd_settime: return "a timer";
    case SYS_getpid:  // raise() and abort() ask for both, and use them for nothing else
      return before == SYS_gettid ? std::nullopt : std::optional<std::string_view>("its process id");
    case SYS_read: case SYS_readv:
      return r.flags & HEDDLE_INPUT_ORDER ? std::nullopt : std::optional<std::string_view>("what a device says");
    default: return std::nullopt;
  }
}

std::optional<std::string_view> chance_in_record(const HeddleInput& r, std::uint16_t before) {
  switch (r.kind) {
    case HEDDLE_IN_RANDOM: case HEDDLE_IN_TSC: return "random bytes";
    case HEDDLE_IN_CLOCK:
      if (r.number == HEDDLE_CLOCK_TIMER) return "when a timer expires";
      return r.number == HEDDLE_CLOCK_JUMPED || r.number == HEDDLE_CLOCK_ENDS
                 ? std::nullopt
                 : std::optional<std::string_view>("real time");
    case HEDDLE_IN_SIGNAL: return "a signal";
    case HEDDLE_IN_SYSCALL: break;
    default: return std::nullopt;
  }
  if (auto chance = chance_in_call(r, before)) return chance;
  if (r.flags & HEDDLE_INPUT_LEFT) return "when a call that blocks returns";
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> chance_in(std::string_view inputs) {
  std::unordered_map<std::uint32_t, std::uint16_t> last_call;  // of each thread
  std::optional<std::string_view> found;
  while (inputs.size() >= sizeof(HeddleInput) && !found) {
    HeddleInput r;
    std::memcpy(&r, inputs.data(), sizeof r);
    const std::size_t bytes = sizeof r + ((std::size_t{r.size} + 7) & ~std::size_t{7});
    if (bytes > inputs.size()) break;
    std::uint16_t& before = last_call[r.thread];
    found = chance_in_record(r, before);
    before = r.kind == HEDDLE_IN_SYSCALL ? r.number : std::uint16_t{0};
    inputs.remove_prefix(bytes);
  }
  return found;
}

}  // namespace heddle
