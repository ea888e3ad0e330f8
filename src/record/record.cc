#include "src/record/record.h"

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/trace_builder.h"
#include "src/record/convert.h"
#include "src/trace/tables.h"

namespace heddle {
namespace {

constexpr std::chrono::hours kNoHang{24 * 365};  // a program may compute without a step for as long as it likes

RunRequest plan(const Options& options) {
  RunRequest request;
  HeddleRun& run = request.parameters;
  options.fill(run);
  run.strategy = HEDDLE_STRATEGY_RANDOM;
  run.backend = HEDDLE_BACKEND_PARALLEL;
  run.point_set = HEDDLE_POINTS_SYNC;
  run.detail = HEDDLE_DETAIL_CHOICES;
  run.inspect = 1;
  run.pin_cpu = -1;
  run.max_steps = 0;
  run.virtual_cpus = std::max(1u, std::thread::hardware_concurrency());
  run.time_base_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  request.limits = {kNoHang, options.run_timeout};
  request.keep_evidence = true;
  return request;
}

void fill_meta(Meta& meta, const RunRequest& run, const Worker& worker) {
  meta.strategy = kRecordedStrategy;
  meta.points = "sync";
  meta.detail = HEDDLE_DETAIL_POINTS;
  meta.time_base_ns = run.parameters.time_base_ns;
  meta.virtual_cpus = run.parameters.virtual_cpus;
  meta.more["max_steps"] = "0";
  meta.more["network"] = worker.options().launch.network == Network::kOwn ? "own" : "host";
  record_started_program(meta, worker.server_pid(), worker.server_executable());
}

// Whoever finds the file after we were killed has to know which program it is of, and where its modules lay.
Status leave_for_recovery(Meta meta, Worker& worker) {
  meta.more[kCutOff] = "1";
  std::string bytes;
  Status encoded = encode_meta(meta, [&](format::Section, std::string_view table, std::uint32_t) {
    bytes = table;
    return Status{};
  });
  if (!encoded) return encoded;
  std::ifstream file(fmt::format("/proc/{}/maps", worker.server_pid()));
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  HeddleRegion& header = worker.region().header();
  header.meta_bytes = bytes.size();
  header.maps_bytes = maps.size();
  bytes += maps;
  if (!worker.region().fill(HEDDLE_AREA_META, std::as_bytes(std::span(bytes))))
    return error("the program's arguments and environment are too large to be recorded");
  return {};
}

}  // namespace

Result<Recorded> record(const RecordRequest& request, Meta meta) {
  WorkerOptions options = request.worker;
  options.region_file = request.trace;
  auto executor = Executor::create(options, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  const RunRequest run = plan(request.options);
  Worker& worker = (*executor)->worker();
  if (Status ready = worker.prepare(); !ready) return std::unexpected(ready.error());
  fill_meta(meta, run, worker);
  if (Status left = leave_for_recovery(meta, worker); !left) return std::unexpected(left.error());
  const auto start = std::chrono::steady_clock::now();
  Result<RunOutcome> outcome = (*executor)->execute(run);
  if (!outcome) return std::unexpected(outcome.error());
  Recorded recorded;
  recorded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const Region& region = worker.region();
  if (!outcome->evidence) outcome->evidence = (*executor)->copy_evidence();
  record_builds(meta, outcome->evidence->modules, worker.server_executable());
  if (outcome->end != RunEnd::kFinished && !outcome->stopped_by_us) meta.more[kCutOff] = "1";
  Result<TraceWriter> writer = TraceWriter::create(request.trace);
  if (!writer) return std::unexpected(writer.error());
  TraceBuilder builder(std::move(*writer), region);
  builder.begin(meta);
  convert_steps(recorded_steps(region, outcome->result), steps_beyond(region, outcome->result), *outcome,
                [&](std::span<const HeddleEvent> events) { builder.on_events(events); });
  auto head = builder.finish(std::move(meta), *outcome, **executor, {});
  if (!head) return std::unexpected(head.error());
  recorded.head = std::move(*head);
  recorded.outcome = std::move(*outcome);
  return recorded;
}

}  // namespace heddle
