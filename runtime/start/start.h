#pragma once
namespace heddle::rt {
/// With AT_SECURE the runtime stays idle, whatever the environment says (docs/security.md).
bool runs_for_another_user();
/// Before anything else of the process: finds the region and prepares the server, or leaves everything as it is.
void start(char** environment);
/// Everything of a controlled run, in the child, on its main thread, before main.
void child_start();
/// Something in the region is new.
void ring_host();
/// The fork server. Returns only in a child that is to run the program.
void serve();
}  // namespace heddle::rt
