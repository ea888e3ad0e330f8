#include "src/record/record.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/confirm.h"
#include "src/engine/environment.h"
#include "src/engine/recorded_log.h"
#include "src/record/inherited_signals.h"
#include "src/seal/seal.h"
#include "src/trace/meta_keys.h"
#include "src/trace/output_file.h"
#include "src/trace/tables.h"
#include "src/trace/temporary_folder.h"

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
  run.detail = kNoDetail;
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
  meta.source = TraceSource::kRecorded;
  meta.points = HEDDLE_POINTS_SYNC;
  meta.detail = HEDDLE_DETAIL_POINTS;
  meta.time_base_ns = run.parameters.time_base_ns;
  meta.virtual_cpus = run.parameters.virtual_cpus;
  meta.more[meta_key::kMaxSteps] = "0";
  meta.more[meta_key::kNetwork] = worker.options().launch.network == Network::kOwn ? "own" : "host";
  record_started_program(meta, worker.server_pid(), worker.server_executable());
}

// Whoever finds the file after we were killed has to know which program it is of, and where its modules lay.
Status leave_for_recovery(Meta meta, Worker& worker) {
  set_flag(meta, meta_key::kCutOff);
  std::string bytes;
  Status encoded = encode_meta(meta, [&](format::Section, std::string_view table, std::uint32_t) {
    bytes = table;
    return Status{};
  });
  if (!encoded) return encoded;
  std::ifstream file(fmt::format("/proc/{}/maps", worker.server_pid()));
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  HeddleRegion& header = worker.region().header();
  const std::uint64_t meta_bytes = bytes.size();
  if (const std::optional<SealKey>& key = worker.options().seal)
    if (Result<Digest> seal = seal_of_recording(*key, bytes, worker.region().fd()))
      std::copy(seal->begin(), seal->end(), header.recording_seal);
  bytes += maps;
  if (Status room = worker.region().reserve(HEDDLE_AREA_META, bytes.size()); !room)
    return error(fmt::format("cannot write {}: {}", worker.options().region_file.string(), room.error().message),
                 room.error().advice);
  if (!worker.region().fill(HEDDLE_AREA_META, {std::as_bytes(std::span(bytes))}))
    return error("the program's arguments and environment are too large to be recorded");
  // Last: a kill before this leaves a recording that says it has no meta, not one with a meta of zeros.
  header.maps_bytes = maps.size();
  __atomic_store_n(&header.meta_bytes, meta_bytes, __ATOMIC_RELEASE);
  return {};
}

// The steps and inputs of the region as a trace in `file`.
Result<TraceHead> write_trace(const std::filesystem::path& file, Meta meta, RunOutcome& outcome, Executor& executor) {
  Result<TraceBuilder> trace = begin_trace(file, meta, executor);
  if (!trace) return std::unexpected(trace.error());
  convert_steps(executor.worker().region(), outcome,
                [&](std::span<const HeddleEvent> events) { trace->on_events(events); });
  return trace->finish(std::move(meta), outcome, executor, {});
}

// Beside the raw file there was no room for its trace: it waits elsewhere until that file, which is larger, is gone.
class Shelter {
 public:
  Result<TraceHead> write(const Meta& meta, RunOutcome& outcome, Executor& executor) {
    Result<TemporaryFolder> folder = TemporaryFolder::create("trace");
    if (!folder) return std::unexpected(folder.error());
    folder_ = std::move(*folder);
    return write_trace(file(), meta, outcome, executor);
  }
  /// Into the place of the raw file, which nobody uses any more.
  Status move_to(const std::filesystem::path& trace) {
    std::error_code failed;
    std::filesystem::remove(trace, failed);
    Result<OutputFile> out = OutputFile::create(trace, FileMode::kPrivate);
    Status written = out ? copy(*out) : std::unexpected(out.error());
    if (!written)
      return error(written.error().message,
                   fmt::format("the trace is here: {}", (folder_.keep() / kName).string()));
    return {};
  }

 private:
  static constexpr const char* kName = "recorded.heddle";
  std::filesystem::path file() const { return folder_.path() / kName; }
  Status copy(OutputFile& out) const {
    std::ifstream in(file(), std::ios::binary);
    std::string block(1 << 16, 0);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
      if (Status wrote = out.write({block.data(), static_cast<std::size_t>(in.gcount())}); !wrote) return wrote;
    return out.commit();
  }
  TemporaryFolder folder_;
};

// Nothing was recorded that could be replayed: what lies there is of no use and looks enormous.
std::unexpected<Error> without_file(const RecordRequest& request, const Error& why) {
  std::error_code failed;
  std::filesystem::remove(request.trace, failed);
  return std::unexpected(why);
}

}  // namespace

Result<Recorded> record(const RecordRequest& request, Meta meta) {
  WorkerOptions options = request.worker;
  options.region_file = request.trace;
  options.script_goes_on = true;
  auto executor = Executor::create(options, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  const RunRequest run = plan(request.options);
  Worker& worker = (*executor)->worker();
  if (Status ready = worker.prepare(); !ready) return without_file(request, ready.error());
  fill_meta(meta, run, worker);
  if (Status left = leave_for_recovery(meta, worker); !left) return without_file(request, left.error());
  const auto start = std::chrono::steady_clock::now();
  std::optional<InheritedSignals> inherited(std::in_place, worker, request.signals_if_handled);
  Result<RunOutcome> outcome = (*executor)->execute(run);
  inherited.reset();
  // Refused in the middle: what was logged cannot be replayed, and the reason would be met again.
  if (!outcome) return without_file(request, outcome.error());
  Recorded recorded;
  recorded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  recorded.program = worker.server_executable();

  const EnvironmentReads reads = worker.environment_reads();
  const std::string whole = why_whole_environment(worker.options().launch, recorded.program, reads, false);
  if (whole.empty())
    meta.environment = without_unread(meta.environment, reads, false);
  else
    meta.more[meta_key::kWholeEnvironment] = whole;
  if (!outcome->evidence) outcome->evidence = (*executor)->copy_evidence();
  record_builds(meta, outcome->evidence->modules, recorded.program);
  constexpr std::uint32_t kLog = 1u << HEDDLE_AREA_STEPS | 1u << HEDDLE_AREA_INPUTS_OUT;  // a full disk, mostly
  if ((outcome->end != RunEnd::kFinished && !outcome->stopped_by_us) || (outcome->result.overflow & kLog))
    set_flag(meta, meta_key::kCutOff);
  const HeddleResult raw = outcome->result;
  Shelter shelter;
  bool sheltered = false;
  auto head = write_trace(request.trace, meta, *outcome, **executor);
  if (!head) {
    outcome->result = raw;
    auto again = shelter.write(meta, *outcome, **executor);
    if (again) head = std::move(again), sheltered = true;
  }
  recorded.script_status = worker.end_behind_script();  // also where nothing could be written: it is the user's script
  executor->reset();
  if (Status moved = sheltered ? shelter.move_to(request.trace) : Status{}; !moved)
    return std::unexpected(moved.error());
  if (!head) return std::unexpected(head.error());
  recorded.head = std::move(*head);
  recorded.outcome = std::move(*outcome);
  return recorded;
}

}  // namespace heddle
