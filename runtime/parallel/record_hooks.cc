// Hooks of record clones (abi/record_hooks.h): here is what their inline checks call, and what makes them call.
//
// The code has counted all hooks of a region when it enters it. So a hook first takes back those behind it in its
// region; from there on the budget is what it would be if each hook counted for itself, and all that other hooks do
// holds here, too. When the budget ends in a region (a forced point, or in a replay the place where the thread was
// stopped) each hook of it calls, until the place is passed: the thread is *armed*.
#include "abi/record_hooks.h"

#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/stay.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/sites.h"
#include "runtime/control/io.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/terms.h"

namespace heddle::rt {

uint64_t* record_states;

namespace {

constexpr int32_t kForever = 0x7fffffff;

uint64_t* map_states() { return static_cast<uint64_t*>(map_memory(kStripeCount * sizeof(uint64_t))); }

// A replay that wants detail, and a lifted run, which has points here, are called at each hook.
bool calls_always() { return !parallel && (every_access_slow || !by_places); }

void arm_if_due(Thread& t) {
  t.request.armed = t.budget <= 0 || calls_always();
  set_check_word(t);
}

// It computes: a record clone waits for nobody without an atomic instruction, or a racy access.
void go_on(Thread& t) {
  t.budget = kHookBudget;
  region->result.progress++;
}

// Within it hooks behind this one are not counted yet.
class AtHook {
 public:
  AtHook(Thread& t, uint32_t ahead) : thread_(t), ahead_((int32_t)ahead) {
    t.budget += ahead_;
    if (HEDDLE_UNLIKELY(t.budget <= 0)) by_places ? discipline.budget_spent(t, nullptr) : go_on(t);
    if (parallel && (t.request.asked | t.request.outside)) hand_over(t);
  }
  ~AtHook() {
    thread_.budget -= ahead_;
    arm_if_due(thread_);
  }
  AtHook(const AtHook&) = delete;

 private:
  Thread& thread_;
  int32_t ahead_;
};

struct Shape {
  uint64_t bits;
  uint32_t ahead() const { return bits & 0xffff; }
  uint32_t accesses() const { return bits >> HEDDLE_SHAPE_ACCESSES & 0xff; }
  uint32_t slots() const { return bits >> HEDDLE_SHAPE_SLOTS & 0xff; }
  Span span(uint32_t slot, uint64_t address) const {
    const uint64_t field = bits >> (HEDDLE_SHAPE_SLOT + 8 * slot) & 0xff;
    return {address, field & ~(uint64_t)HEDDLE_SHAPE_WRITTEN, (field & HEDDLE_SHAPE_WRITTEN) != 0};
  }
};

// The accesses of a group are executed one after the other behind its hook. So it is one point, before all of them, if
// one of them is racy or atomic; and what it writes is known at the next hook.
class Group {
 public:
  Group(Thread& t, HeddleSite* site, uint32_t accesses, const Span* spans, void* frame, void* caller)
      : thread_(t), sites_(site), accesses_(accesses), spans_(spans), frame_(frame), caller_(caller) {}

  void tell() {
    read_back_if_needed(thread_, frame_);
    const uint32_t racy = by_places ? accesses_ : first_point();
    if (racy == accesses_ && !every_access_slow) return;
    if (recording.detail >= HEDDLE_DETAIL_POINTS) thread_.info->pending_stack = capture_stack(frame_, caller_);
    if (racy < accesses_) pass_point(racy);
    if (recording.detail < HEDDLE_DETAIL_ACCESSES) return;
    for (uint32_t i = 0; i < accesses_; i++)
      if (i != racy) record(i);
    finish();
  }

 private:
  HeddleSite& site(uint32_t i) const { return sites_[i]; }
  uint64_t address(uint32_t i) const {
    const uint32_t flags = site(i).flags;
    return spans_[flags >> HEDDLE_SITE_SLOT & (HEDDLE_RECORD_SLOTS - 1)].first +
           (flags >> HEDDLE_SITE_OFFSET & (HEDDLE_RECORD_SPAN - 1));
  }
  bool is_range(uint32_t i) const {
    return site(i).kind == HEDDLE_EV_READ_RANGE || site(i).kind == HEDDLE_EV_WRITE_RANGE;
  }
  bool is_write(uint32_t i) const { return (heddle_event_properties(site(i).kind) & HEDDLE_P_WRITE) != 0; }
  // An atomic load is an access like others to a recording, and a point to everybody else.
  bool is_point(uint32_t i) const {
    return (site(i).state & HEDDLE_SITE_POINT) || (heddle_event_properties(site(i).kind) & HEDDLE_P_SYNC);
  }

