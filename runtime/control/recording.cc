#include "runtime/control/recording.h"

#include "runtime/arena.h"
#include "runtime/control/control.h"
#include "runtime/control/scheduler.h"
#include "runtime/io/io.h"
#include "runtime/table.h"

namespace heddle::rt {

Recording recording;

namespace {

Table<uint32_t> pc_sites;
HeddleSegment nobodys;

constexpr uint32_t kStackSlots = 1u << 16;
uint32_t* stack_slots;  // stack ids by hash
constexpr unsigned kMaxFrames = 24;

void wait_for_room() {
  // A step with more events than the ring holds has to show its first one as it is.
  if (recording.head - recording.complete > recording.ring_mask) recording.complete = recording.head;
  region->ring_head = recording.complete;
  __atomic_store_n(&region->ring_waiting, 1, __ATOMIC_SEQ_CST);
  for (;;) {
    uint32_t seen = __atomic_load_n(&region->ring_tail_futex, __ATOMIC_SEQ_CST);
    if (recording.head - __atomic_load_n(&region->ring_tail, __ATOMIC_SEQ_CST) <= recording.ring_mask) break;
    __atomic_add_fetch(&region->host_bell, 1, __ATOMIC_SEQ_CST);
    futex_wake(&region->host_bell, 64, true);
    futex_wait(&region->ring_tail_futex, seen, 100'000'000, true);
  }
  __atomic_store_n(&region->ring_waiting, 0, __ATOMIC_SEQ_CST);
}

}  // namespace

void recording_start() {
  recording.detail = region->run.detail;
  recording.head = recording.complete = 0;
  recording.ring = area<HeddleEvent>(HEDDLE_AREA_EVENTS);
  recording.ring_mask = area_capacity<HeddleEvent>(HEDDLE_AREA_EVENTS) - 1;
  HEDDLE_CHECK((recording.ring_mask & (recording.ring_mask + 1)) == 0);
  recording.choices = area<HeddleSegment>(HEDDLE_AREA_CHOICES);
  recording.segment = &nobodys;
  recording.choice_capacity = area_capacity<HeddleSegment>(HEDDLE_AREA_CHOICES);
  if (recording.detail >= HEDDLE_DETAIL_POINTS) stack_slots = arena_new<uint32_t>(kStackSlots);
}

HeddleEvent& event_at(uint64_t number) { return recording.ring[number & recording.ring_mask]; }

uint64_t emit(Thread& t, const HeddleEvent& event) {
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  recording.complete = recording.head;  // all but the new one, whose value may still be patched
  return emit_inside(t, event);
}

uint64_t emit_inside(Thread& t, const HeddleEvent& event) {
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  if (HEDDLE_UNLIKELY(recording.head - region->ring_tail > recording.ring_mask)) wait_for_room();
  region->ring_head = recording.complete;
  uint64_t number = recording.head++;
  event_at(number) = event;
  t.info->events++;
  region->result.event_count = recording.head;
  return number;
}

void read_back(Thread& t, const void* frame) {
  HeddleEvent& e = event_at(t.written_event - 1);
  t.written_event = 0;
  const volatile void* p = t.written_address;
  constexpr uint64_t kLinkage = 16;  // saved frame pointer and return address: above them the caller's stack begins
  uint64_t live = (uint64_t)frame + kLinkage;
  if ((uint64_t)p >= t.stack_low && (uint64_t)p < live && live <= t.stack_high) return;
  if (io_peek(p, t.written_size, &e.value)) e.flags |= HEDDLE_EF_VALUE;
}

void publish_events() {
  region->result.virtual_ns = control.now;
  __atomic_store_n(&region->ring_head, recording.head, __ATOMIC_SEQ_CST);
}

uint32_t size_log2(uint32_t size) { return size <= 1 ? 0 : (uint32_t)(31 - __builtin_clz(size)) & 7u; }

void record_step(Thread& t, bool new_segment) {
  HeddleResult& r = region->result;
  if (new_segment) {
    if (r.choice_count == recording.choice_capacity) {
      r.overflow |= 1u << HEDDLE_AREA_CHOICES;
      recording.segment = &nobodys;
      return;
    }
    recording.segment = &recording.choices[r.choice_count++];
    *recording.segment = {t.index, 0};
  }
  recording.segment->steps++;
}

uint32_t pc_site(void* return_address) {
  uint64_t pc = (uint64_t)return_address;
  if (uint32_t* known = pc_sites.find(pc)) return *known;
  uint32_t site = HEDDLE_SITE_PC | (uint32_t)(mix_bits(pc) >> 33);
  pc_sites.insert(pc, site);
  HeddleResult& r = region->result;
  if (r.pc_count < area_capacity<HeddlePc>(HEDDLE_AREA_PCS)) area<HeddlePc>(HEDDLE_AREA_PCS)[r.pc_count++] = {pc, site, 0};
  return site;
}

// The text of the executable: hooked clones lie there and keep frame pointers.
extern "C" char __executable_start, etext;

bool in_executable(uint64_t pc) { return pc > (uint64_t)&__executable_start && pc < (uint64_t)&etext; }

// Does a call instruction end at `pc`?
bool after_call(uint64_t pc) {
  const uint8_t* p = (const uint8_t*)pc;
  return p[-5] == 0xe8 || (p[-2] == 0xff && (p[-1] & 0x38) == 0x10) || (p[-3] == 0xff && (p[-2] & 0x38) == 0x10) ||
         (p[-6] == 0xff && (p[-5] & 0x38) == 0x10) || (p[-3] == 0x41 && p[-2] == 0xff);
}

// Between a library frame without frame pointer (libstdc++'s condition_variable::wait, say) and the next known frame lies
// the return address into the function that called the library: the highest word that looks like one.
uint64_t hidden_caller(uint64_t low, uint64_t fp) {
  if (fp - low > 4096) return 0;
  for (uint64_t at = fp - 8; at > low + 8; at -= 8) {
    uint64_t word = *(uint64_t*)at;
    if (in_executable(word) && after_call(word)) return word;
  }
  return 0;
}

// Walks frame pointers: hooked clones keep them. Foreign frames without one may break the chain; every link is
// checked against the bounds of the thread's stack, so a wrong one ends the walk and never faults.
uint32_t capture_stack(void* frame_address, void* return_address) {
  if (recording.detail < HEDDLE_DETAIL_POINTS) return 0;
  uint64_t frames[kMaxFrames];
  unsigned n = 0;
  frames[n++] = (uint64_t)return_address;
  uint64_t h = mix_bits((uint64_t)return_address);
  uint64_t fp = *(uint64_t*)frame_address, low = (uint64_t)frame_address, high = self ? self->stack_high : 0;
  while (n < kMaxFrames && fp > low && fp + 16 <= high && !(fp & 7)) {
    uint64_t pc = ((uint64_t*)fp)[1];
    if (pc < 4096) break;
    if (!in_executable(frames[n - 1]) && n + 1 < kMaxFrames) {
      if (uint64_t caller = hidden_caller(low, fp)) {
        frames[n++] = caller;
        h = mix_bits(h ^ caller);
      }
    }
    frames[n++] = pc;
    h = mix_bits(h ^ pc);
    low = fp;
    fp = *(uint64_t*)fp;
  }
  uint64_t* words = area<uint64_t>(HEDDLE_AREA_STACKS);
  HeddleResult& r = region->result;
  for (uint32_t i = (uint32_t)h & (kStackSlots - 1), tries = 0; tries < 64; i = (i + 1) & (kStackSlots - 1), tries++) {
    if (uint32_t id = stack_slots[i]) {
      uint64_t* s = words + (id - 1);
      bool same = s[0] == n;
      for (unsigned k = 0; same && k < n; k++) same = s[1 + k] == frames[k];
      if (same) return id;
      continue;
    }
    if (r.stack_words + n + 1 > area_capacity<uint64_t>(HEDDLE_AREA_STACKS) || r.stack_words > 0xfffffff0u) return 0;
    uint32_t id = (uint32_t)r.stack_words + 1;
    words[r.stack_words++] = n;
    for (unsigned k = 0; k < n; k++) words[r.stack_words++] = frames[k];
    stack_slots[i] = id;
    return id;
  }
  return 0;
}

}  // namespace heddle::rt
