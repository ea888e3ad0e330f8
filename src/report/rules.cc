#include "src/report/rules.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

constexpr Rule kRules[] = {
    {"assertion", "AssertionFailed", "An assertion fails under some order of the threads.", "error"},
    {"abort", "Aborted", "The program aborts under some order of the threads.", "error"},
    {"segfault", "SegmentationFault", "A memory access faults under some order of the threads.", "error"},
    {"bus", "BusError", "A memory access is a bus error under some order of the threads.", "error"},
    {"fpe", "ArithmeticError", "An operation such as a division by zero faults under some order of the threads.",
     "error"},
    {"ill", "IllegalInstruction", "An illegal instruction is executed under some order of the threads.", "error"},
    {"exception", "UncaughtException", "An exception is not caught under some order of the threads.", "error"},
    {"deadlock", "Deadlock", "Threads wait for each other, or for what nobody will do.", "error"},
    {"livelock", "Livelock", "Threads run without end and without progress.", "error"},
    {"hang", "Hang", "A thread runs without reaching a scheduling point.", "error"},
    {"exit", "ExitStatus", "The program ends with a status that says failure, under some order of the threads.",
     "error"},
    {"signal", "KilledBySignal", "A signal ends the program under some order of the threads.", "error"},
    {"output", "WrongOutput", "The program writes what it must not, under some order of the threads.", "error"},
    {"sanitizer", "SanitizerReport", "A sanitizer reports an error under some order of the threads.", "error"},
    {"check", "CheckFailed", "A heddle_check() fails under some order of the threads.", "error"},
    {"race", "DataRace", "Two threads access the same memory, one of them writes, and nothing orders them.", "warning"},
    {"other", "Failure", "The program fails under some order of the threads.", "error"},
};

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::size_t rule_of(std::string_view kind) {
  const auto found = std::ranges::find(kRules, kind, &Rule::id);
  return static_cast<std::size_t>(found == std::end(kRules) ? std::size(kRules) - 1 : found - std::begin(kRules));
}

}  // namespace heddle
