// What a script or launcher starts, seen from inside it.
#pragma once

namespace heddle::rt {

/// The descriptor of the region, in a process that is not the one that is meant; -1: this is it, or nobody looks for
/// one.
extern int launcher_region;
/// Before anything else: what the interposed functions pass on to.
void resolve_exec();

}  // namespace heddle::rt
