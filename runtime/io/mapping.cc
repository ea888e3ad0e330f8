// Memory: anonymous mappings are made again in a replay, files come out of the recording.
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/detector/detector.h"
#include "runtime/model/object.h"
#include "runtime/io/shared_files.h"
#include "runtime/io/stream.h"
#include "runtime/control/strategy.h"

namespace heddle::rt {

static bool in_steps;
void mappings_are_steps() { in_steps = true; }
namespace {

constexpr uint64_t kMostMapped = 64ull << 20;

// What of the file lies under the mapping.
uint64_t mapped_bytes(const Call& c) {
  struct stat st;
  if (raw_syscall(SYS_fstat, c.a[4], &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= c.a[5]) return 0;
  uint64_t rest = (uint64_t)(st.st_size - c.a[5]);
  return rest < (uint64_t)c.a[1] ? rest : (uint64_t)c.a[1];
}

// Straight from the file into the record: the mapping itself may not be readable, or end in a fault.
uint32_t record_contents(const Call& c, RecordWriter& out) {
  uint64_t bytes = mapped_bytes(c);
  if (bytes > kMostMapped) {
    region->result.unreplayable |= HEDDLE_UNREPLAYABLE_MAPPING;
    note("a mapped file has more than 64 MiB: it is not recorded, the run cannot be replayed");
    return kInputMissing;
  }
  char* to = out.room(bytes);
  if (!to) return kInputMissing;
  for (uint64_t done = 0; done < bytes;) {
    long n = raw_syscall(SYS_pread64, c.a[4], to + done, bytes - done, c.a[5] + (long)done);
    if (n <= 0) {
      bytes = done;
      break;
    }
    done += (uint64_t)n;
  }
  out.added(bytes);
  return 0;
}

long record_mapping(Call& c) {
  long result = execute(c);
  RecordWriter out;
  uint32_t flags = kInputDepends | (failed(result) ? 0 : record_contents(c, out));
  if (in_steps && !is_loader(c)) flags |= kInputStep;
  if ((c.a[3] & MAP_SHARED) && (c.a[2] & PROT_WRITE) && !failed(result))
    note("a file is mapped shared and writable: changes that other processes make in it are not recorded");
  if (!failed(result) && !(flags & kInputMissing) && shared_file_mapped(c, (uint64_t)result, out.size()))
    flags |= kInputShared;
  out.commit(c.thread, HEDDLE_IN_MMAP, (uint16_t)c.number, result, flags);
  return result;
}

// Behind the end of the file a mapping faults (SIGBUS), in a replay too. A file that grew later is known by a run that
// went on.
struct Tail {
  uint64_t low, high;
  long protection;
};
constexpr uint32_t kMostTails = 64;
Tail tails[kMostTails];
uint32_t tail_count;

uint64_t page_up(uint64_t n) { return (n + 4095) & ~4095ull; }

void fault_behind_end(uint64_t at, uint64_t length, uint64_t contents, long protection) {
  uint64_t low = at + page_up(contents), high = page_up(at + length);
  if (low >= high || tail_count == kMostTails) return;
  long empty = raw_syscall(SYS_memfd_create, "", 1 /* MFD_CLOEXEC */);
  if (failed(empty)) return;
  if (!failed(raw_syscall(SYS_mmap, low, high - low, protection, MAP_SHARED | MAP_FIXED, empty, 0)))
    tails[tail_count++] = {low, high, protection};
  raw_syscall(SYS_close, empty);
}

[[noreturn]] void refuse_foreign_code() {
  diverge_input("it loads code, which would come out of this foreign trace; --trust allows that");
}

long feed_mapping(Call& c) {
  if (region->run.foreign && (c.a[2] & PROT_EXEC)) refuse_foreign_code();
  ThreadIo& io = io_of(c.thread);
  const HeddleInput* r = stream_peek(io);
  if (!r || r->kind != HEDDLE_IN_MMAP || (r->flags & kInputFailed)) input_mismatch(c.thread, "mmap of a file", r);
  if (r->flags & kInputMissing) diverge_input("the program maps a file that was too big to be recorded");
  stream_consume(c.thread, io);
  if (failed(r->result)) return r->result;
  long flags = (c.a[3] & ~(long)(MAP_SHARED_VALIDATE | MAP_HUGETLB | MAP_SYNC)) | MAP_ANONYMOUS;
  flags |= c.a[3] & MAP_SHARED ? MAP_SHARED : MAP_PRIVATE;
  long at = -1;
  if (!(c.a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE)))
    at = raw_syscall(SYS_mmap, r->result, c.a[1], PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (failed(at)) at = raw_syscall(SYS_mmap, c.a[0], c.a[1], PROT_READ | PROT_WRITE, flags, -1, 0);
  if (failed(at)) return at;
  if (r->size <= (uint64_t)c.a[1]) __builtin_memcpy((void*)at, data_of(*r), r->size);
  if (c.a[2] != (PROT_READ | PROT_WRITE)) raw_syscall(SYS_mprotect, at, c.a[1], c.a[2]);
  fault_behind_end((uint64_t)at, (uint64_t)c.a[1], r->size, c.a[2]);
  if (r->flags & kInputShared) shared_file_fed(c, (uint64_t)at, r->size);
  return at;
}

bool memory_failed(const Call& c, long result) {
  return c.number == SYS_brk ? c.a[0] && result != c.a[0] : failed(result);
}

}  // namespace

void check_protection(const Call& c) {
  const bool protects = c.number == SYS_mprotect || c.number == SYS_pkey_mprotect;
  if (protects && (c.a[2] & PROT_EXEC) && region->run.foreign && feeding()) refuse_foreign_code();
}

bool mapped_file_grew(uint64_t address) {
  for (Tail& t : tails) {
    if (address < t.low || address >= t.high || !replay_has_more()) continue;
    long at =
        raw_syscall(SYS_mmap, t.low, t.high - t.low, t.protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    t = {};
    return !failed(at);
  }
  return false;
}

// Only a failure is an input here (the machine had no memory), and it is found again by its number among the thread's
// calls.
long call_memory(Call& c) {
  ThreadIo& io = io_of(c.thread);
  uint64_t count = ++io.memory_calls;
  if (feeding()) {
    const HeddleInput* r = stream_peek(io);
    uint64_t recorded = 0;
    if (r && r->kind == HEDDLE_IN_MMAP && (r->flags & kInputFailed) && r->size == sizeof recorded)
      __builtin_memcpy(&recorded, data_of(*r), sizeof recorded);
    if (recorded != count) return execute(c);
    stream_consume(c.thread, io);
    return r->result;
  }
  long result = execute(c);
  if (memory_failed(c, result)) {
    RecordWriter out;
    out.append(&count, sizeof count);
    out.commit(c.thread, HEDDLE_IN_MMAP, (uint16_t)c.number, result, kInputFailed);
  }
  return result;
}

namespace {

// Where the kernel maps depends on what is mapped already. In a recording other threads map at the same time, so there
// the calls that map and unmap are steps, and the address is recorded: a replay maps there, whatever else is different
// around it.
bool is_step(const Call& c) {
  if (HEDDLE_LIKELY(!in_steps) || is_loader(c)) return false;
  if (!feeding()) return true;
  const HeddleInput* r = stream_peek(io_of(c.thread));
  return r && r->kind == HEDDLE_IN_MMAP && (r->flags & kInputStep);  // older recordings have none
}

// Somewhere else than its recording did, if it must: what a program does with the address then decides whether it goes
// another way.
long remap_at(const Call& c, long address) {
  if (address == c.a[0] || !(c.a[3] & MREMAP_MAYMOVE) || (c.a[3] & MREMAP_FIXED)) return execute(c);
  const long room = raw_syscall(SYS_mmap, address, c.a[2], PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (room != address) {
    if (!failed(room)) raw_syscall(SYS_munmap, room, c.a[2]);
    return execute(c);
  }
  return raw_syscall(SYS_mremap, c.a[0], c.a[1], c.a[2], c.a[3] | MREMAP_FIXED, address);
}

long map_at(const Call& c, long address) {
  if (c.number == SYS_mremap) return remap_at(c, address);
  if (c.number != SYS_mmap || (c.a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE))) return execute(c);
  const long at = raw_syscall(SYS_mmap, address, c.a[1], c.a[2], c.a[3] | MAP_FIXED_NOREPLACE, c.a[4], c.a[5]);
  if (at == address) return at;
  if (!failed(at)) raw_syscall(SYS_munmap, at, c.a[1]);
  return execute(c);
}

// What was mapped there goes: by munmap, mremap, or another mapping in its place.
void replaces_mapping(const Call& c, uint32_t flags) {
  if (c.number == SYS_mmap && !(c.a[3] & MAP_FIXED)) return;
  shared_leaves(c, (uint64_t)c.a[0], page_up((uint64_t)c.a[0] + (uint64_t)c.a[1]), true, flags);
  if (c.number == SYS_mremap && (c.a[3] & MREMAP_FIXED))
    shared_leaves(c, (uint64_t)c.a[4], page_up((uint64_t)c.a[4] + (uint64_t)c.a[2]), true, flags);
}
void own_replaced(const Call& c) {
  if (HEDDLE_LIKELY(!shared_files) || (c.number == SYS_mmap && !(c.a[3] & MAP_FIXED))) return;
  own_shared(c.thread, (uint64_t)c.a[0], page_up((uint64_t)c.a[0] + (uint64_t)c.a[1]));
}

void pass_step(const Call& c) {
  const WithoutSignals here(c.thread);
  point(op_of(c, HEDDLE_EV_IO_CALL));
}

long memory_step(Call& c) {
  pass_step(c);
  if (HEDDLE_UNLIKELY(shared_files)) replaces_mapping(c, kInputStep);
  ThreadIo& io = io_of(c.thread);
  if (feeding()) {
    const HeddleInput* r = stream_peek(io);
    if (!r || r->kind != HEDDLE_IN_MMAP || r->number != c.number) input_mismatch(c.thread, c.policy.name, r);
    stream_consume(c.thread, io);
    return failed(r->result) ? r->result : map_at(c, r->result);
  }
  const long result = execute(c);
  RecordWriter out;
  out.commit(c.thread, HEDDLE_IN_MMAP, (uint16_t)c.number, result, kInputStep);
  return result;
}

}  // namespace

long call_remap(Call& c) {
  own_replaced(c);
  const SharedMove moved =
      c.number == SYS_mremap && HEDDLE_UNLIKELY(shared_files) ? shared_at((uint64_t)c.a[0]) : SharedMove{};
  const bool step = is_step(c);
  if (!step && HEDDLE_UNLIKELY(shared_files)) replaces_mapping(c, 0);
  const long result = step ? memory_step(c) : call_memory(c);
  shared_moved(moved, (uint64_t)(failed(result) ? c.a[0] : result),
               failed(result) ? (uint64_t)c.a[1] : (uint64_t)c.a[2]);
  return result;
}
long call_unmap(Call& c) {
  own_replaced(c);
  if (is_step(c)) return memory_step(c);
  if (HEDDLE_UNLIKELY(shared_files)) replaces_mapping(c, 0);
  return execute(c);
}
long call_sync(Call& c) {
  if (HEDDLE_LIKELY(!shared_files)) return execute(c);
  const uint64_t low = (uint64_t)c.a[0], high = low + (uint64_t)c.a[1];
  own_shared(c.thread, low, high);
  const bool step = is_step(c);
  if (step) pass_step(c);
  shared_leaves(c, low, high, false, step ? (uint32_t)kInputStep : 0);
  return execute(c);
}

long call_mmap(Call& c) {
  bool anonymous = (c.a[3] & MAP_ANONYMOUS) || (int)c.a[4] < 0;
  if (!anonymous) {
    own_replaced(c);
    const bool step = is_step(c);
    if (step) pass_step(c);
    if (HEDDLE_UNLIKELY(shared_files)) replaces_mapping(c, step ? (uint32_t)kInputStep : 0);
  }
  long result = anonymous ? call_remap(c) : feeding() ? feed_mapping(c) : record_mapping(c);
  if (failed(result)) return result;
  if (!anonymous && (c.a[3] & MAP_SHARED)) io_others_may_act = true;
  // What was at these addresses before is gone.
  drop_objects_in((void*)result, (size_t)c.a[1]);
  if (detector::on) detector::allocated(c.thread, (void*)result, (size_t)c.a[1]);
  return result;
}

}  // namespace heddle::rt
