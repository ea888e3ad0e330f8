// heddle hunt --bisect: exit statuses as `git bisect run` reads them.
#pragma once
#include <functional>

namespace heddle {

/// Whether --bisect stands before the program. Asked before the options are parsed: what is wrong with them must not
/// look like a bad commit.
bool wants_bisect(int argc, char** argv);

/// Calls `hunt` and returns what `git bisect run` understands: 0 good (nothing failed), 1 bad (a failure was found),
/// 125 this commit cannot be tested (it does not build or start, no control, inconclusive, a bug of ours); from 128 on
/// git gives up (interrupted, or the options are wrong: then `understood` is false when `hunt` returns).
int bisect_status(const std::function<int()>& hunt, const bool& understood);

}  // namespace heddle
