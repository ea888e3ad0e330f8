// Rules of this file: the predictor IS the format. Encoder and decoder share it, and any change of what it predicts
// needs a new format::Layout number (stored traces of every version stay readable).
#include "src/trace/event_codec.h"

#include <array>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "src/trace/bytes.h"
#include "src/trace/format.h"

namespace heddle {
namespace {

enum Column { kRuns, kNewThreads, kSites, kNewSites, kKinds, kFlags, kAddresses, kValues, kStacks, kObjects, kColumns };

constexpr std::uint32_t kNoSite = ~0u;
constexpr std::uint8_t kSwitchFlags = HEDDLE_EF_PREEMPTED | HEDDLE_EF_SWITCH;
constexpr unsigned kValueBits = 14;

/// Kinds whose value is what memory holds. By number, not by property: this is the format.
constexpr bool remembers_value(std::uint8_t kind) {
  return kind == HEDDLE_EV_READ || kind == HEDDLE_EV_WRITE ||
         (kind >= HEDDLE_EV_ATOMIC_LOAD && kind <= HEDDLE_EV_ATOMIC_CAS);
}

struct SiteContext {  // what the last event at this site was
  std::uint64_t address = 0, value = 0;
  std::uint64_t last_delta = 0, stride = 0;
  std::uint32_t stack = 0, object = 0;
  std::uint32_t successor = kNoSite;  // dictionary index of the site that followed in the same thread
  std::uint8_t kind = 0, flags = 0;
};

/// State of one block: filled equally by encoder and decoder.
class Predictor {
 public:
  void clear() {
    sites_.clear();
    previous_.clear();
    values_.clear();
  }

  std::uint32_t site_count() const { return static_cast<std::uint32_t>(sites_.size()); }
  std::uint32_t thread_count() const { return static_cast<std::uint32_t>(previous_.size()); }
  void add_site() { sites_.emplace_back(); }
  void add_thread() { previous_.push_back(kNoSite); }

  std::uint32_t predicted_site(std::uint32_t thread) const {
    const std::uint32_t previous = previous_[thread];
    return previous == kNoSite ? kNoSite : sites_[previous].successor;
  }
  std::uint32_t previous_site(std::uint32_t thread) const { return previous_[thread]; }
  void set_previous(std::uint32_t thread, std::uint32_t site) { previous_[thread] = site; }
  void saw_site(std::uint32_t thread, std::uint32_t site) {
    if (previous_[thread] != kNoSite) sites_[previous_[thread]].successor = site;
    previous_[thread] = site;
  }
  const SiteContext& at(std::uint32_t site) const { return sites_[site]; }
  SiteContext& at(std::uint32_t site) { return sites_[site]; }
  static std::uint8_t predicted_flags(const SiteContext& c, bool first_of_run) {
    return static_cast<std::uint8_t>((c.flags & ~kSwitchFlags) | (first_of_run ? HEDDLE_EF_SWITCH : 0));
  }
  static std::uint64_t predicted_address(const SiteContext& c) { return c.address + c.stride; }
  std::uint64_t predicted_value(const SiteContext& c, const HeddleEvent& e) const {
    if (!(e.flags & HEDDLE_EF_VALUE)) return 0;
    return !remembers_value(e.kind) ? c.value : values_.empty() ? 0 : values_[slot(e.address)];
  }
  void saw(std::uint32_t site, const HeddleEvent& e) {
    SiteContext& c = sites_[site];
    const std::uint64_t delta = e.address - c.address;
    if (delta == c.last_delta) c.stride = delta;
    c.last_delta = delta;
    c.address = e.address;
    c.stack = e.stack;
    c.object = e.object;
    c.kind = e.kind;
    c.flags = e.flags;
    if (!(e.flags & HEDDLE_EF_VALUE)) return;
    c.value = e.value;
    if (!remembers_value(e.kind)) return;
    if (values_.empty()) values_.resize(1u << kValueBits);
    values_[slot(e.address)] = e.value;
  }

