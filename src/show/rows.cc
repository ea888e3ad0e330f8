#include "src/show/rows.h"

#include <fmt/format.h>

#include "src/show/words.h"

namespace heddle {
namespace {

bool is_range(const HeddleEvent& e) { return e.kind == HEDDLE_EV_READ_RANGE || e.kind == HEDDLE_EV_WRITE_RANGE; }
bool is_access(const HeddleEvent& e) { return (kind_properties(e.kind) & HEDDLE_P_ACCESS) != 0; }

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

class RowBuilder {
 public:
  RowBuilder(const Survey& survey, Names& names, std::optional<std::uint16_t> only,
             const std::function<bool(Row&)>& take)
      : survey_(survey), names_(names), only_(only), take_(take) {}

  bool add(const HeddleEvent& e) {
    const std::uint64_t index = index_++;
    if (index > 0 && e.thread != previous_thread_ && !leave()) return false;
    previous_thread_ = e.thread;
    if (only_ && e.thread != *only_) return true;
    PlaceId place = names_.place(e);
    // What has no place of its own (thread start, allocations without a stack) does not break a row.
    if (place == 0 && open_ && row_.thread == e.thread) place = row_.place;
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
    merge(e);
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
  void merge(const HeddleEvent& e) {
    ++row_.events;
    if (row_.private_only && is_interesting(e, survey_.memory)) row_.private_only = false;
    if ((kind_properties(e.kind) & HEDDLE_P_NOTE) && e.kind != HEDDLE_EV_SIGNAL) return;
    if (row_.place != 0 && (e.kind == HEDDLE_EV_THREAD_START || e.kind == HEDDLE_EV_THREAD_EXIT))
      return;  // says nothing about the line
    Operation& o = operation_for(e);
    ++o.count;
    if (!(e.flags & HEDDLE_EF_VALUE) || is_range(e) || !is_access(e)) return;
    if (!o.has_value) o.first.value = e.value;
    o.has_value = true;
    o.last_value = e.value;
    o.wrote |= e.kind == HEDDLE_EV_WRITE || e.kind == HEDDLE_EV_ATOMIC_STORE;
  }
  Operation& operation_for(const HeddleEvent& e) {
    for (std::size_t i = 0; i < row_.operation_count; ++i) {
      Operation& o = row_.operations[i];
      const bool both = is_access(e) && is_access(o.first) && !is_range(e) && !is_range(o.first);
      if (o.first.address == e.address && o.first.object == e.object &&
          (both || (o.first.kind == e.kind && (o.first.flags & HEDDLE_EF_FAILED) == (e.flags & HEDDLE_EF_FAILED))))
        return o;
    }
    if (row_.operation_count == row_.operations.size()) {
      row_.more_operations = true;
      return spare_ = Operation{};
    }
    Operation& o = row_.operations[row_.operation_count++];
    o.first = e;
    return o;
  }

  const Survey& survey_;
  Names& names_;
  std::optional<std::uint16_t> only_;
  const std::function<bool(Row&)>& take_;
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
  if (name.empty()) name = kind_text(e.kind);
  if (is_range(e)) return fmt::format("{} {}{}", name, counted("byte", e.value), times);
  if (!o.has_value) return code.empty() || e.kind == HEDDLE_EV_FENCE ? describe(e, names) + times : times;
  const unsigned size = e.flags & HEDDLE_EF_SIZE;
  const bool modifies = e.kind == HEDDLE_EV_ATOMIC_RMW || e.kind == HEDDLE_EV_ATOMIC_CAS;
  std::string text = fmt::format("{} {} {}", name, modifies ? "was" : "=", value_text(e.value, size));
  if (o.last_value != e.value) text += fmt::format(" {} {}", s.arrow, value_text(o.last_value, size));
  return text + (failed ? " (failed)" : "") + times;
}

}  // namespace

Status for_each_row(const TraceReader& trace, const Survey& survey, Names& names, std::optional<std::uint16_t> only,
                    const std::function<bool(Row&)>& take) {
  RowBuilder builder(survey, names, only, take);
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
