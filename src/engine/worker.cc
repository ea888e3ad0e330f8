#include "src/engine/worker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/engine/check.h"
#include "src/engine/cwd_copy.h"
#include "src/engine/futex.h"
#include "src/engine/process_tree.h"
#include "src/program/program.h"
#include "src/show/words.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSlice{20};  // how long a missed bell or a `stop` can go unnoticed
constexpr milliseconds kReapTimeout{
    5'000};  // a killed child that its server does not report within this: server is dead

std::string last_line(const std::string& text) {
  std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == text.npos) return {};
  std::size_t begin = text.find_last_of('\n', end);
  const std::string line =
      text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1) + 1);
  constexpr std::size_t kLongest = 200;
  return is_binary(line) ? binary_text(line) : fit(clean(line, true), kLongest, true);
}

constexpr milliseconds kStopTimeout{5'000};  // a program that was asked to stop

}  // namespace

Result<std::unique_ptr<Worker>> Worker::create(WorkerOptions options) {
  Result<Region> region = Region::create(options.region_file);
  if (!region) return std::unexpected(region.error());
  return std::unique_ptr<Worker>(new Worker(std::move(options), std::move(*region)));
}

Worker::~Worker() { end(); }

void Worker::end() {
  if (root_ == 0) return;
  end_process(root_);
  forget_server();
}

void Worker::forget_server() {
  root_ = server_pid_ = 0;
  drain_.reset();
  copied_cwd_.remove();
}

void Worker::ring_own_bell() {
  std::atomic_ref<std::uint32_t>(region_.header().host_bell).fetch_add(1);
  futex_wake_all(region_.header().host_bell);
}

void Worker::use_cwd_copies(bool copies) {
  if (copies != options_.cwd_copy && root_ != 0) end();
  options_.cwd_copy = copies;
}

Status Worker::prepare() {
  if (root_ != 0 && drain_->exited()) end();
  if (root_ != 0) return {};
  Status status = start_server();
  if (!status && root_ != 0) end();
  if (!status) forget_server();
  return status;
}

