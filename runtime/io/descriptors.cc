#include "runtime/io/descriptors.h"

#include <fcntl.h>

namespace heddle::rt {
namespace {

constexpr long kTracked = 1024;
int8_t outer[kTracked];  // original + 1; 0 something else

bool tracked(long fd) { return fd >= 0 && fd < kTracked; }
void copy(long from, long to) {
  if (tracked(to)) outer[to] = tracked(from) ? outer[from] : 0;
}
void forget(long first, long last) {
  for (long fd = first < 0 ? 0 : first; fd <= last && fd < kTracked; fd++) outer[fd] = 0;
}

}  // namespace

void descriptors_start() {
  forget(0, kTracked - 1);
  for (int fd = 0; fd < 3; fd++) outer[fd] = (int8_t)(fd + 1);
}

int outer_descriptor(long fd) { return tracked(fd) ? outer[fd] - 1 : -1; }

void descriptors_follow(const Call& c, long result) {
  if (failed(result)) return;
  switch (c.number) {
    case SYS_close: forget(c.a[0], c.a[0]); break;
    case SYS_close_range:
      if (!((unsigned)c.a[2] & 4 /* CLOSE_RANGE_CLOEXEC */))
        forget((unsigned)c.a[0], (unsigned)c.a[1] < kTracked ? (unsigned)c.a[1] : kTracked);
      break;
    case SYS_dup: case SYS_dup2: case SYS_dup3: copy(c.a[0], result); break;
    case SYS_fcntl:
      if (c.a[1] == F_DUPFD || c.a[1] == F_DUPFD_CLOEXEC) copy(c.a[0], result);
      break;
    default: break;
  }
}

}  // namespace heddle::rt