 private:
  static std::size_t slot(std::uint64_t address) { return (address * 0x9e3779b97f4a7c15ull) >> (64 - kValueBits); }
  std::vector<SiteContext> sites_;
  std::vector<std::uint32_t> previous_;  // per thread: its last site
  std::vector<std::uint64_t>
      values_;  // what memory held, by hash of the address; collisions only cost bytes. Empty until the first
};

/// One column of the output. Its room is for the longest that a block can need: no byte is checked on its way, and
/// pages that are not used cost nothing.
class Room {
 public:
  explicit Room(std::size_t bytes_per_event)
      : first_(std::make_unique_for_overwrite<char[]>(bytes_per_event * format::kEventsPerBlock)), at_(first_.get()) {}
  void byte(std::uint8_t v) { *at_++ = static_cast<char>(v); }
  void varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) byte(static_cast<std::uint8_t>(v | 0x80));
    byte(static_cast<std::uint8_t>(v));
  }
  void signed_varint(std::int64_t v) { varint(zigzag(v)); }
  void zeros(std::size_t count) {
    std::memset(at_, 0, count);
    at_ += count;
  }
  void clear() { at_ = first_.get(); }
  std::string_view view() const { return {first_.get(), static_cast<std::size_t>(at_ - first_.get())}; }

 private:
  std::unique_ptr<char[]> first_;
  char* at_;
};

}  // namespace

class EventEncoder::Impl {
 public:
  void add(std::span<const HeddleEvent> events) {
    count_ += static_cast<std::uint32_t>(events.size());
    for (auto e = events.begin(); e != events.end();) {
      if (run_length_ == 0 || e->thread != run_thread_) {
        end_run();
        run_thread_ = e->thread;
        run_index_ = thread_index(e->thread);
      }
      const std::uint32_t before = run_length_;
      std::uint32_t site =
          predictor_.previous_site(run_index_);  // here, not in memory: each event waits for the one before
      for (; e != events.end() && e->thread == run_thread_ && is_as_before(*e, run_length_ == 0, site); ++e)
        run_length_++;
      predictor_.set_previous(run_index_, site);
      as_before_ += run_length_ - before;
      if (e == events.end() || e->thread != run_thread_) continue;
      event(run_index_, *e, run_length_ == 0);
      run_length_++;
      ++e;
    }
  }
  void finish(std::string& out) {
    end_run();
    write_as_before();
    ByteWriter sizes;
    for (const Room& c : columns_) sizes.varint(c.view().size());
    out.append(sizes.view());
    for (const Room& c : columns_) out.append(c.view());
    clear();
  }
  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t kUnknown = ~0u;

