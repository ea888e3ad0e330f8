// The exhaustive strategies of a hunt: which schedules the runs of an epoch execute, and what has been shown when none
// is left.
#pragma once
#include <map>
#include <string>

#include "src/hunt/coverage.h"
#include "src/hunt/dpor.h"
#include "src/hunt/enumeration.h"
#include "src/hunt/epochs.h"

namespace heddle {

class Exhaustive {
 public:
  Exhaustive(Strategy strategy, std::uint64_t seed, std::optional<std::uint32_t> bound);

  /// The runs of `epoch`, which plan() made, in the order of their indices.
  void learn(const Epoch& epoch, const std::map<std::uint64_t, Lesson>& lessons);
  /// Fills epoch.end and epoch.prefixes. `fresh`: the set of points has changed, what was executed so far says nothing
  /// about the new one. False: there is nothing left to execute.
  bool plan(Epoch& epoch, bool fresh);
  /// Schedules that are known and were not executed.
  std::uint64_t waiting() const { return strategy_ == Strategy::kDpor ? dpor_.waiting() : enumeration_.waiting(); }
  /// What was executed, at its end; `failed`: some of it did. `apart`: what no schedule orders, in words; empty:
  /// nothing. `changing`: why other runs of the same schedules could do something else; then nothing is said of all.
  std::string words(bool failed, const std::string& apart, const std::string& changing, Times times) const;
  /// What a run read: what of it every run had alike.
  void learn_inputs(std::string_view inputs);

 private:
  void learn_run(std::size_t i, const Lesson* lesson);

  Strategy strategy_;
  Enumeration enumeration_;
  Dpor dpor_;
  std::optional<std::uint32_t> bound_;
  std::uint64_t executed_ = 0;  // since the points are what they are
  std::uint64_t before_ = 0;    // with fewer points
  std::string not_varied() const;

  // What the program did, in any run, that a machine may answer in more ways than were executed.
  bool shares_memory_ = false, waits_for_conditions_ = false, compares_ = false, gets_signals_ = false,
       asks_for_ids_ = false;
  bool gave_way_ = false;       // in one of these: a thread that could have gone on had to let others go first
};

}  // namespace heddle
