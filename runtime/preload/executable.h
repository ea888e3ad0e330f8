// What the preload build asks about the executable that it was loaded into.
#pragma once
namespace heddle::rt {
bool runs_executable(const char* path);
/// The executable or a library of its own refers to a function that makes threads; of a program that is not the
/// system's (cat, ls ...) any library may.
bool can_make_threads();
}  // namespace heddle::rt
