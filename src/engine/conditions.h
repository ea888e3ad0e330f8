// What the user calls a failure beyond crashes: exit statuses and output. Part of a trace, so that a replay judges
// alike.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "src/engine/execute.h"
#include "src/result/result.h"

namespace heddle {

class FailureConditions {
 public:
  /// `exits`: "any" (every status but 0; the default), "none", or a list "1,3,70" (these and only these).
  /// `output`: POSIX extended regular expression, "" for none; matched line by line on stdout and stderr.
  static Result<FailureConditions> create(std::string_view exits, std::string_view output);
  FailureConditions() = default;

  /// The program runs one test of GoogleTest, "Suite.Test", which ends with status 1 whatever failed: from here on the
  /// first failed expectation in its output says which failure that is. "": it is no such program.
  void tell_expectations(std::string test) { gtest_ = std::move(test); }

  /// Adds or removes the failure of `outcome` according to the conditions.
  void judge(RunOutcome& outcome) const;

  const std::string& exits() const { return exits_; }
  const std::string& output() const { return output_; }
  const std::string& gtest() const { return gtest_; }
  bool wants_output() const { return regex_ != nullptr || !gtest_.empty(); }

 private:
  struct Regex;
  std::string exits_ = "any", output_, gtest_;
  std::optional<std::set<int>> listed_;  // nullopt: any but 0
  std::shared_ptr<const Regex> regex_;
};

}  // namespace heddle
