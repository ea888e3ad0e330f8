#include "src/trace/tables.h"

#include "src/trace/old_words.h"

namespace heddle {
namespace {

std::vector<std::string> decode_strings(ByteReader& r) {
  std::vector<std::string> strings;
  for (std::size_t n = r.count(sizeof(std::string)); n > 0 && !r.bad(); --n) strings.push_back(r.string());
  return strings;
}

/// Calls `one` with each record; false when a record is cut or `one` finds it bad.
template <class One>
bool each_record(ByteReader& r, std::size_t memory, One&& one) {
  while (!r.at_end()) {
    ByteReader record = r.record();
    if (r.bad() || !r.charge(memory)) return false;
    one(record);
    if (record.bad()) return false;
  }
  return !r.bad();
}

/// A number that a newer version may have added to: then it is unknown here.
template <class Enum>
Enum decode_enum(ByteReader& r) {
  const std::uint64_t number = r.varint();
  return number < static_cast<std::uint64_t>(Enum::kCount) ? static_cast<Enum>(number) : Enum{};
}

HeddlePointSet decode_points(ByteReader& r) {
  const std::uint64_t number = r.varint();
  return number <= HEDDLE_POINTS_ALL ? static_cast<HeddlePointSet>(number) : HEDDLE_POINTS_RACY;
}

/// `text` is all that there is in a record of before the numbers.
ThreadState decode_state(ByteReader& r, std::string_view text) {
  if (r.at_end()) return old_words::thread_state(text);
  ThreadState s;
  s.activity = decode_enum<Activity>(r);
  s.wait = decode_enum<WaitKind>(r);
  s.operation = r.u32();
  s.object_id = r.u32();
  s.object = r.string();
  s.holder = r.string();
  s.timed = r.flag();
  return s;
}

/// What stands behind the notes of a failure.
void decode_meaning(ByteReader& r, std::string_view kind, FailureRecord& out) {
  if (r.at_end()) {
    out.kind = old_words::failure_kind(kind);
    return old_words::complete(out);
  }
  const std::uint64_t number = r.varint();
  out.kind = number < HEDDLE_FAIL_COUNT ? static_cast<FailureKind>(number) : HEDDLE_FAIL_NONE;
  for (std::string* s : {&out.subject, &out.said, &out.test, &out.expectation, &out.expectation_place}) *s = r.string();
  out.address = decode_enum<AddressClass>(r);
}

}  // namespace

bool HeadDecoder::add(format::Section section, std::string_view content) {
  using format::Section;
  ByteReader r(content, budget_);
  switch (section) {
    case Section::Meta:
      return meta(r);
    case Section::Threads:
      return threads(r);
    case Section::Sites:
      return sites(r);
    case Section::Bitcode:
      return bitcode(r);
    case Section::Frames:
      return frames(r);
    case Section::Stacks:
      return stacks(r);
    case Section::Objects:
      return objects(r);
    case Section::Schedule:
      return schedule(r);
    case Section::Races:
      return races(r);
    case Section::Notes:
      return notes(r);
    case Section::Failure:
      return failure(r);
    case Section::Inputs:
      return bytes(head_.inputs, content);
    case Section::Output:
      return bytes(head_.output, content);
    case Section::StandardInput:
      return bytes(head_.meta.standard_input, content);
    case Section::Index:
      return index_.decode(r);
    case Section::Events:
    case Section::Payloads:
    case Section::End:
      return false;
    case Section::Seal:
      break;  // behind End it is read by the container
  }
  return true;  // a section that a later minor change added
}

bool HeadDecoder::bytes(std::string& to, std::string_view content) {
  if (!budget_.charge(content.size())) return false;
  to.append(content);
  return true;
}

bool HeadDecoder::meta(ByteReader& r) {
  Meta m;
  const bool ok = each_record(r, sizeof(Meta), [&](ByteReader& f) {
    std::string points;
    for (std::string* s :
         {&m.heddle_version, &m.program, &m.build_id, &m.cwd, &m.strategy, &points, &m.created, &m.machine})
      *s = f.string();
    m.argv = decode_strings(f);
    m.environment = decode_strings(f);
    m.has_standard_input = f.flag();
    m.seed = f.varint();
    m.run_index = f.varint();
    m.time_base_ns = f.varint();
    m.virtual_cpus = f.u32();
    const std::uint64_t level = f.varint();
    m.racy_sites.clear();
    for (std::size_t n = f.count(sizeof(std::uint32_t)); n > 0; --n) m.racy_sites.push_back(f.u32());
    for (std::size_t n = f.count(2 * sizeof(std::string) + 64); n > 0 && !f.bad(); --n) {
      std::string key = f.string();
      m.more[std::move(key)] = f.string();
    }
    m.source = f.at_end() ? old_words::trace_source(m.strategy) : decode_enum<TraceSource>(f);
    m.points = f.at_end() ? old_words::point_set(points) : decode_points(f);
    m.detail = f.at_end() ? detail_of_level(level) : f.u32() & HEDDLE_DETAIL_ALL;
    if (m.source != TraceSource::kHunted) m.strategy.clear();
  });
  if (!ok) return false;
  m.standard_input = std::move(head_.meta.standard_input);
  head_.meta = std::move(m);
  return true;
}

bool HeadDecoder::threads(ByteReader& r) {
  return each_record(r, sizeof(ThreadRecord), [&](ByteReader& f) {
    ThreadRecord t;
    t.name = f.string();
    t.parent = f.u32();
    t.entry = f.string();
    t.label = f.string();
    t.entry_file = f.string();
    t.entry_line = f.u32();
    head_.threads.push_back(std::move(t));
  });
}

bool HeadDecoder::sites(ByteReader& r) {
  return each_record(r, sizeof(SiteRecord), [&](ByteReader& f) {
    SiteRecord s;
    s.id = f.u32();
    s.kind = static_cast<std::uint8_t>(f.varint());
    s.size = static_cast<std::uint8_t>(f.varint());
    s.line = f.u32();
    s.column = f.u32();
    s.function = f.string();
    s.file = f.string();
    s.variable = f.string();
    s.module = f.u32();
    s.ordinal = f.u32();
    head_.sites.push_back(std::move(s));
  });
}

bool HeadDecoder::bitcode(ByteReader& r) {
  return each_record(r, sizeof(BitcodeRecord), [&](ByteReader& f) {
    BitcodeRecord b;
    b.build_id = f.string();
    b.hash = f.varint();
    head_.bitcode.push_back(std::move(b));
  });
}

bool HeadDecoder::frames(ByteReader& r) {
  return each_record(r, sizeof(Frame), [&](ByteReader& f) {
    Frame frame;
    for (std::string* s : {&frame.function, &frame.linkage, &frame.file, &frame.module}) *s = f.string();
    frame.line = f.u32();
    frame.column = f.u32();
    frame.offset = f.varint();
    frame.inlined = f.flag();
    const std::uint64_t whose = f.varint();
    frame.system = whose & 1;
    frame.wrapper = whose & 2;
    frames_.push_back(std::move(frame));
  });
}

Frame HeadDecoder::frame(ByteReader& r) {
  const std::uint64_t id = r.varint();
  if (id == 0 || id > frames_.size()) return {};  // the frame table was damaged: an unknown frame
  const Frame& f = frames_[id - 1];
  if (!r.charge(f.function.size() + f.linkage.size() + f.file.size() + f.module.size())) return {};
  return f;
}

Stack HeadDecoder::stack(ByteReader& r) {
  Stack s;
  std::size_t n = r.count(sizeof(Frame));
  s.reserve(n);
  for (; n > 0 && !r.bad(); --n) s.push_back(frame(r));
  return s;
}

bool HeadDecoder::stacks(ByteReader& r) {
  return each_record(r, sizeof(Stack), [&](ByteReader& f) { head_.stacks.push_back(stack(f)); });
}

bool HeadDecoder::objects(ByteReader& r) {
  return each_record(r, sizeof(ObjectRecord), [&](ByteReader& f) {
    ObjectRecord o;
    o.id = f.u32();
    o.kind = f.u32();
    o.name = f.string();
    o.origin = f.at_end() ? old_words::name_origin(o.name) : decode_enum<NameOrigin>(f);
    head_.objects.push_back(std::move(o));
  });
}

bool HeadDecoder::schedule(ByteReader& r) {
  while (!r.at_end()) {
    HeddleSegment s{};
    s.thread = r.u32();
    if (r.at_end()) return false;
    s.steps = r.u32();
    if (r.bad() || !r.charge(sizeof s)) return false;
    head_.schedule.push_back(s);
  }
  return true;
}

RaceAccess HeadDecoder::race_access(ByteReader& r) {
  ByteReader f = r.record();
  RaceAccess a;
  a.thread = f.string();
  const std::string kind = f.string();
  a.function = f.string();
  a.file = f.string();
  a.line = f.u32();
  a.stack = stack(f);
  a.kind = f.at_end() ? old_words::operation(kind) : f.u32();
  if (f.bad()) r.fail();
  return a;
}

bool HeadDecoder::races(ByteReader& r) {
  return each_record(r, sizeof(RaceRecord), [&](ByteReader& f) {
    RaceRecord race;
    race.variable = f.string();
    race.size = f.u32();
    race.first = race_access(f);
    race.second = race_access(f);
    head_.races.push_back(std::move(race));
  });
}

bool HeadDecoder::notes(ByteReader& r) {
  return each_record(r, sizeof(std::string), [&](ByteReader& f) { head_.notes.push_back(f.string()); });
}

bool HeadDecoder::failure(ByteReader& r) {
  FailureRecord out;
  const bool ok = each_record(r, sizeof(FailureRecord), [&](ByteReader& f) {
    std::string kind;
    for (std::string* s : {&kind, &out.signature, &out.message, &out.thread, &out.function, &out.file, &out.detail})
      *s = f.string();
    out.line = f.u32();
    for (std::size_t n = f.count(sizeof(ThreadAtFailure)); n > 0 && !f.bad(); --n) {
      ByteReader t = f.record();
      ThreadAtFailure thread;
      thread.thread = t.string();
      const std::string state = t.string();
      thread.stack = stack(t);
      thread.state = decode_state(t, state);
      if (t.bad()) f.fail();
      out.threads.push_back(std::move(thread));
    }
    for (std::size_t n = f.count(sizeof(DeadlockEdge)); n > 0 && !f.bad(); --n) {
      ByteReader e = f.record();
      DeadlockEdge edge;
      std::string operation;
      for (std::string* s : {&edge.thread, &edge.object, &edge.holder, &operation}) *s = e.string();
      edge.wait_site = frame(e);
      edge.hold_site = frame(e);
      edge.wait = e.at_end() ? old_words::wait_kind(operation) : decode_enum<WaitKind>(e);
      edge.object_id = e.u32();
      if (e.bad()) f.fail();
      out.deadlock.push_back(std::move(edge));
    }
    out.notes = decode_strings(f);
    decode_meaning(f, kind, out);
  });
  if (ok) head_.failure = std::move(out);
  return ok;
}

TraceHead HeadDecoder::take() {
  if (head_.failure) find_objects(*head_.failure, head_.objects);
  if (!has_unreplayable_) head_.unreplayable = old_words::unreplayable(head_.notes);
  return std::move(head_);
}

bool HeadDecoder::end(std::string_view content, TraceEnd& end) {
  ByteReader r(content, budget_);
  bool seen = false;
  const bool ok = each_record(r, sizeof(TraceEnd), [&](ByteReader& f) {
    seen = true;
    end.events = f.varint();
    end.blocks = f.varint();
    end.wait_status = static_cast<int>(f.signed_varint());
    end.complete = f.flag();
    end.output_truncated = f.flag();
    Totals& t = end.totals;
    for (std::uint64_t* v : {&t.events, &t.steps, &t.switches, &t.preemptions, &t.accesses, &t.hash, &t.virtual_ns})
      *v = f.varint();
    has_unreplayable_ = !f.at_end();
    end.unreplayable = f.u32();
  });
  if (!ok || !seen) return false;
  head_.unreplayable = end.unreplayable;
  head_.totals = end.totals;
  head_.wait_status = end.wait_status;
  head_.output_truncated = end.output_truncated;
  return true;
}

}  // namespace heddle
