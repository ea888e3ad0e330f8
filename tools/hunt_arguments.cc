#include "tools/hunt_arguments.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "src/engine/find_program.h"
#include "src/engine/way_in.h"
#include "src/trace/new_trace.h"
#include "tools/hunt_bisect.h"
#include "tools/options.h"
#include "tools/user.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
Points: a thread can be switched only at a scheduling point.
  sync   locks, condition variables, atomics, thread start and end, system calls that another thread can notice
  racy   the points of sync, and every access that has taken part in a data race so far
  all    every shared access
In a program that heddle cc did not build, only calls are points, not accesses and atomics (docs/plain.md).

Examples:
  heddle hunt --time 5m -- ./queue 100
  heddle hunt --gtest --runs 500 --junit hunt.xml --sarif hunt.sarif -- ./queue_test
  git bisect run heddle hunt --bisect --build make --runs 500 -- ./queue

Exit status:
  0     nothing failed
  66    a failure was found
  3     inconclusive: a failure was found once but not reproduced, or no run ended
  2     usage or input error
  70    a bug in heddle
  130   interrupted

HEDDLE_OPTIONS=key=value:... sets further options; HEDDLE_OPTIONS=help=1 heddle hunt lists them.)";

// Texts as they were typed; what they mean is found out behind the parser, with errors in our words.
struct Typed {
  std::string detector = "auto", exits = "any", output, seed, time = "60s", network = "own", run_timeout, hang_timeout,
              trace, build, time_model = "loose";
  std::uint64_t max_steps = 0;
  bool no_fork_server = false;
};

void declare(CommandLine& line, Typed& typed, HuntArguments& out) {
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  HuntRequest& request = out.request;
  line.choice("--strategy NAME", out.strategy,
              {"auto", "random", "pct", "pos", "surw", "racedirected", "rff", "icb", "dfs", "dpor"},
              "choose the search strategy: auto (default) distributes the runs among random, pct, pos, surw, "
              "racedirected, rff and icb; icb, dfs and dpor are exhaustive");
  line.number("--bound N", request.bound, 0, 1000, "allow at most N preemptions; only with icb (default: 0, 1, 2 ...)");
  line.choice("--points SET", out.points, {"sync", "racy", "all"},
              "choose where threads can be switched: sync, racy (default) or all; see below");
  line.number("--depth N", request.depth, 1, 64,
              "look for bugs of N ordered events; only with pct and auto (default: 2 to 5 in turn)");
  line.number("--runs N", request.runs, 1, std::uint64_t{1} << 62, "stop after N executions (default 10000)");
  line.text(
      "--time DURATION", typed.time,
      "stop after this time, including the executions that confirm a failure: 30s, 5m; 0: no limit (default 60s)");
  line.text("--seed N", typed.seed, "set the seed; equal seeds give equal hunts (default: random, and printed)");
  line.text("-o,--output FILE", typed.trace,
            "write the trace to FILE, and replace FILE if it exists (default: PROG-SEED.heddle, or PROG-SEED.2.heddle "
            "and so on if that exists)");
  line.number("--workers N", request.workers, 1, 256, "execute N programs at a time (default: one per processor)");
  line.choice(
      "--detector WHEN", typed.detector, {"auto", "on", "off"},
      "detect data races: auto (default; in the first 64 runs, then in every 8th, less often if runs are long), "
      "on or off");
  line.number("--max-steps N", typed.max_steps, 1, kUnlimited,
              "cut off a run after N steps; it is a livelock if its last steps changed nothing (default: 20 million in "
              "the first run, then 100 times the longest run, at least 2 million)");
  line.text("--run-timeout DURATION", typed.run_timeout, "cut off a run after this time (default: none)");
  line.text("--hang-timeout DURATION", typed.hang_timeout,
            "report a hang if a run reaches no scheduling point for this time (default 10s)");
  line.text("--fail-on-exit LIST", typed.exits,
            "treat these exit statuses as failures: any except 0 (any, the default), none, or a list: 1,3");
  line.text("--fail-on-output REGEX", typed.output,
            "treat output that matches this extended regular expression as a failure");
  line.text(
      "--with CMD", request.worker.with,
      "start CMD beside each run, for example the client of a server; when CMD ends, the program is sent SIGTERM");
  line.flag("--cwd-copy", request.worker.cwd_copy, "execute each run in a fresh copy of the current folder");
  line.choice(
      "--network WHICH", typed.network, {"own", "host"},
      "choose the network: own (default; each worker has a loopback device of its own and nothing else) or host");
  line.choice("--time-model MODEL", typed.time_model, {"loose", "virtual"},
              "choose when a sleep or time-out ends: loose (default; by a scheduling choice, which is rarely early) or "
              "virtual (only when it is due or no other thread can run)");
  line.flag("--no-fork-server", typed.no_fork_server, "start the program anew for each run");
  line.flag("--simplify", out.simplify, "reduce the trace to the switches that matter, as heddle simplify does");
  line.flag("--keep-going", request.keep_going,
            "continue after a failure: collect distinct failures, with a trace of each, until the budget is used up");
  line.flag("--gtest", out.gtest,
            "hunt in each test of a GoogleTest program separately; --runs and --time apply to each test");
  declare_reports(line, out.reports);
  line.flag("--bisect", out.bisect,
            "use the exit statuses of git bisect run: 1 a failure was found, 0 none, 125 this commit cannot be tested");
  line.text("--build CMD", typed.build, "build the program first with this shell command");
  line.flag("--json", out.json, "print one JSON object on stdout");
  line.flag("-q,--quiet", out.quiet, "print only the answer and the replay command");
}

