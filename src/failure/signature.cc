// The identity of a failure: equal for the same bug from run to run, on every backend, whichever thread hits it.
// Readable.
//
// Rules of this file: a signature is kept by other programs for years. It consists of tokens and of names of the
// program; text for people is not used here, nor by what is included (scripts/check-tree).
#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "src/failure/failing_frame.h"
#include "src/failure/failure.h"
#include "src/failure/wait_cycle.h"
#include "src/program/function_name.h"

namespace heddle {
namespace {

constexpr std::size_t kFunctions = 6;
constexpr std::size_t kLongest = 200;

const ThreadAtFailure* failing_thread(const FailureRecord& failure) {
  const auto it = std::ranges::find(failure.threads, failure.thread, &ThreadAtFailure::thread);
  return failure.thread.empty() || it == failure.threads.end() ? nullptr : &*it;
}

/// The user's functions from the failure outwards; recursion counts once, since its depth is no part of the bug.
std::vector<std::string> user_functions(const FailureRecord& failure) {
  std::vector<std::string> names;
  if (const ThreadAtFailure* thread = failing_thread(failure)) {
    for (const Frame& frame : frames_of_cause(thread->stack, failure.kind)) {
      if (frame.system || frame.function.empty()) continue;
      std::string name = bare_name(frame.function);
      if (names.empty() || names.back() != name) names.push_back(std::move(name));
      if (names.size() == kFunctions) break;
    }
  }
  if (names.empty() && !failure.function.empty()) names.push_back(bare_name(failure.function));
  return names;
}

/// The cycle in its normal rotation; without one, the waits that nobody can end, as a set: how many threads had arrived
/// there is chance.
std::vector<std::string> deadlock_parts(const FailureRecord& failure) {
  std::vector<std::string> parts;
  for (const std::size_t i : find_cycle(failure.deadlock)) parts.push_back(edge_token(failure.deadlock[i]));
  if (!parts.empty()) return parts;
  std::set<std::string> waits;
  for (const std::size_t i : root_edges(failure.deadlock)) waits.insert(edge_token(failure.deadlock[i]));
  return {waits.begin(), waits.end()};
}

/// A step bound strikes anywhere in a loop, in any of the threads that spin: only where those threads come from is
/// stable.
std::vector<std::string> spinning_parts(const FailureRecord& failure) {
  std::set<std::string> outermost;
  for (const ThreadAtFailure& thread : failure.threads) {
    if (thread.state.activity == Activity::kWaiting || thread.state.activity == Activity::kFinished) continue;
    if (failure.kind == HEDDLE_FAIL_HANG && thread.thread != failure.thread) continue;
    const auto it = std::ranges::find_if(thread.stack.rbegin(), thread.stack.rend(),
                                         [](const Frame& f) { return !f.system && !f.function.empty(); });
    if (it != thread.stack.rend()) outermost.insert(bare_name(it->function));
  }
  if (outermost.empty() && !failure.function.empty()) outermost.insert(bare_name(failure.function));
  return {outermost.begin(), outermost.end()};
}

std::string shortened(std::string text) {
  if (text.size() <= kLongest) return text;
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{}~{:08x}", text.substr(0, kLongest - 9), hash);
}

}  // namespace

std::string signature(const FailureRecord& failure) {
  std::vector<std::string> parts;
  switch (failure.kind) {
    case HEDDLE_FAIL_DEADLOCK:
      parts = deadlock_parts(failure);
      break;
    case HEDDLE_FAIL_LIVELOCK:
    case HEDDLE_FAIL_HANG:
      parts = spinning_parts(failure);
      break;
    case HEDDLE_FAIL_EXIT:
      parts = {failure.subject, failure.test, failure.expectation};
      break;
    case HEDDLE_FAIL_OUTPUT:
      parts = {failure.subject};
      break;
    case HEDDLE_FAIL_EXCEPTION:
      parts = user_functions(failure);
      parts.resize(std::min<std::size_t>(parts.size(), 1));
      parts.insert(parts.begin(), failure.subject);
      break;
    case HEDDLE_FAIL_SANITIZER:
    case HEDDLE_FAIL_SIGNALED:
      parts = user_functions(failure);
      parts.insert(parts.begin(), failure.subject);
      break;
    default:
      parts = user_functions(failure);
      break;
  }
  parts.insert(parts.begin(), std::string(token(failure.kind)));
  std::erase_if(parts, [](const std::string& p) { return p.empty(); });
  return shortened(fmt::format("{}", fmt::join(parts, "|")));
}

}  // namespace heddle
