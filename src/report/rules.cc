#include "src/report/rules.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

constexpr Rule kRules[] = {
    {HEDDLE_FAIL_ASSERTION, "assertion", "AssertionFailed", "An assertion fails under some order of the threads.",
     "error"},
    {HEDDLE_FAIL_ABORT, "abort", "Aborted", "The program aborts under some order of the threads.", "error"},
    {HEDDLE_FAIL_SEGFAULT, "segfault", "SegmentationFault", "A memory access faults under some order of the threads.",
     "error"},
    {HEDDLE_FAIL_BUS, "bus", "BusError", "A memory access is a bus error under some order of the threads.", "error"},
    {HEDDLE_FAIL_FPE, "fpe", "ArithmeticError",
     "An operation such as a division by zero faults under some order of the threads.", "error"},
    {HEDDLE_FAIL_ILL, "ill", "IllegalInstruction",
     "An illegal instruction is executed under some order of the threads.", "error"},
    {HEDDLE_FAIL_EXCEPTION, "exception", "UncaughtException",
     "An exception is not caught under some order of the threads.", "error"},
    {HEDDLE_FAIL_DEADLOCK, "deadlock", "Deadlock", "Threads wait for each other, or for what nobody will do.", "error"},
    {HEDDLE_FAIL_LIVELOCK, "livelock", "Livelock", "Threads run without end and without progress.", "error"},
    {HEDDLE_FAIL_HANG, "hang", "Hang", "A thread runs without reaching a scheduling point.", "error"},
    {HEDDLE_FAIL_EXIT, "exit", "ExitStatus",
     "The program ends with a status that says failure, under some order of the threads.", "error"},
    {HEDDLE_FAIL_SIGNALED, "signal", "KilledBySignal", "A signal ends the program under some order of the threads.",
     "error"},
    {HEDDLE_FAIL_OUTPUT, "output", "WrongOutput",
     "The program writes what it must not, under some order of the threads.", "error"},
    {HEDDLE_FAIL_SANITIZER, "sanitizer", "SanitizerReport",
     "A sanitizer reports an error under some order of the threads.", "error"},
    {HEDDLE_FAIL_CHECK, "check", "CheckFailed", "A heddle_check() fails under some order of the threads.", "error"},
    {HEDDLE_FAIL_RACE, "race", "DataRace",
     "Two threads access the same memory, one of them writes, and nothing orders them.", "warning"},
    {HEDDLE_FAIL_NONE, "other", "Failure", "The program fails under some order of the threads.", "error"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::size_t rule_of(FailureKind kind) {
  const auto found = std::ranges::find(kRules, kind, &Rule::kind);
  return static_cast<std::size_t>(found == std::end(kRules) ? std::size(kRules) - 1 : found - std::begin(kRules));
}

}  // namespace heddle
