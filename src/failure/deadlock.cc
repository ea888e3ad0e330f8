#include "src/failure/deadlock.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "src/failure/thread_state.h"
#include "src/trace/call_name.h"
#include "src/program/function_name.h"

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

std::vector<std::string> texts_of(std::span<const DeadlockEdge> edges, std::span<const std::size_t> cycle) {
  std::vector<std::string> texts;
  for (const std::size_t i : cycle) texts.push_back(edge_text(edges[i]));
  return texts;
}

/// Each thread waits for one thread at most, so walking on from `start` either ends or enters the only cycle ahead.
std::vector<std::size_t> cycle_from(std::span<const DeadlockEdge> edges,
                                    const std::map<std::string, std::size_t>& edge_of, std::size_t start) {
  std::vector<std::size_t> path;
  for (std::size_t at = start;;) {
    if (const auto seen = std::ranges::find(path, at); seen != path.end()) return {seen, path.end()};
    path.push_back(at);
    const auto next = edge_of.find(edges[at].holder);
    if (next == edge_of.end()) return {};
    at = next->second;
  }
}

/// The rotation with the smallest texts; among equal ones the one that starts with the first edge, so that it is
/// unique.
void normalise_rotation(std::span<const DeadlockEdge> edges, std::vector<std::size_t>& cycle) {
  std::vector<std::size_t> best = cycle;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    std::ranges::rotate(cycle, cycle.begin() + 1);
    if (std::pair(texts_of(edges, cycle), cycle) < std::pair(texts_of(edges, best), best)) best = cycle;
  }
  cycle = std::move(best);
}

std::string wait_text(const DeadlockEdge& e) {
  const std::string what = wait_phrase(e.operation, e.object);
  return e.holder.empty() || e.operation == "join" ? fmt::format("{} {}", e.thread, what)
                                                   : fmt::format("{} {} held by {}", e.thread, what, e.holder);
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

std::string edge_text(const DeadlockEdge& edge) {
  const std::string function = bare_name(edge.wait_site.function);
  return function.empty() ? edge.operation : fmt::format("{} {}", edge.operation, function);
}

DeadlockEdge wait_edge(EvidenceReader& evidence, std::size_t thread) {
  DeadlockEdge edge;
  edge.thread = evidence.name(static_cast<std::uint32_t>(thread));
  edge.operation = operation_word(evidence.thread(thread).pending_kind);
  const HeddleObjectInfo* object = evidence.pending_object(thread);
  const std::uint32_t holder = holder_of(evidence, thread);
  if (holder) edge.holder = evidence.name(holder - 1);
  edge.object = edge.operation == "join" ? edge.holder : evidence.object_name(object);
  // Not in the operation: that is part of the signature, and traces of before do not have it.
  if (const HeddleThreadInfo& t = evidence.thread(thread); t.pending_kind == HEDDLE_EV_IO_RETURN) edge.object = call_name(t.pending_address);
  if (const Frame* frame = user_frame(evidence.stack(thread))) edge.wait_site = *frame;
  if (object && holder) {
    const Stack held = evidence.captured_stack(object->held_stack);
    if (const Frame* frame = user_frame(held)) edge.hold_site = *frame;
  }
  return edge;
}

std::vector<std::size_t> find_cycle(std::span<const DeadlockEdge> edges) {
  std::map<std::string, std::size_t> edge_of;
  for (std::size_t i = 0; i < edges.size(); ++i) edge_of.emplace(edges[i].thread, i);
  std::vector<std::size_t> best;
  std::set<std::size_t> done;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (done.contains(i)) continue;
    std::vector<std::size_t> cycle = cycle_from(edges, edge_of, i);
    done.insert(i);
    done.insert(cycle.begin(), cycle.end());
    if (cycle.empty()) continue;
    normalise_rotation(edges, cycle);
    if (best.empty() || texts_of(edges, cycle) < texts_of(edges, best)) best = std::move(cycle);
  }
  return best;
}

std::vector<std::size_t> root_edges(std::span<const DeadlockEdge> edges) {
  std::set<std::string> blocked;
  for (const DeadlockEdge& e : edges) blocked.insert(e.thread);
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].holder.empty() || !blocked.contains(edges[i].holder)) roots.push_back(i);
  return roots;
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