Status understand_durations(const Typed& typed, HuntRequest& request) {
  struct Given {
    const std::string& text;
    std::chrono::milliseconds& field;
  };
  for (const Given& given : {Given{typed.time, request.time}, Given{typed.run_timeout, request.options.run_timeout},
                             Given{typed.hang_timeout, request.options.hang_timeout}}) {
    if (given.text.empty()) continue;
    auto duration = parse_duration(given.text);
    if (!duration) return std::unexpected(duration.error());
    given.field = *duration;
  }
  if (request.options.hang_timeout.count() == 0) return error("invalid --hang-timeout 0: expected a duration above 0");
  return {};
}

Status understand(const Typed& typed, HuntArguments& out) {
  HuntRequest& request = out.request;
  if (typed.max_steps) request.options.max_steps = typed.max_steps;
  if (Status durations = understand_durations(typed, request); !durations) return durations;
  auto seed = parse_seed(typed.seed);
  if (!seed) return std::unexpected(seed.error());
  request.seed = *seed;
  request.strategy = *strategy_named(out.strategy);
  if (request.bound && request.strategy != Strategy::kIcb)
    return error(fmt::format("--bound applies only to icb, not to {}", out.strategy),
                 fmt::format("--strategy icb --bound {}", *request.bound));
  if (request.depth && request.strategy != Strategy::kPct && request.strategy != Strategy::kAuto)
    return error(fmt::format("--depth applies only to pct and auto, not to {}", out.strategy),
                 fmt::format("--strategy pct --depth {}", request.depth));
  request.points = *point_set_named(out.points);
  request.detector = typed.detector == "on"    ? DetectorUse::kOn
                     : typed.detector == "off" ? DetectorUse::kOff
                                               : DetectorUse::kAuto;
  request.worker.fork_server = !typed.no_fork_server;
  request.time_model = typed.time_model == "loose" ? TimeModel::kLoose : TimeModel::kVirtual;
  auto conditions = FailureConditions::create(typed.exits, typed.output);
  if (!conditions) return std::unexpected(conditions.error());
  request.conditions = std::move(*conditions);
  return {};
}

Status understand_program(const std::vector<std::string>& command, const Typed& typed, HuntArguments& out) {
  HuntRequest& request = out.request;
  auto program = find_program(command.front(), current_environment());
  if (!program) return std::unexpected(program.error());
  out.program = std::move(*program);
  auto input = read_standard_input();
  if (!input) return std::unexpected(input.error());
  out.input = std::move(*input);
  if (out.input) request.worker.standard_input = out.input->file.get();
  Launch& launch = request.worker.launch;
  launch.program = out.program.path;
  launch.argv = command;
  launch.environment = current_environment();
  launch.cwd = std::filesystem::current_path();
  launch.network = typed.network == "host" ? Network::kHost : Network::kOwn;
  request.worker.ready_timeout = request.options.ready_timeout;
  request.worker.seal = key_for_new_traces();
  launch.fork_at_mark = request.options.fork_at_mark;
  if (Status way = choose_way_in(out.program, launch); !way) return way;
  if (!typed.trace.empty()) return {};  // asked before
  out.trace = fmt::format("{}-{}.heddle", out.program.path.filename().string(), request.seed);
  return can_be_written(out.trace);
}

}  // namespace

std::optional<int> parse_hunt(int argc, char** argv, HuntArguments& out) {
  SplitArguments split = split_arguments(argc, argv);
  auto options = host_options("hunt");
  if (!options) return options.error();
  Typed typed;
  out.request.workers = std::max(1u, std::thread::hardware_concurrency());
  CommandLine line("heddle hunt",
                   "Searches for a thread schedule under which the program fails, and writes a trace of it.",
                   "heddle hunt [OPTIONS] -- PROG ARGS...", kFooter);
  declare(line, typed, out);
  if (auto status = line.parse(split.own)) return status;
  if (split.program.empty())
    return report_error("hunt", {split.has_separator ? "no program after --" : "no program given",
                                 "heddle cc -g -pthread FILE.c -o PROG, then heddle hunt -- ./PROG ARGS..."});
  out.request.options = *options;
  if (Status status = understand(typed, out); !status) return report_error("hunt", status.error());
  if (Status status = can_write_reports(out.reports); !status) return report_error("hunt", status.error());
  out.reports.command = "heddle hunt " + shell_line(std::vector<std::string>(argv, argv + argc));
  out.understood = true;
  out.request.worker.launch.argv = split.program;
  if (Status status = build_first(typed.build); !status) return report_not_tested(out, status.error());
  out.trace = typed.trace;
  out.trace_is_named = !typed.trace.empty();
  if (!typed.trace.empty())  // behind the build, which may make its folder
    if (Status status = can_be_written(out.trace); !status) {
      out.understood = false;
      return report_not_tested(out, status.error());
    }
  if (Status status = understand_program(split.program, typed, out); !status)
    return report_not_tested(out, status.error());
  return std::nullopt;
}

}  // namespace heddle
