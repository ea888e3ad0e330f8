#include "src/engine/program_of_trace.h"

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/find_program.h"
#include "src/show/shell_words.h"

namespace heddle {

Result<ProgramInfo> program_of_trace(const std::string& given, const Meta& meta,
                                     const std::vector<std::string>& environment, const std::string& verb,
                                     const std::string& trace) {
  const std::string& wanted = given.empty() ? meta.program : given;
  std::error_code none;
  if (given.empty() && !std::filesystem::exists(wanted, none))
    return error(fmt::format("the program of this trace is no longer at {}", wanted),
                 fmt::format("heddle {} {} -- PROG", verb, shell_word(trace)));
  Result<ProgramInfo> program = find_program(wanted, environment);
  // Behind a wrapper script the program that really ran has an identity of its own, and may be named instead.
  const std::optional<StartedProgram> started = started_program(meta);
  if (program && program->build_id != meta.build_id && (!started || program->build_id != started->build_id))
    return error(
        fmt::format("{} was rebuilt: its build-id differs from the trace's ({} instead of {})", wanted,
                    program->build_id, started && !program->is_script ? started->build_id : meta.build_id),
        fmt::format("name the program that the trace was made with (heddle {} TRACE -- PROG), or hunt again", verb));
  return program;
}

}  // namespace heddle
