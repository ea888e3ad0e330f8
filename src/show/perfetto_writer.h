// Perfetto's trace format, as far as we use it: tracks, slices, instants, annotations. Field numbers are those of
// Perfetto's trace_packet.proto, track_event.proto, track_descriptor.proto, debug_annotation.proto and
// interned_data.proto.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/show/view.h"

namespace heddle {

enum class TrackId : std::uint64_t {};

/// Streams packets to `sink`. Within a track, slices must be nested and packets of equal time in order; otherwise
/// packets may come in any order.
class PerfettoWriter {
 public:
  struct Annotation {
    std::string_view name, text;  // without text or number it is left out
    std::optional<std::uint64_t> number = {};
  };
  explicit PerfettoWriter(const Sink& sink) : sink_(sink) {}

  void process(TrackId track, std::string_view name, const std::vector<std::string>& command);
  void thread(TrackId track, std::uint32_t number, std::string_view name);
  void child(TrackId track, TrackId parent, std::string_view name);

  void begin(TrackId track, std::uint64_t time, std::string_view category, std::string_view name,
             std::initializer_list<Annotation> annotations = {});
  void end(TrackId track, std::uint64_t time);
  void instant(TrackId track, std::uint64_t time, std::string_view category, std::string_view name,
               std::initializer_list<Annotation> annotations = {});
  /// What is left. False: nobody reads any more.
  bool finish();
  bool reading() const { return reading_; }

 private:
  struct Names {
    std::uint32_t field;  // of InternedData
    std::unordered_map<std::string, std::uint64_t> numbers;
    std::vector<std::pair<std::uint64_t, std::string_view>> fresh;  // not yet told
  };
  void event(int type, TrackId track, std::uint64_t time, std::string_view category, std::string_view name,
             std::initializer_list<Annotation> annotations);
  std::uint64_t intern(Names& names, std::string_view text);
  void tell_fresh(std::string& packet);
  void add(const std::string& packet);

  const Sink& sink_;
  std::string buffer_;
  Names categories_{1, {}, {}}, event_names_{2, {}, {}}, annotation_names_{3, {}, {}};
  bool first_ = true, reading_ = true;
};

}  // namespace heddle
