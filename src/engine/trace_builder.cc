#include "src/engine/trace_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/failure/failure.h"

namespace heddle {
namespace {

constexpr std::size_t kLastEvents = 64;  // of a run: the end of main is among them, before libc's own end
constexpr std::size_t kFirstStacks = 8;  // of a thread: one of them shows the user's function, or none will

void enter(ThreadRecord& record, const Frame& frame) {
  record.entry = frame.function;
  record.entry_file = frame.file;
}

const Frame* outermost_of_user(const Stack& stack) {
  auto it = std::find_if(stack.rbegin(), stack.rend(), [](const Frame& f) { return !f.system && !f.function.empty(); });
  return it == stack.rend() ? nullptr : &*it;
}

std::vector<ThreadRecord> thread_records(const Evidence& evidence, Symbolizer& symbolizer) {
  std::vector<ThreadRecord> out;
  for (std::uint32_t i = 0; i < evidence.threads.size(); i++) {
    const HeddleThreadInfo& info = evidence.threads[i];
    ThreadRecord record;
    record.name = thread_name(evidence.threads, i);
    record.parent = info.parent < evidence.threads.size() ? info.parent : 0;
    record.label = bounded_string(info.label, sizeof info.label);
    if (i == 0) {
      record.entry = "main";
    } else if (info.entry != 0) {
      Stack frames = symbolizer.frames(info.entry, false);
      // std::thread starts all threads in one function of the library: not what the user calls it.
      if (!frames.empty() && !frames.back().system) {
        enter(record, frames.back());
        record.entry_line = frames.back().line;
      }
    }
    out.push_back(std::move(record));
  }
  return out;
}

// Ids count from 1: entry i of the object table has id i + 1.
std::vector<ObjectRecord> object_records(const Evidence& evidence, Symbolizer& symbolizer) {
  std::vector<ObjectRecord> out;
  std::vector<ObjectName> names = object_names(evidence.objects, evidence.stack_words, &symbolizer);
  for (std::uint32_t id = 1; id <= evidence.objects.size(); id++) {
    const std::uint32_t kind = evidence.objects[id - 1].kind;
    ObjectName& name = names[id - 1];
    out.push_back({id, kind < HEDDLE_EV_COUNT ? kind : 0, std::move(name.text), name.origin});
  }
  return out;
}

/// Only the modules that a site of the trace refers to, in order of the sites.
void keep_used_bitcode(TraceHead& head, const std::vector<BitcodeRecord>& all) {
  std::vector<std::uint32_t> numbers(all.size() + 1);
  for (SiteRecord& site : head.sites) {
    if (site.module == 0) continue;
    std::uint32_t& number = numbers[site.module];
    if (number == 0) {
      head.bitcode.push_back(all[site.module - 1]);
      number = static_cast<std::uint32_t>(head.bitcode.size());
    }
    site.module = number;
  }
}

Totals totals(const HeddleResult& result, std::uint64_t events) {
  return {events,      result.steps,     result.switches, result.preemptions, result.access_count,
          result.hash, result.virtual_ns};
}

}  // namespace

Stack symbolise(Symbolizer& symbolizer, std::span<const std::uint64_t> addresses) {
  Stack out;
  for (std::uint64_t pc : addresses) {
    Stack frames = symbolizer.frames(pc, true);
    out.insert(out.end(), std::make_move_iterator(frames.begin()), std::make_move_iterator(frames.end()));
  }
  leave_out_runtime(out);
  return out;
}

SiteResolver::SiteResolver(const Evidence& evidence, SiteCatalog catalog, Symbolizer& symbolizer)
    : catalog_(std::move(catalog)), symbolizer_(symbolizer) {
  for (const HeddlePc& pc : evidence.pcs) pcs_.emplace(pc.site, pc);
}

SiteRecord SiteResolver::resolve(std::uint32_t id) {
  if (std::optional<SiteRecord> site = catalog_.record(id)) return *site;
  SiteRecord out;
  out.id = id;
  auto pc = pcs_.find(id);
  if (pc == pcs_.end()) return out;
  // What code without a site table accesses.
  out.kind = static_cast<std::uint8_t>(pc->second.kind < HEDDLE_EV_COUNT ? pc->second.kind : 0);
  out.size = static_cast<std::uint8_t>(std::min<std::uint16_t>(pc->second.size, 255));
  Stack frames = symbolizer_.frames(pc->second.pc, true);
  // The call may sit in an inlined wrapper of the standard library: the user's line says more.
  const Frame* frame = user_frame(frames);
  // Our own code (the end of a thread) is no place in the user's program.
  if (!frame || frame->function.starts_with("heddle::rt::")) return out;
  out.function = frame->function;
  out.file = frame->file;
  out.line = frame->line;
  out.column = frame->column;
  return out;
}

// The user's function that a library's thread runs is the outermost one on its stacks.
void TraceBuilder::name_entries(TraceHead& head, const std::optional<FailureRecord>& failure) const {
  for (std::uint32_t i = 1; i < head.threads.size(); i++) {
    ThreadRecord& record = head.threads[i];
    if (!record.entry.empty()) continue;
    if (i < first_stacks_.size())
      for (std::uint32_t index : first_stacks_[i])
        if (const Frame* frame = outermost_of_user(head.stacks[index - 1]); frame && record.entry.empty())
          enter(record, *frame);
    if (!failure || !record.entry.empty()) continue;
    for (const ThreadAtFailure& thread : failure->threads)
      if (const Frame* frame = thread.thread == record.name ? outermost_of_user(thread.stack) : nullptr)
        enter(record, *frame);
  }
}

// Where the user's code was at `event`; a frame without file: not in code of the user's that has lines.
Frame TraceBuilder::place_of(const HeddleEvent& event, const TraceHead& head) {
  Frame place;
  if (const Frame* frame = event.stack ? user_frame(head.stacks[event.stack - 1]) : nullptr; frame && !frame->system)
    place = *frame;
  for (const SiteRecord& site : head.sites)
    if (site.id == event.site && place.file.empty() && site.line != 0 && !site.file.starts_with("/usr/"))
      place.function = site.function, place.file = site.file, place.line = site.line;
  return place;
}

// A process that exited cannot be inspected any more: the last place that it was seen at is the best there is. What
// libc does behind the end of main (the exit itself, writing out buffers) has none of the user's.
void TraceBuilder::place_exit(TraceHead& head) const {
  FailureRecord& failure = *head.failure;
  for (auto event = last_.rbegin(); event != last_.rend(); ++event) {
    if (event->thread != last_.back().thread || event->thread >= head.threads.size()) continue;
    const Frame place = place_of(*event, head);
    if (place.file.empty()) continue;
    failure.thread = head.threads[event->thread].name;
    failure.function = place.function;
    failure.file = place.file;
    failure.line = place.line;
    failure.detail += "\nthe place is the last one that was seen before the exit";
    return;
  }
}

std::uint32_t TraceBuilder::stack_index(std::uint32_t id) {
  if (id == 0) return 0;
  auto [known, is_new] = index_of_id_.try_emplace(id, 0);
  if (!is_new) return known->second;
  std::vector<std::uint64_t> addresses = stack_addresses(region_.live<std::uint64_t>(HEDDLE_AREA_STACKS), id);
  if (addresses.empty()) return 0;
  auto [index, first] = index_of_stack_.try_emplace(addresses, static_cast<std::uint32_t>(stacks_.size() + 1));
  if (first) stacks_.push_back(std::move(addresses));
  return known->second = index->second;
}

void TraceBuilder::keep_last(std::span<const HeddleEvent> events) {
  // Hand-overs say where the other threads of a recording were when it ended.
  const auto counts = [](std::uint32_t kind) {
    return kind != HEDDLE_EV_MALLOC && kind != HEDDLE_EV_FREE && kind != HEDDLE_EV_INPUT && kind != HEDDLE_EV_HANDOVER;
  };
  std::vector<HeddleEvent> newest;
  for (auto event = events.rbegin(); event != events.rend() && newest.size() < kLastEvents; ++event)
    if (counts(event->kind)) newest.push_back(*event);
  const std::size_t old = std::min(last_.size(), kLastEvents - newest.size());
  last_.erase(last_.begin(), last_.end() - static_cast<std::ptrdiff_t>(old));
  last_.insert(last_.end(), newest.rbegin(), newest.rend());
}

void TraceBuilder::on_events(std::span<const HeddleEvent> events) {
  // Those of a recording stay as they are: no stacks.
  const auto is_fine = [](const HeddleEvent& e) { return e.stack == 0 && e.kind < HEDDLE_EV_COUNT; };
  if (!std::ranges::all_of(events, is_fine)) {
    buffer_.assign(events.begin(), events.end());
    for (HeddleEvent& event : buffer_) give_stack(event);
    events = buffer_;
  }
  for (const HeddleEvent& event : events)
    if (std::uint32_t& seen = seen_[event.site % seen_.size()]; event.site && seen != event.site)
      sites_.insert(seen = event.site);
  keep_last(events);
  events_ += events.size();
  if (status_) status_ = writer_.append(events);
}

void TraceBuilder::give_stack(HeddleEvent& event) {
  if (event.kind >= HEDDLE_EV_COUNT) event.kind = HEDDLE_EV_NONE;  // a corrupted child
  event.stack = stack_index(event.stack);
  if (event.stack == 0 || event.thread == 0 || event.thread >= HEDDLE_MAX_THREADS) return;
  if (event.thread >= first_stacks_.size()) first_stacks_.resize(event.thread + 1u);
  auto& first = first_stacks_[event.thread];
  if (first.size() < kFirstStacks && (first.empty() || first.back() != event.stack)) first.push_back(event.stack);
}

Result<TraceHead> TraceBuilder::finish(Meta meta, const RunOutcome& outcome, Symbolizer& symbolizer,
                                       SiteCatalog catalog, std::vector<RaceRecord> races) {
  if (!status_) return std::unexpected(status_.error());
  const Evidence& evidence = *outcome.evidence;
  TraceHead head;
  head.threads = thread_records(evidence, symbolizer);
  head.objects = object_records(evidence, symbolizer);
  SiteResolver resolver(evidence, std::move(catalog), symbolizer);
  for (std::uint32_t id : meta.racy_sites) sites_.insert(id);
  for (std::uint32_t id : sites_) head.sites.push_back(resolver.resolve(id));
  std::sort(head.sites.begin(), head.sites.end(), [](const SiteRecord& a, const SiteRecord& b) { return a.id < b.id; });
  keep_used_bitcode(head, resolver.bitcode());
  for (const auto& addresses : stacks_) head.stacks.push_back(symbolise(symbolizer, addresses));
  head.meta = std::move(meta);
  head.totals = totals(outcome.result, events_);
  head.schedule = evidence.choices;
  head.inputs = evidence.inputs;
  head.output = outcome.output.text;
  head.output_truncated = outcome.output.dropped > 0;
  head.races = std::move(races);
  head.notes = outcome.notes;
  head.unreplayable = outcome.result.unreplayable;
  head.failure = outcome.failure;
  if (head.failure) find_objects(*head.failure, head.objects);
  name_entries(head, head.failure);
  if (head.failure && head.failure->kind == HEDDLE_FAIL_EXIT && head.failure->file.empty()) place_exit(head);
  head.wait_status = outcome.wait_status;
  head.complete = outcome.complete;
  if (Status finished = writer_.finish(head); !finished) return std::unexpected(finished.error());
  return head;
}

}  // namespace heddle