  uint32_t first_point() const {
    uint32_t i = 0;
    while (i < accesses_ && !is_point(i)) i++;
    return i;
  }

  bool writes_something() const {
    for (uint32_t i = 0; i < accesses_; i++)
      if (is_write(i)) return true;
    return false;
  }

  void pass_point(uint32_t i) {
    const Op op{site(i).kind, site_id(&site(i)), 0, address(i), site(i).size};
    may_stay() ? stay(thread_, op) : point_here(thread_, op);
    writes_something() ? productive() : looked_at((const volatile void*)address(i), 0);
    if (recording.detail < HEDDLE_DETAIL_POINTS) return;
    told(i, thread_.events.last);
  }

  void record(uint32_t i) {
    HeddleEvent e{};
    e.address = address(i);
    e.site = site_id(&site(i));
    e.stack = thread_.info->pending_stack;
    e.object = by_places ? i : 0;  // for src/lift: which one of its group
    e.thread = (uint16_t)thread_.index;
    e.kind = site(i).kind;
    told(i, thread_.events.last = (first_ ? emit_inside(thread_, e) : emit(thread_, e)) + 1);
  }

  // `number` of its event + 1.
  void told(uint32_t i, uint64_t number) {
    if (!first_) first_ = number;
    HeddleEvent& e = event_at(number - 1);
    if (is_range(i)) {
      e.value = site(i).size;
      e.flags |= HEDDLE_EF_VALUE;
      return;
    }
    e.flags |= (uint8_t)size_log2(site(i).size);
    if (is_write(i))
      wrote_ = true;
    else if (uint64_t value; !is_written_before(i) && io_peek((const volatile void*)address(i), site(i).size, &value))
      e.value = value, e.flags |= HEDDLE_EF_VALUE;
    last_ = number;
  }

  // By an access of the group: what is there now is not what will be read.
  bool is_written_before(uint32_t i) const {
    for (uint32_t k = 0; k < i; k++)
      if (is_write(k) && address(k) < address(i) + site(i).size && address(i) < address(k) + site(k).size) return true;
    return false;
  }

  void finish() {
    if (!wrote_) return;
    thread_.events.written = last_;
    thread_.events.written_first = first_;
    if (first_ != last_) return;
    const HeddleEvent& e = event_at(last_ - 1);
    thread_.events.written_address = (const volatile void*)e.address;
    thread_.events.written_size = 1u << (e.flags & HEDDLE_EF_SIZE);
  }

  Thread& thread_;
  HeddleSite* sites_;
  uint32_t accesses_;
  const Span* spans_;
  void *frame_, *caller_;
  uint64_t first_ = 0, last_ = 0;  // events, number + 1
  bool wrote_ = false;
};

}  // namespace

void record_hooks_start() {
  record_states = nobody.states = map_states();
  nobody.budget = kForever;
  if (!parallel) return;
  owners_start();
  record_states = stripe_states;
}

void record_hooks_new_thread(Thread& t) {
  t.states = record_states;
  arm_if_due(t);
}

}  // namespace heddle::rt

using namespace heddle::rt;

extern "C" void heddle_record_group(HeddleSite* site, uint64_t bits, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  Thread* t = self;
  if (!t) return;
  const Shape shape{bits};
  // Mostly memory that it had before its last unlock. The budget ends nowhere near, so that nothing of AtHook is left
  // but the count.
  if (HEDDLE_LIKELY(parallel && shape.slots() == 1 && t->budget > 0 && !t->request.any)) {
    const Span span = shape.span(0, a);
    t->budget += (int32_t)shape.ahead();
    own_slow(*t, span.first, span.first + span.bytes - 1, span.write);
    t->budget -= (int32_t)shape.ahead();
    return;
  }
  const Span spans[HEDDLE_RECORD_SLOTS] = {shape.span(0, a), shape.span(1, b), shape.span(2, c), shape.span(3, d)};
  const AtHook here(*t, shape.ahead());
  if (HEDDLE_LIKELY(parallel)) return own_spans(*t, spans, shape.slots());
  if (calls_always())
    Group(*t, site, shape.accesses(), spans, __builtin_frame_address(0), __builtin_return_address(0)).tell();
}

extern "C" void heddle_record_region() {
  if (Thread* t = self) return arm_if_due(*t);
  nobody.budget = kForever;
}

extern "C" void heddle_record_loop(uint32_t ahead) {
  if (Thread* t = self) {
    const AtHook here(*t, ahead);
    return;
  }
  nobody.budget = kForever;
}

HEDDLE_EXPORT void __heddle_register_record(int64_t* offset) {
  char* thread_pointer;
  __asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
  *offset = (char*)&hot - thread_pointer;
  module_has_records();
}
