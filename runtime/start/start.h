#pragma once
namespace heddle::rt {
extern bool preloaded;  // this is the preload build (runtime/preload/)
/// With AT_SECURE the runtime stays idle, whatever the environment says (docs/security.md).
bool runs_for_another_user();
/// Before anything else of the process: finds the region and prepares the server, or leaves everything as it is.
void start(char** environment);
/// Everything of a controlled run, in the child, on its main thread, before main.
void child_start();
/// Instrumented code or a thread is about to run: in the server, this is where runs fork off. Otherwise nothing.
void begin_run();
/// Something in the region is new.
void ring_host();
/// The fork server. Returns only in a child that is to run the program.
void serve();
}  // namespace heddle::rt
