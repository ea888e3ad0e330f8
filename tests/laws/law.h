// A law: a property of every program, checked on one.
#pragma once
#include <functional>
#include <string>

#include "tests/laws/subject.h"

namespace heddle::laws {

/// Called for each breach; the text says seed, backend and the first difference.
using Report = std::function<void(const std::string&)>;

void replay_is_exact(Subject& subject, std::uint64_t schedules, const Report& broken);
void equal_seed_equal_schedule(Subject& subject, std::uint64_t schedules, const Report& broken);
void the_detector_only_observes(Subject& subject, std::uint64_t schedules, const Report& broken);
void detail_only_observes(Subject& subject, std::uint64_t schedules, const Report& broken);
void light_clones_take_the_same_schedule(Subject& subject, std::uint64_t schedules, const Report& broken);
void divergence_is_the_first_step_that_left_the_recording(Subject& subject, std::uint64_t schedules, const Report& broken);

inline const char* backend_name(std::uint32_t backend) { return backend == HEDDLE_BACKEND_FIBERS ? "fibers" : "baton"; }

}  // namespace heddle::laws
