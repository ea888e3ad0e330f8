// Events become rows: consecutive events of one thread on one source line are one row.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "src/show/names.h"
#include "src/show/survey.h"
#include "src/show/view.h"

namespace heddle {

/// What a row says about one variable or object.
struct Operation {
  HeddleEvent first{};  // the first event on it in this row
  std::uint64_t last_value = 0;
  bool has_value = false, wrote = false;
  std::uint64_t count = 0;
};

struct Row {
  std::uint64_t index = 0;     // of its first event in the trace
  std::uint64_t position = 0;  // of its first event among those the view is about
  std::uint64_t events = 0;    // merged
  std::uint16_t thread = 0;
  std::uint8_t kind = 0;  // of its first event
  PlaceId place = 0;
  std::array<Operation, 5> operations{};
  std::uint8_t operation_count = 0;
  bool more_operations = false;
  bool private_only = true;      // nothing in it that another thread could notice
  bool foreign = false;          // in a library, with nothing of the user's around it
  bool acquires = false;         // a lock that the deadlock at the end is about
  bool preempted_after = false;  // its thread was left here although it could have gone on
};

/// The index of the thread that a creation makes is not in its event: threads are numbered as they are made.
class Creations {
 public:
  explicit Creations(std::uint64_t made = 0) : made_(made) {}
  void number(HeddleEvent& e) {
    if (makes_thread(e)) e.address = ++made_;
  }

 private:
  std::uint64_t made_;
};

/// Calls `take` with every row in order; stops when that returns false. `only`: a thread index, others are left out.
Status for_each_row(const TraceReader& trace, const Survey& survey, Names& names, std::optional<std::uint16_t> only,
                    const std::function<bool(Row&)>& take);

inline bool is_range(const HeddleEvent& e) { return e.kind == HEDDLE_EV_READ_RANGE || e.kind == HEDDLE_EV_WRITE_RANGE; }

/// "filled = 1", "counter = 0 → 1", "lock m", "trylock m failed"; `code` is the source text beside it, which is not
/// repeated.
std::string describe(const Row& row, const Names& names, std::string_view code, bool utf8);
/// One event in words: for flat lists and for rows without source text.
std::string describe(const HeddleEvent& event, const Names& names);
std::string value_text(std::uint64_t value, unsigned size_log2);

}  // namespace heddle