Status Worker::start_server() {
  Launch launch = options_.launch;
  if (options_.cwd_copy) {
    Result<TemporaryFolder> copy = copy_cwd(launch.cwd);
    if (!copy) return std::unexpected(copy.error());
    copied_cwd_ = std::move(*copy);
    launch.cwd = copied_cwd_.path();
  }
  auto drain = OutputDrain::create(options_.output, options_.inherited);
  if (!drain) return std::unexpected(drain.error());
  drain_ = std::move(*drain);
  StandardStreams streams = drain_->streams();
  // An open file description of its own: its offset must not be shared with other workers.
  std::string input =
      options_.standard_input >= 0 ? fmt::format("/proc/self/fd/{}", options_.standard_input) : "/dev/null";
  Descriptor in(options_.inherit_input ? fcntl(0, F_DUPFD_CLOEXEC, 3) : open(input.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0)
    return error(fmt::format("cannot open the standard input of the program: {}", std::strerror(errno)));
  streams.in = in.get();
  standard_input_.reset(options_.standard_input >= 0 ? fcntl(in.get(), F_DUPFD_CLOEXEC, 0) : -1);

  earlier_reads_.add(region_.header());
  region_.reset_for_server();
  region_.header().run.fork_at_mark = launch.fork_at_mark;  // the server looks at it before the first run
  generation_ = 0;
  Result<Spawned> spawned = spawn(launch, streams, region_.fd());
  if (!spawned) return std::unexpected(spawned.error());
  root_ = spawned->pid;
  shortcomings_.clear();
  if (!spawned->aslr_off)
    shortcomings_.emplace_back("address randomisation could not be switched off: replays may diverge");
  if (launch.network == Network::kOwn && !spawned->own_network)
    shortcomings_.emplace_back(
        "network namespaces are not allowed here: ports of one run can collide with those of another (--workers 1 "
        "avoids this)");
  drain_->started(root_, [this] { ring_own_bell(); });
  return await_ready();
}

Status Worker::await_ready() {
  HeddleRegion& shared = region_.header();
  Clock::time_point deadline = Clock::now() + options_.ready_timeout;
  for (;;) {
    std::uint32_t bell = load_shared(shared.host_bell);
    std::uint32_t state = load_shared(shared.server_state);
    if (state == HEDDLE_SERVER_READY) break;
    if (std::optional<Error> refused = started_with_other_rights(); refused && state == HEDDLE_SERVER_FAILED)
      return std::unexpected(*refused);
    if (state == HEDDLE_SERVER_FAILED)
      return error(fmt::format("{}: {}", options_.launch.program.string(),
                               bounded_string(shared.server_error, sizeof shared.server_error)));
    if (interrupted() || (options_.signals && options_.signals->load())) return error("interrupted");
    bool late = Clock::now() >= deadline;
    if (late || drain_->exited()) return std::unexpected(not_ready_error(late));
    futex_wait(shared.host_bell, bell, kSlice);
  }
  server_pid_ = load_shared(shared.server_pid);
  if (server_pid_ <= 0)
    return error("the runtime in the program gave no process id", "rebuild the program with this version of heddle");
  for (std::filesystem::path& module : mapped_files(server_pid_)) earlier_reads_.modules.insert(std::move(module));
  keep_ = descendants(root_);
  keep_.push_back(root_);
  keep_.push_back(server_pid_);
  return {};
}

// Behind a script or launcher (runtime/preload/exec.cc).
std::optional<Error> Worker::started_with_other_rights() {
  const HeddleRegion& shared = region_.header();
  const std::string said = bounded_string(shared.server_error, sizeof shared.server_error);
  constexpr std::string_view kStart = HEDDLE_OTHER_RIGHTS;
  if (!said.starts_with(kStart)) return std::nullopt;
  const std::string started = said.substr(kStart.size());
  return Error{
      fmt::format("{} starts {}, which has other rights than yours (set-user-ID, set-group-ID or file capabilities): "
                  "heddle's runtime stays idle in such a program",
                  options_.launch.program.string(), started),
      fmt::format("let it start a copy, which has your rights: cp {} copy", started)};
}

Error Worker::not_ready_error(bool timed_out) {
  if (std::optional<Error> other = started_with_other_rights()) return *other;
  const std::string program = options_.launch.program.string();
  if (timed_out && !options_.launch.follow.empty())
    return {fmt::format("{} started no program that heddle can control in {} s", program,
                        options_.ready_timeout.count() / 1000),
            "name the program itself after --"};
  if (timed_out)
    return {
        fmt::format("heddle's runtime in {} did not answer in {} s", program, options_.ready_timeout.count() / 1000),
        "if its libraries take long to start, use HEDDLE_OPTIONS=ready_timeout=60s; otherwise check that it starts "
        "without heddle"};
  int status = end_process(root_);
  std::string said = last_line(drain_->take().text);
  root_ = 0;
  std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                        : fmt::format("status {}", WEXITSTATUS(status));
  if (!options_.launch.follow.empty())
    return {
        fmt::format("{} ended with {} and started no program that heddle can control{}{}", program, how,
                    said.empty() ? "" : ": ", said),
        "such a program was built by heddle cc, or makes threads and is dynamically linked; name it itself after --"};
  return {fmt::format("{} ended with {} before heddle's runtime in it was ready{}{}", program, how,
                      said.empty() ? "" : ": ", said),
          "check that it starts without heddle"};
}

EnvironmentReads Worker::environment_reads() const {
  EnvironmentReads out = earlier_reads_;
  out.add(region_.header());
  if (server_pid_ <= 0) return out;
  for (std::filesystem::path& module : mapped_files(server_pid_)) out.modules.insert(std::move(module));
  return out;
}

std::filesystem::path Worker::server_executable() const {
  std::error_code none;
  return server_pid_ > 0 ? std::filesystem::read_symlink(fmt::format("/proc/{}/exe", server_pid_), none)
                         : std::filesystem::path();
}

void Worker::begin_run() {
  HeddleRegion& shared = region_.header();
  if (standard_input_.get() >= 0) lseek(standard_input_.get(), 0, SEEK_SET);
  if (generation_ == 0) drain_->take();  // what the program wrote before it was a server
  std::memset(&shared.result, 0, sizeof shared.result);
  events_.restart(shared.events);
  decisions_.restart(shared.decisions);
  shared.run.outside = !options_.with.empty();
  shared.run.fork_ahead = root_ == server_pid_ && options_.fork_server && !options_.cwd_copy;
  store_shared(shared.server_go, ++generation_);
  futex_wake_all(shared.server_go);
}

Status Worker::start_client() {
  client_.reset();
  if (options_.with.empty() || region_.header().run.feed) return {};
  Launch launch = options_.launch;
  if (!copied_cwd_.path().empty()) launch.cwd = copied_cwd_.path();
  auto client = Client::start(options_.with, launch, server_pid_, [this] { ring_own_bell(); });
  if (!client) return std::unexpected(client.error());
  client_ = std::move(*client);
  return {};
}

bool Worker::stop_for_client(RunStatus& status) {
  if (!client_ || !client_->ended()) return true;
  if (status.asked_to_stop) return Clock::now() - asked_ < kStopTimeout;
  const pid_t child = load_shared(region_.header().result.child_pid);
  const std::vector<pid_t> below = descendants(root_);
  if (std::find(below.begin(), below.end(), child) == below.end()) return true;  // not there yet, or not any more
  kill(child, SIGTERM);
  asked_ = Clock::now();
  status.client_status = client_->wait_status();
  return status.asked_to_stop = true;
}

bool Worker::drain_rings(const RunHooks& hooks) {
  HeddleRegion& shared = region_.header();
  const bool events = events_.drain(shared.events, region_.live<HeddleEvent>(HEDDLE_AREA_EVENTS), hooks.on_events);
  return decisions_.drain(shared.decisions, region_.live<HeddleDecision>(HEDDLE_AREA_DECISIONS), hooks.on_decisions) &&
         events;
}

RunEnd Worker::await_run(const RunHooks& hooks, const RunLimits& limits, RunStatus& status) {
  HeddleRegion& shared = region_.header();
  Clock::time_point start = Clock::now(), moved = start;
  std::uint64_t progress = 0;
  bool inspected = false;
  for (;;) {
    std::uint32_t bell = load_shared(shared.host_bell);
    if (!drain_rings(hooks)) status.ring_broken = true;
    if (load_shared(shared.server_done) == generation_) return RunEnd::kFinished;
    if (drain_->exited()) return RunEnd::kServerDied;
    if (interrupted()) return RunEnd::kInterrupted;
    pass_signals_on(status);
    if (!stop_for_client(status)) return RunEnd::kClientEnded;
    if (load_shared(shared.result.awaiting_host) == 1 && !inspected) {
      inspected = true;
      if (hooks.on_stopped) hooks.on_stopped(load_shared(shared.result.child_pid));
      store_shared(shared.child_go, generation_);
      futex_wake_all(shared.child_go);
      moved = Clock::now();
      continue;
    }
    Clock::time_point now = Clock::now();
    if (std::uint64_t p = load_shared(shared.result.progress) + load_shared(shared.result.steps) + drain_->received();
        p != progress)
      progress = p, moved = now;
    if (now - moved >= limits.hang) return RunEnd::kHang;
    if (limits.total.count() > 0 && now - start >= limits.total) return RunEnd::kTimeout;
    futex_wait(shared.host_bell, bell, std::min(kSlice, limits.hang));
  }
}

// Never a number that the program made up: only what descends from the program we started. False: it is not there yet.
bool Worker::signal_child(int signal) {
  const pid_t child = load_shared(region_.header().result.child_pid);
  const std::vector<pid_t> below = descendants(root_);
  return std::find(below.begin(), below.end(), child) != below.end() && kill(child, signal) == 0;
}

// The program has a session of its own: what a terminal or kill(1) sends to heddle's group reaches it this way only.
void Worker::pass_signals_on(RunStatus& status) {
  const std::uint64_t due = options_.signals ? options_.signals->load() : 0;
  for (int number = 1; number < 64; number++) {
    const std::uint64_t bit = std::uint64_t{1} << (number - 1);
    if (!(due & bit)) continue;
    options_.signals->fetch_and(~bit);  // before it is sent: the next one may come any time
    if (signal_child(number))
      status.passed_on |= bit;
    else
      options_.signals->fetch_or(bit);
  }
}

std::optional<int> Worker::end_behind_script() {
  if (root_ == 0 || root_ == server_pid_) return std::nullopt;
  HeddleRegion& shared = region_.header();
  store_shared(shared.server_go, ~0u);
  futex_wake_all(shared.server_go);
  while (!drain_->exited()) {
    const std::uint32_t bell = load_shared(shared.host_bell);
    const std::uint64_t due = options_.signals ? options_.signals->exchange(0) : 0;
    for (int number = 1; number < 64; number++)
      if (due >> (number - 1) & 1) kill(root_, number);
    if (!drain_->exited()) futex_wait(shared.host_bell, bell, kSlice);
  }
  const int status = end_process(root_);
  forget_server();
  return status;
}

void Worker::await_reaped(const RunHooks& hooks, RunStatus& status) {
  HeddleRegion& shared = region_.header();
  Clock::time_point deadline = Clock::now() + kReapTimeout;
  while (load_shared(shared.server_done) != generation_ && !drain_->exited() && Clock::now() < deadline) {
    std::uint32_t bell = load_shared(shared.host_bell);
    if (!drain_rings(hooks)) status.ring_broken = true;
    if (load_shared(shared.server_done) != generation_) futex_wait(shared.host_bell, bell, kSlice);
  }
}

std::size_t Worker::end_leftovers() {
  // The usual case: nobody is left below a server that is the program itself, and its next run may be forked already.
  if (root_ == server_pid_ && load_shared(region_.header().result.alone) == 1) return 0;
  if (options_.script_goes_on && root_ != server_pid_) return kill_leftovers(server_pid_, {});
  return kill_leftovers(root_, keep_);
}

RunStatus Worker::run(const RunHooks& hooks, const RunLimits& limits) {
  HEDDLE_CHECK(root_ != 0);
  HeddleRegion& shared = region_.header();
  begin_run();
  RunStatus status;
  status.end = await_run(hooks, limits, status);
  pid_t child = load_shared(shared.result.child_pid);
  if (status.end == RunEnd::kHang || status.end == RunEnd::kTimeout || status.end == RunEnd::kClientEnded) {
    if (hooks.on_stuck && child > 0 && status.end != RunEnd::kClientEnded) hooks.on_stuck(child, status.end);
    signal_child(SIGKILL);
    await_reaped(hooks, status);
  }
  if (load_shared(shared.server_done) == generation_) {
    status.wait_status = load_shared(shared.result.wait_status);
    status.leftovers = end_leftovers();
    status.output = drain_->take();
  } else {
    int ended = end_process(root_);
    root_ = 0;
    status.output = drain_->take();
    status.wait_status = ended;
  }
  if (!drain_rings(hooks)) status.ring_broken = true;
  client_.reset();
  if (root_ == 0) forget_server();
  if (!options_.fork_server || options_.cwd_copy) end();
  return status;
}

}  // namespace heddle
