#pragma once
namespace heddle::rt {
void threads_prepare();    // fork server
void heap_prepare();       // fork server: learns of a sanitizer's allocator
void threads_start();      // child, main thread
void end_this_thread();    // its last act under control
}  // namespace heddle::rt
