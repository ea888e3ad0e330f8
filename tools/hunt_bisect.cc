#include "tools/hunt_bisect.h"

#include <exception>
#include <string_view>

#include "tools/status.h"
#include "tools/terminal.h"

namespace heddle {
namespace {

enum BisectStatus : int { kGood = 0, kBad = 1, kSkip = 125, kGiveUp = 129 };

}  // namespace

bool wants_bisect(int argc, char** argv) {
  for (int i = 0; i < argc && std::string_view(argv[i]) != "--"; i++)
    if (std::string_view(argv[i]) == "--bisect") return true;
  return false;
}

int bisect_status(const std::function<int()>& hunt, const bool& understood) {
  int status = kOurBug;
  try {
    status = hunt();
  } catch (const std::exception& problem) {
    say(stderr, "heddle: this is a bug in heddle, so this commit is skipped: {}\n", problem.what());
  }
  switch (status) {
    case kClean:
      return kGood;
    case kFound:
      return kBad;
    case kInterruptedExit:
      return status;
    case kUsage:
      return understood ? kSkip : kGiveUp;
    default:
      return kSkip;
  }
}

}  // namespace heddle
