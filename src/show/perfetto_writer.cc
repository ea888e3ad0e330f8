#include "src/show/perfetto_writer.h"

#include <protozero/pbf_writer.hpp>

#include "src/show/words.h"

namespace heddle {
namespace {

using protozero::pbf_writer;

constexpr std::uint32_t kSequence = 1;  // all packets are of one writer
constexpr int kProcess = 1;             // a process number: the real one says nothing
constexpr std::size_t kFlush = 1u << 16;
constexpr std::size_t kMaxInterned = 1u << 16;  // names; more are written out

enum Trace { kPacket = 1 };
enum Packet { kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInterned = 12, kSequenceFlags = 13, kTrack = 60 };
enum SequenceFlags { kStateCleared = 1, kNeedsState = 2 };
enum Event { kCategories = 3, kAnnotations = 4, kType = 9, kNameNumber = 10, kTrackOfEvent = 11, kName = 23 };
enum Type { kBegin = 1, kEnd = 2, kInstant = 3 };
enum AnnotationField { kAnnotationName = 1, kAnnotationNumber = 3, kAnnotationText = 6 };
enum Track { kUuid = 1, kTrackName = 2, kProcessOfTrack = 3, kThreadOfTrack = 4, kParent = 5 };
enum Process { kPid = 1, kCommand = 2, kProcessName = 6 };
enum Thread { kThreadPid = 1, kThreadTid = 2, kThreadName = 5 };
enum Interned { kNumber = 1, kText = 2 };

template <class Fill>
std::string track_packet(TrackId track, Fill&& fill) {
  std::string packet;
  pbf_writer writer(packet);
  writer.add_uint32(kSequenceId, kSequence);
  pbf_writer descriptor(writer, kTrack);
  descriptor.add_uint64(kUuid, static_cast<std::uint64_t>(track));
  fill(descriptor);
  descriptor.commit();
  return packet;
}

void add_text(pbf_writer& to, std::uint32_t field, std::string_view text) {
  to.add_string(field, neutral(text));
}

}  // namespace

void PerfettoWriter::add(const std::string& packet) {
  pbf_writer(buffer_).add_message(kPacket, packet);
  if (buffer_.size() < kFlush) return;
  finish();
}

bool PerfettoWriter::finish() {
  reading_ = reading_ && sink_(buffer_);
  buffer_.clear();
  return reading_;
}

void PerfettoWriter::process(TrackId track, std::string_view name, const std::vector<std::string>& command) {
  add(track_packet(track, [&](pbf_writer& descriptor) {
    pbf_writer process(descriptor, kProcessOfTrack);
    process.add_int32(kPid, kProcess);
    for (const std::string& word : command) process.add_string(kCommand, neutral(word));
    add_text(process, kProcessName, name);
  }));
}

void PerfettoWriter::thread(TrackId track, std::uint32_t number, std::string_view name) {
  add(track_packet(track, [&](pbf_writer& descriptor) {
    pbf_writer thread(descriptor, kThreadOfTrack);
    thread.add_int32(kThreadPid, kProcess);
    thread.add_int32(kThreadTid, kProcess + static_cast<std::int32_t>(number));
    add_text(thread, kThreadName, name);
  }));
}

void PerfettoWriter::child(TrackId track, TrackId parent, std::string_view name) {
  add(track_packet(track, [&](pbf_writer& descriptor) {
    descriptor.add_uint64(kParent, static_cast<std::uint64_t>(parent));
    add_text(descriptor, kTrackName, name);
  }));
}

std::uint64_t PerfettoWriter::intern(Names& names, std::string_view text) {
  if (const auto it = names.numbers.find(std::string(text)); it != names.numbers.end()) return it->second;
  if (names.numbers.size() >= kMaxInterned) return 0;
  const auto it = names.numbers.emplace(text, names.numbers.size() + 1).first;
  names.fresh.emplace_back(it->second, it->first);
  return it->second;
}

void PerfettoWriter::tell_fresh(std::string& packet) {
  if (categories_.fresh.empty() && event_names_.fresh.empty() && annotation_names_.fresh.empty()) return;
  pbf_writer writer(packet);
  pbf_writer interned(writer, kInterned);
  for (Names* names : {&categories_, &event_names_, &annotation_names_}) {
    for (const auto& [number, text] : names->fresh) {
      pbf_writer entry(interned, names->field);
      entry.add_uint64(kNumber, number);
      add_text(entry, kText, text);
    }
    names->fresh.clear();
  }
}

void PerfettoWriter::event(int type, TrackId track, std::uint64_t time, std::string_view category,
                           std::string_view name, std::initializer_list<Annotation> annotations) {
  std::string body, packet;
  pbf_writer event(body);
  event.add_enum(kType, type);
  event.add_uint64(kTrackOfEvent, static_cast<std::uint64_t>(track));
  if (!category.empty()) event.add_uint64(kCategories, intern(categories_, category));
  if (const std::uint64_t number = name.empty() ? 0 : intern(event_names_, name))
    event.add_uint64(kNameNumber, number);
  else if (!name.empty())
    add_text(event, kName, name);
  for (const Annotation& a : annotations) {
    if (a.text.empty() && !a.number) continue;
    pbf_writer annotation(event, kAnnotations);
    annotation.add_uint64(kAnnotationName, intern(annotation_names_, a.name));
    if (a.number)
      annotation.add_uint64(kAnnotationNumber, *a.number);
    else
      add_text(annotation, kAnnotationText, a.text);
  }
  pbf_writer writer(packet);
  writer.add_uint64(kTimestamp, time);
  writer.add_uint32(kSequenceId, kSequence);
  writer.add_uint32(kSequenceFlags, first_ ? kStateCleared | kNeedsState : kNeedsState);
  first_ = false;
  tell_fresh(packet);
  writer.add_message(kTrackEvent, body);
  add(packet);
}

void PerfettoWriter::begin(TrackId track, std::uint64_t time, std::string_view category, std::string_view name,
                           std::initializer_list<Annotation> annotations) {
  event(kBegin, track, time, category, name, annotations);
}
void PerfettoWriter::end(TrackId track, std::uint64_t time) { event(kEnd, track, time, "", "", {}); }
void PerfettoWriter::instant(TrackId track, std::uint64_t time, std::string_view category, std::string_view name,
                             std::initializer_list<Annotation> annotations) {
  event(kInstant, track, time, category, name, annotations);
}

}  // namespace heddle
