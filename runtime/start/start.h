#pragma once
namespace heddle::rt {
/// Everything of a controlled run, in the child, on its main thread, before main.
void child_start();
/// The fork server. Returns only in a child that is to run the program.
void serve();
}  // namespace heddle::rt
