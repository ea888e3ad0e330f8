// Which variables of the environment the program asked for: a trace need not hold the others (docs/security.md).
#pragma once

namespace heddle::rt {

/// `name` was asked for. Any thread, with or without the baton.
void note_environment_read(const char* name);
/// All of it may have been seen: another process gets it.
void note_environment_given_away();

}  // namespace heddle::rt
