#include "runtime/control/recording.h"

#include "runtime/arena.h"
#include "runtime/control/code_address.h"
#include "runtime/control/control.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/light_code.h"
#include "runtime/control/payloads.h"
#include "runtime/control/io.h"
#include "runtime/control/strategy.h"
#include "runtime/table.h"

namespace heddle::rt {

Recording recording;

namespace {

Table<uint32_t> pc_sites;
HeddleSegment nobodys;

// `head`: what the ring holds with what the host has not consumed.
__attribute__((noinline)) void wait_for_room(HeddleRing& ring, uint64_t head, uint64_t mask) {
  __atomic_store_n(&ring.waiting, 1, __ATOMIC_SEQ_CST);
  for (;;) {
    uint32_t seen = __atomic_load_n(&ring.tail_futex, __ATOMIC_SEQ_CST);
    if (head - __atomic_load_n(&ring.tail, __ATOMIC_SEQ_CST) <= mask) break;
    __atomic_add_fetch(&region->host_bell, 1, __ATOMIC_SEQ_CST);
    futex_wake(&region->host_bell, 64, true);
    futex_wait(&ring.tail_futex, seen, 100'000'000, true);
  }
  __atomic_store_n(&ring.waiting, 0, __ATOMIC_SEQ_CST);
}

void wait_for_room_of_event() {
  // A step with more events than the ring holds has to show its first one as it is.
  if (recording.head - recording.complete > recording.ring_mask) recording.complete = recording.head;
  region->events.head = recording.complete;
  wait_for_room(region->events, recording.head, recording.ring_mask);
}

}  // namespace

void recording_start() {
  recording.detail = region->run.detail;
  if (recording.detail & ~(uint32_t)HEDDLE_DETAIL_STACKS) recording.detail |= HEDDLE_DETAIL_POINTS;
  recording.head = recording.complete = 0;
  recording.ring = area<HeddleEvent>(HEDDLE_AREA_EVENTS);
  recording.ring_mask = area_capacity<HeddleEvent>(HEDDLE_AREA_EVENTS) - 1;
  HEDDLE_CHECK((recording.ring_mask & (recording.ring_mask + 1)) == 0);
  recording.decisions = area<HeddleDecision>(HEDDLE_AREA_DECISIONS);
  recording.decision_mask = area_capacity<HeddleDecision>(HEDDLE_AREA_DECISIONS) - 1;
  recording.choices = area<HeddleSegment>(HEDDLE_AREA_CHOICES);
  recording.segment = &nobodys;
  recording.choice_capacity = area_capacity<HeddleSegment>(HEDDLE_AREA_CHOICES);
  if (wants(HEDDLE_DETAIL_STACKS)) stacks_start();
}

HeddleEvent& event_at(uint64_t number) { return recording.ring[number & recording.ring_mask]; }

uint64_t emit(Thread& t, const HeddleEvent& event) {
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  recording.complete = recording.head;  // all but the new one, whose value may still be patched
  return emit_inside(t, event);
}

uint64_t emit_inside(Thread& t, const HeddleEvent& event) {
  read_back_if_needed(t, HEDDLE_CALLERS_FRAME);
  if (HEDDLE_UNLIKELY(recording.head - region->events.tail > recording.ring_mask)) wait_for_room_of_event();
  region->events.head = recording.complete;
  uint64_t number = recording.head++;
  event_at(number) = event;
  t.info->events++;
  region->result.event_count = recording.head;
  return number;
}

static bool is_range(const HeddleEvent& e) {
  return e.kind == HEDDLE_EV_WRITE_RANGE || e.kind == HEDDLE_EV_READ_RANGE;
}

static uint64_t length_of(const HeddleEvent& e) { return is_range(e) ? e.value : 1ull << (e.flags & HEDDLE_EF_SIZE); }

static void read_back_at(const Thread& t, const void* frame, uint64_t number, const volatile void* p, uint64_t size) {
  constexpr uint64_t kLinkage = 16;  // saved frame pointer and return address: above them the caller's stack begins
  uint64_t live = (uint64_t)frame + kLinkage;
  if ((uint64_t)p >= t.stack_low && (uint64_t)p < live && live <= t.stack_high) return;
  HeddleEvent& e = event_at(number);
  if (is_range(e)) return record_payload(number, p, size);
  if (io_peek(p, (uint32_t)size, &e.value)) e.flags |= HEDDLE_EF_VALUE;
}

// Of two writes of a group to the same place only the second one's value is there.
static bool is_overwritten(const HeddleEvent& e, uint64_t behind, uint64_t end) {
  for (uint64_t n = behind; n < end; n++) {
    const HeddleEvent& later = event_at(n);
    if ((heddle_event_properties(later.kind) & HEDDLE_P_WRITE) && later.address < e.address + length_of(e) &&
        e.address < later.address + length_of(later))
      return true;
  }
  return false;
}

void read_back(Thread& t, const void* frame) {
  const uint64_t end = t.events.written, first = t.events.written_first ? t.events.written_first : end;
  t.events.written = t.events.written_first = 0;
  if (HEDDLE_LIKELY(first == end))
    return read_back_at(t, frame, end - 1, t.events.written_address, t.events.written_size);
  for (uint64_t n = first - 1; n < end; n++) {
    const HeddleEvent& e = event_at(n);
    const bool unknown = is_range(e) || !(e.flags & HEDDLE_EF_VALUE);
    if (unknown && (heddle_event_properties(e.kind) & HEDDLE_P_WRITE) && !is_overwritten(e, n + 1, end))
      read_back_at(t, frame, n, (const volatile void*)e.address, length_of(e));
  }
}

void publish_events() {
  region->result.virtual_ns = control.now;
  __atomic_store_n(&region->events.head, recording.head, __ATOMIC_SEQ_CST);
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

static HeddleDecision decision_of(const View& view, const Thread& next, bool could_stay, bool handler) {
  const Op& op = next.op;
  HeddleDecision d{};
  d.address = op.address;
  d.name = next.name;
  d.site = op.site;
  d.object = op.object;
  d.thread = (uint16_t)next.index;
  d.kind = (uint8_t)op.kind;
  d.flags = (could_stay ? HEDDLE_DECISION_COULD_STAY : 0) | (next.expiry.deadline ? HEDDLE_DECISION_TIMED : 0) |
            (view.yielding ? HEDDLE_DECISION_GAVE_WAY : 0) | (handler ? HEDDLE_DECISION_HANDLER : 0);
  if (heddle_event_properties(op.kind) & HEDDLE_P_ACCESS) {
    d.size = op.size;
  } else if (op.kind == HEDDLE_EV_THREAD_START) {
    d.creator = control.threads[next.info->parent].name;
  } else if (op.kind == HEDDLE_EV_THREAD_EXIT) {
    d.object = op.size;
  } else if (op.kind == HEDDLE_EV_THREAD_JOIN && op.size) {
    d.flags |= HEDDLE_DECISION_TRIES;
  }
  return d;
}

void record_decision(const View& view, const Thread& next, bool could_stay, bool handler) {
  HeddleDecision d = decision_of(view, next, could_stay, handler);
  for (uint32_t i = 0; i < view.count; i++) {
    if (view.enabled[i] >= 64) {
      d.flags |= HEDDLE_DECISION_MORE;
      break;
    }
    if (view.count > 1 && view.yielding && view.enabled[i] == view.current) continue;  // it must give way
    d.enabled |= 1ull << view.enabled[i];
  }
  HeddleRing& ring = region->decisions;
  if (HEDDLE_UNLIKELY(ring.head - ring.tail > recording.decision_mask))
    wait_for_room(ring, ring.head, recording.decision_mask);
  recording.decisions[ring.head & recording.decision_mask] = d;
  __atomic_store_n(&ring.head, ring.head + 1, __ATOMIC_RELEASE);
}

uint32_t publish_pc(uint64_t pc, uint32_t kind, uint32_t size) {
  uint32_t site = HEDDLE_SITE_PC | (uint32_t)(mix_bits(code_key(pc) ^ (uint64_t)kind << 56) >> 33);
  HeddleResult& r = region->result;
  if (r.pc_count < area_capacity<HeddlePc>(HEDDLE_AREA_PCS))
    area<HeddlePc>(HEDDLE_AREA_PCS)[r.pc_count++] = {pc, site, (uint16_t)kind, (uint16_t)size};
  return site;
}

uint32_t pc_site(void* return_address) {
  uint64_t pc = (uint64_t)return_address;
  if (uint32_t* known = pc_sites.find(pc)) return *known;
  if (region->run.light && is_light_code(pc)) region->result.called_by_light = 1;
  return pc_sites.insert(pc, publish_pc(pc, HEDDLE_EV_NONE, 0));
}

}  // namespace heddle::rt
