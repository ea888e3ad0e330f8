// Rules of this file: INPUTS_IN was written by the host from a file, so every length is checked before it is believed.
#include "runtime/io/stream.h"

#include <sys/syscall.h>

#include "abi/guide.h"
#include "abi/inputs.h"
#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/control/recording.h"
#include "runtime/control/strategy.h"
#include "runtime/table.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kStreams = HEDDLE_MAX_THREADS + HEDDLE_OTHER_STREAMS;

static_assert(kInputLeft == HEDDLE_INPUT_LEFT && kInputUnderWay == HEDDLE_INPUT_UNDER_WAY &&
              kInputOut == HEDDLE_INPUT_OUT && kInputRandom == HEDDLE_INPUT_RANDOM &&
              (kInputChanges | kInputMoves | kInputDepends) == HEDDLE_INPUT_ORDER);

struct PerThread {
  uint64_t first, count;  // into `offsets`
};
uint64_t* offsets;
PerThread* per_thread;

// What the program had changed, as hashes of the records in their order.
struct Changes {
  uint64_t all, of[256];

  uint64_t seen_by(const HeddleInput& r) const {
    return (r.flags & kInputDepends ? all : 0) + (r.flags & kInputMoves ? mix_bits(of[descriptor(r)]) : 0);
  }
  void add(const HeddleInput& r, uint64_t at) {
    uint64_t& mine = of[descriptor(r)];
    if (r.flags & kInputChanges) all = mix_bits(all ^ (at + 1));
    if (r.flags & kInputMoves)
      mine = r.kind == HEDDLE_IN_SYSCALL && r.number == SYS_close ? 0 : mix_bits(mine ^ (at + 1));
  }
  static uint32_t descriptor(const HeddleInput& r) { return r.flags >> 16 & 0xff; }
};
Changes* done;       // in this run; null: the order is the recording's
uint64_t* expected;  // beside `offsets`: what each record had seen

uint64_t record_bytes(const HeddleInput& r) { return sizeof r + (((uint64_t)r.size + 7) & ~7ull); }

// Calls `visit(record, offset)` for each intact record.
template <class Visit>
void walk(Visit visit) {
  const char* base = area<char>(HEDDLE_AREA_INPUTS_IN);
  uint64_t end = region->run.input_bytes;
  if (end > region->area[HEDDLE_AREA_INPUTS_IN].size) end = region->area[HEDDLE_AREA_INPUTS_IN].size;
  for (uint64_t at = 0; at + sizeof(HeddleInput) <= end;) {
    const HeddleInput& r = *reinterpret_cast<const HeddleInput*>(base + at);
    if (record_bytes(r) > end - at) return;
    if (r.thread < kStreams && !(r.flags & kInputUnderWay)) visit(r, at);
    at += record_bytes(r);
  }
}

}  // namespace

void stream_start() {
  if (!feeding()) return;
  uint64_t total = 0;
  uint32_t used = 0;  // of the table, which is sparse
  per_thread = static_cast<PerThread*>(map_memory(sizeof(PerThread) * kStreams));
  walk([&](const HeddleInput& r, uint64_t) {
    per_thread[r.thread].count++, total++;
    if (r.thread >= used) used = r.thread + 1;
  });
  offsets = arena_new<uint64_t>(total ? total : 1);
  uint64_t first = 0;
  for (uint32_t i = 0; i < used; i++) {
    per_thread[i].first = first;
    first += per_thread[i].count;
    per_thread[i].count = 0;
  }
  Changes* before = nullptr;
  if (region->run.strategy == HEDDLE_STRATEGY_GUIDED) {
    before = arena_new<Changes>(1), done = arena_new<Changes>(1);
    expected = arena_new<uint64_t>(total ? total : 1);
  }
  walk([&](const HeddleInput& r, uint64_t at) {
    PerThread& p = per_thread[r.thread];
    if (before) {
      expected[p.first + p.count] = before->seen_by(r);
      before->add(r, at);
    }
    offsets[p.first + p.count++] = at;
  });
}

namespace {
// For reports: which timer, armed where, had to expire before what follows.
void tell_timer(uint64_t skipped, uint32_t thread_index, uint32_t site) {
  if (!wants(HEDDLE_DETAIL_POINTS) || thread_index >= thread_count()) return;
  HeddleEvent e{};
  e.value = skipped;
  e.site = site;
  e.stack = io_of(thread(thread_index)).timer_stack;
  e.thread = (uint16_t)thread_index;
  e.kind = HEDDLE_EV_TIMER;
  e.flags = HEDDLE_EF_VALUE;
  emit(thread(thread_index), e);
}
}  // namespace

