// What the pass did to one module; printed by -heddle-stats.
#pragma once
#include <map>
#include <string>

#include "llvm/Support/raw_ostream.h"

namespace heddle {

struct Stats {
  unsigned accesses = 0;         // read/write hooks of one instruction each
  unsigned accesses_skipped = 0; // provably private or constant
  unsigned ranges = 0;           // range hooks (mem*, aggregates, byval, vector lanes)
  unsigned ranges_skipped = 0;
  unsigned atomics = 0;
  unsigned atomics_skipped = 0;
  unsigned fences = 0;
  unsigned branches = 0;
  unsigned call_results = 0;     // of functions that may have no hooks
  unsigned outside = 0;          // rdtsc, rdrand and the like
  unsigned unhandled = 0;        // accesses of a form we cannot describe (scalable vectors)
  unsigned sites = 0;
  unsigned cloned = 0;
  unsigned light = 0;            // functions with a light clone
  std::map<std::string, unsigned> not_cloned;  // reason -> functions

  void print(llvm::raw_ostream& out, llvm::StringRef module) const;
};

}  // namespace heddle
