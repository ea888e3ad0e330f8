#include "tools/hunt_simplify.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/simplify_answer.h"

namespace heddle {
namespace fs = std::filesystem;

std::vector<std::string> simplified_lines(const SimplifiedFinding& finding, const std::string& trace) {
  if (!finding.answer)
    return {fmt::format("note: not simplified: {}{}", finding.why_not->message,
                        finding.why_not->advice.empty() ? "" : "; " + finding.why_not->advice)};
  std::vector<std::string> out = {first_line(*finding.answer) + (finding.out_of_time
                                                                     ? "   the time was used up: the best so far"
                                                                     : interrupted_text(*finding.answer))};
  for (std::string& line : preemption_lines(*finding.answer, trace)) out.push_back(std::move(line));
  for (const std::string& note : finding.answer->notes) out.push_back("note: " + note);
  return out;
}

nlohmann::ordered_json simplified_json(const SimplifiedFinding& finding, const fs::path& trace) {
  if (!finding.answer)
    return {{"why_not", finding.why_not->message},
            {"interrupted", finding.interrupted},
            {"out_of_time", finding.out_of_time}};
  nlohmann::ordered_json out = simplify_json(*finding.answer, trace.string());
  out["original"] = finding.original.string();
  out["interrupted"] = finding.interrupted;
  out["out_of_time"] = finding.out_of_time;
  return out;
}

}  // namespace heddle
