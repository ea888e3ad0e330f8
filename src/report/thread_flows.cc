#include "src/report/thread_flows.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/show/fold.h"
#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/survey.h"
#include "src/show/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr Fold::Limits kLimits{.head = 200, .middle = 400, .tail = 400, .around = 20, .acquired = 64};
constexpr std::size_t kMostFoldedTurns = 100;

class Flows {
 public:
  Flows(const TraceReader& trace, const Locations& locations)
      : trace_(trace),
        head_(trace.head()),
        locations_(locations),
        names_(head_),
        sources_(head_.meta.cwd, std::nullopt, {.named = true}),
        flows_(head_.threads.size(), Json::array()) {}

  Json make() {
    for (const Told& told : rows_to_tell()) add_row(told);
    if (head_.failure) add_ends(*head_.failure);
    Json out = Json::array();
    for (std::size_t t = 0; t < flows_.size(); ++t) out.push_back(flow(t));
    return out;
  }

 private:
  struct Told {
    Row row;
    std::optional<std::uint16_t> left_for;  // who went on when its thread was left, before the next told row or at it
    bool preempted = false;                 // its thread could have gone on then
    std::uint64_t not_told = 0;             // events up to the next told row
  };

  std::vector<Told> rows_to_tell() {
    const Survey seen = survey(trace_, threads_that_could_run(head_));
    Fold fold(kLimits);
    const auto each = [&](const std::function<bool(Row&)>& take) {
      (void)for_each_row(trace_, seen, names_, std::nullopt, take);
    };
    each([&](Row& row) { return fold.add(row), true; });
    const auto kept = fold.finish();
    // Once more: what was folded can hold the switch. A turn of a thread of which nothing was kept is told by its last
    // row.
    std::vector<Told> out;
    std::optional<Row> folded;  // of such a turn
    std::size_t next = 0, turns = 0;
    const auto tell = [&](const Row& row) {
      Told told;
      told.row = row;
      told.preempted = row.preempted_after;
      out.push_back(std::move(told));
    };
    each([&](Row& row) {
      if (folded && folded->thread != row.thread) {
        if (!out.empty()) out.back().not_told -= std::min(out.back().not_told, std::uint64_t{folded->events});
        tell(*folded);
        folded.reset();
      }
      if (!out.empty()) follow(out.back(), row);
      if (next < kept.size() && kept[next].position == row.position) {
        tell(kept[next++]);
        folded.reset();
      } else if (!out.empty()) {
        out.back().not_told += row.events;
        if (out.back().row.thread != row.thread && (folded || turns++ < kMostFoldedTurns)) folded = row;
      }
      return true;
    });
    return out;
  }

  static void follow(Told& told, const Row& row) {
    if (told.left_for) return;
    if (row.thread != told.row.thread)
      told.left_for = row.thread;
    else
      told.preempted |= row.preempted_after;
  }

  /// Next to the source text what happened to its variables; where there is no text, what happened.
  std::string says(const Row& row, const Place& place) {
    const std::string code(sources_.line(place.file, place.line));
    const std::string happened = describe(row, names_, code, true);
    if (code.empty() || happened.empty()) return code + happened;
    return fmt::format("{}   {}", code, happened);
  }

  void add_row(const Told& told) {
    const Row& row = told.row;
    if (row.thread >= flows_.size()) return;
    const Place& place = names_.place(row.place);
    std::string text = says(row, place);
    Json properties = Json::object();
    if (told.left_for) {
      const std::string to = names_.thread(*told.left_for);
      text += fmt::format("{}{}: thread {} goes on", text.empty() ? "" : "   ",
                          told.preempted ? "\u25c0 preempted here" : "\u25c0 switch", to);
      properties["switch"] = to;
      properties["preempted"] = told.preempted;
    }
    if (told.not_told > 0) properties["notShown"] = counted("event", told.not_told) + " before the next location";
    const bool plain = row.private_only && !told.left_for;
    add(row.thread, locations_.location(place.file, place.line, place.function, text),
        told.left_for && told.preempted ? "essential"
        : plain                         ? "unimportant"
                                        : "important",
        std::move(properties));
  }

  void add(std::size_t thread, Json location, const char* importance, Json properties) {
    Json one = {{"location", std::move(location)}, {"executionOrder", ++order_}, {"importance", importance}};
    if (!properties.empty()) one["properties"] = std::move(properties);
    flows_[thread].push_back(std::move(one));
  }

  /// Where the threads were when it failed; the one that failed comes last.
  void add_ends(const FailureRecord& failure) {
    for (const ThreadAtFailure& thread : failure.threads)
      if (thread.thread != failure.thread)
        add_end(thread.thread, own(thread.stack), "at the failure: " + to_text(thread.state));
    Frame where;
    where.function = failure.function;
    where.file = failure.file;
    where.line = failure.line;
    add_end(failure.thread, where, "FAILED: " + failure.message, {{"failed", true}});
  }

  static Frame own(const Stack& stack) {
    const auto found = std::ranges::find_if(stack, [](const Frame& f) { return !f.system && !f.file.empty(); });
    return found == stack.end() ? Frame{} : *found;
  }

  void add_end(const std::string& name, const Frame& where, const std::string& text, Json properties = Json::object()) {
    const auto found = std::ranges::find(head_.threads, name, &ThreadRecord::name);
    if (found == head_.threads.end()) return;
    add(static_cast<std::size_t>(found - head_.threads.begin()), locations_.location(where, text), "essential",
        std::move(properties));
  }

  Json flow(std::size_t index) {
    const ThreadRecord& thread = head_.threads[index];
    std::string text = fmt::format("thread {}", thread.name);
    if (const std::string& what = thread.label.empty() ? thread.entry : thread.label; !what.empty()) text += " " + what;
    if (flows_[index].empty())  // the schema asks for a location
      add(index, locations_.location(thread.entry_file, thread.entry_line, thread.entry, "nothing that is shown here"),
          "unimportant", Json::object());
    return {{"id", thread.name}, {"message", {{"text", text}}}, {"locations", std::move(flows_[index])}};
  }

  const TraceReader& trace_;
  const TraceHead& head_;
  const Locations& locations_;
  Names names_;
  SourceFiles sources_;
  std::vector<Json> flows_;
  std::uint64_t order_ = 0;
};

}  // namespace

Json thread_flows(const TraceReader& trace, const Locations& locations) { return Flows(trace, locations).make(); }

}  // namespace heddle
