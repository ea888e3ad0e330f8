// Light clones: what a run executes where nobody asks for plain accesses (abi/light.h).
//
//   before:   f.heddle  { hooks at accesses, branches, atomics }
//
//   after:    f.heddle  as it was
//             f.light   { hooks at atomics, volatile accesses, loops that may wait; nothing else }
//             f.enter   { light.on ? f.light : f.heddle }       called instead of f.heddle by hooked code and by the
//             dispatcher
//
// A light clone calls small light clones directly, so that they are inlined as in plain code. It may be executed when
// none of the sites that it lacks is a scheduling point: its own, and those of the light clones that it calls so.
//
// Both take the same schedule. What the runtime counts (HEDDLE_SITE_COUNTED, branches but those that only compute) has
// its hook in both. The site of an interposed call is its return address, so functions that make such calls have no
// light clone (sited.h).
#pragma once
#include <vector>

#include "pass/clone.h"
#include "pass/sites.h"
#include "pass/stats.h"

namespace heddle {

inline constexpr const char* kKeptHook = "heddle.kept";  // metadata of a hook that light clones have too
inline constexpr const char* kOnRequest =
    "heddle.request";  // metadata of a hook that is called if somebody wants it, and of the load that asks

/// Behind instrument() of all clones. `sites`: of each hooked clone.
void make_light_clones(llvm::Module& module, std::vector<Clones>& all, const std::vector<SiteArray>& sites,
                       Stats& stats);

/// For functions without one: keep sited calls where they are (noinline). Before retargeted calls are inlined anywhere.
void keep_sited_calls_in_place(const std::vector<Clones>& all);

}  // namespace heddle
