#pragma once
namespace heddle::rt {
void threads_prepare();    // fork server
void threads_start();      // child, main thread
void end_this_thread();    // its last act under control
}  // namespace heddle::rt
