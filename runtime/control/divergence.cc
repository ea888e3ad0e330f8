// A replay that takes another way than its recording: what was expected, what came, and the end of the run.
#include <initializer_list>

#include "runtime/control/control.h"
#include "runtime/control/debugger.h"
#include "runtime/control/scheduler.h"
#include "runtime/control/io.h"

namespace heddle::rt {

void diverged(uint32_t reason, uint32_t expected, const Thread* actual) {
  HeddleDivergence& d = region->result.divergence;
  d.reason = reason;
  d.step = control.steps;
  d.expected_thread = expected;
  d.actual_thread = actual ? actual->index : ~0u;
  if (actual) {
    d.actual_kind = actual->op.kind;
    d.actual_site = actual->op.site;
    d.actual_object = actual->op.object;
    d.actual_address = actual->op.address;
  }
  __atomic_store_n(&d.happened, 1, __ATOMIC_SEQ_CST);
  debugger_stop(HEDDLE_STOP_DIVERGENCE);
  end_run(kDivergedStatus);
}

void diverge_input(const char* text) {
  HeddleDivergence& d = region->result.divergence;
  d.reason = HEDDLE_DIV_INPUT;
  d.step = control.steps;
  d.expected_thread = d.actual_thread = self ? self->index : 0;
  for (size_t i = 0; i + 1 < sizeof d.text && text[i]; i++) d.text[i] = text[i];
  __atomic_store_n(&d.happened, 1, __ATOMIC_SEQ_CST);
  debugger_stop(HEDDLE_STOP_DIVERGENCE);
  end_run(kDivergedStatus);
}

void diverge_output(uint32_t site, const char* expected, const char* actual) {
  HeddleDivergence& d = region->result.divergence;
  const Op& op = self->op;
  const bool is_step =
      control.steps && op.site == site && (op.kind == HEDDLE_EV_IO_CALL || op.kind == HEDDLE_EV_IO_RETURN);
  d.reason = HEDDLE_DIV_OUTPUT;
  d.step = control.steps - is_step;
  d.expected_thread = d.actual_thread = self->index;
  d.actual_kind = op.kind;
  d.actual_site = site;
  size_t n = 0;
  for (const char* s : {expected, "\n", actual})
    for (; *s && n + 1 < sizeof d.text; s++) d.text[n++] = *s;
  d.text[n] = 0;
  __atomic_store_n(&d.happened, 1, __ATOMIC_SEQ_CST);
  debugger_stop(HEDDLE_STOP_DIVERGENCE);
  end_run(kDivergedStatus);
}

}  // namespace heddle::rt
