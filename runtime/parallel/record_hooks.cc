// Hooks of record clones (abi/record_hooks.h): here is what their inline checks call, and what makes them call.
//
// The code has counted all hooks of a region when it enters it. So a hook first takes back those behind it in its region; from there on the budget is what it would
// be if each hook counted for itself, and all that other hooks do holds here, too. When the budget ends in a region (a forced point,
// or in a replay the place where the thread was stopped) each hook of it calls, until the place is passed: the thread is *armed*.
#include "abi/record_hooks.h"

#include "runtime/control/control.h"
#include "runtime/control/recording.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/sites.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/parallel.h"
#include "runtime/parallel/terms.h"

namespace heddle::rt {

uint64_t* record_states;

namespace {

constexpr int32_t kForever = 0x7fffffff;

uint64_t* map_states() { return static_cast<uint64_t*>(map_memory(kStripeCount * sizeof(uint64_t))); }

// A replay that wants detail is called at each hook.
bool calls_always() { return every_access_slow && !parallel; }

void arm_if_due(Thread& t) {
  t.request.armed = t.budget <= 0 || calls_always();
  set_check_word(t);
}

// Within it hooks behind this one are not counted yet.
class AtHook {
 public:
  AtHook(Thread& t, uint32_t ahead) : thread_(t), ahead_((int32_t)ahead) {
    t.budget += ahead_;
    if (HEDDLE_UNLIKELY(t.budget <= 0)) budget_spent(t, nullptr, 0);
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

// A replay with detail.
void tell(Thread& t, HeddleSite* site, uint32_t accesses, const Span* spans) {
  for (uint32_t i = 0; i < accesses; i++, site++) {
    const Span& span = spans[site->flags >> HEDDLE_SITE_SLOT & (HEDDLE_RECORD_SLOTS - 1)];
    auto* p = (const volatile void*)(span.first + (site->flags >> HEDDLE_SITE_OFFSET & (HEDDLE_RECORD_SPAN - 1)));
    const bool is_range = site->kind == HEDDLE_EV_READ_RANGE || site->kind == HEDDLE_EV_WRITE_RANGE;
    access_slow(t, p, is_range ? 0 : site->size, site->kind, site, is_range ? site->size : 0, __builtin_frame_address(0), __builtin_return_address(0));
  }
}

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
  // Mostly memory that it had before its last unlock. The budget ends nowhere near, so that nothing of AtHook is left but the count.
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
  if (calls_always()) tell(*t, site, shape.accesses(), spans);
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
