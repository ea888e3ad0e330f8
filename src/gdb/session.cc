#include "src/gdb/session.h"

#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/words.h"
#include "src/trace/output_file.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxSteps = 5'000'000;  // that are described; a session of more can still go to each

/// "lock m  queue.c:18 in take"
std::string step_text(const HeddleEvent& e, Names& names) {
  const Place& place = names.place(names.place(e));
  std::string text = describe(e, names);
  if (place.line != 0) text += fmt::format("  {}:{}", base_name(place.file), place.line);
  if (!place.function.empty()) text += fmt::format(" in {}", place.function);
  return clean(text, true);
}

Status write_steps(const TraceReader& trace, const std::filesystem::path& path) {
  auto file = OutputFile::create(path);
  if (!file) return std::unexpected(file.error());
  Names names(trace.head());
  Creations creations;
  std::uint64_t steps = 0;
  Status written;
  std::string lines;
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    lines.clear();
    for (HeddleEvent e : events) {
      creations.number(e);
      if (!(e.flags & HEDDLE_EF_POINT)) continue;
      if (++steps > kMaxSteps) break;
      lines += step_text(e, names) + "\n";
    }
    written = file->write(lines);
    return written && steps <= kMaxSteps;
  });
  if (!read) return read;
  return written ? file->commit() : written;
}

Json failure_of(const TraceHead& head) {
  if (!head.failure) return nullptr;
  const FailureRecord& f = *head.failure;
  Json waits = Json::array();
  for (const DeadlockEdge& e : f.deadlock) {
    std::string text = fmt::format("{} waits: {}", e.thread, to_text(e));
    if (e.wait_site.line != 0) text += fmt::format(" at {}:{}", base_name(e.wait_site.file), e.wait_site.line);
    if (is_held(e)) text += fmt::format(", held by {}", e.holder);
    if (e.hold_site.line != 0) text += fmt::format(" (taken at {}:{})", base_name(e.hold_site.file), e.hold_site.line);
    waits.push_back(clean(text, true));
  }
  std::string place = f.line != 0 ? fmt::format("{}:{}", base_name(f.file), f.line) : "";
  if (!f.function.empty()) place += fmt::format("{}in {}", place.empty() ? "" : " ", f.function);
  return {{"kind", token(f.kind)},
          {"message", clean(f.message, true)},
          {"thread", f.thread},
          {"place", clean(place, true)},
          {"waits", waits}};
}

/// Where the runtime keeps what the commands read and write; all processes map the region at the same address.
Json addresses(const HeddleRegion& layout) {
  const auto at = [](std::size_t offset) { return HEDDLE_REGION_ADDRESS + offset; };
  return {{"stop_at", at(offsetof(HeddleRegion, debugger.stop_at))},
          {"stop_function", at(offsetof(HeddleRegion, debugger.stop_function))},
          {"reason", at(offsetof(HeddleRegion, debugger.reason))},
          {"steps", at(offsetof(HeddleRegion, result.steps))},
          {"failure_kind", at(offsetof(HeddleRegion, result.failure.kind))},
          {"failure_message", at(offsetof(HeddleRegion, result.failure.message))},
          {"failure_message_size", sizeof(HeddleFailure::message)},
          {"exit_status", at(offsetof(HeddleRegion, result.exit_status))},
          {"divergence_reason", at(offsetof(HeddleRegion, result.divergence.reason))},
          {"divergence_step", at(offsetof(HeddleRegion, result.divergence.step))},
          {"thread_count", at(offsetof(HeddleRegion, result.thread_count))},
          {"threads", at(layout.area[HEDDLE_AREA_THREADS].offset)},
          {"thread_size", sizeof(HeddleThreadInfo)},
          {"thread_tid", offsetof(HeddleThreadInfo, tid)},
          {"thread_state", offsetof(HeddleThreadInfo, state)}};
}

}  // namespace

Status write_session(const TraceReader& trace, const Replayer& replayer, const SessionPlan& plan) {
  const TraceHead& head = trace.head();
  Result<Region> region = Region::create();  // for its layout
  if (!region) return std::unexpected(region.error());
  Json threads = Json::array(), schedule = Json::array(), kinds = Json::array();
  for (const ThreadRecord& t : head.threads)
    threads.push_back(Json::array({t.name, clean(t.label.empty() ? t.entry : t.label, true)}));
  for (const HeddleSegment& s : replayer.request().schedule) schedule.push_back(Json::array({s.thread, s.steps}));
#define HEDDLE_X(name, text) kinds.push_back(text);
  HEDDLE_FAILURE_KINDS(HEDDLE_X)
#undef HEDDLE_X
  const Json session = {{"trace", plan.trace.string()},
                        {"program", plan.program.string()},
                        {"heddle", plan.heddle.string()},
                        {"threads", threads},
                        {"schedule", schedule},
                        {"steps", replayer.steps()},
                        {"steps_file", (plan.folder / "steps.txt").string()},
                        {"failure", failure_of(head)},
                        {"failure_kinds", kinds},
                        {"address", addresses(region->header())}};
  auto file = OutputFile::create(plan.folder / "session.json");
  if (!file) return std::unexpected(file.error());
  Status written = file->write(session.dump(-1, ' ', true, Json::error_handler_t::replace));
  if (written) written = file->commit();
  return written ? write_steps(trace, plan.folder / "steps.txt") : written;
}

}  // namespace heddle
