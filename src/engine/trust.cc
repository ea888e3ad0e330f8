#include "src/engine/trust.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/recover.h"
#include "src/show/shell_words.h"
#include "src/show/words.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// Empty: this user made it, here.
std::string why_foreign(const TraceReader& trace, const std::string& path, const fs::path& key_file) {
  const Result<SealKey> key = key_in(key_file, false);
  const bool raw = is_raw_recording(path);
  if (key && (raw ? is_own_recording(path, *key) : trace.sealed_with(*key))) return {};
  if (!raw && !trace.damage().empty()) return "it is damaged, so its seal cannot be checked";
  if (!raw && !trace.has_seal()) return "it carries no seal";
  if (!key) return key.error().message;
  return raw ? "it is a copy of a raw recording, or another key made it"
             : "it was sealed by another user or machine, or changed since";
}

Status same_arguments(const Meta& meta, const std::vector<std::string>& given, const TrustRequest& request) {
  const auto equal = [&](const std::vector<std::string>& recorded) {
    return std::equal(given.begin() + 1, given.end(), recorded.begin() + !recorded.empty(), recorded.end());
  };
  const std::optional<StartedProgram> started = started_program(meta);
  if (given.size() <= 1 || equal(meta.argv) || (started && equal(started->argv))) return {};
  std::vector<std::string> wanted = meta.argv;
  if (!wanted.empty()) wanted.front() = given.front();
  return error("the arguments after -- differ from those of the trace: a trace is executed with its own arguments",
               clean(fmt::format("heddle {} {} -- {}", request.verb, shell_word(request.trace),
                                 shell_line(wanted.empty() ? std::vector{given.front()} : wanted)),
                     true));
}

}  // namespace

Result<SealKey> key_in(const fs::path& key_file, bool make) {
  if (key_file.empty()) return error("there is no home folder for a key", "set XDG_STATE_HOME to a folder of your own");
  return make ? read_or_make_key(key_file) : read_key(key_file);
}

bool is_own_trace(const TraceReader& trace, const std::string& path, const fs::path& key_file) {
  return why_foreign(trace, path, key_file).empty();
}

Status may_be_executed(const TraceReader& trace, const TrustRequest& request) {
  const Meta& meta = trace.head().meta;
  if (!request.program.empty()) return same_arguments(meta, request.program, request);
  if (request.trust) return {};
  const std::string why = why_foreign(trace, request.trace, request.key_file);
  if (why.empty()) return {};
  const std::string name = shell_word(request.trace);
  std::vector<std::string> command = meta.argv;
  if (command.empty()) command = {meta.program};
  const std::string runs = command.front() == meta.program
                               ? shell_line(command)
                               : fmt::format("{} as {}", shell_word(meta.program), shell_line(command));
  return error(
      fmt::format("{} was not executed: it decides what is executed, and you did not make it on this machine ({})",
                  clean(request.trace, true), clean(why, true)),
      fmt::format("it would run:  {}\n"
                  "  in {}, with the environment and inputs of the trace\n"
                  "  if you trust where it comes from:   heddle {} --trust {}\n"
                  "  with a program that you name:       heddle {} {} -- PROG\n"
                  "  only to look at it:                 heddle show {}",
                  clean(runs, true), clean(meta.cwd, true), request.verb, clean(name, true), request.verb,
                  clean(name, true), clean(name, true)));
}

}  // namespace heddle
