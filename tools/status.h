// Exit statuses: part of the contract (DESIGN.md, "The command line").
#pragma once

namespace heddle {

enum ExitStatus : int {
  kClean = 0,         // nothing failed
  kUsage = 2,         // usage or input error
  kInconclusive = 3,  // diverged
  kFound = 66,        // the program's failure was found or reproduced
  kOurBug = 70,
  kInterruptedExit = 130,
};

}  // namespace heddle
