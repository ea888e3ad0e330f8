#include "src/engine/recorded_log.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "src/engine/step_log.h"

namespace heddle {
namespace {

constexpr std::size_t kBlock = 1u << 12;  // stays in the cache on its way into the trace

std::span<const std::uint64_t> log_of(const Region& region) { return region.live<std::uint64_t>(HEDDLE_AREA_STEPS); }

// A thread that ended the process took its last step before that; what comes behind it in the order of all steps has no
// influence on it, and a replay, where it goes on at once, does not get that far.
std::optional<StepOrder> last_that_counts(std::span<const std::uint64_t> log, const HeddleResult& result) {
  const std::uint32_t last =
      result.failure.kind != HEDDLE_FAIL_NONE ? result.failure.thread + 1 : result.exit_thread;
  if (last == 0 || result.failure.kind == HEDDLE_FAIL_DEADLOCK) return std::nullopt;
  return last_step_of(log, last - 1);
}

void add_place(std::uint32_t thread, std::uint32_t hooks, std::vector<HeddleEvent>& out) {
  HeddleEvent& event = out.emplace_back();
  event.thread = static_cast<std::uint16_t>(thread);
  event.kind = HEDDLE_EV_HANDOVER;
  event.flags = HEDDLE_EF_VALUE;
  event.value = hooks;
}

// Of the others: where they had stopped in a hook when the last step that counts was taken. Not a step: nobody goes on
// from there. Who has another step is in the runtime, where a replay waits for it by itself.
void last_places(std::span<const HeddleStep> beyond, std::vector<HeddleEvent>& out) {
  for (const HeddleStep& step : beyond)
    if (step.kind == HEDDLE_EV_HANDOVER) add_place(step.thread, step.hooks, out);
}

bool ended_by_itself(const HeddleResult& result) {
  return result.failure.kind != HEDDLE_FAIL_NONE || result.exit_thread != 0;
}

// Nobody wrote down how far the threads had come behind their last steps: it is what each said of itself. `steps`: how
// many each has.
void places_of_killed(const Region& region, const HeddleResult& result, std::span<const std::uint32_t> steps,
                      std::vector<HeddleEvent>& out) {
  constexpr std::uint32_t kFurthest = 1u << 20, kNextHook = 2;
  std::span<const HeddleThreadInfo> threads = region.live<HeddleThreadInfo>(HEDDLE_AREA_THREADS);
  threads = threads.first(std::min<std::size_t>({threads.size(), result.thread_count, HEDDLE_MAX_THREADS}));
  for (std::size_t i = 0; i < threads.size(); i++) {
    const std::uint64_t said = threads[i].last_place;
    const auto then = static_cast<std::uint32_t>(said >> 32),
               place = std::min(static_cast<std::uint32_t>(said), kFurthest);
    if (place == 0 || threads[i].state == HEDDLE_T_DONE || (then != steps[i] && then + 1 != steps[i])) continue;
    add_place(static_cast<std::uint32_t>(i), then == steps[i] ? place : kNextHook, out);
  }
}

}  // namespace

void convert_steps(const Region& region, RunOutcome& outcome,
                   const std::function<void(std::span<const HeddleEvent>)>& sink) {
  std::vector<HeddleSegment>& schedule = outcome.evidence->choices;
  schedule.clear();
  HeddleResult& result = outcome.result;
  result.switches = result.preemptions = 0;
  std::vector<HeddleEvent> block;
  block.reserve(kBlock);
  std::uint64_t count = 0;
  std::vector<std::uint32_t> steps_of(HEDDLE_MAX_THREADS);
  StepMerge log(log_of(region), last_that_counts(log_of(region), result));
  while (const HeddleStep* step = log.next()) {
    HeddleEvent& event = block.emplace_back();  // in its place: a copy would wait for each of these small stores
    event.thread = step->thread;
    event.kind = step->kind;
    event.site = step->site;
    event.object = step->object;
    event.flags = HEDDLE_EF_POINT;
    if (step->kind == HEDDLE_EV_HANDOVER) {
      event.flags |= HEDDLE_EF_VALUE;
      event.value = step->hooks;
    }
    if (schedule.empty() || schedule.back().thread != step->thread) {
      if (!schedule.empty()) {
        event.flags |= HEDDLE_EF_SWITCH;
        result.switches++;
        if (step->kind == HEDDLE_EV_HANDOVER) event.flags |= HEDDLE_EF_PREEMPTED, result.preemptions++;
      }
      schedule.push_back({step->thread, 0});
    }
    schedule.back().steps++;
    steps_of[step->thread]++;
    count++;
    if (block.size() == kBlock) sink(block), block.clear();
  }
  ended_by_itself(result) ? last_places(log.beyond(), block) : places_of_killed(region, result, steps_of, block);
  sink(block);
  result.steps = count;
}

}  // namespace heddle