  void end_run() {
    if (run_length_ == 0) return;
    columns_[kRuns].varint(run_index_);
    columns_[kRuns].varint(run_length_);
    run_length_ = 0;
  }
  void clear() {
    for (Room& c : columns_) c.clear();
    predictor_.clear();
    threads_.clear();
    sites_.clear();
    ids_.clear();
    last_new_site_ = 0;
    count_ = 0;
  }
  std::uint32_t thread_index(std::uint16_t thread) {
    if (thread >= threads_.size()) threads_.resize(thread + 1u, kUnknown);
    if (threads_[thread] != kUnknown) return threads_[thread];
    columns_[kNewThreads].varint(thread);
    predictor_.add_thread();
    return threads_[thread] = predictor_.thread_count() - 1;
  }
  std::uint32_t site_index(std::uint32_t site, std::uint32_t predicted) {
    if (predicted != kNoSite && ids_[predicted] == site) return predicted;  // nearly always: no search
    const auto [it, added] = sites_.try_emplace(site, predictor_.site_count());
    if (added) {
      predictor_.add_site();
      ids_.push_back(site);
      columns_[kNewSites].signed_varint(static_cast<std::int64_t>(site) - last_new_site_);
      last_new_site_ = site;
    }
    return it->second;
  }
  /// What event() does with nearly each step of a recording: all but the object is as predicted, and there is no
  /// address. The zeros that this means are written for many of them at once.
  bool is_as_before(const HeddleEvent& e, bool first, std::uint32_t& previous) {
    const std::uint32_t site = previous == kNoSite ? kNoSite : predictor_.at(previous).successor;
    if (site == kNoSite || ids_[site] != e.site) return false;
    SiteContext& c = predictor_.at(site);
    const std::uint64_t object = zigzag(static_cast<std::int64_t>(std::uint64_t{e.object} - c.object));
    if (e.kind != c.kind || e.flags != Predictor::predicted_flags(c, first) || (e.flags & HEDDLE_EF_VALUE) ||
        (e.address | e.value | c.address | c.stride | c.last_delta) != 0 || e.stack != c.stack || object >= 0x80)
      return false;
    columns_[kObjects].byte(static_cast<std::uint8_t>(object));
    c.object = e.object;
    c.flags = e.flags;
    previous = site;
    return true;
  }
  void write_as_before() {
    for (const Column column : {kSites, kKinds, kFlags, kAddresses, kValues, kStacks})
      columns_[column].zeros(as_before_);
    as_before_ = 0;
  }
  void event(std::uint32_t thread, const HeddleEvent& e, bool first) {
    if (as_before_ != 0) write_as_before();
    const std::uint32_t predicted = predictor_.predicted_site(thread);
    const std::uint32_t site = site_index(e.site, predicted);
    columns_[kSites].varint(predicted == site ? 0 : site + 1);
    predictor_.saw_site(thread, site);
    const SiteContext& c = predictor_.at(site);
    columns_[kKinds].byte(e.kind ^ c.kind);
    columns_[kFlags].byte(e.flags ^ Predictor::predicted_flags(c, first));
    delta(kAddresses, e.address, Predictor::predicted_address(c));
    delta(kValues, e.value, predictor_.predicted_value(c, e));
    delta(kStacks, e.stack, c.stack);
    delta(kObjects, e.object, c.object);
    predictor_.saw(site, e);
  }
  void delta(Column column, std::uint64_t actual, std::uint64_t predicted) {
    columns_[column].signed_varint(static_cast<std::int64_t>(actual - predicted));
  }

  Predictor predictor_;
  // Bytes of an event in each: a varint of 16 or 17 bits has 3, of 33 bits 5, of 64 bits 10.
  std::array<Room, kColumns> columns_{Room(6), Room(3),  Room(3),  Room(5), Room(1),
                                      Room(1), Room(10), Room(10), Room(5), Room(5)};
  std::vector<std::uint32_t> threads_;  // index of a thread, by its number
  std::unordered_map<std::uint32_t, std::uint32_t> sites_;
  std::vector<std::uint32_t> ids_;  // of sites_, by index
  std::int64_t last_new_site_ = 0;
  std::uint32_t count_ = 0, run_length_ = 0, run_index_ = 0;
  std::uint32_t as_before_ = 0;  // events whose zeros are not written yet
  std::uint16_t run_thread_ = 0;
};

EventEncoder::EventEncoder() : impl_(std::make_unique<Impl>()) {}
EventEncoder::~EventEncoder() = default;
void EventEncoder::add(std::span<const HeddleEvent> events) { impl_->add(events); }
void EventEncoder::finish(std::string& out) { impl_->finish(out); }
std::uint32_t EventEncoder::count() const { return impl_->count(); }

