// The first pass over the events: what must be known about all of them before the first can be shown.
#pragma once
#include <cstdint>
#include <vector>

#include "src/show/spans.h"
#include "src/trace/container.h"
#include "src/trace/schedule.h"

namespace heddle {

/// Which memory more than one thread touched. At most 4 MiB: a collision makes private memory look shared (it is shown
/// though it need not be), never the other way round.
class SharedMemory {
 public:
  explicit SharedMemory(std::uint64_t events);
  void touch(const HeddleEvent& event);
  bool shared(const HeddleEvent& event) const;

 private:
  std::size_t slot(std::uint64_t granule) const { return (granule * 0x9e3779b97f4a7c15ull) >> shift_; }
  unsigned shift_;
  std::vector<std::uint16_t> owner_;  // by granule: 0 nobody, thread + 1, or kMany
};

struct Survey {
  Survey(std::uint64_t events, const TraceHead& head) : memory(events), momentary(head) {}
  SharedMemory memory;
  MomentaryLocks momentary;
  std::vector<std::uint64_t> thread_events;  // by thread index
  SwitchCounter counter;
  std::vector<bool> preempted;  // by switch, in order: the left thread could have gone on
};

/// `could_run[t]`: thread t could have run when the trace ended; tells about switches whose left thread never came
/// back.
Survey survey(const TraceReader& trace, const std::vector<bool>& could_run);
/// From what the failure record says about its threads.
std::vector<bool> threads_that_could_run(const TraceHead& head);

}  // namespace heddle
