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

#include "tools/describe_run.h"
#include "tools/find_program.h"
#include "tools/hunt_bisect.h"
#include "tools/options.h"
#include "tools/trust.h"
#include "tools/way_in.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
Points are where a thread can be switched: sync = locks, condition variables, atomics, thread start and end, system calls that
another thread can notice ...; racy = sync and every access that raced with another one so far; all = every shared access.
A program that heddle cc did not build is controlled at sync without atomics (docs/plain.md).

HEDDLE_OPTIONS=key=value:... sets more (backend, detail of the trace ...); HEDDLE_OPTIONS=help=1 heddle hunt lists all.

Example:  heddle hunt --time 5m -- ./queue 100
          heddle hunt --gtest --runs 500 --junit hunt.xml --sarif hunt.sarif -- ./queue_test       (docs/ci.md)
          git bisect run heddle hunt --bisect --build make --runs 500 -- ./queue
Exit status: 66 a failure was found, 0 nothing failed, 3 inconclusive (a failure was seen once and could not be repeated, or no run came
to its end), 2 usage or input error, 70 a bug in heddle, 130 interrupted.)";

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
  line.choice("--strategy", out.strategy,
              {"auto", "random", "pct", "pos", "surw", "racedirected", "rff", "icb", "dfs", "dpor"},
              "auto (default): moves its runs between random, pct, pos, surw, racedirected, rff and icb; exhaustive: "
              "icb, dfs, dpor");
  line.number("--bound", request.bound, 0, 1000,
              "icb: at most this many preemptions (default: rising without end)");
  line.choice("--points", out.points, {"sync", "racy", "all"}, "sync, racy (default), all");
  line.number("--depth", request.depth, 1, 64, "pct: ordered events a bug may need (default: 2 to 5 in turn)");
  line.number("--runs", request.runs, 1, std::uint64_t{1} << 62, "stop after this many executions (default 10000)");
  line.text("--time", typed.time,
            "time for everything, with what is executed again: 30s, 5m; 0: no limit (default 60s)");
  line.text("--seed", typed.seed, "equal seed, equal hunt (default: random, and printed)");
  line.text("-o,--output", typed.trace,
            "the trace of the failure, or of a data race (default PROG-SEED.heddle, or PROG-SEED.2.heddle ... if that "
            "exists; a named file is replaced)");
  line.number("--workers", request.workers, 1, 256, "programs at a time (default: one per processor)");
  line.choice("--detector", typed.detector, {"auto", "on", "off"},
              "data races: auto (first 64 runs, then every 8th; fewer of long runs), on, off");
  line.number("--max-steps", typed.max_steps, 1, kUnlimited,
              "a longer run is cut off; a livelock if nothing changes any more (default: 20 million in the first run, "
              "then 100 times the longest seen, at least 2 million)");
  line.text("--run-timeout", typed.run_timeout, "a run that takes longer is cut off (default: none)");
  line.text("--hang-timeout", typed.hang_timeout,
            "a run without a scheduling point for this long is a hang (default 10s)");
  line.text("--fail-on-exit", typed.exits, "exit statuses that are failures: any (default), none, or 1,3");
  line.text("--fail-on-output", typed.output,
            "what is a failure when the program writes it (extended regular expression)");
  line.text("--with", request.worker.with,
            "a command to start beside each run, such as a server's client; when it ends, the program is sent SIGTERM");
  line.flag("--cwd-copy", request.worker.cwd_copy, "each run in a fresh copy of the current folder");
  line.choice("--network", typed.network, {"own", "host"},
              "own (default): each worker has a loopback device of its own and nothing else; host");
  line.choice("--time-model", typed.time_model, {"loose", "virtual"},
              "loose (default): when a sleep or time-out ends is a scheduling choice, rarely before it is due; "
              "virtual: it ends when no other thread can run");
  line.flag("--no-fork-server", typed.no_fork_server, "start the program anew for each run");
  line.flag("--simplify", out.simplify, "reduce the found trace to the switches that matter (heddle simplify)");
  line.flag("--keep-going", request.keep_going,
            "go on after a failure: collect distinct failures, a trace of each, until the budget is used up");
  line.flag("--gtest", out.gtest,
            "a GoogleTest program: hunt in each of its tests by itself, --runs and --time for each");
  declare_reports(line, out.reports);
  line.flag("--bisect", out.bisect,
            "for git bisect run: exit status 1 a failure was found, 0 none, 125 this commit cannot be tested");
  line.text("--build", typed.build, "a command that builds the program first (sh -c)");
  line.flag("--json", out.json, "one JSON object on stdout");
  line.flag("-q,--quiet", out.quiet, "the answer and the line that replays it, nothing else");
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
  if (request.options.hang_timeout.count() == 0) return error("the hang timeout cannot be 0");
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
    return error(fmt::format("--bound limits the preemptions of icb; {} knows no limit", out.strategy),
                 fmt::format("--strategy icb --bound {}", *request.bound));
  if (request.depth && request.strategy != Strategy::kPct && request.strategy != Strategy::kAuto)
    return error(fmt::format("--depth is of pct; {} has none", out.strategy),
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
  auto program = find_program(command.front());
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
  CommandLine line("heddle hunt", "Searches for a thread schedule that makes the program fail, and writes its trace.",
                   "heddle hunt [OPTIONS] -- PROG ARGS...", kFooter);
  declare(line, typed, out);
  if (auto status = line.parse(split.own)) return status;
  if (split.program.empty())
    return report_error("hunt", {split.has_separator ? "there is no program behind --" : "no program to hunt in",
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