bool stream_in_other_order() { return done != nullptr; }

void io_time_passed(uint64_t step, uint64_t ns) {
  RecordWriter out;
  out.append(&step, sizeof step);
  out.commit(kClockStream, HEDDLE_IN_CLOCK, 0, (int64_t)ns, 0);
}

void io_time_burnt(uint64_t step, uint64_t ns) {
  RecordWriter out;
  out.append(&step, sizeof step);
  out.commit(kClockStream, HEDDLE_IN_CLOCK, HEDDLE_CLOCK_BURNT, (int64_t)ns, 0);
  control.burnt += ns;
}

void io_time_jumped(uint64_t step, uint64_t ns) {
  RecordWriter out;
  out.append(&step, sizeof step);
  out.commit(kClockStream, HEDDLE_IN_CLOCK, HEDDLE_CLOCK_JUMPED, (int64_t)ns, 0);
}

void io_timer_jumped(uint64_t step, uint64_t ns, uint32_t thread, uint32_t site) {
  const HeddleTimerJump jump{step, thread, site};
  RecordWriter out;
  out.append(&jump, sizeof jump);
  out.commit(kClockStream, HEDDLE_IN_CLOCK, HEDDLE_CLOCK_TIMER, (int64_t)ns, 0);
  tell_timer(ns, thread, site);
}

void io_ends_by_timer(int signo) {
  RecordWriter out;
  out.append(&control.steps, sizeof control.steps);
  out.commit(kClockStream, HEDDLE_IN_CLOCK, HEDDLE_CLOCK_ENDS, signo, 0);
  io_die_of_timer(signo);
}

uint64_t io_time_to_pass(uint64_t step) {
  static uint64_t next;
  uint64_t ns = 0;
  while (HEDDLE_UNLIKELY(per_thread && next < per_thread[kClockStream].count)) {
    uint64_t at = offsets[per_thread[kClockStream].first + next], when;
    const HeddleInput& r = *reinterpret_cast<const HeddleInput*>(area<char>(HEDDLE_AREA_INPUTS_IN) + at);
    if (r.size < sizeof when) break;
    __builtin_memcpy(&when, data_of(r), sizeof when);
    if (when > step) break;
    if (r.number == HEDDLE_CLOCK_ENDS && r.result > 0 && r.result < 64) io_die_of_timer((int)r.result);
    if (HeddleTimerJump jump; r.number == HEDDLE_CLOCK_TIMER && r.size == sizeof jump) {
      __builtin_memcpy(&jump, data_of(r), sizeof jump);
      tell_timer((uint64_t)r.result, jump.thread, jump.site);
    }
    if (r.number == HEDDLE_CLOCK_BURNT) control.burnt += (uint64_t)r.result;
    ns += (uint64_t)r.result;
    next++;
    region->result.inputs_fed++;
  }
  return ns;
}

const HeddleInput* stream_at_end() {
  static uint64_t next;
  if (!per_thread || next >= per_thread[kEndStream].count) return nullptr;
  region->result.inputs_fed++;
  return reinterpret_cast<const HeddleInput*>(area<char>(HEDDLE_AREA_INPUTS_IN) +
                                              offsets[per_thread[kEndStream].first + next++]);
}

namespace {
void look_ahead(ThreadIo& io) {
  const HeddleInput* r = stream_peek(io);
  io.signal_at = r && r->kind == HEDDLE_IN_SIGNAL ? (uint64_t)r->result : 0;
}
}  // namespace

void stream_attach(Thread& t, ThreadIo& io) {
  if (!per_thread) return;
  const PerThread& p = per_thread[heddle_input_stream(t.index)];
  io.offsets = offsets + p.first;
  io.count = p.count;
  look_ahead(io);
}

RecordWriter::RecordWriter() {
  const HeddleArea& out = region->area[HEDDLE_AREA_INPUTS_OUT];
  uint64_t used = region->result.input_bytes + sizeof(HeddleInput);
  base_ = area<char>(HEDDLE_AREA_INPUTS_OUT) + used;
  full_ = feeding() || used > out.size || (region->result.overflow & (1u << HEDDLE_AREA_INPUTS_OUT));
  limit_ = full_ ? 0 : out.size - used;
  if (!full_) full_ = !discipline.has_room(used + 4096);
}

