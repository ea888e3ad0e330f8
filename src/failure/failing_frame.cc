#include "src/failure/failing_frame.h"

#include <algorithm>
#include <array>
#include <string>

#include "src/program/symbolizer.h"

namespace heddle {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kAssertion = {"__assert_fail", "__assert_perror_fail", "__assert",
                                                        "__assert_fail_base"};
constexpr std::array<std::string_view, 5> kAbort = {"abort", "raise", "gsignal", "__stack_chk_fail", "__fortify_fail"};
constexpr std::array<std::string_view, 10> kThrow = {
    "__cxa_throw",        "__cxa_rethrow",           "_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow",
    "std::terminate",     "__cxxabiv1::__terminate", "__clang_call_terminate", "std::rethrow_exception",
    "__cxa_pure_virtual", "__cxa_call_terminate"};
constexpr std::array<std::string_view, 4> kTerminate = {
    "std::terminate", "__cxxabiv1::__terminate", "__clang_call_terminate", "__gnu_cxx::__verbose_terminate_handler"};
constexpr std::array<std::string_view, 4> kExit = {"exit", "_exit", "_Exit", "quick_exit"};
constexpr std::array<std::string_view, 2> kCheck = {"heddle_check", "heddle_check_failed"};

/// How the program tells that it fails, outermost call.
Names reporters(FailureKind kind) {
  switch (kind) {
    case HEDDLE_FAIL_ASSERTION:
      return kAssertion;
    case HEDDLE_FAIL_ABORT:
      return kAbort;
    case HEDDLE_FAIL_EXCEPTION:
      return kThrow;
    case HEDDLE_FAIL_EXIT:
      return kExit;
    case HEDDLE_FAIL_CHECK:
      return kCheck;
    default:
      return {};
  }
}

bool is_one_of(const Frame& frame, Names names) { return std::ranges::find(names, frame.function) != names.end(); }

bool holds(const Stack& stack, Names names) {
  return std::ranges::any_of(stack, [&](const Frame& f) { return is_one_of(f, names); });
}

}  // namespace

std::span<const Frame> frames_of_cause(const Stack& stack, FailureKind kind) {
  std::span<const Frame> frames = stack;
  const Names names = reporters(kind);
  for (std::size_t i = stack.size(); i-- > 0;)
    if (is_one_of(stack[i], names)) return frames.subspan(i + 1);
  return frames;
}

const Frame* frame_of_cause(const Stack& stack, FailureKind kind) {
  const auto frames = frames_of_cause(stack, kind);
  return user_frame(frames.empty() ? std::span<const Frame>(stack) : frames);
}

bool holds_terminate(const Stack& stack) { return holds(stack, kTerminate); }
bool holds_assertion(const Stack& stack) { return holds(stack, kAssertion); }

}  // namespace heddle
