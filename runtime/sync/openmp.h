#pragma once
namespace heddle::rt {
/// The loaded OpenMP library, or null. Its threads wait by spinning on inline atomics, which nobody can control yet.
const char* openmp_library();
/// A thread that starts at `entry` is OpenMP's: the user is told.
void note_openmp_thread(const void* entry);
}  // namespace heddle::rt
