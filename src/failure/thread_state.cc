#include "src/failure/thread_state.h"

#include <array>

#include <fmt/core.h>

#include "src/failure/deadlock.h"
#include "src/trace/call_name.h"

namespace heddle {
namespace {

constexpr std::string_view kEventTexts[] = {
#define HEDDLE_X(name, text, props) text,
    HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

struct Phrase {
  std::string_view operation, format;
};
constexpr std::array kPhrases = {
    Phrase{"wait", "waits for a signal on {}"},
    Phrase{"join", "waits for thread {} to end"},
    Phrase{"sem wait", "waits for semaphore {}"},
    Phrase{"barrier", "waits for others at barrier {}"},
    Phrase{"once", "waits for once {}"},
    Phrase{"futex wait", "waits for a wake-up on {}"},
    Phrase{"spin lock", "waits for spinlock {}"},
    Phrase{"lock", "waits for lock {}"},
    Phrase{"rdlock", "waits to read-lock {}"},
    Phrase{"wrlock", "waits to write-lock {}"},
    Phrase{"system call", "waits in {}, which nobody ends"},
    Phrase{"suspend", "waits for a signal handler"},
};

std::string io_text(const HeddleThreadInfo& t) {
  const bool known = t.pending_kind == HEDDLE_EV_IO_RETURN || t.pending_kind == HEDDLE_EV_IO_LEAVE;
  const std::string_view call = known ? call_name(t.pending_address) : "";
  return call.empty() ? "in i/o" : fmt::format("in i/o: {}", call);
}

}  // namespace

std::string operation_word(std::uint32_t event_kind) {
  switch (event_kind) {
    case HEDDLE_EV_IO_RETURN:
      return "system call";
    case HEDDLE_EV_COND_WAKE:
      return "wait";
    case HEDDLE_EV_FUTEX_WOKEN:
      return "futex wait";
    case HEDDLE_EV_BARRIER_LEAVE:
      return "barrier";
    default:
      return event_kind < HEDDLE_EV_COUNT ? std::string(kEventTexts[event_kind]) : "unknown";
  }
}

std::string wait_phrase(std::string_view operation, std::string_view object) {
  const std::string_view shown = !object.empty() ? object : operation == "system call" ? "a system call" : "?";
  for (const Phrase& p : kPhrases)
    if (p.operation == operation) return fmt::format(fmt::runtime(p.format), shown);
  return fmt::format("waits in {} {}", operation, shown);
}

std::string state_text(EvidenceReader& evidence, std::size_t thread) {
  const HeddleThreadInfo& t = evidence.thread(thread);
  switch (t.state) {
    case HEDDLE_T_RUNNING:
      return "running";
    case HEDDLE_T_OUT:
      return io_text(t);
    case HEDDLE_T_DONE:
      return "finished";
    case HEDDLE_T_PENDING:
      break;
    default:
      return "unknown";
  }
  if (t.pending_kind == HEDDLE_EV_SLEEP) return "sleeps";
  if (t.pending_kind == HEDDLE_EV_IO_RETURN) return io_text(t);
  if (t.pending_kind == HEDDLE_EV_THREAD_START) return "not started yet";
  if (evidence.is_blocked(thread) || (t.deadline_ns && !t.enabled)) {
    const DeadlockEdge edge = wait_edge(evidence, thread);
    std::string text = wait_phrase(edge.operation, edge.object);
    if (!edge.holder.empty() && edge.operation != "join") text += fmt::format(" held by {}", edge.holder);
    if (t.deadline_ns) text += ", with a timeout";
    return text;
  }
  const std::string object = evidence.object_name(evidence.pending_object(thread));
  if (operation_word(t.pending_kind).starts_with("atomic"))
    return fmt::format("about to do an {}", operation_word(t.pending_kind));
  return fmt::format("about to {}{}{}", operation_word(t.pending_kind), object.empty() ? "" : " ", object);
}

}  // namespace heddle
