// Limits of memory (RLIMIT_AS, RLIMIT_DATA) are the program's, about what the program maps: what we map comes on top,
// so that it runs out of memory where it would alone, in a replay too.
#include <sys/resource.h>

#include "runtime/io/call.h"

namespace heddle::rt {
namespace {

struct Limit {
  int resource;
  bool set;           // by the program, in this run
  rlimit64 wanted;    // its idea
  uint64_t ours;      // bytes of ours that the kernel counts
};
Limit address_space{RLIMIT_AS, false, {}, 0}, data{RLIMIT_DATA, false, {}, 0};
constexpr uint64_t kHeadroom = 1ull << 44;  // the hard limit leaves us room to raise the soft one

uint64_t plus(uint64_t limit, uint64_t more) { return limit > RLIM64_INFINITY - more ? RLIM64_INFINITY : limit + more; }

long apply(const Limit& limit) {
  rlimit64 now{};
  raw_syscall(SYS_prlimit64, 0, limit.resource, 0, &now);
  rlimit64 real{plus(limit.wanted.rlim_cur, limit.ours), plus(limit.wanted.rlim_max, limit.ours + kHeadroom)};
  if (real.rlim_max > now.rlim_max) real.rlim_max = now.rlim_max;
  if (real.rlim_cur > real.rlim_max) real.rlim_cur = real.rlim_max;
  return raw_syscall(SYS_prlimit64, 0, limit.resource, &real, 0);
}

long set(Limit& limit, const rlimit64& wanted, const rlimit64& old) {
  if (wanted.rlim_cur > wanted.rlim_max) return -EINVAL;
  if (wanted.rlim_max > old.rlim_max && raw_syscall(SYS_geteuid) != 0) return -EPERM;
  Limit before = limit;
  limit.wanted = wanted;
  limit.set = true;
  long result = apply(limit);
  if (failed(result)) limit = before;
  return result;
}

}  // namespace

void count_own_mapping(uint64_t bytes, bool shared) {
  address_space.ours += bytes;
  if (address_space.set) apply(address_space);
  if (shared) return;
  data.ours += bytes;
  if (data.set) apply(data);
}

// Setting a limit acts on this process, also in a replay; reading one is an input.
long call_limit(Call& c) {
  bool own = c.a[0] == 0 || c.a[0] == told_pid || c.a[0] == real_pid;
  Limit* limit = !own ? nullptr : c.a[1] == RLIMIT_AS ? &address_space : c.a[1] == RLIMIT_DATA ? &data : nullptr;
  if (!limit) return own && c.a[2] ? execute(c) : call_recorded(c);
  if (!c.a[2] && !limit->set) return call_recorded(c);
  rlimit64 wanted{}, old = limit->wanted;
  if (c.a[2] && !read_program(&wanted, c.a[2], sizeof wanted)) return -EFAULT;
  if (!limit->set) raw_syscall(SYS_prlimit64, 0, limit->resource, 0, &old);
  long result = c.a[2] ? set(*limit, wanted, old) : 0;
  if (!failed(result) && c.a[3] && !write_program(c.a[3], &old, sizeof old)) return -EFAULT;
  return result;
}

}  // namespace heddle::rt