char* RecordWriter::room(size_t count) {
  if (!full_) full_ = !discipline.has_room((uint64_t)(base_ - area<char>(HEDDLE_AREA_INPUTS_OUT)) + size_ + count + 8);
  if (!full_ && count <= limit_ - size_) return base_ + size_;
  full_ = true;
  return nullptr;
}

void RecordWriter::append(const void* bytes, size_t count) {
  if (char* to = room(count)) {
    __builtin_memcpy(to, bytes, count);
    size_ += count;
  }
}

HeddleInput* RecordWriter::commit(const Thread& t, uint16_t kind, uint16_t number, int64_t result, uint32_t flags) {
  t.info->inputs++;
  return commit(heddle_input_stream(t.index), kind, number, result, flags);
}

HeddleInput* RecordWriter::commit(uint32_t thread, uint16_t kind, uint16_t number, int64_t result, uint32_t flags) {
  if (feeding()) return nullptr;
  uint64_t padded = (size_ + 7) & ~7ull;
  if (!full_) full_ = !discipline.has_room((uint64_t)(base_ - area<char>(HEDDLE_AREA_INPUTS_OUT)) + padded);
  if (full_ || padded > limit_) {
    if (!(region->result.overflow & (1u << HEDDLE_AREA_INPUTS_OUT))) {  // else the disk was full, and all ends there
      region->result.unreplayable |= HEDDLE_UNREPLAYABLE_INPUTS;
      note(
          "the area for inputs is full: what the program reads from here on is not recorded, the run cannot be "
          "replayed");
    }
    region->result.overflow |= 1u << HEDDLE_AREA_INPUTS_OUT;
    return nullptr;
  }
  __builtin_memset(base_ + size_, 0, padded - size_);
  HeddleInput& r = *reinterpret_cast<HeddleInput*>(base_ - sizeof(HeddleInput));
  r = HeddleInput{thread, kind, number, result, (uint32_t)size_, flags};
  // Last: a kill before this loses one record, never the file.
  __atomic_store_n(&region->result.input_bytes, region->result.input_bytes + sizeof r + padded, __ATOMIC_RELEASE);
  return &r;
}

const HeddleInput* stream_peek(ThreadIo& io) {
  if (io.next >= io.count) return nullptr;
  return reinterpret_cast<const HeddleInput*>(area<char>(HEDDLE_AREA_INPUTS_IN) + io.offsets[io.next]);
}

const HeddleInput& stream_expect(const Call& c) {
  const HeddleInput* r = stream_peek(io_of(c.thread));
  if (!r && !replay_has_more()) diverged(HEDDLE_DIV_SCHEDULE_ENDED, ~0u, &c.thread);  // it died in this call (SIGPIPE)
  if (!r || r->kind != HEDDLE_IN_SYSCALL || r->number != c.number) input_mismatch(c.thread, c.policy.name, r);
  return *r;
}

void stream_consume(Thread& t, ThreadIo& io) {
  if (HEDDLE_UNLIKELY(done != nullptr)) {
    const HeddleInput& r = *stream_peek(io);
    if (done->seen_by(r) != expected[(uint64_t)(io.offsets - offsets) + io.next])
      diverge_input("the program had done other things outside before: this answer would be another one");
    done->add(r, io.offsets[io.next]);
  }
  io.next++;
  look_ahead(io);
  t.info->inputs++;
  region->result.inputs_fed++;
}

namespace {
bool never(void*) { return false; }

}  // namespace

void await_recorded_end(const Thread& t) {
  if (replay_has_more() && !replay_has_more_of(t.index)) point(Op{HEDDLE_EV_HANDOVER, 0, 0, 0}, never);
}

void input_mismatch(const Thread& t, const char* asked, const HeddleInput* found) {
  if (!found) discipline.await_recorded_end(t);
  char text[200];
  size_t n = 0;
  auto put = [&](const char* s) {
    for (; *s && n + 1 < sizeof text; s++) text[n++] = *s;
    text[n] = 0;
  };
  put("the program asks for input by ");
  put(asked);
  if (!found) {
    put(", the recording has none left for this thread");
  } else if (found->kind == HEDDLE_IN_SYSCALL) {
    put(", the recording has ");
    put(policy_of(found->number).name);
  } else {
    put(found->kind == HEDDLE_IN_SIGNAL ? ", the recording has a signal" : ", the recording has another kind of input");
  }
  diverge_input(text);
}

}  // namespace heddle::rt
