// From the numbers in an event to what the user calls them: thread, place in the source, variable or lock.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/trace/trace.h"

namespace heddle {

/// Text and HEDDLE_P_* of an event kind; kinds that a newer runtime made are "kind 77" without properties.
std::string kind_text(std::uint32_t kind);
std::uint32_t kind_properties(std::uint32_t kind);

struct Place {  // views into the TraceHead
  std::string_view function, file;
  std::uint32_t line = 0;
  bool operator==(const Place&) const = default;
};
using PlaceId = std::uint32_t;  // 0: unknown; equal for all sites on one line

/// Keeps references into `head`. Ids of events are not trusted: what is not in a table has a number for a name.
class Names {
 public:
  explicit Names(const TraceHead& head);

  std::string thread(std::uint32_t index) const;
  /// Where in the user's code the event happened: its site, unless that lies in a system header; then the innermost
  /// frame of its stack that is the user's.
  /// The start and the end of a thread are where its function is.
  PlaceId place(const HeddleEvent& event);
  /// In the line of its place, from 1; 0: not known.
  std::uint32_t column(const HeddleEvent& event);
  /// In a library, with nothing of the user's around it.
  bool foreign(PlaceId id) const { return foreign_[id]; }
  const Place& place(PlaceId id) const { return places_[id]; }
  /// Variable, thread or synchronisation object; empty when nothing better than an address is known.
  std::string what(const HeddleEvent& event) const;
  bool has_name(const HeddleEvent& event) const;  // or is more than an access

 private:
  PlaceId find(const HeddleEvent& event);
  PlaceId intern(const Place& place, bool foreign = false);
  const SiteRecord* site(std::uint32_t id) const;

  const TraceHead& head_;
  std::unordered_map<std::uint32_t, std::uint32_t> sites_, objects_;  // id -> index
  std::vector<Place> places_;
  std::vector<bool> foreign_;  // by place
  std::unordered_map<std::string, PlaceId> interned_;
  struct Cached {
    std::uint64_t key = ~0ull;
    PlaceId place = 0;
  };
  std::vector<Cached> cache_;  // by site and stack: this is asked for every event
  std::unordered_map<std::uint64_t, PlaceId> found_;
};

}  // namespace heddle
