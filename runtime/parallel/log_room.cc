#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/control/control.h"
#include "runtime/parallel/parallel.h"

namespace heddle::rt {
namespace {

constexpr uint64_t kAhead = 128 << 10;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14; without it a full disk is found out the hard way
uint64_t populated[HEDDLE_AREA_COUNT];

}  // namespace

bool log_has_room(HeddleAreaId id, uint64_t bytes) {
  if (HEDDLE_LIKELY(bytes <= populated[id])) return true;
  const uint64_t size = region->area[id].size;
  uint64_t until = (bytes + kAhead - 1) / kAhead * kAhead;
  if (until > size) until = size;
  if (bytes > until) return false;
  long done = raw_syscall(SYS_madvise, area<char>(id) + populated[id], until - populated[id], kPopulateWrite);
  if (done != 0 && done != -EINVAL && done != -ENOSYS) {
    if (!(region->result.overflow & (1u << id)))
      note("the disk is full: the recording ends here, the program goes on");
    region->result.overflow |= 1u << id;
    return false;
  }
  populated[id] = until;
  return true;
}

// What came behind the last step that has room is not part of the recording. The disk is asked first: it says more.
bool recorded_has_room(uint64_t bytes) {
  return log_has_room(HEDDLE_AREA_INPUTS_OUT, bytes) && !(region->result.overflow & (1u << HEDDLE_AREA_STEPS));
}

bool recorded_has_room_for_thread() {
  return log_has_room(HEDDLE_AREA_THREADS, (control.thread_count + 1) * sizeof(HeddleThreadInfo));
}

}  // namespace heddle::rt
