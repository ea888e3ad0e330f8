// Traces for tests: random ones, and the fixed one that tests/data/traces keeps. Equal seed, equal trace.
#pragma once
#include <random>
#include <vector>

#include "src/trace/trace.h"

namespace heddle {

/// Everything random, within what the types allow: what a writer must store.
TraceHead random_head(std::mt19937_64& rng);
std::vector<HeddleEvent> random_events(std::mt19937_64& rng, std::size_t count);

/// Events as programs make them: threads that run loops over shared counters, arrays and locks.
class ProgramLikeEvents {
 public:
  explicit ProgramLikeEvents(std::uint64_t seed, unsigned threads = 4);
  std::vector<HeddleEvent> next(std::size_t count);

 private:
  struct Thread {
    std::uint64_t i = 0, node = 0;
    unsigned at = 0;
    bool left = false;
  };
  HeddleEvent step(Thread& t, std::uint16_t thread);
  std::mt19937_64 rng_;
  std::vector<Thread> threads_;
  std::uint64_t counter_ = 0;
  std::uint16_t current_ = 0;
};
/// The tables that ProgramLikeEvents refer to.
TraceHead program_like_head(unsigned threads = 4);

/// A small failing trace with every section in it; never changes (format version 1 is stored in tests/data/traces).
TraceHead sample_head();
std::vector<HeddleEvent> sample_events();

}  // namespace heddle
