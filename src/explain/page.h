// The explanation as one page for a browser that needs nothing else: verdict, the two executions side by side with a
// lane per thread, the data flows that differ.
#pragma once
#include "src/explain/explain.h"
#include "src/show/view.h"

namespace heddle {

void explain_page(const ExplainAnswer& answer, const Sink& sink);

}  // namespace heddle
