// How much of what a program can do a hunt has seen, and what is to be expected of more runs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "src/hunt/observation.h"

namespace heddle {

/// Were the ends of sleeps and time-outs varied?
enum class Times { kNone, kVaried, kOnlyWhenDue };  // the first: the program has none

struct CoverageSummary {
  std::uint64_t runs = 0;             // that were observed
  std::uint64_t of_runs = 0;          // that were made; 0: not known
  std::uint64_t reads_from = 0;       // distinct pairs (site of a write, site of a read that saw it)
  std::uint64_t quiet = 0;            // observed runs since the last new pair
  std::uint64_t classes = 0;          // distinct happens-before orders
  std::uint64_t shapes = 0;           // distinct sets of reads-from pairs that a run had
  std::uint64_t once = 0, twice = 0;  // of these, seen in so many runs
  /// Of an exhaustive strategy: schedules that are known and were not executed. Its runs are no random sample: nothing
  /// is estimated from them.
  std::optional<std::uint64_t> waiting;
  /// Good-Turing: the share of further runs, made as these were, that would show a new class.
  double new_share() const { return runs ? static_cast<double>(once) / static_cast<double>(runs) : 1; }
  /// Chao's lower bound of the number of classes that can be reached and were not seen.
  double unseen_at_least() const;
  Times times = Times::kNone;
};

/// "in a sample of 112 of 500 runs: 312 reads-from pairs (none new in 150 runs), 41 classes of schedules, 3 of them
/// seen once: ..."; empty without runs.
std::string describe(const CoverageSummary& summary);

/// What a run showed that none before it did.
struct News {
  bool pair = false;   // a reads-from pair
  bool order = false;  // a class
  bool shape = false;  // a set of reads-from pairs
};

class Coverage {
 public:
  News add(const Observation& seen);
  const CoverageSummary& summary() const { return summary_; }
  bool has(SitePair pair) const { return pairs_.contains(key(pair)); }

 private:
  static std::uint64_t key(SitePair pair) { return static_cast<std::uint64_t>(pair.first) << 32 | pair.second; }
  std::unordered_set<std::uint64_t> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> classes_;
  std::unordered_set<std::uint64_t> shapes_;
  CoverageSummary summary_;
};

}  // namespace heddle
