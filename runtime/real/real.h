// The real functions behind the ones we interpose.
#pragma once
namespace heddle::rt {

struct Real {
#define X(name) void* name;
#include "runtime/real/real.def"
#undef X
};
extern Real real;
void resolve_real();  // at preinit, before anything else of ours

/// Sanitizer runtimes start before us and call what we interpose.
template <class F>
inline F resolved(void* const& function) {
  if (__builtin_expect(!function, 0)) resolve_real();
  return reinterpret_cast<F>(function);
}

}  // namespace heddle::rt

/// Calls the real function with the type of the interposer itself.
#define HEDDLE_REAL(name) (::heddle::rt::resolved<decltype(&::name)>(::heddle::rt::real.name))
