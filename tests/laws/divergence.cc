// DivergenceIsTheFirstStepThatLeftTheRecording: a recording that is altered at a step is left at that step, not before,
// not later.
#include <algorithm>

#include <fmt/format.h>

#include "tests/laws/difference.h"
#include "tests/laws/law.h"

namespace heddle::laws {
namespace {

std::vector<HeddleEvent> steps_of(const Execution& run) {
  std::vector<HeddleEvent> steps;
  for (const HeddleEvent& e : run.events)
    if (e.flags & HEDDLE_EF_POINT) steps.push_back(e);
  return steps;
}

struct Recording {
  RunRequest request;
  Execution run;
  std::vector<HeddleEvent> steps;
};

// The replay must report step `at`, with what the unaltered recording has there.
std::string left_at(const Recording& recording, const Execution& replay, std::size_t at) {
  const HeddleDivergence& d = replay.outcome.result.divergence;
  if (!d.happened) return fmt::format("no divergence, expected one at step {}", at);
  if (d.reason != HEDDLE_DIV_OTHER_EVENT) return fmt::format("reason {} at step {}", d.reason, d.step);
  if (d.step != at) return fmt::format("divergence at step {} instead of {}", d.step, at);
  const HeddleEvent& there = recording.steps[at];
  if (d.actual_thread != there.thread || d.actual_kind != there.kind || d.actual_site != there.site ||
      d.actual_object != there.object)
    return fmt::format("step {}: actual event is thread {} kind {} site {:#x}, not that of the recording", at,
                       d.actual_thread, d.actual_kind, d.actual_site);
  return {};
}

// Another event is expected at step `at` than the program makes.
std::string alter_event(Subject& subject, const Recording& recording, std::size_t at) {
  RunRequest replay = subject.replay_of(recording.request, recording.run);
  for (const HeddleEvent& e : recording.steps)
    replay.expect.push_back(heddle_step_hash(e.thread, e.kind, e.site, e.object));
  replay.expect[at] ^= 1;
  return left_at(recording, subject.run(replay), at);
}

// One step less than the thread took in its segment: the first step that is not as recorded is the one after the cut.
std::string remove_segment(Subject& subject, const Recording& recording, std::size_t which) {
  RunRequest replay = subject.replay_of(recording.request, recording.run);
  for (const HeddleEvent& e : recording.steps)
    replay.expect.push_back(heddle_step_hash(e.thread, e.kind, e.site, e.object));
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < which; i++) at += replay.schedule[i].steps;
  std::uint32_t next = replay.schedule[which + 1].thread;
  replay.schedule.erase(replay.schedule.begin() + static_cast<std::ptrdiff_t>(which));
  const HeddleDivergence d = subject.run(replay).outcome.result.divergence;
  if (!d.happened) return fmt::format("no divergence without segment {}", which);
  if (d.step != at) return fmt::format("without segment {}: divergence at step {} instead of {}", which, d.step, at);
  bool named = d.reason == HEDDLE_DIV_THREAD_NOT_ENABLED ? d.expected_thread == next : d.actual_thread == next;
  return named ? std::string()
               : fmt::format("without segment {}: thread {} instead of {}, reason {}", which, d.actual_thread, next,
                             d.reason);
}

// The schedule ends at step `at`.
std::string cut_schedule(Subject& subject, const Recording& recording, std::size_t at) {
  RunRequest replay = subject.replay_of(recording.request, recording.run);
  std::uint64_t left = at;
  std::vector<HeddleSegment> kept;
  for (HeddleSegment segment : replay.schedule) {
    segment.steps = static_cast<std::uint32_t>(std::min<std::uint64_t>(segment.steps, left));
    left -= segment.steps;
    if (segment.steps) kept.push_back(segment);
  }
  replay.schedule = kept;
  const HeddleDivergence d = subject.run(replay).outcome.result.divergence;
  if (!d.happened || d.reason != HEDDLE_DIV_SCHEDULE_ENDED) return fmt::format("cut at {}: reason {}", at, d.reason);
  return d.step == at ? std::string() : fmt::format("cut at {}: divergence at step {}", at, d.step);
}

}  // namespace

void divergence_is_the_first_step_that_left_the_recording(Subject& subject, std::uint64_t schedules,
                                                          const Report& broken) {
  for (std::uint64_t seed = 0; seed < schedules; seed++) {
    Recording recording;
    recording.request = subject.random(seed);
    recording.request.parameters.detail = kPointsDetail;
    recording.request.parameters.backend = seed % 2 ? HEDDLE_BACKEND_FIBERS : HEDDLE_BACKEND_BATON;
    recording.run = subject.run(recording.request);
    recording.steps = steps_of(recording.run);
    auto check = [&](std::string why) {
      if (!why.empty())
        broken(fmt::format("seed {}, {}: {}", seed, backend_name(recording.request.parameters.backend), why));
    };
    if (recording.steps.empty()) continue;
    std::size_t last = recording.steps.size() - 1, segments = recording.run.outcome.evidence->choices.size();
    for (std::size_t at : {std::size_t{0}, last / 2, last}) check(alter_event(subject, recording, at));
    check(cut_schedule(subject, recording, last / 2 + 1 > last ? last : last / 2 + 1));
    if (segments > 2) check(remove_segment(subject, recording, segments / 2));
  }
}

}  // namespace heddle::laws
