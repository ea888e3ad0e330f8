// The real functions behind the ones we interpose.
#pragma once
namespace heddle::rt {

struct Real {
#define X(name) void* name;
#include "runtime/sync/real.def"
#undef X
};
extern Real real;
void resolve_real();  // at preinit, before anything else of ours

}  // namespace heddle::rt

/// Calls the real function with the type of the interposer itself.
#define HEDDLE_REAL(name) (reinterpret_cast<decltype(&::name)>(::heddle::rt::real.name))
