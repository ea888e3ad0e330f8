// Which of the program's descriptors are still the stdout and stderr it was started with. In a replay no descriptor of
// the program exists but those, so this map is the truth about where a write goes.
#pragma once
#include "runtime/io/call.h"

namespace heddle::rt {

void descriptors_start();
/// 0, 1 or 2: the original descriptor that `fd` stands for; -1: something else.
int outer_descriptor(long fd);
/// Regular files, directories and block devices: never waited for, and no channel between threads. Asked in a recording
/// only.
bool is_file(long fd);
/// A call that waits says EAGAIN instead. From memory where it was asked before, so not for what would block with the
/// baton in hand. A recording.
bool is_nonblocking(long fd);
/// Character devices: what they give does not come from the program. Asked in a recording only.
bool is_device(long fd);
/// /dev/random, /dev/urandom.
bool is_random_device(long fd);
/// A pipe, a pair of sockets, an eventfd, a timerfd, or an epoll set of such, made by the program: only its own threads
/// can make it ready.
bool is_inside(long fd);
/// Grows when something that was inside() is not any more: another process has a descriptor of it, or an epoll set
/// waits for something outside.
extern uint64_t descriptors_let_out;
/// The same for one among several: also what is always ready.
bool never_from_outside(long fd);
/// Given to the program (by a call that makes one at a time) and not closed yet.
bool descriptor_is_open(long fd);
/// The call's result is a new descriptor.
bool makes_descriptor(const Call& c);
/// Follows dup, close and the like by what the call returned.
void descriptors_follow(const Call& c, long result);

}  // namespace heddle::rt
