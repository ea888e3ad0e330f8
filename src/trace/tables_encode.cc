#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>

#include "src/trace/tables.h"

namespace heddle {
namespace {

using format::Section;

/// Cuts a table into blocks at record boundaries.
class TableWriter {
 public:
  TableWriter(Section section, const TableSink& sink) : section_(section), sink_(sink) {}
  Status record(const ByteWriter& record) {
    if (record.size() > format::kMaxBlock / 2)
      return error("a record of the trace is larger than " + std::to_string(format::kMaxBlock / 2) + " bytes");
    buffer_.record(record);
    return added(1);
  }
  /// `bytes` are whole records that need no length.
  Status plain(const ByteWriter& bytes, std::uint32_t records) {
    buffer_.append(bytes.view());
    return added(records);
  }
  Status finish() {
    if (buffer_.size() == 0) return {};
    Status status = sink_(section_, buffer_.view(), records_);
    buffer_.clear();
    records_ = 0;
    return status;
  }

 private:
  Status added(std::uint32_t records) {
    records_ += records;
    return buffer_.size() >= format::kTableBlock ? finish() : Status{};
  }
  Section section_;
  const TableSink& sink_;
  ByteWriter buffer_;
  std::uint32_t records_ = 0;
};

Status encode_bytes(Section section, std::string_view bytes, const TableSink& sink) {
  for (std::size_t at = 0; at < bytes.size(); at += format::kTableBlock)
    if (Status s = sink(section, bytes.substr(at, format::kTableBlock), 0); !s) return s;
  return {};
}

/// Unique frames, numbered from 1 as they are met.
class FrameTable {
 public:
  std::uint32_t id(const Frame& f) {
    ByteWriter w;
    w.string(f.function);
    w.string(f.linkage);
    w.string(f.file);
    w.string(f.module);
    w.varint(f.line);
    w.varint(f.column);
    w.varint(f.offset);
    w.flag(f.inlined);
    w.varint((f.system ? 1u : 0u) | (f.wrapper ? 2u : 0u));
    const auto [it, added] = ids_.try_emplace(std::string(w.view()), static_cast<std::uint32_t>(ids_.size() + 1));
    if (added) order_.push_back(&it->first);
    return it->second;
  }
  void stack(ByteWriter& w, const Stack& stack) {
    w.varint(stack.size());
    for (const Frame& f : stack) w.varint(id(f));
  }
  Status write(const TableSink& sink) const {
    TableWriter table(Section::Frames, sink);
    for (const std::string* bytes : order_) {
      ByteWriter w;
      w.append(*bytes);
      if (Status s = table.record(w); !s) return s;
    }
    return table.finish();
  }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<const std::string*> order_;
};

template <class Items, class Encode>
Status encode_records(Section section, const Items& items, const TableSink& sink, Encode&& encode) {
  TableWriter table(section, sink);
  ByteWriter w;
  for (const auto& item : items) {
    w.clear();
    encode(w, item);
    if (Status s = table.record(w); !s) return s;
  }
  return table.finish();
}

void encode_strings(ByteWriter& w, const std::vector<std::string>& strings) {
  w.varint(strings.size());
  for (const std::string& s : strings) w.string(s);
}

void encode_thread(ByteWriter& w, const ThreadRecord& t) {
  w.string(t.name);
  w.varint(t.parent);
  w.string(t.entry);
  w.string(t.label);
  w.string(t.entry_file);
  w.varint(t.entry_line);
}

void encode_site(ByteWriter& w, const SiteRecord& s) {
  w.varint(s.id);
  w.varint(s.kind);
  w.varint(s.size);
  w.varint(s.line);
  w.varint(s.column);
  w.string(s.function);
  w.string(s.file);
  w.string(s.variable);
  w.varint(s.module);
  w.varint(s.ordinal);
}

void encode_bitcode(ByteWriter& w, const BitcodeRecord& b) {
  w.string(b.build_id);
  w.varint(b.hash);
}

void encode_object(ByteWriter& w, const ObjectRecord& o) {
  w.varint(o.id);
  w.varint(o.kind);
  w.string(o.name);
  w.varint(static_cast<std::uint64_t>(o.origin));
}

void encode_access(ByteWriter& w, const RaceAccess& a, FrameTable& frames) {
  w.string(a.thread);
  w.string(access_token(a.kind));
  w.string(a.function);
  w.string(a.file);
  w.varint(a.line);
  frames.stack(w, a.stack);
  w.varint(a.kind);
}

void encode_race(ByteWriter& w, const RaceRecord& r, FrameTable& frames) {
  w.string(r.variable);
  w.varint(r.size);
  for (const RaceAccess* a : {&r.first, &r.second}) {
    ByteWriter access;
    encode_access(access, *a, frames);
    w.record(access);
  }
}

void encode_state(ByteWriter& w, const ThreadState& s) {
  w.varint(static_cast<std::uint64_t>(s.activity));
  w.varint(static_cast<std::uint64_t>(s.wait));
  w.varint(s.operation);
  w.varint(s.object_id);
  w.string(s.object);
  w.string(s.holder);
  w.flag(s.timed);
}

// Where versions before the numbers had words, there are tokens: those versions read what is written here.
void encode_failure(ByteWriter& w, const FailureRecord& f, FrameTable& frames) {
  w.string(token(f.kind));
  for (const std::string* s : {&f.signature, &f.message, &f.thread, &f.function, &f.file, &f.detail}) w.string(*s);
  w.varint(f.line);
  w.varint(f.threads.size());
  for (const ThreadAtFailure& t : f.threads) {
    ByteWriter r;
    r.string(t.thread);
    r.string(token(t.state.activity));
    frames.stack(r, t.stack);
    encode_state(r, t.state);
    w.record(r);
  }
  w.varint(f.deadlock.size());
  for (const DeadlockEdge& e : f.deadlock) {
    ByteWriter r;
    for (const std::string* s : {&e.thread, &e.object, &e.holder}) r.string(*s);
    r.string(token(e.wait));
    r.varint(frames.id(e.wait_site));
    r.varint(frames.id(e.hold_site));
    r.varint(static_cast<std::uint64_t>(e.wait));
    r.varint(e.object_id);
    w.record(r);
  }
  encode_strings(w, f.notes);
  w.varint(f.kind);
  for (const std::string* s : {&f.subject, &f.said, &f.test, &f.expectation, &f.expectation_place}) w.string(*s);
  w.varint(static_cast<std::uint64_t>(f.address));
}

Status encode_schedule(const std::vector<HeddleSegment>& schedule, const TableSink& sink) {
  TableWriter table(Section::Schedule, sink);
  constexpr std::size_t kAtOnce = 256;  // a recording has hundreds of thousands
  ByteWriter w;
  for (std::span rest(schedule); !rest.empty();) {
    const std::span some = rest.first(std::min(rest.size(), kAtOnce));
    rest = rest.subspan(some.size());
    w.clear();
    for (const HeddleSegment& s : some) {
      w.varint(s.thread);
      w.varint(s.steps);
    }
    if (Status status = table.plain(w, static_cast<std::uint32_t>(some.size())); !status) return status;
  }
  return table.finish();
}

}  // namespace

Status encode_meta(const Meta& m, const TableSink& sink) {
  ByteWriter w;
  for (const std::string* s : {&m.heddle_version, &m.program, &m.build_id, &m.cwd}) w.string(*s);
  w.string(strategy_token(m));
  w.string(token(m.points));
  for (const std::string* s : {&m.created, &m.machine}) w.string(*s);
  encode_strings(w, m.argv);
  encode_strings(w, m.environment);
  w.flag(m.has_standard_input);
  w.varint(m.seed);
  w.varint(m.run_index);
  w.varint(m.time_base_ns);
  w.varint(m.virtual_cpus);
  w.varint(level_of_detail(m.detail));
  w.varint(m.racy_sites.size());
  for (std::uint32_t site : m.racy_sites) w.varint(site);
  w.varint(m.more.size());
  for (const auto& [key, value] : m.more) {
    w.string(key);
    w.string(value);
  }
  w.varint(static_cast<std::uint64_t>(m.source));
  w.varint(m.points);
  w.varint(m.detail);
  TableWriter table(Section::Meta, sink);
  if (Status s = table.record(w); !s) return s;
  return table.finish();
}

Status encode_head(const TraceHead& head, const TableSink& sink) {
  // Frames are collected first, and written before the tables that refer to them.
  FrameTable frames;
  std::vector<ByteWriter> stacks(head.stacks.size()), races(head.races.size()), failure(head.failure ? 1 : 0);
  if (head.failure) encode_failure(failure[0], *head.failure, frames);
  for (std::size_t i = 0; i < races.size(); ++i) encode_race(races[i], head.races[i], frames);
  for (std::size_t i = 0; i < stacks.size(); ++i) frames.stack(stacks[i], head.stacks[i]);
  const auto copy = [](ByteWriter& w, const ByteWriter& from) { w.append(from.view()); };

  Status s = encode_meta(head.meta, sink);
  if (s) s = encode_bytes(Section::StandardInput, head.meta.standard_input, sink);
  if (s) s = encode_records(Section::Threads, head.threads, sink, encode_thread);
  if (s) s = frames.write(sink);
  if (s) s = encode_records(Section::Failure, failure, sink, copy);
  if (s) s = encode_schedule(head.schedule, sink);
  if (s) s = encode_records(Section::Races, races, sink, copy);
  if (s) s = encode_records(Section::Notes, head.notes, sink, [](ByteWriter& w, const std::string& n) { w.string(n); });
  if (s) s = encode_records(Section::Sites, head.sites, sink, encode_site);
  if (s) s = encode_records(Section::Bitcode, head.bitcode, sink, encode_bitcode);
  if (s) s = encode_records(Section::Objects, head.objects, sink, encode_object);
  if (s) s = encode_records(Section::Stacks, stacks, sink, copy);
  if (s) s = encode_bytes(Section::Inputs, head.inputs, sink);
  if (s) s = encode_bytes(Section::Output, head.output, sink);
  return s;
}

Status encode_index(const EventIndex& index, const TableSink& sink) {
  TableWriter table(Section::Index, sink);
  Status status;
  index.encode([&](const ByteWriter& record) { return (status = table.record(record)).has_value(); });
  return status ? table.finish() : status;
}

std::string encode_end(const TraceEnd& e) {
  ByteWriter r, w;
  r.varint(e.events);
  r.varint(e.blocks);
  r.signed_varint(e.wait_status);
  r.flag(e.complete);
  r.flag(e.output_truncated);
  const Totals& t = e.totals;
  for (std::uint64_t v : {t.events, t.steps, t.switches, t.preemptions, t.accesses, t.hash, t.virtual_ns}) r.varint(v);
  r.varint(e.unreplayable);
  w.record(r);
  return std::string(w.view());
}

}  // namespace heddle
