#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/doctor/doctor.h"
#include "src/engine/command.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr std::chrono::seconds kBuildTime{60}, kHuntTime{60};
constexpr int kFound = 66, kReplays = 3;

constexpr const char* kSource =
#include "src/doctor/canary_source.inc"  // canary.c as a string: made by CMakeLists.txt
    ;

struct Canary {
  const Parts& parts;
  fs::path folder;

  Said heddle(std::vector<std::string> arguments, const std::string& backend = "baton") const {
    arguments.insert(arguments.begin(), parts.heddle.string());
    std::vector<std::string> environment = parts.environment;
    environment.push_back("HEDDLE_OPTIONS=backend=" + backend);
    if (!parts.clang.empty()) environment.push_back("HEDDLE_CLANG=" + parts.clang.string());
    return run_command(arguments, environment, folder, arguments[1] == "cc" ? kBuildTime : kHuntTime);
  }
};

std::string why(const Said& said) {
  if (said.status == -1) return "it did not end";
  // Ours say in the first line what happened, and below what to do; clang's last line says it.
  const std::size_t ours = said.err.find("heddle ");
  const std::string line = ours != std::string::npos && (ours == 0 || said.err[ours - 1] == '\n')
                               ? said.err.substr(ours, said.err.find('\n', ours) - ours)
                               : last_line_of(said.err.empty() ? said.out : said.err);
  return line.empty() ? fmt::format("status {}", said.status) : line;
}

Finding broken(std::string name, std::string text,
               std::string advice = "heddle hunt on a program of your own says more") {
  return {std::move(name), Verdict::kBroken, std::move(text), std::move(advice)};
}

// Hunts in `program` and replays what was found.
Finding prove(const Canary& canary, const std::string& front, const std::string& backend, const fs::path& program,
              const std::string& kind) {
  const std::string name = fmt::format("{} on {}", front, backend);
  const Said hunt = canary.heddle({"hunt", "--json", "--seed", "1", "--runs", "5000", "--time", "30s", "-o",
                                   "canary.heddle", "--", program.string()},
                                  backend);
  const json found = json::parse(hunt.out, nullptr, false);
  if (hunt.status != kFound || !found.is_object() || !found["failure"].is_object())
    return broken(name, fmt::format("the {} of the canary was not found: {}", kind, why(hunt)));
  if (found["failure"].value("kind", "") != kind)
    return broken(name,
                  fmt::format("the canary ended with {} instead of {}", found["failure"].value("kind", "?"), kind));
  // The trace is its own; without a home there is no key that could tell.
  const Said replay =
      canary.heddle({"replay", "--trust", "--json", "--times", std::to_string(kReplays), "canary.heddle"}, backend);
  const json again = json::parse(replay.out, nullptr, false);
  const int times = again.is_object() ? again.value("times_reproduced", 0) : 0;
  if (replay.status != kFound || times != kReplays)
    return broken(
        name, fmt::format("the {} was found and reproduced {} of {} times: {}", kind, times, kReplays, why(replay)));
  return {name, Verdict::kFine,
          fmt::format("{} found in run {}, replayed {} of {}", kind, found.value("runs", 0), times, kReplays), ""};
}

void prove_on_backends(const Canary& canary, const std::string& front, const fs::path& program, const std::string& kind,
                       std::vector<Finding>& out) {
  out.push_back(prove(canary, front, "baton", program, kind));
  if (fibers_possible()) out.push_back(prove(canary, front, "fibers", program, kind));
}

// A compiler of objects for ThreadSanitizer: gcc where there is one.
fs::path sanitizing_compiler(const Parts& parts) {
  std::error_code none;
  return fs::exists("/usr/bin/gcc", none) ? fs::path("/usr/bin/gcc") : parts.clang;
}

void prove_built(const Canary& canary, std::vector<Finding>& out) {
  const Said built = canary.heddle({"cc", "-g", "-O1", "-DRACY", "-pthread", "canary.c", "-o", "canary"});
  if (built.status != 0) {
    out.push_back(broken("heddle cc", "the canary cannot be built: " + why(built), "see compiler and parts above"));
    return;
  }
  prove_on_backends(canary, "heddle cc", canary.folder / "canary", "assertion", out);
}

void prove_sanitized(const Canary& canary, std::vector<Finding>& out) {
  const fs::path compiler = sanitizing_compiler(canary.parts);
  const Said object =
      run_command({compiler.string(), "-g", "-O1", "-DRACY", "-fsanitize=thread", "-c", "canary.c", "-o", "canary.o"},
                  canary.parts.environment, canary.folder, kBuildTime);
  if (object.status != 0) {
    out.push_back({"-fsanitize=thread objects", Verdict::kLess,
                   fmt::format("not tried: {} makes none: {}", compiler.string(), why(object)),
                   "install the package gcc"});
    return;
  }
  const Said linked = canary.heddle({"cc", "-pthread", "canary.o", "-o", "sanitized"});
  if (linked.status != 0)
    return out.push_back(broken("-fsanitize=thread objects", "they cannot be linked: " + why(linked)));
  prove_on_backends(canary, "-fsanitize=thread objects", canary.folder / "sanitized", "assertion", out);
}

void prove_recording(const Canary& canary, std::vector<Finding>& out) {
  const fs::path program = canary.folder / "canary";
  std::error_code none;
  if (!fs::exists(program, none) || canary.heddle({"record", "--help"}).status != 0) return;
  const Said recorded = canary.heddle({"record", "-o", "recorded.heddle", "--", program.string()});
  if (recorded.status == 125 || recorded.status == -1)
    return out.push_back(broken("record", "a parallel run cannot be recorded: " + why(recorded)));
  const Said replay = canary.heddle({"replay", "--trust", "--json", "recorded.heddle"});
  const json again = json::parse(replay.out, nullptr, false);
  if (!again.is_object() || !again.value("reproduced", false))
    return out.push_back(broken("record", "a recorded parallel run does not replay: " + why(replay)));
  out.push_back({"record", Verdict::kFine, "a parallel run was recorded and replayed", ""});
}

}  // namespace

std::vector<Finding> run_canaries(const Parts& parts) {
  std::error_code failed;
  const Result<TemporaryFolder> place = TemporaryFolder::create("doctor");
  if (!place) return {broken("canary", "no temporary folder can be made", "choose another place with TMPDIR")};
  const Canary canary{parts, place->path()};
  std::ofstream(canary.folder / "canary.c") << kSource;
  std::vector<Finding> out;
  prove_built(canary, out);
  if (fs::exists(parts.canary, failed))
    prove_on_backends(canary, "unmodified binary", parts.canary, "deadlock", out);
  else
    out.push_back(broken("unmodified binary", parts.canary.string() + " is missing", "build or install heddle again"));
  prove_sanitized(canary, out);
  prove_recording(canary, out);
  return out;
}

}  // namespace heddle
