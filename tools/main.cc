// heddle VERB ...: finds the verb and nothing else.
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/trace/temporary_folder.h"
#include "tools/cc.h"
#include "tools/did_you_mean.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/verbs.h"
#include "tools/version.h"

namespace heddle {
namespace {

int cc(int argc, char** argv) { return cc_main(false, argc, argv); }
int cxx(int argc, char** argv) { return cc_main(true, argc, argv); }

struct Verb {
  std::string_view name;
  int (*run)(int, char**);
  std::string_view usage, summary;
  bool object_on_stdout = true;  // with --json, errors too
};
constexpr Verb kVerbs[] = {
    {"cc", cc, "cc ARGS...", "compile and link C, as clang does", false},
    {"c++", cxx, "c++ ARGS...", "compile and link C++, as clang++ does", false},
    {"record", record_main, "record [OPTIONS] -- PROG ARGS...", "run the program in parallel, and record it",
     false},  // stdout is the program's
    {"hunt", hunt_main, "hunt [OPTIONS] -- PROG ARGS...", "search for a schedule that fails"},
    {"replay", replay_main, "replay [OPTIONS] TRACE [-- PROG]", "execute a trace again, exactly"},
    {"lift", lift_main, "lift TRACE -o TRACE2", "convert a recording to an ordinary trace"},
    {"simplify", simplify_main, "simplify TRACE -o TRACE2", "reduce a trace to the switches that matter"},
    {"explain", explain_main, "explain [--html FILE] TRACE",
     "explain why a trace fails, beside an order that does not"},
    {"show", show_main, "show [--format text|json|html|perfetto] TRACE",
     "show what happened, by threads and source lines"},
    {"doctor", doctor_main, "doctor", "check what works on this machine"},
};
constexpr std::string_view kLater[] = {"merge"};

constexpr const char* kExample = R"(
Examples:
  heddle c++ -g -pthread queue.cc -o queue
  heddle hunt -- ./queue
  heddle replay queue-1.heddle

Exit status of hunt and replay:
  0     nothing failed
  66    a failure was found or reproduced
  3     inconclusive, or the replay diverged
  2     usage or input error
  70    a bug in heddle
  130   interrupted

heddle VERB --help describes a verb.
HEDDLE_OPTIONS=key=value:... sets further options; HEDDLE_OPTIONS=help=1 heddle hunt lists them.
)";

void print_help() {
  fmt::print("heddle finds thread schedules under which a program fails, and replays them.\n\nUsage:\n");
  for (const Verb& verb : kVerbs) fmt::print("  heddle {:<46} {}\n", verb.usage, verb.summary);
  fmt::print("{}", kExample);
}

void print_first_steps() {
  fmt::print(stderr, R"(heddle finds thread schedules under which a program fails, and replays them.

  heddle doctor                             check that heddle works on this machine
  heddle cc -g -pthread queue.c -o queue    build a program (C++: heddle c++)
  heddle hunt -- ./queue                    search for a schedule that fails

heddle --help lists all verbs.
)");
}

int unknown_verb(std::string_view name) {
  if (std::find(std::begin(kLater), std::end(kLater), name) != std::end(kLater)) {
    fmt::print(stderr, "heddle: {} is not in this version\n", name);
    return kUsage;
  }
  std::vector<std::string> known;
  for (const Verb& verb : kVerbs) known.emplace_back(verb.name);
  fmt::print(stderr, "heddle: unknown verb '{}'{}\n  heddle --help lists all verbs\n", name, did_you_mean(name, known));
  return kUsage;
}

/// Asked before the options are parsed: what is wrong with them is an answer, too.
bool wants_json(int argc, char** argv) {
  for (int i = 0; i < argc && std::string_view(argv[i]) != "--"; i++) {
    const std::string_view word = argv[i];
    if (word == "--json" || word == "--format=json") return true;
    if (word == "json" && i > 0 && std::string_view(argv[i - 1]) == "--format") return true;
  }
  return false;
}

int dispatch(int argc, char** argv) {
  std::string_view own = argc > 0 ? argv[0] : "";
  own = own.substr(own.rfind('/') + 1);
  if (own == "heddle-cc") return cc_main(false, argc - 1, argv + 1);
  if (own == "heddle-c++") return cc_main(true, argc - 1, argv + 1);
  if (argc < 2) return print_first_steps(), kUsage;
  std::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") return print_help(), kClean;
  if (name == "--version") return fmt::print("heddle {}\nbuilt from {}\n", kVersion, kBuiltFrom), kClean;
  for (const Verb& verb : kVerbs) {
    if (verb.name != name) continue;
    if (verb.object_on_stdout && wants_json(argc - 2, argv + 2)) expect_json();
    if (verb.name != "cc" && verb.name != "c++") remove_leftover_folders();  // a build makes none, and has no time
    return verb.run(argc - 2, argv + 2);
  }
  return unknown_verb(name);
}

}  // namespace
}  // namespace heddle

// A descriptor of ours must never become the program's 0, 1 or 2: cron and daemons start us with them closed.
static void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
}

// Whoever stands in a folder that was removed: the libraries that ask where they are can only throw.
static std::error_code current_folder_trouble() {
  std::error_code trouble;
  (void)std::filesystem::current_path(trouble);
  return trouble;
}

int main(int argc, char** argv) {
  open_standard_descriptors();
  try {
    return heddle::dispatch(argc, argv);
  } catch (const std::exception& problem) {
    if (const std::error_code trouble = current_folder_trouble()) {
      const std::string words = "cannot use the current folder: " + trouble.message();
      fmt::print(stderr, "heddle: {}\n  it may have been removed: cd into another one\n", words);
      heddle::print_error_object(words);
      return heddle::kUsage;
    }
    fmt::print(stderr,
               "heddle: this is a bug in heddle: {}\n  please report it with the command line:", problem.what());
    for (int i = 0; i < argc; i++) fmt::print(stderr, " {}", argv[i]);
    fmt::print(stderr, "\n");
    heddle::print_error_object(std::string("this is a bug in heddle: ") + problem.what());
    return heddle::kOurBug;
  }
}
