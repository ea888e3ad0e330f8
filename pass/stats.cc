#include "pass/stats.h"

namespace heddle {

void Stats::print(llvm::raw_ostream& out, llvm::StringRef module) const {
  out << "heddle-stats: " << module << "\n"
      << "  accesses " << accesses << " hooked, " << accesses_skipped << " skipped\n"
      << "  ranges " << ranges << " hooked, " << ranges_skipped << " skipped\n"
      << "  atomics " << atomics << " hooked, " << atomics_skipped << " skipped\n"
      << "  fences " << fences << "\n"
      << "  branches " << branches << "\n"
      << "  outside values " << outside << "\n"
      << "  unhandled accesses " << unhandled << "\n"
      << "  sites " << sites << "\n"
      << "  functions " << cloned << " cloned, " << light << " with a light clone\n";
  for (const auto& [reason, count] : not_cloned) out << "  functions " << count << " not cloned: " << reason << "\n";
}

}  // namespace heddle
