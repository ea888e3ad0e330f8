// The order in which the threads of an execution ran: where no preemption is left, it is the cause of the failure.
#pragma once
#include <string>
#include <vector>

#include "src/simplify/execution.h"
#include "src/trace/trace.h"

namespace heddle {

struct TurnOfThread {
  std::string thread;  // "0.2"
  std::string label;   // pthread_setname_np, else the function it started in; may be empty
};

/// One entry per turn of `execution`, which is the one of `head`'s trace.
std::vector<TurnOfThread> order_of(const Execution& execution, const TraceHead& head);

/// "no preemption is needed: it fails when the threads run in this order: 0 (main), 0.2 (worker), 0.1 (worker), 0".
/// A label is named once per thread. Of many turns the first `most`, and how many follow.
std::string in_words(const std::vector<TurnOfThread>& order, std::size_t most);

}  // namespace heddle
