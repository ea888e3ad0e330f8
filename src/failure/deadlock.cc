#include "src/failure/deadlock.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "src/failure/wait_cycle.h"
#include "src/show/kind_text.h"
#include "src/trace/call_name.h"

namespace heddle {
namespace {

/// Index + 1 of the thread that `thread` waits for; 0: nobody in particular.
std::uint32_t holder_of(const EvidenceReader& evidence, std::size_t thread) {
  const HeddleThreadInfo& t = evidence.thread(thread);
  if (t.pending_kind == HEDDLE_EV_THREAD_JOIN)  // the address is the index of the thread joined
    return evidence.is_thread(t.pending_address) ? static_cast<std::uint32_t>(t.pending_address) + 1 : 0;
  const HeddleObjectInfo* object = evidence.pending_object(thread);
  return object && object->owner && evidence.is_thread(object->owner - 1) ? object->owner : 0;
}

std::string wait_text(const DeadlockEdge& e) {
  const std::string what = wait_phrase(e.wait, e.object);
  return is_held(e) ? fmt::format("{} {} held by {}", e.thread, what, e.holder) : fmt::format("{} {}", e.thread, what);
}

/// While a mutex is held, a waiter may have had its signal and wait for that mutex: the model does not tell.
bool somebody_holds_a_lock(const EvidenceReader& evidence) {
  return std::ranges::any_of(evidence.raw().objects, [](const HeddleObjectInfo& o) { return o.owner != 0; });
}

/// Why nobody ends the wait of a condition variable or futex.
std::string signal_note(EvidenceReader& evidence, std::size_t thread, const HeddleObjectInfo& object) {
  const bool futex = evidence.thread(thread).pending_kind == HEDDLE_EV_FUTEX_WOKEN;
  const std::string name = evidence.object_name(&object);
  const char* signal = futex ? "wake-up" : "signal";
  if (object.last_signaler == 0) return fmt::format("nobody ever signalled `{}`", name);
  if (object.lost_signals == 0)
    return somebody_holds_a_lock(evidence)
               ? fmt::format("no {} on `{}` was lost", signal, name)
               : fmt::format(
                     "no {} on `{}` was lost, and none came after this wait began; no thread is left to send one",
                     signal, name);
  const std::string who = object.last_signaler && evidence.is_thread(object.last_signaler - 1)
                              ? fmt::format(" (the last one was sent by {})", evidence.name(object.last_signaler - 1))
                              : "";
  return object.lost_signals == 1
             ? fmt::format("a {} on `{}` was lost: it was sent when nobody waited{}", signal, name, who)
             : fmt::format("{} {}s on `{}` were lost: they were sent when nobody waited{}", object.lost_signals, signal,
                           name, who);
}

std::string lock_note(EvidenceReader& evidence, std::size_t thread, const HeddleObjectInfo& object) {
  const std::uint32_t holder = holder_of(evidence, thread);
  const std::string name = evidence.object_name(&object);
  if (holder && evidence.thread(holder - 1).state == HEDDLE_T_DONE)
    return fmt::format("`{}` was never unlocked: its owner {} has finished", name, evidence.name(holder - 1));
  if (!holder && object.readers) return fmt::format("`{}` is read-locked {} time(s)", name, object.readers);
  return {};
}

}  // namespace

DeadlockEdge wait_edge(EvidenceReader& evidence, std::size_t thread) {
  DeadlockEdge edge;
  const HeddleThreadInfo& t = evidence.thread(thread);
  edge.thread = evidence.name(static_cast<std::uint32_t>(thread));
  edge.wait = wait_kind(t.pending_kind);
  const HeddleObjectInfo* object = evidence.pending_object(thread);
  const std::uint32_t holder = holder_of(evidence, thread);
  if (holder) edge.holder = evidence.name(holder - 1);
  edge.object = edge.wait == WaitKind::kThread       ? edge.holder
                : edge.wait == WaitKind::kSystemCall ? std::string(call_name(t.pending_address))
                                                     : evidence.object_name(object);
  edge.object_id = evidence.object_id(object);
  if (const Frame* frame = user_frame(evidence.stack(thread))) edge.wait_site = *frame;
  if (object && holder) {
    const Stack held = evidence.captured_stack(object->held_stack);
    if (const Frame* frame = user_frame(held)) edge.hold_site = *frame;
  }
  return edge;
}

namespace {

ThreadState outside(const HeddleThreadInfo& t) {
  ThreadState state;
  state.activity = Activity::kOutside;
  const bool known = t.pending_kind == HEDDLE_EV_IO_RETURN || t.pending_kind == HEDDLE_EV_IO_LEAVE;
  if (known) state.object = call_name(t.pending_address);
  return state;
}

ThreadState waiting(const DeadlockEdge& edge, bool timed) {
  ThreadState state;
  state.activity = Activity::kWaiting;
  state.wait = edge.wait;
  state.object_id = edge.object_id;
  state.object = edge.object;
  state.holder = edge.holder;
  state.timed = timed;
  return state;
}

ThreadState about_to(EvidenceReader& evidence, std::size_t thread) {
  ThreadState state;
  state.activity = Activity::kAboutTo;
  state.operation = evidence.thread(thread).pending_kind;
  const HeddleObjectInfo* object = evidence.pending_object(thread);
  state.object_id = evidence.object_id(object);
  state.object = evidence.object_name(object);
  return state;
}

ThreadState pending(EvidenceReader& evidence, std::size_t thread) {
  const HeddleThreadInfo& t = evidence.thread(thread);
  if (t.pending_kind == HEDDLE_EV_SLEEP) return {.activity = Activity::kSleeping};
  if (t.pending_kind == HEDDLE_EV_IO_RETURN) return outside(t);
  if (t.pending_kind == HEDDLE_EV_THREAD_START) return {.activity = Activity::kNotStarted};
  if (evidence.is_blocked(thread) || (t.deadline_ns && !t.enabled))
    return waiting(wait_edge(evidence, thread), t.deadline_ns != 0);
  return about_to(evidence, thread);
}

}  // namespace

ThreadState thread_state(EvidenceReader& evidence, std::size_t thread) {
  const HeddleThreadInfo& t = evidence.thread(thread);
  switch (t.state) {
    case HEDDLE_T_RUNNING:
      return {.activity = Activity::kRunning};
    case HEDDLE_T_OUT:
      return outside(t);
    case HEDDLE_T_DONE:
      return {.activity = Activity::kFinished};
    case HEDDLE_T_PENDING:
      return pending(evidence, thread);
    default:
      return {};
  }
}

std::vector<DeadlockEdge> deadlock_edges(EvidenceReader& evidence) {
  std::vector<DeadlockEdge> edges, ordered;
  for (std::size_t i = 0; i < evidence.thread_count(); ++i)
    if (evidence.is_blocked(i)) edges.push_back(wait_edge(evidence, i));
  std::vector<std::size_t> first = find_cycle(edges);
  if (first.empty()) first = root_edges(edges);
  for (const std::size_t i : first) ordered.push_back(edges[i]);
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (std::ranges::find(first, i) == first.end()) ordered.push_back(edges[i]);
  return ordered;
}

namespace {

constexpr std::size_t kLongest = 100;  // of a message: the lines below it have the rest

std::string joined(std::span<const std::string> parts, std::size_t shown) {
  const std::size_t hidden = parts.size() - shown;
  return fmt::format("deadlock: {}{}", fmt::join(parts.first(shown), ", "),
                     hidden ? fmt::format(" and {} more", hidden) : "");
}

}  // namespace

std::string deadlock_message(std::span<const DeadlockEdge> edges) {
  if (edges.empty()) return "deadlock: no thread can go on";
  const auto cycle = find_cycle(edges);
  if (cycle.size() == 1) return fmt::format("deadlock: {} itself", wait_text(edges[cycle[0]]));
  std::vector<std::string> parts;
  for (const std::size_t i : cycle) parts.push_back(wait_text(edges[i]));
  if (parts.empty())
    for (const std::size_t i : root_edges(edges)) parts.push_back(wait_text(edges[i]));
  if (const std::string whole = joined(parts, parts.size()); whole.size() <= kLongest) return whole;
  if (cycle.size() > 1) {  // the lines below it say who waits for what
    std::vector<std::string> threads;
    for (const std::size_t i : cycle) threads.push_back(edges[i].thread);
    constexpr std::size_t kNamed = 8;
    if (threads.size() > kNamed)
      return fmt::format("deadlock: {} threads wait for each other in a circle", threads.size());
    const std::string last = threads.back();
    threads.pop_back();
    return fmt::format("deadlock: {} and {} wait for each other{}", fmt::join(threads, ", "), last,
                       threads.size() > 1 ? " in a circle" : "");
  }
  std::size_t shown = parts.size();
  while (shown > 1 && joined(parts, shown).size() > kLongest) --shown;
  return joined(parts, shown);
}

std::vector<std::string> deadlock_notes(EvidenceReader& evidence) {
  std::vector<std::string> notes;
  std::set<const HeddleObjectInfo*> seen;
  for (std::size_t i = 0; i < evidence.thread_count(); ++i) {
    const HeddleObjectInfo* object = evidence.is_blocked(i) ? evidence.pending_object(i) : nullptr;
    if (!object || !seen.insert(object).second) continue;
    const std::uint32_t kind = evidence.thread(i).pending_kind;
    std::string note = kind == HEDDLE_EV_COND_WAKE || kind == HEDDLE_EV_FUTEX_WOKEN ? signal_note(evidence, i, *object)
                                                                                    : lock_note(evidence, i, *object);
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace heddle
