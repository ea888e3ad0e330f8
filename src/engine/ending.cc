#include "src/engine/ending.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/failure/same_failure.h"

namespace heddle {

bool was_cut_off(const FailureRecord& failure) {
  return failure.kind == HEDDLE_FAIL_HANG || failure.kind == HEDDLE_FAIL_LIVELOCK ||
         failure.kind == HEDDLE_FAIL_SIGNALED;
}

namespace {

bool has_nameless_frame(const FailureRecord& failure) {
  const auto thread = std::ranges::find(failure.threads, failure.thread, &ThreadAtFailure::thread);
  return thread != failure.threads.end() &&
         std::ranges::any_of(thread->stack, [](const Frame& f) { return !f.system && f.function.empty(); });
}

// Names of what the program loads late may be known in one execution and not in the other: then what it says itself has
// to do. That it took the same steps is asked beside this.
bool says_the_same(const FailureRecord& one, const FailureRecord& other) {
  if (same_failure(one, other)) return true;
  return same_words(one, other) && (has_nameless_frame(one) || has_nameless_frame(other));
}

}  // namespace

bool same_ending(const std::optional<FailureRecord>& original, std::uint64_t original_steps, const RunOutcome& again) {
  if (original && again.failure && !says_the_same(*original, *again.failure)) return false;
  const HeddleDivergence& divergence = again.result.divergence;
  if (divergence.happened)
    return original && was_cut_off(*original) && divergence.reason == HEDDLE_DIV_SCHEDULE_ENDED &&
           divergence.step >= original_steps;
  return original.has_value() == again.failure.has_value();
}

std::optional<std::string> difference(const RunOutcome& first, const RunOutcome& again) {
  if (again.end == RunEnd::kInterrupted) return "it was interrupted";
  if (was_cut_off(*first.failure) && same_ending(first.failure, first.result.steps, again)) return std::nullopt;
  if (again.result.divergence.happened)
    return fmt::format("it left the schedule at step {}", again.result.divergence.step);
  if (!again.failure && again.result.replaced)
    return "it ended at an exec, and what failed is the new program, which is not started again";
  if (!again.failure) return "it did not fail";
  if (!says_the_same(*first.failure, *again.failure)) {
    const bool told_apart = first.failure->message != again.failure->message;
    return fmt::format("it ended with {} instead of {}", told_apart ? again.failure->message : again.failure->signature,
                       told_apart ? first.failure->message : first.failure->signature);
  }
  if (again.result.steps != first.result.steps || again.result.hash != first.result.hash)
    return "it executed other steps";
  return std::nullopt;
}

}  // namespace heddle