namespace {

/// One column of the input; reading past its end makes it bad.
class Cursor {
 public:
  void set(std::string_view bytes) {
    at_ = reinterpret_cast<const std::uint8_t*>(bytes.data());
    end_ = at_ + bytes.size();
  }
  std::uint8_t byte() {
    if (at_ != end_) return *at_++;
    bad_ = true;
    return 0;
  }
  std::uint64_t varint() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;  // nearly always
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const std::uint8_t b = *at_++;
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    bad_ = true;
    return 0;
  }
  std::uint64_t plus(std::uint64_t predicted) { return predicted + static_cast<std::uint64_t>(unzigzag(varint())); }
  bool bad() const { return bad_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  bool finished() const { return !bad_ && at_ == end_; }

 private:
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool bad_ = false;
};

class Decoder {
 public:
  bool run(std::string_view bytes, std::uint32_t count, std::vector<HeddleEvent>& events) {
    if (count > format::kEventsPerBlock || !split(bytes)) return false;
    events.resize(count);
    for (std::uint32_t i = 0; i < count;) {
      const std::uint64_t thread = columns_[kRuns].varint(), length = columns_[kRuns].varint();
      if (length == 0 || length > count - i || !know_thread(thread)) return false;
      const std::uint32_t end = i + static_cast<std::uint32_t>(length);
      for (bool first = true; i < end; ++i, first = false) {
        events[i].thread = threads_[thread];
        if (!event(static_cast<std::uint32_t>(thread), events[i], first)) return false;
      }
    }
    for (const Cursor& c : columns_)
      if (!c.finished()) return false;
    return true;
  }

 private:
  bool split(std::string_view bytes) {
    Cursor sizes;
    sizes.set(bytes);
    std::array<std::uint64_t, kColumns> size;
    std::uint64_t total = 0;
    for (std::uint64_t& s : size) {
      s = sizes.varint();
      if (sizes.bad() || s > bytes.size()) return false;
      total += s;
    }
    if (sizes.remaining() != total) return false;
    for (std::size_t i = 0, at = bytes.size() - total; i < kColumns; at += size[i++])
      columns_[i].set(bytes.substr(at, size[i]));
    return true;
  }
  bool know_thread(std::uint64_t thread) {
    if (thread < threads_.size()) return true;
    if (thread != threads_.size()) return false;
    threads_.push_back(static_cast<std::uint16_t>(columns_[kNewThreads].varint()));
    predictor_.add_thread();
    return !columns_[kNewThreads].bad();
  }
  bool know_site(std::uint64_t site) {
    if (site < sites_.size()) return true;
    if (site != sites_.size()) return false;
    last_new_site_ = columns_[kNewSites].plus(last_new_site_);
    sites_.push_back(static_cast<std::uint32_t>(last_new_site_));
    predictor_.add_site();
    return !columns_[kNewSites].bad();
  }
  bool event(std::uint32_t thread, HeddleEvent& e, bool first) {
    const std::uint64_t code = columns_[kSites].varint();
    const std::uint64_t index = code == 0 ? predictor_.predicted_site(thread) : code - 1;
    if (!know_site(index)) return false;
    const auto site = static_cast<std::uint32_t>(index);
    predictor_.saw_site(thread, site);
    const SiteContext& c = predictor_.at(site);
    e.site = sites_[site];
    e.kind = columns_[kKinds].byte() ^ c.kind;
    e.flags = columns_[kFlags].byte() ^ Predictor::predicted_flags(c, first);
    e.address = columns_[kAddresses].plus(Predictor::predicted_address(c));
    e.value = columns_[kValues].plus(predictor_.predicted_value(c, e));
    e.stack = static_cast<std::uint32_t>(columns_[kStacks].plus(c.stack));
    e.object = static_cast<std::uint32_t>(columns_[kObjects].plus(c.object));
    predictor_.saw(site, e);
    return true;
  }

  Predictor predictor_;
  std::array<Cursor, kColumns> columns_;
  std::vector<std::uint16_t> threads_;
  std::vector<std::uint32_t> sites_;
  std::uint64_t last_new_site_ = 0;
};

}  // namespace

bool decode_events(std::string_view bytes, std::uint32_t count, std::vector<HeddleEvent>& events) {
  return Decoder().run(bytes, count, events);
}

}  // namespace heddle
