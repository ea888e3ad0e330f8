// heddle_laws [--schedules N] [--law NAME] [--stdin FILE] [--cpu N] [--options KEY=VALUE:...] [--preload LIB] -- PROG
// ARGS...
//
// Checks laws on one program built by heddle cc, or on any other with libheddle_preload.so; one line per law, breaches
// before it. Exit status: 0 all hold, 1 one is broken, 2 the program cannot be controlled.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "tests/laws/law.h"

namespace heddle::laws {
namespace {

constexpr std::size_t kBreachesShown = 3;

struct Law {
  const char* name;
  void (*check)(Subject&, std::uint64_t, const Report&);
  std::uint64_t share;  // of 100: how many of the schedules it takes
};
constexpr Law kLaws[] = {
    {"replay_is_exact", replay_is_exact, 100},
    {"equal_seed_equal_schedule", equal_seed_equal_schedule, 20},
    {"the_detector_only_observes", the_detector_only_observes, 20},
    {"detail_only_observes", detail_only_observes, 20},
    {"light_clones_take_the_same_schedule", light_clones_take_the_same_schedule, 20},
    {"divergence_is_the_first_step_that_left_the_recording", divergence_is_the_first_step_that_left_the_recording, 10},
};

struct Arguments {
  SubjectOptions subject;
  std::uint64_t schedules = 100;
  std::string law;
  bool options_are_valid = true;
};

Arguments parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; i++) {
    std::string_view word = argv[i];
    if (word == "--") {
      out.subject.command.assign(argv + i + 1, argv + argc);
      break;
    }
    if (i + 1 == argc) break;
    const char* value = argv[++i];
    if (word == "--schedules") out.schedules = std::strtoull(value, nullptr, 10);
    else if (word == "--law") out.law = value;
    else if (word == "--stdin") out.subject.standard_input = value;
    else if (word == "--cpu") out.subject.cpu = std::atoi(value);
    else if (word == "--preload") out.subject.preload = value;
    else if (word == "--options") out.options_are_valid = out.subject.run.apply(value).has_value();
  }
  return out;
}

bool check(const Law& law, Subject& subject, std::uint64_t schedules) {
  auto start = std::chrono::steady_clock::now();
  std::size_t breaches = 0;
  law.check(subject, schedules, [&](const std::string& text) {
    if (breaches++ < kBreachesShown) fmt::print("BROKEN {} {} {}\n", subject.name(), law.name, text);
  });
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} {} {}: {} schedules, {} breaches, {:.1f} s\n", breaches ? "not ok" : "ok    ", subject.name(),
             law.name, schedules, breaches, seconds);
  std::fflush(stdout);
  return breaches == 0;
}

int run(const Arguments& arguments) {
  if (arguments.subject.command.empty() || !arguments.options_are_valid) {
    fmt::print(stderr,
               "heddle_laws [--schedules N] [--law NAME] [--stdin FILE] [--cpu N] [--options KEY=VALUE:...] [--preload "
               "LIB] -- PROG ARGS...\n");
    return 2;
  }
  auto subject = Subject::create(arguments.subject);
  if (!subject) {
    fmt::print("{}\n", subject.error().message);
    return 2;
  }
  bool all = true;
  for (const Law& law : kLaws)
    if (arguments.law.empty() || arguments.law == law.name)
      all &= check(law, **subject, std::max<std::uint64_t>(arguments.schedules * law.share / 100, 1));
  return all ? 0 : 1;
}

}  // namespace
}  // namespace heddle::laws

int main(int argc, char** argv) { return heddle::laws::run(heddle::laws::parse(argc, argv)); }
