// What the shared libraries of a link ask for.
#pragma once
#include "tools/cc_args.h"

namespace heddle {

/// True if a library that the request links was itself linked by gcc with -fsanitize=thread: it needs libtsan.so, which
/// cannot live beside our runtime. Looks at files that are named and at -l in folders of -L; what cannot be read does
/// not ask.
bool asks_for_libtsan(const CcRequest& request);

}  // namespace heddle
