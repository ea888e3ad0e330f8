#include "src/show/rows.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "src/show/spans.h"
#include "src/show/words.h"

namespace heddle {
namespace {

bool is_access(const HeddleEvent& e) { return (kind_properties(e.kind) & HEDDLE_P_ACCESS) != 0; }

bool is_plain_write(const HeddleEvent& e) { return e.kind == HEDDLE_EV_WRITE || e.kind == HEDDLE_EV_ATOMIC_STORE; }

/// Whether another thread could notice this event, or be its cause.
bool is_interesting(const HeddleEvent& e, const SharedMemory& memory) {
  switch (e.kind) {
    case HEDDLE_EV_THREAD_CREATE:
    case HEDDLE_EV_THREAD_JOIN:
    case HEDDLE_EV_THREAD_DETACH:
    case HEDDLE_EV_THREAD_CANCEL:
    case HEDDLE_EV_FORK:
    case HEDDLE_EV_SIGNAL:
    case HEDDLE_EV_EXIT:
    case HEDDLE_EV_YIELD:
    case HEDDLE_EV_SLEEP:
      return true;
    case HEDDLE_EV_FENCE:
    case HEDDLE_EV_INPUT:
    case HEDDLE_EV_THREAD_START:
    case HEDDLE_EV_THREAD_EXIT:
      return false;
    default:
      break;
  }
  if (kind_properties(e.kind) & HEDDLE_P_NOTE) return false;
  return e.address != 0 && memory.shared(e);
}

/// Tells nothing about a line: it belongs to the row that it happened in.
bool has_no_row(const HeddleEvent& e) {
  switch (e.kind) {
    case HEDDLE_EV_MALLOC:
    case HEDDLE_EV_FREE:
    case HEDDLE_EV_INPUT:
    case HEDDLE_EV_THREAD_START:
    case HEDDLE_EV_THREAD_EXIT:
      return true;
    default:
      return false;
  }
}

/// Ids of the objects that the deadlock is about.
std::set<std::uint32_t> objects_of_deadlock(const TraceHead& head) {
  std::set<std::uint32_t> ids;
  if (!head.failure) return ids;
  for (const DeadlockEdge& e : head.failure->deadlock)
    if (e.object_id != 0) ids.insert(e.object_id);
  return ids;
}

class RowBuilder {
 public:
  RowBuilder(const TraceHead& head, const Survey& survey, Names& names, std::optional<std::uint16_t> only,
             const std::function<bool(Row&)>& take)
      : survey_(survey), names_(names), only_(only), take_(take), waited_for_(objects_of_deadlock(head)) {}

  bool add(HeddleEvent e) {
    const std::uint64_t index = index_++;
    creations_.number(e);
    if (index > 0 && e.thread != previous_thread_ && !leave()) return false;
    previous_thread_ = e.thread;
    if (only_ && e.thread != *only_) return true;
    PlaceId place = has_no_row(e) ? 0 : names_.place(e);
    // What has no place of its own does not break a row, and a row of nothing else is the beginning of the next.
    const bool placeless = place == 0;
    if (open_ && row_.thread == e.thread && placeless) place = row_.place;
    if (open_ && row_.thread == e.thread && row_.place == 0 && row_.operation_count == 0) row_.place = place;
    if (open_ && (row_.thread != e.thread || row_.place != place) && !close()) return false;
    if (!open_) {
      row_ = Row{};
      row_.index = index;
      row_.position = position_;
      row_.thread = e.thread;
      row_.kind = e.kind;
      row_.place = place;
      open_ = true;
    }
    merge(e, placeless);
    ++position_;
    return true;
  }
  bool close() {
    if (!open_) return true;
    open_ = false;
    return take_(row_);
  }

 private:
  /// The thread changes: the row ends, and we know whether its thread was preempted.
  bool leave() {
    const bool preempted = switch_ < survey_.preempted.size() && survey_.preempted[switch_];
    ++switch_;
    if (open_ && row_.thread == previous_thread_) row_.preempted_after = preempted;
    return close();
  }
  void merge(const HeddleEvent& e, bool placeless) {
    ++row_.events;
    row_.foreign = names_.foreign(row_.place);
    const bool waited_for = e.object != 0 && waited_for_.contains(e.object);
    row_.acquires |= waited_for && takes_a_lock(e);
    // What a library does with no code of the user's around it is no part of the story.
    if (row_.private_only && (waited_for || (!row_.foreign && is_interesting(e, survey_.memory))))
      row_.private_only = false;
    if ((kind_properties(e.kind) & HEDDLE_P_NOTE) && e.kind != HEDDLE_EV_SIGNAL) return;
    if (has_no_row(e) || (placeless && row_.place != 0)) return;
    Operation& o = operation_for(e);
    ++o.count;
    if (!(e.flags & HEDDLE_EF_VALUE) || is_range(e) || !is_access(e)) return;
    if (!o.has_value) o.first.value = e.value;
    o.has_value = true;
    o.last_value = e.value;
    o.wrote |= is_plain_write(e);
  }
  Operation& operation_for(const HeddleEvent& e) {
    for (std::size_t i = 0; i < row_.operation_count; ++i) {
      Operation& o = row_.operations[i];
      const bool both = is_access(e) && is_access(o.first) && !is_range(e) && !is_range(o.first);
      if (o.first.address == e.address && o.first.object == e.object &&
          (both || (o.first.kind == e.kind && (o.first.flags & HEDDLE_EF_FAILED) == (e.flags & HEDDLE_EF_FAILED))))
        return o;
    }
    if (row_.operation_count == row_.operations.size() && !make_room(e)) {
      row_.more_operations |= names_.has_name(e);
      return spare_ = Operation{};
    }
    Operation& o = row_.operations[row_.operation_count++];
    o = Operation{};
    o.first = e;
    return o;
  }

