// Rules of this file: everything of a trace is untrusted and goes through text(), which leaves no markup in it. The
// page has no script and loads nothing.
#include "src/explain/page.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/show/words.h"

namespace heddle {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: #8884; --mark: #c62828; --same: #8883; --good: #2e7d32; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin: 0 0 .5rem; }
.verdict { border-left: .3rem solid var(--mark); padding: .4rem 1rem; font-size: 1.05rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; margin-top: 1.5rem; }
@media (max-width: 50rem) { .pair { grid-template-columns: 1fr; } }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
td.on { border-left: .25rem solid var(--same); } td.cause { border-left-color: var(--mark); background: #c6282814; }
td.fails { border-left-color: var(--mark); font-weight: 600; }
code { font: 13px/1.4 ui-monospace, monospace; } .where, .flow { opacity: .75; font-size: 13px; }
.flow b { color: var(--mark); } .good .flow b { color: var(--good); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { opacity: .75; } dd { margin: 0; }
)";

std::string text(std::string_view raw) {
  std::string out;
  for (const char c : clean(raw, true)) switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

std::string place(const ShownEvent& event) {
  return event.line ? fmt::format("{}:{}", base_name(event.file), event.line) : event.function;
}

class Page {
 public:
  Page(const ExplainAnswer& answer, const Sink& sink) : answer_(answer), p_(answer.projection), sink_(sink) {}

  void write() {
    sink_("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
          "<meta name=\"viewport\" content=\"width=device-width\">");
    sink_(fmt::format("<title>{}</title><style>{}</style>\n", text(answer_.failing.failure->message), kStyle));
    sink_(fmt::format("<h1>{}</h1>\n<p class=\"verdict\">{}</p>\n", text(answer_.failing.failure->message),
                      text(p_.text)));
    sink_("<div class=\"pair\">\n");
    schedule(true);
    if (answer_.alternate) schedule(false);
    sink_("</div>\n");
    evidence();
    sink_("</html>\n");
  }

 private:
  static At at(const ShownEvent& event, bool failing) { return failing ? event.failing : event.alternate; }

  void schedule(bool failing) {
    std::vector<std::size_t> order;
    std::vector<std::string> threads;
    for (std::size_t i = 0; i < p_.events.size(); i++) {
      if (at(p_.events[i], failing) == kNowhere) continue;
      order.push_back(i);
      if (std::ranges::find(threads, p_.events[i].thread) == threads.end()) threads.push_back(p_.events[i].thread);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return at(p_.events[i], failing); });
    std::ranges::sort(threads);
    sink_(fmt::format("<section class=\"{}\"><h2>{}</h2><table><tr>", failing ? "bad" : "good",
                      failing ? "This order fails" : "This order does not fail"));
    for (const std::string& thread : threads) sink_(fmt::format("<th>{}</th>", text(thread_title(thread))));
    sink_("</tr>\n");
    for (const std::size_t i : order) {
      sink_("<tr>");
      for (const std::string& thread : threads)
        sink_(thread == p_.events[i].thread ? cell(i, failing) : std::string("<td></td>"));
      sink_("</tr>\n");
    }
    sink_("</table></section>\n");
  }

  std::string thread_title(const std::string& name) const {
    for (const ShownEvent& event : p_.events)
      if (event.thread == name && !event.label.empty()) return fmt::format("{} ({})", name, event.label);
    return name;
  }

  std::string cell(std::size_t i, bool failing) const {
    const ShownEvent& event = p_.events[i];
    const bool cause = std::ranges::find(p_.cause, i) != p_.cause.end();
    std::string out = fmt::format("<td class=\"on{}{}\">", cause ? " cause" : "", event.is_failure ? " fails" : "");
    out += fmt::format("{} {}<br>", text(event.kind), text(event.object));
    if (!event.code.empty()) out += fmt::format("<code>{}</code><br>", text(event.code));
    out += fmt::format("<span class=\"where\">{}</span>", text(place(event)));
    for (const ShownFlow& flow : p_.flows)
      if (flow.to == i && flow.failing == failing) {
        const std::string from = flow.from ? fmt::format("thread {} at {}", p_.events[*flow.from].thread,
                                                         place(p_.events[*flow.from]))
                                           : std::string("a value that no event wrote");
        out += fmt::format("<br><span class=\"flow\">sees <b>{}</b></span>", text(from));
      }
    return out + "</td>";
  }

  void evidence() {
    const Found& found = answer_.found;
    sink_("<h2 style=\"margin-top:1.5rem\">What was executed</h2><dl>");
    sink_(fmt::format("<dt>executions</dt><dd>{} ({:.2f} s)</dd>", answer_.executions, answer_.seconds));
    sink_(fmt::format("<dt>other orders</dt><dd>{} of {} pairs: {} did not fail, {} failed in the same way</dd>",
                      found.executions, found.reversals.size(), found.passed, found.failed));
    sink_(fmt::format("<dt>failing execution</dt><dd>{} events, {} switches, {} preemptions</dd>",
                      answer_.failing_events, answer_.failing.totals.switches, answer_.failing.totals.preemptions));
    if (!answer_.alternate) sink_("<dt>alternate</dt><dd>no execution was found that does not fail</dd>");
    sink_("</dl>\n");
  }

  const ExplainAnswer& answer_;
  const Projection& p_;
  const Sink& sink_;
};

}  // namespace

void explain_page(const ExplainAnswer& answer, const Sink& sink) { Page(answer, sink).write(); }

}  // namespace heddle
