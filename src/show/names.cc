#include "src/show/names.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle {
namespace {

struct Kind {
  const char* text;
  std::uint32_t properties;
};
constexpr Kind kKinds[] = {
#define HEDDLE_X(name, text, event_class, object, props) {text, props},
    HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

constexpr std::size_t kCacheBits = 12;
constexpr std::size_t kMaxFound = 1u << 18;  // memory must not grow with the number of events

bool system_path(std::string_view file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.find("/include/c++/") != std::string_view::npos;
}

/// The innermost frame of the user's code that is no wrapper of a primitive; else the innermost; null when there is
/// none.
const Frame* innermost_of_user(const Stack& stack) {
  const Frame* first = nullptr;
  for (const Frame& f : stack) {
    if (f.system || (f.line == 0 && f.function.empty())) continue;
    if (!f.wrapper) return &f;
    if (!first) first = &f;
  }
  return first;
}

/// The event happened in a wrapper that somebody of the user's called.
bool in_wrapper(const Stack& stack) {
  const auto own = std::ranges::find_if(stack, [](const Frame& f) { return !f.system; });
  return own != stack.end() && own->wrapper;
}

}  // namespace

std::string kind_text(std::uint32_t kind) {
  return kind < HEDDLE_EV_COUNT ? std::string(kKinds[kind].text) : fmt::format("kind {}", kind);
}

std::uint32_t kind_properties(std::uint32_t kind) { return kind < HEDDLE_EV_COUNT ? kKinds[kind].properties : 0; }

Names::Names(const TraceHead& head) : head_(head), places_(1), foreign_(1), cache_(std::size_t{1} << kCacheBits) {
  for (std::size_t i = 0; i < head.sites.size(); ++i) sites_.emplace(head.sites[i].id, static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < head.objects.size(); ++i)
    objects_.emplace(head.objects[i].id, static_cast<std::uint32_t>(i));
}

std::string Names::thread(std::uint32_t index) const {
  return index < head_.threads.size() ? head_.threads[index].name : fmt::format("?{}", index);
}

const SiteRecord* Names::site(std::uint32_t id) const {
  const auto it = sites_.find(id);
  return it == sites_.end() ? nullptr : &head_.sites[it->second];
}

PlaceId Names::intern(const Place& place, bool foreign) {
  std::string key = fmt::format("{}:", place.line);
  key.append(place.file).push_back('\0');
  key.append(place.function);
  const auto [it, added] = interned_.try_emplace(std::move(key), static_cast<PlaceId>(places_.size()));
  if (added) {
    places_.push_back(place);
    foreign_.push_back(foreign);
  }
  return it->second;
}

PlaceId Names::find(const HeddleEvent& event) {
  const SiteRecord* s = event.site == 0 ? nullptr : site(event.site);
  const Stack* stack =
      event.stack != 0 && event.stack <= head_.stacks.size() ? &head_.stacks[event.stack - 1] : nullptr;
  const bool foreign =
      s != nullptr && (system_path(s->file) || (stack != nullptr && !stack->empty() && stack->front().system));
  const bool wrapped = stack != nullptr && in_wrapper(*stack);
  if (s != nullptr && s->line != 0 && !foreign && !wrapped) return intern({s->function, s->file, s->line});
  if (const Frame* f = stack != nullptr ? innermost_of_user(*stack) : nullptr)
    return intern({f->function, f->file, f->line});
  if (s != nullptr && !(s->function.empty() && s->file.empty()))
    return intern({s->function, s->file, s->line}, foreign);
  if (stack != nullptr && !stack->empty())
    return intern({stack->front().function, stack->front().file, stack->front().line}, true);
  return 0;
}

PlaceId Names::place(const HeddleEvent& event) {
  if (event.kind == HEDDLE_EV_THREAD_START || event.kind == HEDDLE_EV_THREAD_EXIT) {
    if (event.thread >= head_.threads.size() || head_.threads[event.thread].entry.empty()) return 0;
    const ThreadRecord& t = head_.threads[event.thread];
    return intern({t.entry, t.entry_file, t.entry_line});
  }
  const std::uint64_t key = (std::uint64_t{event.site} << 32) | event.stack;
  Cached& slot = cache_[(key * 0x9e3779b97f4a7c15ull) >> (64 - kCacheBits)];
  if (slot.key == key && key != ~0ull) return slot.place;
  if (found_.size() > kMaxFound) found_.clear();
  const auto [it, added] = found_.try_emplace(key, 0);
  if (added) it->second = find(event);
  slot = {key, it->second};
  return it->second;
}

std::uint32_t Names::column(const HeddleEvent& event) {
  const SiteRecord* s = event.site == 0 ? nullptr : site(event.site);
  const Place& where = place(place(event));
  if (s != nullptr && s->line == where.line && s->file == where.file) return s->column;
  const Stack* stack =
      event.stack != 0 && event.stack <= head_.stacks.size() ? &head_.stacks[event.stack - 1] : nullptr;
  const Frame* f = stack != nullptr ? innermost_of_user(*stack) : nullptr;
  return f != nullptr && f->line == where.line && f->file == where.file ? f->column : 0;
}

bool Names::has_name(const HeddleEvent& event) const {
  if (event.object != 0 || (kind_properties(event.kind) & HEDDLE_P_SYNC)) return true;
  const SiteRecord* s = site(event.site);
  return s != nullptr && !s->variable.empty() && !system_path(s->file);
}

std::string Names::what(const HeddleEvent& event) const {
  if (event.object != 0) {
    const auto it = objects_.find(event.object);
    return it != objects_.end() && !head_.objects[it->second].name.empty() ? head_.objects[it->second].name
                                                                           : fmt::format("object {}", event.object);
  }
  // Creation counts from the first thread, and a join names whom it waits for, by index.
  if ((event.kind == HEDDLE_EV_THREAD_CREATE || event.kind == HEDDLE_EV_THREAD_JOIN) && event.address != 0 &&
      event.address < head_.threads.size())
    return head_.threads[event.address].name;
  const SiteRecord* s = site(event.site);
  // In a system header the variable is one of the library's ("this->_M_i"): it says nothing to the user.
  return s == nullptr || system_path(s->file) ? std::string() : s->variable;
}

}  // namespace heddle
