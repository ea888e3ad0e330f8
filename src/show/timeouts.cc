#include "src/show/timeouts.h"

#include <fmt/format.h>

#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/words.h"
#include "src/trace/call_name.h"

namespace heddle {
namespace {

std::string place_text(Names& names, const HeddleEvent& event) {
  const Place& place = names.place(names.place(event));
  if (place.line == 0) return {};
  return fmt::format("{}:{}", clean(base_name(place.file), true), place.line);
}

std::string wait_text(const Names& names, const HeddleEvent& event) {
  if (event.kind == HEDDLE_EV_SLEEP) return "sleep";
  if (event.kind == HEDDLE_EV_TIMER) return "timer that was set";
  if (event.kind == HEDDLE_EV_IO_RETURN) {
    const std::string_view call = call_name(event.address);
    return call.empty() ? "time-out of a system call" : std::string(call);
  }
  const std::string what = clean(names.what(event), true);
  const char* verb =
      event.kind == HEDDLE_EV_COND_WAKE || event.kind == HEDDLE_EV_FUTEX_WOKEN ? "timed wait" : "timed attempt";
  return what.empty() ? verb : fmt::format("{} for {}", verb, what);
}

// "ran queue.c:12 (lock m)"
std::string deed(Names& names, const HeddleEvent& event) {
  const std::string place = place_text(names, event), what = clean(names.what(event), true);
  const std::string done = kind_text(event.kind) + (what.empty() ? "" : " " + what);
  if (event.kind == HEDDLE_EV_THREAD_START) return "started";
  return place.empty() ? fmt::format("did {}", done) : fmt::format("ran {} ({})", place, done);
}

std::string time_text(std::uint64_t ns) {
  if (ns < 10'000) return fmt::format("{} ns", ns);
  if (ns < 10'000'000) return fmt::format("{} us", ns / 1000);
  if (ns < 10'000'000'000) return fmt::format("{} ms", ns / 1'000'000);
  return fmt::format("{} s", ns / 1'000'000'000);
}

// No other thread ran any more. One that would have run in the meantime: who waits for a thread to end would not.
std::string who_did_not_run(const TraceHead& head, const std::string& self) {
  if (!head.failure) return {};
  for (const ThreadAtFailure& thread : head.failure->threads)
    if (thread.thread != self && thread.state.activity == Activity::kNotStarted)
      return fmt::format("thread {} started", clean(thread.thread, true));
  const auto joins = [](const ThreadState& state) { return state.wait == WaitKind::kThread; };
  for (const ThreadAtFailure& thread : head.failure->threads)
    if (thread.thread != self && thread.state.activity != Activity::kFinished && !joins(thread.state))
      return fmt::format("thread {} went on ({})", clean(thread.thread, true), clean(to_text(thread.state), true));
  return {};
}

class Collector {
 public:
  Collector(const TraceHead& head, std::size_t most) : names_(head), most_(most) {}

  void add(HeddleEvent event) {
    creations_.number(event);
    if (event.kind == HEDDLE_EV_TIMER) return add_early(event, kNobody);
    if (!(event.flags & HEDDLE_EF_POINT)) return;
    // What others did later tells more than that they started: the first operation behind their start.
    // Joining it is no news: that comes behind its end.
    if (open_ != found_.size() && threads_[open_] != event.thread && event.kind != HEDDLE_EV_THREAD_JOIN) {
      found_[open_].before = fmt::format("thread {} {}", names_.thread(event.thread), deed(names_, event));
      if (event.kind != HEDDLE_EV_THREAD_START) open_++;
    }
    if (heddle_is_early_timeout(&event)) add_early(event, event.thread);
    step_++;
  }
  std::vector<EarlyTimeout> take() { return std::move(found_); }

 private:
  static constexpr std::uint32_t kNobody = ~0u;  // a timer: what any thread does next comes after it

  void add_early(const HeddleEvent& event, std::uint32_t thread) {
    if (!heddle_is_early_timeout(&event) || found_.size() == most_) return;
    const Place& place = names_.place(names_.place(event));
    if (place.function.starts_with("__sanitizer::")) return;  // its report, behind the failure
    std::string where = place_text(names_, event);
    if (!place.function.empty()) where += fmt::format("{}in {}", where.empty() ? "" : " ", clean(place.function, true));
    found_.push_back({step_, names_.thread(event.thread), where, wait_text(names_, event), event.value, {}});
    threads_.push_back(thread);
  }

  Names names_;
  Creations creations_;
  std::size_t most_, open_ = 0;  // the first one of which it is not known yet what came behind it
  std::uint64_t step_ = 0;
  std::vector<EarlyTimeout> found_;
  std::vector<std::uint32_t> threads_;
};

}  // namespace

Result<std::vector<EarlyTimeout>> early_timeouts(const TraceReader& trace, std::size_t most) {
  Collector collector(trace.head(), most);
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& event : events) collector.add(event);
    return true;
  });
  if (!read) return std::unexpected(read.error());
  std::vector<EarlyTimeout> found = collector.take();
  for (EarlyTimeout& timeout : found)
    if (timeout.before.empty()) timeout.before = who_did_not_run(trace.head(), timeout.thread);
  return found;
}

std::string in_words(const EarlyTimeout& timeout) {
  const std::string where = timeout.place.empty() ? "" : " at " + timeout.place;
  if (timeout.before.empty())
    return fmt::format("the {}{}, thread {}, ended {} early", timeout.what, where, timeout.thread,
                       time_text(timeout.skipped_ns));
  return fmt::format("the {}{}, thread {}, ended before {}: {} early", timeout.what, where, timeout.thread,
                     timeout.before, time_text(timeout.skipped_ns));
}

}  // namespace heddle
