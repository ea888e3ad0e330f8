// From an execution to a trace: streams its events into a TraceWriter and builds the tables that they refer to.
#pragma once
#include <array>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/engine/execute.h"
#include "src/failure/object_names.h"
#include "src/trace/container.h"
#include "src/trace/trace.h"

namespace heddle {

/// For one execution. Use: on_events() as the executor's callback, then finish() while the executor is still there.
class TraceBuilder {
 public:
  /// `region` is where the run's stacks appear while it runs.
  TraceBuilder(TraceWriter writer, const Region& region) : writer_(std::move(writer)), region_(region) {}

  /// Before the run: a trace that is cut later still says which program it is of.
  void begin(const Meta& meta) { status_ = writer_.begin(meta); }
  /// Appends, with stack ids replaced by indices of the table that finish() writes. A write error is kept for finish().
  void on_events(std::span<const HeddleEvent> events);

  /// `meta` is complete; everything else comes from the outcome, which must have its evidence.
  Result<TraceHead> finish(Meta meta, const RunOutcome& outcome, Executor& executor, std::vector<RaceRecord> races) {
    return finish(std::move(meta), outcome, executor.symbolizer(), executor.catalog(outcome.evidence->modules),
                  std::move(races));
  }
  Result<TraceHead> finish(Meta meta, const RunOutcome& outcome, Symbolizer& symbolizer, SiteCatalog catalog,
                           std::vector<RaceRecord> races);

 private:
  std::uint32_t stack_index(std::uint32_t id);
  void keep_last(std::span<const HeddleEvent> events);
  void give_stack(HeddleEvent& event);
  void name_entries(TraceHead& head, const std::optional<FailureRecord>& failure) const;
  static Frame place_of(const HeddleEvent& event, const TraceHead& head);
  void place_exit(TraceHead& head) const;

  TraceWriter writer_;
  const Region& region_;
  Status status_;
  std::uint64_t events_ = 0;
  std::vector<HeddleEvent> buffer_;
  std::vector<HeddleEvent> last_;                         // the newest events, at most kLastEvents
  std::vector<std::vector<std::uint32_t>> first_stacks_;  // by thread: indices
  std::unordered_set<std::uint32_t> sites_;
  std::array<std::uint32_t, 256> seen_{};  // some that are in it, by their low bits
  std::unordered_map<std::uint32_t, std::uint32_t> index_of_id_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> index_of_stack_;
  std::vector<std::vector<std::uint64_t>> stacks_;  // code addresses, innermost first
};

/// Return addresses with source, without frames of our runtime.
Stack symbolise(Symbolizer& symbolizer, std::span<const std::uint64_t> addresses);

/// Descriptors of sites of one run, static ones and code addresses, by id.
class SiteResolver {
 public:
  SiteResolver(const Evidence& evidence, SiteCatalog catalog, Symbolizer& symbolizer);
  SiteResolver(const Evidence& evidence, Executor& executor)
      : SiteResolver(evidence, executor.catalog(evidence.modules), executor.symbolizer()) {}
  /// A record without function and file when nothing is known.
  SiteRecord resolve(std::uint32_t id);
  /// What SiteRecord::module of these records refers to.
  std::vector<BitcodeRecord> bitcode() const { return catalog_.bitcode(); }

 private:
  SiteCatalog catalog_;
  Symbolizer& symbolizer_;
  std::unordered_map<std::uint32_t, HeddlePc> pcs_;
};

}  // namespace heddle
