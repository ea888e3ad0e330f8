#include "runtime/hooks/sites.h"
#include "runtime/detector/detector_world_test.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/arena.h"
#include "runtime/control/scheduler.h"
#include "runtime/detector/fast_path.h"
#include "runtime/detector/report.h"

// Fakes of what the detector needs from the rest of the runtime.
extern "C" long heddle_raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
  long result = syscall(number, a, b, c, d, e, f);
  return result == -1 ? -errno : result;
}

namespace heddle::rt {

HeddleRegion* region;

namespace detector {
std::vector<std::string> notes;
size_t arena_bytes;
static World* world;
static HeddleSite* sites;
constexpr uint64_t kSites = 1u << 25, kRaces = 1u << 14;
static uint64_t next_site = 1;
static uint32_t stacks_captured;
}  // namespace detector

void check_failed(const char* what, const char* file, int line) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  abort();
}
void note(const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  detector::notes.push_back(text);
}
void* arena_allocate_cold(size_t bytes) { return arena_allocate(bytes); }
void* arena_allocate(size_t bytes) {
  detector::arena_bytes += bytes;
  void* p = aligned_alloc(16, (bytes + 15) & ~size_t{15});
  return memset(p, 0, bytes);
}
void count_own_mapping(uint64_t, bool) {}
Thread& thread(uint32_t index) { return detector::world->thread_at(static_cast<int>(index)); }
uint32_t thread_count() { return detector::world ? detector::world->thread_count() : 0; }
uint32_t capture_stack(void*, void*) { return ++detector::stacks_captured; }
SiteRange last_asked;
uint32_t find_site_id(const HeddleSite* site) { return static_cast<uint32_t>(site - detector::sites); }

