#include "src/simplify/execution.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "abi/guide.h"

namespace heddle {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

class Collector {
 public:
  explicit Collector(Execution& out) : out_(out) {}

  void thread(std::string name, std::uint32_t parent, std::uint32_t ordinal) {
    std::uint64_t seed = 0;
    for (char c : name) seed = mixed(seed, static_cast<unsigned char>(c));
    out_.threads.push_back({std::move(name), parent, ordinal, {}, {seed}});
  }

  bool step(std::uint32_t thread, std::uint32_t kind, std::uint32_t site, bool early, bool by_preemption) {
    if (thread >= out_.threads.size()) return false;
    Path& path = out_.threads[thread];
    path.actions.push_back(heddle_guide_action(kind, site, early));
    path.prefixes.push_back(mixed(path.prefixes.back(), path.actions.back()));
    if (out_.turns.empty() || out_.turns.back().thread != thread) {
      if (!out_.turns.empty()) out_.turns.back().preempted = by_preemption;
      out_.turns.push_back({thread, 0});
    }
    out_.turns.back().end = static_cast<std::uint32_t>(path.actions.size());
    out_.steps++;
    return true;
  }

 private:
  Execution& out_;
};

std::string name_of(std::span<const HeddleThreadInfo> threads, std::uint32_t index) {
  if (index == 0) return "0";
  // A parent has a smaller index; a corrupted table must not make this endless.
  const HeddleThreadInfo& info = threads[index];
  return info.parent < index ? fmt::format("{}.{}", name_of(threads, info.parent), info.ordinal) : "?";
}

std::uint32_t ordinal_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  std::uint32_t ordinal = 0;
  if (dot != std::string::npos) std::from_chars(name.data() + dot + 1, name.data() + name.size(), ordinal);
  return ordinal;
}

}  // namespace

Execution execution_of(std::span<const HeddleGuidedStep> steps, std::span<const HeddleThreadInfo> threads,
                       const HeddleResult& result) {
  Execution out;
  Collector collector(out);
  for (std::uint32_t i = 0; i < threads.size(); i++)
    collector.thread(name_of(threads, i), threads[i].parent, threads[i].ordinal);
  std::uint64_t preemptions = 0;
  for (const HeddleGuidedStep& step : steps) {
    const bool by_preemption = step.flags & HEDDLE_GUIDED_BY_PREEMPTION;
    collector.step(step.thread, step.kind, step.site, step.flags & HEDDLE_GUIDED_EARLY, by_preemption);
    preemptions += by_preemption;
    out.ambiguous |= (step.flags & HEDDLE_GUIDED_FAR) != 0;
  }
  // The runtime knows of a preemption one step later: of the last one, nobody told it.
  if (preemptions + 1 == result.preemptions && out.turns.size() > 1) out.turns[out.turns.size() - 2].preempted = true;
  out.cost = {result.switches, result.preemptions};
  return out;
}

Result<Execution> execution_of(const TraceReader& trace) {
  const TraceHead& head = trace.head();
  Execution out;
  Collector collector(out);
  for (const ThreadRecord& thread : head.threads) collector.thread(thread.name, thread.parent, ordinal_of(thread.name));
  bool known = true;
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events)
      if (e.flags & HEDDLE_EF_POINT)
        known &= collector.step(e.thread, e.kind, e.site, heddle_is_early_timeout(&e), false);
    return known;
  });
  if (!read) return std::unexpected(read.error());
  if (!known || out.steps == 0 || out.steps != head.totals.steps)
    return error("this trace does not contain the steps of its schedule",
                 "use a trace of heddle hunt whose failure was confirmed");
  out.cost = {head.totals.switches, head.totals.preemptions};
  return out;
}

bool is_variant(const Execution& execution, const Execution& original) {
  return std::ranges::all_of(execution.threads, [&](const Path& path) {
    if (path.actions.empty()) return true;
    const auto same = std::ranges::find(original.threads, path.name, &Path::name);
    return same != original.threads.end() && same->prefixes.size() >= path.prefixes.size() &&
           same->prefixes[path.actions.size()] == path.prefixes.back();
  });
}

}  // namespace heddle
