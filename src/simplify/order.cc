#include "src/simplify/order.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "src/show/words.h"

namespace heddle {

std::vector<TurnOfThread> order_of(const Execution& execution, const TraceHead& head) {
  std::vector<TurnOfThread> out;
  for (const Turn& turn : execution.turns) {
    const std::string& name = execution.threads[turn.thread].name;
    const auto thread = std::ranges::find(head.threads, name, &ThreadRecord::name);
    std::string label;
    if (thread != head.threads.end()) label = clean(thread->label.empty() ? thread->entry : thread->label, true);
    out.push_back({name, std::move(label)});
  }
  return out;
}

std::string in_words(const std::vector<TurnOfThread>& order, std::size_t most) {
  if (order.size() <= 1)
    return "no switch is needed: it fails when only thread 0 runs";  // who else would need a switch
  std::string text = "no preemption is needed: it fails when the threads run in this order: ";
  std::set<std::string> named;
  for (std::size_t i = 0; i < std::min(order.size(), most); i++) {
    const auto& [thread, label] = order[i];
    text += (i ? ", " : "") + thread;
    if (!label.empty() && named.insert(thread).second) text += fmt::format(" ({})", label);
  }
  if (order.size() > most) text += fmt::format(", and {} more turns", order.size() - most);
  return text;
}

}  // namespace heddle