  /// What has a name says more than what has none.
  bool make_room(const HeddleEvent& e) {
    if (!names_.has_name(e)) return false;
    const auto begin = row_.operations.begin(), end = begin + row_.operation_count;
    const auto nameless = std::find_if(begin, end, [&](const Operation& o) { return !names_.has_name(o.first); });
    if (nameless == end) return false;
    std::move(nameless + 1, end, nameless);
    --row_.operation_count;
    return true;
  }

  const Survey& survey_;
  Names& names_;
  std::optional<std::uint16_t> only_;
  const std::function<bool(Row&)>& take_;
  const std::set<std::uint32_t> waited_for_;
  Creations creations_;
  Row row_;
  Operation spare_;
  bool open_ = false;
  std::uint64_t index_ = 0, position_ = 0, switch_ = 0;
  std::uint16_t previous_thread_ = 0;
};

/// Whether the source text already says this: both words are in it.
bool says(std::string_view code, std::string_view verb, std::string_view object) {
  return code.find(verb) != std::string_view::npos && code.find(object) != std::string_view::npos;
}

std::string describe(const Operation& o, const Names& names, std::string_view code, bool utf8) {
  const Signs& s = signs(utf8);
  const HeddleEvent& e = o.first;
  const bool failed = (e.flags & HEDDLE_EF_FAILED) != 0;
  const std::string times = o.count > 2 ? fmt::format(" {}{}", s.times, grouped(o.count)) : "";
  if (!is_access(e)) {
    std::string text = describe(e, names);
    if (!failed && says(code, kind_text(e.kind), names.what(e))) text.clear();
    return text.empty() ? times : text + times;
  }
  std::string name = names.what(e);
  // What the source has no name for (a library's member, a temporary) says nothing beside the code.
  if (name.empty() && !code.empty() && !(kind_properties(e.kind) & HEDDLE_P_SYNC)) return {};
  if (name.empty()) name = kind_text(e.kind);
  if (is_range(e)) return fmt::format("{} {}{}", name, counted("byte", e.value), times);
  if (!o.has_value) return code.empty() || e.kind == HEDDLE_EV_FENCE ? describe(e, names) + times : times;
  const unsigned size = e.flags & HEDDLE_EF_SIZE;
  const bool modifies = e.kind == HEDDLE_EV_ATOMIC_RMW || e.kind == HEDDLE_EV_ATOMIC_CAS;
  // "x = 1" was read, "x := 1" written, "x = 1 → 1" read and then written.
  const bool writes_first = is_plain_write(e);
  std::string text = fmt::format("{} {} {}", name,
                                 modifies       ? "was"
                                 : writes_first ? ":="
                                                : "=",
                                 value_text(e.value, size));
  if (o.last_value != e.value || (o.wrote && !writes_first))
    text += fmt::format(" {} {}", s.arrow, value_text(o.last_value, size));
  return text + (failed ? " (failed)" : "") + times;
}

}  // namespace

Status for_each_row(const TraceReader& trace, const Survey& survey, Names& names, std::optional<std::uint16_t> only,
                    const std::function<bool(Row&)>& take) {
  RowBuilder builder(trace.head(), survey, names, only, take);
  bool go_on = true;
  Status status = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events)
      if (!(go_on = builder.add(e))) return false;
    return true;
  });
  if (go_on) builder.close();
  return status;
}

std::string value_text(std::uint64_t value, unsigned size_log2) {
  switch (size_log2) {
    case 0:
      return fmt::format("{}", value & 0xff);
    case 1:
      return fmt::format("{}", static_cast<std::int16_t>(value));
    case 2:
      return fmt::format("{}", static_cast<std::int32_t>(value));
    default:
      break;
  }
  const auto number = static_cast<std::int64_t>(value);
  // What lies where addresses lie reads better as one.
  return number > -(1ll << 32) && number < (1ll << 40) ? fmt::format("{}", number) : fmt::format("{:#x}", value);
}

std::string describe(const HeddleEvent& e, const Names& names) {
  if (e.kind == HEDDLE_EV_THREAD_START || e.kind == HEDDLE_EV_THREAD_EXIT) return kind_text(e.kind);
  std::string text = kind_text(e.kind);
  const std::string what = names.what(e);
  if (!what.empty())
    text += " " + what;
  else if (e.address != 0 && is_access(e))
    text += fmt::format(" [{:#x}]", e.address);
  if (is_range(e))
    text += fmt::format(" {}", counted("byte", e.value));
  else if ((e.flags & HEDDLE_EF_VALUE) && is_access(e))
    text += fmt::format(" = {}", value_text(e.value, e.flags & HEDDLE_EF_SIZE));
  else if ((e.flags & HEDDLE_EF_VALUE) && e.kind == HEDDLE_EV_BRANCH)
    text += fmt::format(" to {}", e.value);
  else if ((e.flags & HEDDLE_EF_VALUE) && e.kind == HEDDLE_EV_CALL)
    text += fmt::format(" = {}", value_text(e.value, e.flags & HEDDLE_EF_SIZE));
  if (e.flags & HEDDLE_EF_FAILED) text += " (failed)";
  return text;
}

std::string describe(const Row& row, const Names& names, std::string_view code, bool utf8) {
  std::string text;
  for (std::size_t i = 0; i < row.operation_count; ++i) {
    const std::string one = describe(row.operations[i], names, code, utf8);
    if (one.empty()) continue;
    if (!text.empty()) text += ", ";
    text += one;
  }
  if (text.empty() && code.empty()) text = kind_text(row.kind);
  if (row.more_operations) text.append(", ").append(signs(utf8).ellipsis);
  return text;
}

}  // namespace heddle
