// How heddle's runtime gets into a program: the program carries it, or it is preloaded.
#pragma once
#include <optional>
#include <string>

#include "src/engine/launch.h"
#include "src/program/program.h"
#include "src/result/result.h"

namespace heddle {

/// Not built by heddle cc, as far as the file itself tells (a script tells nothing).
bool is_plain(const ProgramInfo& program);

/// Why a program with other rights than its user's (set-user-ID, set-group-ID, file capabilities) is refused.
std::optional<Error> runs_with_other_rights(const ProgramInfo& program, const std::string& name);

/// Why the preload build cannot be loaded into a plain program; `name` is what the user typed.
std::optional<Error> cannot_preload(const ProgramInfo& program, const std::string& name);

/// Fills what `launch` says about it. Errors: the preload build is missing.
Status choose_way_in(const ProgramInfo& program, Launch& launch);

}  // namespace heddle