namespace detector {

World::World(uint32_t detail) : objects_(16), first_site_(next_site) {
  if (!region) {
    size_t header = (sizeof(HeddleRegion) + 63) & ~size_t{63};
    region = static_cast<HeddleRegion*>(calloc(1, header + kRaces * sizeof(HeddleRace)));
    region->area[HEDDLE_AREA_RACES] = {header, kRaces * sizeof(HeddleRace)};
    sites = static_cast<HeddleSite*>(mmap(nullptr, kSites * sizeof(HeddleSite), PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  region->result = HeddleResult{};
  region->run.detail = detail;
  world = this;
  notes.clear();
  auto main = std::make_unique<Thread>();
  *main = Thread{};
  threads_.push_back(std::move(main));
  last_.push_back(-1);
  fences_.emplace_back();
  start();
  forget_everything();
}

World::~World() {
  next_site = first_site_ + events_.size() + 1;
  for (Object& o : objects_) detector::forget(o);
  epoch_limit = kEpochLimit;
  world = nullptr;
}

int World::add(int thread) {
  int n = static_cast<int>(events_.size());
  events_.emplace_back();
  events_[n].thread = thread;
  events_[n].before.assign(n, false);
  if (last_[thread] >= 0) edge(last_[thread], n);
  last_[thread] = n;
  return n;
}

void World::edge(int from, int to) {
  if (from == to) return;
  std::vector<bool>& before = events_[to].before;
  before[from] = true;
  for (int i = 0; i < from; i++) {
    if (events_[from].before[i]) before[i] = true;
  }
}

int World::add_access(int thread, uintptr_t a, size_t n, bool is_write, bool is_atomic) {
  int e = add(thread);
  Event& event = events_[e];
  event.is_access = true;
  event.is_write = is_write;
  event.is_atomic = is_atomic;
  event.low = a;
  event.high = a + n;
  for (uintptr_t byte = a; byte < a + n; byte++) {
    lives_of_event_[e][byte] = life_[byte];
    if (is_write && !is_atomic) stores_.erase(byte);  // this value belongs to no release sequence
  }
  return e;
}

HeddleSite* World::site(int event, uint32_t kind) {
  HeddleSite* s = &sites[first_site_ + event];
  s->kind = static_cast<uint8_t>(kind);
  return s;
}

int World::event_of_site(uint32_t site) const { return static_cast<int>((site & ~HEDDLE_SITE_PC) - first_site_); }

int World::read(int thread, uintptr_t address, uint32_t size) {
  int e = add_access(thread, address, size, false, false);
  Thread& t = *threads_[thread];
  auto* p = reinterpret_cast<const volatile void*>(address);
  HeddleSite* s = site(e, HEDDLE_EV_READ);
  switch (size) {
    case 1:
      detector::read<1>(t, p, s);
      break;
    case 2:
      detector::read<2>(t, p, s);
      break;
    case 4:
      detector::read<4>(t, p, s);
      break;
    case 8:
      detector::read<8>(t, p, s);
      break;
    default:
      detector::read<16>(t, p, s);
      break;
  }
  return e;
}

int World::write(int thread, uintptr_t address, uint32_t size) {
  int e = add_access(thread, address, size, true, false);
  Thread& t = *threads_[thread];
  auto* p = reinterpret_cast<const volatile void*>(address);
  HeddleSite* s = site(e, HEDDLE_EV_WRITE);
  switch (size) {
    case 1:
      detector::write<1>(t, p, s);
      break;
    case 2:
      detector::write<2>(t, p, s);
      break;
    case 4:
      detector::write<4>(t, p, s);
      break;
    case 8:
      detector::write<8>(t, p, s);
      break;
    default:
      detector::write<16>(t, p, s);
      break;
  }
  return e;
}

int World::range(int thread, uintptr_t address, size_t length, bool is_write) {
  int e = add_access(thread, address, length, is_write, false);
  detector::range(*threads_[thread], reinterpret_cast<void*>(address), length, is_write, nullptr, pc_site(e));
  return e;
}

int World::atomic(int thread, uintptr_t address, uint32_t size, uint32_t kind, int order, bool success) {
  bool loads = kind != HEDDLE_EV_ATOMIC_STORE, stores = kind != HEDDLE_EV_ATOMIC_LOAD && success;
  bool acquires =
      order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  bool releases = order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  int e = add_access(thread, address, size, stores, true);
  std::vector<int> heads;
  for (uintptr_t byte = address; byte < address + size; byte++) {
    if (auto s = stores_.find(byte); s != stores_.end())
      heads.insert(heads.end(), s->second.heads.begin(), s->second.heads.end());
  }
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  if (loads) {
    for (int head : heads) {
      if (acquires) edge(head, e);
      fences_[thread].unacquired.push_back(head);
    }
  }
  if (stores) {
    if (!loads) heads.clear();
    if (releases) heads.push_back(e);
    if (fences_[thread].release >= 0) heads.push_back(fences_[thread].release);
    for (uintptr_t byte = address; byte < address + size; byte++) stores_[byte].heads = heads;
  }
  detector::atomic(*threads_[thread], reinterpret_cast<void*>(address), size, kind, order, success, site(e, kind));
  return e;
}

int World::fence(int thread, int order) {
  int e = add(thread);
  bool acquires = order != __ATOMIC_RELEASE && order != __ATOMIC_RELAXED;
  bool releases = order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
  if (acquires) {
    for (int head : fences_[thread].unacquired) edge(head, e);
  }
  if (releases) fences_[thread].release = e;
  detector::fence(*threads_[thread], order);
  return e;
}

int World::acquire(int thread, int object) {
  int e = add(thread);
  for (int r : releases_[object]) edge(r, e);
  detector::acquire(*threads_[thread], objects_[object]);
  return e;
}

int World::release(int thread, int object) {
  int e = add(thread);
  releases_[object].push_back(e);
  detector::release(*threads_[thread], objects_[object]);
  return e;
}

int World::create(int parent) {
  int e = add(parent);
  auto child = std::make_unique<Thread>();
  *child = Thread{};
  child->index = static_cast<uint32_t>(threads_.size());
  threads_.push_back(std::move(child));
  last_.push_back(e);
  fences_.emplace_back();
  detector::thread_created(*threads_[parent], *threads_.back());
  return static_cast<int>(threads_.size()) - 1;
}

int World::join(int joiner, int joined) {
  int e = add(joiner);
  edge(last_[joined], e);
  detector::thread_joined(*threads_[joiner], *threads_[joined]);
  return e;
}

int World::allocated(int thread, uintptr_t address, size_t bytes) {
  int e = add(thread);
  lives_++;
  for (uintptr_t byte = address; byte < address + bytes; byte++) {
    life_[byte] = lives_;
    stores_.erase(byte);
  }
  detector::allocated(*threads_[thread], reinterpret_cast<void*>(address), bytes);
  return e;
}

int World::freed(int thread, uintptr_t address, size_t bytes) {
  int e = add_access(thread, address, bytes, true, false);
  detector::freed(*threads_[thread], reinterpret_cast<void*>(address), bytes, pc_site(e));
  return e;
}

int World::started(int thread, uintptr_t low, uintptr_t high) {
  int e = add(thread);
  lives_++;
  for (auto& [byte, life] : life_) {
    if (byte >= low && byte < high) life = lives_;
  }
  threads_[thread]->stack_low = low;
  threads_[thread]->stack_high = high;
  detector::thread_started(*threads_[thread]);
  return e;
}

void World::forget() {
  forget_everything();
  lives_++;
  for (auto& [byte, life] : life_) life = lives_;
}

std::vector<HeddleRace> World::races() const {
  auto* first = area<HeddleRace>(HEDDLE_AREA_RACES);
  return {first, first + region->result.race_count};
}

std::vector<Pair> World::reported() const {
  std::vector<Pair> pairs;
  for (const HeddleRace& r : races()) pairs.emplace_back(event_of_site(r.first_site), event_of_site(r.second_site));
  return pairs;
}

bool World::conflict(const Event& a, int first, const Event& b, int second, uintptr_t byte) const {
  if (!a.is_access || !b.is_access || !(a.is_write || b.is_write) || (a.is_atomic && b.is_atomic)) return false;
  if (byte < a.low || byte >= a.high || byte < b.low || byte >= b.high) return false;
  if (lives_of_event_.at(first).at(byte) != lives_of_event_.at(second).at(byte)) return false;
  return !b.before[first];
}

std::set<Pair> World::racing() const {
  std::set<Pair> pairs;
  for (int second = 0; second < static_cast<int>(events_.size()); second++) {
    for (int first = 0; first < second; first++) {
      const Event &a = events_[first], &b = events_[second];
      for (uintptr_t byte = b.low; byte < b.high; byte++) {
        if (conflict(a, first, b, second, byte)) pairs.insert({first, second});
      }
    }
  }
  return pairs;
}

std::string World::difference() const {
  std::set<Pair> all = racing();
  std::map<uintptr_t, int> found, expected;  // byte -> the first event that races there with an earlier one
  auto collect = [this](Pair p, std::map<uintptr_t, int>& first_race) {
    const Event &a = events_[p.first], &b = events_[p.second];
    for (uintptr_t byte = b.low; byte < b.high; byte++) {
      if (!conflict(a, p.first, b, p.second, byte)) continue;
      auto [entry, is_new] = first_race.emplace(byte, p.second);
      if (!is_new && p.second < entry->second) entry->second = p.second;
    }
  };
  for (Pair p : reported()) {
    if (!all.count(p)) return "invented: event " + std::to_string(p.first) + " with " + std::to_string(p.second);
    collect(p, found);
  }
  for (Pair p : all) collect(p, expected);
  for (auto [byte, event] : expected) {
    if (!found.count(byte) || found[byte] != event) {
      return "missed: event " + std::to_string(event) + " on byte " + std::to_string(byte & 0xfff);
    }
  }
  return "";
}

}  // namespace detector
}  // namespace heddle::rt
