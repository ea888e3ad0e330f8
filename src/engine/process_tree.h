// Nothing of ours outlives the user's command: who descends from a started program, and its end.
//
// Each program we start (a root) adopts its own orphans (PR_SET_CHILD_SUBREAPER before exec), so descendants of
// different workers never mix. When a root dies, its descendants fall to heddle itself, which must be a subreaper
// (adopt_orphans).
#pragma once
#include <functional>
#include <set>
#include <span>
#include <vector>

#include <sys/types.h>

namespace heddle {

/// Makes this process the parent of what dead roots leave behind. Once, at start of the tool.
void adopt_orphans();

/// fork() whose child is known as a root from its first moment. `child` must not return.
pid_t fork_registered(const std::function<void()>& child);

/// Kills a root with everything below it, reaps it, and forgets it; the wait status, -1 if it was reaped elsewhere.
/// Then kills and reaps what fell to heddle. Must be called for every root, also for one that is dead already.
int end_process(pid_t root);

/// All processes below `pid`, children before grandchildren.
std::vector<pid_t> descendants(pid_t pid);

/// Kills every descendant of `root` that is not in `keep` and waits until they are dead; the number killed.
std::size_t kill_leftovers(pid_t root, std::span<const pid_t> keep);

}  // namespace heddle
