#include "src/engine/conditions.h"

#include <charconv>

#include <fmt/format.h>
#include <regex.h>
#include <sys/wait.h>

#include "src/failure/failure.h"
#include "src/gtest/gtest_output.h"

namespace heddle {

struct FailureConditions::Regex {
  regex_t compiled;
  ~Regex() { regfree(&compiled); }
};

namespace {

std::string matching_line(const std::string& text, const regex_t& regex) {
  regmatch_t match{0, static_cast<regoff_t>(text.size())};
  if (regexec(&regex, text.c_str(), 1, &match, REG_STARTEND) != 0) return {};
  std::size_t begin = text.rfind('\n', static_cast<std::size_t>(match.rm_so));
  begin = match.rm_so == 0 || begin == text.npos ? 0 : begin + 1;
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

FailureRecord ended_with(int status) {
  FailureRecord failure;
  failure.kind = HEDDLE_FAIL_EXIT;
  failure.subject = std::to_string(status);
  failure.detail = fmt::format("status: {}", status);
  failure.message = fmt::format("exit status {}", status);
  failure.thread = "0";
  failure.signature = signature(failure);
  return failure;
}

FailureRecord wrote(std::string line, const std::string& pattern) {
  FailureRecord failure;
  failure.kind = HEDDLE_FAIL_OUTPUT;
  failure.subject = pattern;
  failure.detail = fmt::format("pattern: {}", pattern);
  failure.message = fmt::format("the program wrote: {}", line);
  failure.said = std::move(line);
  failure.thread = "0";
  failure.signature = signature(failure);
  return failure;
}

// Of which expectation the status speaks.
void tell_expectation(FailureRecord& failure, std::string_view output, const std::string& test) {
  const auto found = find_gtest_failure(output);
  if (!found) return;
  failure.said = found->text;
  failure.message = found->text.empty() ? "an expectation failed" : found->text;
  failure.file = found->file;
  failure.line = found->line;
  failure.function.clear();
  failure.test = test;
  failure.expectation = found->expectation;
  if (!found->file.empty()) failure.expectation_place = fmt::format("{}:{}", found->file, found->line);
  failure.detail += fmt::format("\ntest: {}\nexpectation: {}", test, found->expectation);
  if (!found->file.empty()) failure.detail += fmt::format("\nplace: {}", failure.expectation_place);
  failure.signature = signature(failure);
}

}  // namespace

Result<FailureConditions> FailureConditions::create(std::string_view exits, std::string_view output) {
  FailureConditions conditions;
  conditions.exits_ = exits.empty() ? "any" : std::string(exits);
  conditions.output_ = output;
  if (conditions.exits_ != "any") conditions.listed_.emplace();
  if (conditions.exits_ != "any" && conditions.exits_ != "none") {
    for (std::string_view rest = exits; !rest.empty();) {
      std::size_t end = std::min(rest.find(','), rest.size());
      int status = -1;
      auto [stop, problem] = std::from_chars(rest.data(), rest.data() + end, status);
      if (problem != std::errc() || stop != rest.data() + end || status < 0 || status > 255)
        return error(fmt::format("invalid exit statuses '{}': expected any, none or a list such as 1,3,70", exits));
      conditions.listed_->insert(status);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (!output.empty()) {
    auto regex = std::make_shared<Regex>();
    if (int problem = regcomp(&regex->compiled, conditions.output_.c_str(), REG_EXTENDED | REG_NEWLINE); problem != 0) {
      char why[256];
      regerror(problem, &regex->compiled, why, sizeof why);
      return error(fmt::format("invalid regular expression '{}': {}", output, why));
    }
    conditions.regex_ = std::move(regex);
  }
  return conditions;
}

void FailureConditions::judge(RunOutcome& outcome) const {
  bool exited = outcome.end == RunEnd::kFinished && WIFEXITED(outcome.wait_status) && !outcome.cut_off();
  if (exited && listed_) {
    int status = WEXITSTATUS(outcome.wait_status);
    if (outcome.failure && outcome.failure->kind == HEDDLE_FAIL_EXIT && !listed_->contains(status))
      outcome.failure.reset();
    if (!outcome.failure && listed_->contains(status) && outcome.result.failure.kind == HEDDLE_FAIL_NONE)
      outcome.failure = ended_with(status);
  }
  if (regex_ && (!outcome.failure || outcome.failure->kind == HEDDLE_FAIL_EXIT)) {
    std::string line = matching_line(outcome.output.text, regex_->compiled);
    if (!line.empty()) outcome.failure = wrote(std::move(line), output_);
  }
  if (!gtest_.empty() && outcome.failure && outcome.failure->kind == HEDDLE_FAIL_EXIT)
    tell_expectation(*outcome.failure, outcome.output.text, gtest_);
}

}  // namespace heddle
