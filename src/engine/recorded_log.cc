#include "src/engine/recorded_log.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kBlock = 1u << 12;  // stays in the cache on its way into the trace

bool is_missing(const HeddleStep& step) { return step.kind == HEDDLE_EV_NONE; }
/// A number that was reserved for an unlock that took another one, or has not come.
bool is_open(const HeddleStep& step) { return step.flags & HEDDLE_STEP_OPEN; }

// A thread that ended the process took its last step before that; what others did beside it afterwards has no influence
// on it, and a replay, where it goes on at once, does not get that far.
std::uint64_t steps_that_count(std::span<const HeddleStep> steps, const HeddleResult& result) {
  std::uint32_t last = result.failure.kind != HEDDLE_FAIL_NONE ? result.failure.thread + 1 : result.exit_thread;
  if (last == 0 || result.failure.kind == HEDDLE_FAIL_DEADLOCK) return steps.size();
  for (std::uint64_t i = steps.size(); i > 0; i--)
    if (steps[i - 1].thread == last - 1) return i;
  return steps.size();
}

// Of the others: where they had stopped in a hook when the last step that counts was taken. Not a step: nobody goes on
// from there.
void last_places(std::span<const HeddleStep> beyond, std::vector<HeddleEvent>& out) {
  std::vector<bool> seen(HEDDLE_MAX_THREADS);
  for (const HeddleStep& step : beyond) {
    if (is_open(step) || step.thread >= HEDDLE_MAX_THREADS || seen[step.thread]) continue;
    seen[step.thread] = true;
    if (step.kind != HEDDLE_EV_HANDOVER) continue;  // in the runtime, where a replay waits for it by itself
    HeddleEvent& event = out.emplace_back();
    event.thread = step.thread;
    event.kind = step.kind;
    event.flags = HEDDLE_EF_VALUE;
    event.value = step.hooks;
  }
}

std::span<const HeddleStep> numbered_steps(const Region& region, const HeddleResult& result) {
  std::span<const HeddleStep> steps = region.live<HeddleStep>(HEDDLE_AREA_STEPS);
  return steps.first(std::min<std::uint64_t>(steps.size(), result.steps));
}


// A kill between a step's number and its entry: what others wrote behind it has no place in the order any more.
std::span<const HeddleStep> whole_steps(std::span<const HeddleStep> steps) {
  return steps.first(static_cast<std::size_t>(std::ranges::find_if(steps, is_missing) - steps.begin()));
}

bool ended_by_itself(const HeddleResult& result) {
  return result.failure.kind != HEDDLE_FAIL_NONE || result.exit_thread != 0;
}

// Nobody wrote down how far the threads had come: behind the steps that are whole it is the first of what each wrote
// after a missing one, or what it says of itself.
std::vector<HeddleStep> places_of_killed(const Region& region, const HeddleResult& result,
                                         std::span<const HeddleStep> whole) {
  constexpr std::size_t kMostBehind = 1u << 20;
  constexpr std::uint32_t kFurthest = 1u << 20, kNextHook = 2;
  const std::span<const HeddleStep> behind = numbered_steps(region, result).subspan(whole.size());
  std::vector<HeddleStep> out;
  std::vector<std::uint32_t> steps(HEDDLE_MAX_THREADS);
  std::vector<bool> known(HEDDLE_MAX_THREADS);
  for (const HeddleStep& step : whole) steps[step.thread % HEDDLE_MAX_THREADS] += !is_open(step);
  for (HeddleStep step : behind.first(std::min(behind.size(), kMostBehind))) {
    if (is_missing(step) || is_open(step) || step.thread >= HEDDLE_MAX_THREADS || known[step.thread]) continue;
    known[step.thread] = true;
    out.push_back(step);
  }
  std::span<const HeddleThreadInfo> threads = region.live<HeddleThreadInfo>(HEDDLE_AREA_THREADS);
  threads = threads.first(std::min<std::size_t>({threads.size(), result.thread_count, HEDDLE_MAX_THREADS}));
  for (std::size_t i = 0; i < threads.size(); i++) {
    const std::uint64_t said = threads[i].last_place;
    const auto then = static_cast<std::uint32_t>(said >> 32),
               place = std::min(static_cast<std::uint32_t>(said), kFurthest);
    if (known[i] || place == 0 || threads[i].state == HEDDLE_T_DONE || (then != steps[i] && then + 1 != steps[i]))
      continue;
    out.push_back({static_cast<std::uint16_t>(i), HEDDLE_EV_HANDOVER, 0, 0, 0, then == steps[i] ? place : kNextHook});
  }
  return out;
}

}  // namespace

RecordedLog recorded_log(const Region& region, const HeddleResult& result) {
  const std::span<const HeddleStep> whole = whole_steps(numbered_steps(region, result));
  const std::uint64_t count = steps_that_count(whole, result);
  RecordedLog log{whole.first(count), {}};
  if (ended_by_itself(result))
    log.beyond.assign(whole.begin() + static_cast<std::ptrdiff_t>(count), whole.end());
  else
    log.beyond = places_of_killed(region, result, whole);
  return log;
}

void convert_steps(const RecordedLog& log, RunOutcome& outcome,
                   const std::function<void(std::span<const HeddleEvent>)>& sink) {
  std::vector<HeddleSegment>& schedule = outcome.evidence->choices;
  schedule.clear();
  HeddleResult& result = outcome.result;
  result.switches = result.preemptions = 0;
  std::vector<HeddleEvent> block;
  block.reserve(kBlock);
  std::uint64_t count = 0;
  for (const HeddleStep& step : log.steps) {
    if (step.thread >= HEDDLE_MAX_THREADS || step.kind >= HEDDLE_EV_COUNT) break;  // a corrupted program
    if (is_open(step)) continue;
    HeddleEvent& event = block.emplace_back();  // in its place: a copy would wait for each of these small stores
    event.thread = step.thread;
    event.kind = step.kind;
    event.site = step.site;
    event.object = step.object;
    event.flags = HEDDLE_EF_POINT;
    if (step.kind == HEDDLE_EV_HANDOVER) {
      event.flags |= HEDDLE_EF_VALUE;
      event.value = step.hooks;
    }
    if (schedule.empty() || schedule.back().thread != step.thread) {
      if (!schedule.empty()) {
        event.flags |= HEDDLE_EF_SWITCH;
        result.switches++;
        if (step.kind == HEDDLE_EV_HANDOVER) event.flags |= HEDDLE_EF_PREEMPTED, result.preemptions++;
      }
      schedule.push_back({step.thread, 0});
    }
    schedule.back().steps++;
    count++;
    if (block.size() == kBlock) sink(block), block.clear();
  }
  last_places(log.beyond, block);
  sink(block);
  result.steps = count;
}

}  // namespace heddle
