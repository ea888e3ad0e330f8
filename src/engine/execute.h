// execute(program, input, strategy, detail) -> what happened. Every verb is a caller of this.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/cut_off.h"
#include "src/engine/areas.h"
#include "src/engine/site_catalog.h"
#include "src/engine/worker.h"
#include "src/program/symbolizer.h"
#include "src/trace/trace.h"

namespace heddle {

/// One run to be executed, with one member per area. `parameters` goes to the runtime as it is, except the counts,
/// which follow the vectors.
struct RunRequest {
  HeddleRun parameters{};
  std::vector<HeddleSegment> schedule;  // to follow: strategies REPLAY, PREFIX and RACEDIRECTED
  std::vector<std::uint32_t> expect;    // step hashes, may be shorter than the run
  std::vector<std::uint32_t> points;    // static site ids
  std::vector<std::uint32_t> stops;     // parameters.recorded: abi/region.h
  RunTargets targets;                   // strategies SURW, RACEDIRECTED and RFF
  Guide guide;                          // strategy GUIDED
  std::string inputs;                   // with parameters.feed
  RunLimits limits;
  bool keep_evidence = false;  // copy choices, inputs and tables out even if nothing failed
};

/// Puts a run into a region. Error: it does not fit.
Status write_request(Region& region, const RunRequest& request);

/// What a run left in the region beyond its counters; copied out once, bounded.
struct Evidence {
  std::vector<HeddleThreadInfo> threads;
  std::vector<HeddleObjectInfo> objects;
  std::vector<HeddleSegment> choices;
  std::vector<HeddlePc> pcs;
  std::vector<HeddleModuleInfo> modules;
  std::vector<std::uint64_t> stack_words;
  std::string inputs;
  std::string payloads;  // HeddlePayload records
};

struct RunOutcome {
  HeddleResult result{};
  RunEnd end = RunEnd::kFinished;
  int wait_status = 0;
  bool stopped_by_us = false;            // its client had ended: it died of our SIGTERM, or was killed after it
  bool light = false;                    // light clones were allowed (HeddleRun::light)
  bool complete = true;                  // no area overflowed, nothing was cut off
  std::optional<FailureRecord> failure;  // classified
  std::vector<HeddleRace> races;
  std::vector<std::string> notes;
  CapturedOutput output;
  std::optional<Evidence> evidence;  // when something failed, or asked for
  /// Ended by the runtime, and nothing is wrong as far as is known (abi/cut_off.h): HEDDLE_CUT_OFF_*.
  std::uint32_t cut_off() const { return result.cut_off; }
};

/// Bounded copies of what the last run left in `region`.
Evidence evidence_of(const Region& region);
std::vector<std::string> notes_of(const Region& region);

/// A worker with what is needed to understand its runs; caches symbols and site tables between runs.
class Executor {
 public:
  static Result<std::unique_ptr<Executor>> create(WorkerOptions options, std::shared_ptr<SiteCache> sites);

  /// `on_events` sees the events at the requested detail, in order, while the run goes on (may be null); `on_decisions`
  /// likewise its decisions, if it is observed.
  /// Errors: the program cannot be controlled, or the request does not fit the region.
  Result<RunOutcome> execute(const RunRequest& request,
                             std::function<void(std::span<const HeddleEvent>)> on_events = {},
                             std::function<void(std::span<const HeddleDecision>)> on_decisions = {});

  /// The last execute() failed because a thread spins where heddle cannot make it give way (docs/plain.md).
  bool escaped() const { return escape_.has_value(); }
  Worker& worker() { return *worker_; }
  /// Knows the memory map of the last run.
  Symbolizer& symbolizer();
  /// Static sites of the modules that `evidence` names.
  SiteCatalog catalog(const std::vector<HeddleModuleInfo>& modules) { return sites_->catalog(modules); }
  /// Of the last run: for a caller who finds a failure where execute() saw none (FailureConditions).
  Evidence copy_evidence() const;

 private:
  Executor() = default;
  std::optional<FailureRecord> classify_now(pid_t stopped_child, int wait_status, const HeddleResult& result);
  void classify_stuck(pid_t child, RunEnd why, RunOutcome& outcome);
  std::optional<Error> spinning(const HeddleResult& result, const std::vector<HeddleThreadInfo>& threads,
                                const std::optional<FailureRecord>& seen);

  std::unique_ptr<Worker> worker_;
  std::shared_ptr<SiteCache> sites_;
  std::unique_ptr<Symbolizer> symbolizer_;
  pid_t attached_ = 0;           // whose memory map the symbolizer knows
  RunLimits limits_;             // of the current run
  std::optional<Error> escape_;  // why the current run says nothing about the program
  std::uint64_t runs_ = 0;
};

}  // namespace heddle
