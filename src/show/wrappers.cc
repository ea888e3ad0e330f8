#include "src/show/wrappers.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

namespace heddle {
namespace {

void mark(Stack& stack, const std::regex& pattern) {
  for (Frame& frame : stack) frame.wrapper |= !frame.system && std::regex_search(frame.function, pattern);
}

/// The first caller of `frame` on the stack that is the user's and no wrapper; null: there is none.
const Frame* caller_of(const Stack& stack, std::string_view file, std::uint32_t line) {
  const auto at = std::ranges::find_if(stack, [&](const Frame& f) { return f.file == file && f.line == line; });
  if (at == stack.end() || !at->wrapper) return nullptr;
  const auto caller = std::find_if(at, stack.end(), [](const Frame& f) { return !f.system && !f.wrapper; });
  return caller == stack.end() ? nullptr : &*caller;
}

void mark_all(TraceHead& head, const std::regex& pattern) {
  for (Stack& stack : head.stacks) mark(stack, pattern);
  for (RaceRecord& race : head.races)
    for (RaceAccess* access : {&race.first, &race.second}) mark(access->stack, pattern);
  if (!head.failure) return;
  FailureRecord& failure = *head.failure;
  for (ThreadAtFailure& thread : failure.threads) {
    mark(thread.stack, pattern);
    for (DeadlockEdge& edge : failure.deadlock)
      if (const Frame* caller = edge.thread == thread.thread
                                    ? caller_of(thread.stack, edge.wait_site.file, edge.wait_site.line)
                                    : nullptr)
        edge.wait_site = *caller;
    if (thread.thread != failure.thread) continue;
    if (const Frame* caller = caller_of(thread.stack, failure.file, failure.line)) {
      failure.function = caller->function;
      failure.file = caller->file;
      failure.line = caller->line;
    }
  }
}

}  // namespace

Status mark_wrappers(TraceHead& head, const std::string& pattern) {
  try {
    mark_all(head, std::regex(pattern, std::regex::extended));
    return {};
  } catch (const std::regex_error& bad) {
    return error(fmt::format("invalid regular expression '{}': {}", pattern, bad.what()));
  }
}

}  // namespace heddle
