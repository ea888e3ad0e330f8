#include "src/trace/random_trace.h"

#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

using Rng = std::mt19937_64;

std::uint64_t below(Rng& rng, std::uint64_t n) { return rng() % n; }

std::string text(Rng& rng) {  // any bytes, not only UTF-8
  std::string s(below(rng, 24), '\0');
  for (char& c : s) c = static_cast<char>(rng());
  return s;
}

std::uint64_t number(Rng& rng) { return rng() >> below(rng, 64); }
std::uint32_t number32(Rng& rng) { return static_cast<std::uint32_t>(number(rng)); }

Frame random_frame(Rng& rng) {
  return {text(rng),     text(rng),   text(rng),      text(rng),     number32(rng),
          number32(rng), number(rng), rng() % 2 == 0, rng() % 2 == 0};
}

Stack random_stack(Rng& rng, const std::vector<Frame>& pool) {
  Stack s(below(rng, 8));
  for (Frame& f : s) f = pool[below(rng, pool.size())];
  return s;
}

template <class Enum>
Enum random_of(Rng& rng) {
  return static_cast<Enum>(below(rng, static_cast<std::uint64_t>(Enum::kCount)));
}

/// With the id of its object: one that has a name only gets its id when it is read (find_objects()).
ThreadState random_state(Rng& rng) {
  return {random_of<Activity>(rng),
          random_of<WaitKind>(rng),
          number32(rng),
          1 + number32(rng) % 1000,
          text(rng),
          text(rng),
          rng() % 2 == 0};
}

FailureRecord random_failure(Rng& rng, const std::vector<Frame>& pool) {
  FailureRecord f;
  f.kind = static_cast<FailureKind>(below(rng, HEDDLE_FAIL_COUNT));
  f.line = number32(rng);
  f.address = random_of<AddressClass>(rng);
  for (std::string* s : {&f.signature, &f.message, &f.thread, &f.function, &f.file, &f.detail, &f.subject, &f.said,
                         &f.test, &f.expectation, &f.expectation_place})
    *s = text(rng);
  for (auto n = below(rng, 4); n > 0; --n) f.threads.push_back({text(rng), random_state(rng), random_stack(rng, pool)});
  for (auto n = below(rng, 4); n > 0; --n)
    f.deadlock.push_back({text(rng), random_of<WaitKind>(rng), text(rng), text(rng), 1 + number32(rng) % 1000, pool[0],
                          rng() % 2 ? Frame{} : pool[1]});
  for (auto n = below(rng, 4); n > 0; --n) f.notes.push_back(text(rng));
  return f;
}

Meta random_meta(Rng& rng) {
  Meta m;
  for (std::string* s :
       {&m.heddle_version, &m.program, &m.build_id, &m.cwd, &m.strategy, &m.created, &m.machine, &m.standard_input})
    *s = text(rng);
  m.source = random_of<TraceSource>(rng);
  if (m.source != TraceSource::kHunted) m.strategy.clear();
  m.points = static_cast<HeddlePointSet>(below(rng, HEDDLE_POINTS_ALL + 1));
  for (auto n = below(rng, 5); n > 0; --n) m.argv.push_back(text(rng));
  for (auto n = below(rng, 5); n > 0; --n) m.environment.push_back(text(rng));
  m.has_standard_input = rng() % 2 == 0;
  m.seed = number(rng);
  m.run_index = number(rng);
  m.time_base_ns = number(rng);
  m.virtual_cpus = number32(rng);
  m.detail = number32(rng) & HEDDLE_DETAIL_ALL;
  for (auto n = below(rng, 9); n > 0; --n) m.racy_sites.push_back(number32(rng));
  for (auto n = below(rng, 4); n > 0; --n) m.more[text(rng)] = text(rng);
  return m;
}

}  // namespace

TraceHead random_head(Rng& rng) {
  std::vector<Frame> pool(2 + below(rng, 10));
  for (Frame& f : pool) f = random_frame(rng);
  TraceHead h;
  h.meta = random_meta(rng);
  h.totals = {number(rng), number(rng), number(rng), number(rng), number(rng), number(rng), number(rng)};
  for (auto n = below(rng, 9); n > 0; --n) h.threads.push_back({text(rng), number32(rng), text(rng), text(rng)});
  for (auto n = below(rng, 9); n > 0; --n)
    h.sites.push_back({number32(rng), static_cast<std::uint8_t>(rng()), static_cast<std::uint8_t>(rng()), number32(rng),
                       number32(rng), text(rng), text(rng), text(rng), number32(rng), number32(rng)});
  for (auto n = below(rng, 4); n > 0; --n) h.bitcode.push_back({text(rng), number(rng)});
  for (auto n = below(rng, 9); n > 0; --n) h.stacks.push_back(random_stack(rng, pool));
  for (auto n = below(rng, 9); n > 0; --n)
    h.objects.push_back({number32(rng), number32(rng), text(rng), random_of<NameOrigin>(rng)});
  for (auto n = below(rng, 99); n > 0; --n) h.schedule.push_back({number32(rng), number32(rng)});
  h.inputs = text(rng);
  h.output = text(rng);
  h.output_truncated = rng() % 2 == 0;
  const auto access = [&] {
    return RaceAccess{text(rng), number32(rng), text(rng), text(rng), number32(rng), random_stack(rng, pool)};
  };
  for (auto n = below(rng, 4); n > 0; --n) h.races.push_back({text(rng), number32(rng), access(), access()});
  for (auto n = below(rng, 4); n > 0; --n) h.notes.push_back(text(rng));
  if (rng() % 2) h.failure = random_failure(rng, pool);
  h.wait_status = static_cast<int>(rng());
  h.unreplayable = number32(rng);
  h.complete = rng() % 2 == 0;
  return h;
}

std::vector<HeddleEvent> random_events(Rng& rng, std::size_t count) {
  std::vector<HeddleEvent> events(count);
  for (HeddleEvent& e : events) {
    e = {number(rng),
         number(rng),
         number32(rng) % 40,
         number32(rng),
         number32(rng),
         static_cast<std::uint16_t>(below(rng, 5)),
         static_cast<std::uint8_t>(rng()),
         static_cast<std::uint8_t>(rng())};
    if (rng() % 50 == 0) e.site = number32(rng), e.thread = static_cast<std::uint16_t>(rng());
  }
  return events;
}

ProgramLikeEvents::ProgramLikeEvents(std::uint64_t seed, unsigned threads) : rng_(seed), threads_(threads) {}

HeddleEvent ProgramLikeEvents::step(Thread& t, std::uint16_t thread) {
  // for (;; i++) { lock(m); counter++; unlock(m); sum += table[i % 4096]; node = node->next; }
  const std::uint64_t heap = 0x55555560'0000 + thread * 0x10000ull, stack = 0x7fff'f7d0'0000 - thread * 0x800000ull;
  const std::uint32_t where = 1 + thread;
  HeddleEvent e{};
  switch (t.at) {
    case 0:
      e = {0x404040, 0, 1, where, 1, thread, HEDDLE_EV_MUTEX_LOCK, HEDDLE_EF_POINT};
      break;
    case 1:
      e = {0x404080, counter_, 2, where, 0, thread, HEDDLE_EV_READ, 3 | HEDDLE_EF_VALUE};
      break;
    case 2:
      e = {0x404080, ++counter_, 3, where, 0, thread, HEDDLE_EV_WRITE, 3 | HEDDLE_EF_VALUE};
      break;
    case 3:
      e = {0x404040, 0, 4, where, 1, thread, HEDDLE_EV_MUTEX_UNLOCK, HEDDLE_EF_POINT};
      break;
    case 4:
      e = {heap + 8 * (t.i % 4096), (t.i % 4096) * 7919 % 1000, 5, where, 0, thread,
           HEDDLE_EV_READ,          3 | HEDDLE_EF_VALUE};
      break;
    case 5:
      e = {stack, t.i * 500, 6, where, 0, thread, HEDDLE_EV_READ, 3 | HEDDLE_EF_VALUE};
      break;
    case 6:
      e = {stack, (t.i + 1) * 500, 7, where, 0, thread, HEDDLE_EV_WRITE, 3 | HEDDLE_EF_VALUE};
      break;
    case 7:
      t.node = (t.node * 5 + 1) % 512;
      e = {heap + 0x8000 + 32 * t.node,
           heap + 0x8000 + 32 * ((t.node * 5 + 1) % 512),
           8,
           where,
           0,
           thread,
           HEDDLE_EV_READ,
           3 | HEDDLE_EF_VALUE};
      break;
    default:
      e = {0, rng_() % 3 == 0, 9, 0, 0, thread, HEDDLE_EV_BRANCH, HEDDLE_EF_VALUE};
      break;
  }
  t.at = (t.at + 1) % 9;
  if (t.at == 0) ++t.i;
  return e;
}

std::vector<HeddleEvent> ProgramLikeEvents::next(std::size_t count) {
  std::vector<HeddleEvent> events;
  events.reserve(count);
  bool switched = false;
  while (events.size() < count) {
    Thread& t = threads_[current_];
    HeddleEvent e = step(t, current_);
    if (switched) e.flags |= HEDDLE_EF_SWITCH;
    if (switched && std::exchange(t.left, false)) e.flags |= HEDDLE_EF_PREEMPTED;
    switched = false;
    events.push_back(e);
    if ((t.at == 0 || t.at == 4) && rng_() % 8 == 0) {  // outside of the critical section
      const auto other = static_cast<std::uint16_t>(rng_() % threads_.size());
      switched = other != current_;
      t.left = switched;
      current_ = other;
    }
  }
  return events;
}

TraceHead program_like_head(unsigned threads) {
  TraceHead h;
  h.meta.program = "/tmp/loop";
  h.meta.argv = {"./loop"};
  h.meta.strategy = "random";
  const char* variables[] = {"", "m", "counter", "counter", "m", "table[]", "sum", "sum", "node->next", ""};
  const std::uint8_t kinds[] = {0,
                                HEDDLE_EV_MUTEX_LOCK,
                                HEDDLE_EV_READ,
                                HEDDLE_EV_WRITE,
                                HEDDLE_EV_MUTEX_UNLOCK,
                                HEDDLE_EV_READ,
                                HEDDLE_EV_READ,
                                HEDDLE_EV_WRITE,
                                HEDDLE_EV_READ,
                                HEDDLE_EV_BRANCH};
  const std::uint32_t lines[] = {0, 10, 11, 11, 12, 13, 13, 13, 14, 9};
  for (std::uint32_t id = 1; id < 10; ++id)
    h.sites.push_back({id, kinds[id], 8, lines[id], 5, "work", "/tmp/loop.cc", variables[id]});
  h.objects.push_back({1, HEDDLE_EV_MUTEX_LOCK, "m"});
  for (unsigned t = 0; t < threads; ++t)
    h.threads.push_back({t == 0 ? "0" : fmt::format("0.{}", t), 0, t == 0 ? "main" : "work", ""});
  h.complete = true;
  return h;
}

TraceHead sample_head() {
  TraceHead h;
  h.meta.heddle_version = "0.1.0";
  h.meta.program = "/src/lost_update";
  h.meta.build_id = "00112233445566778899aabbccddeeff00112233";
  h.meta.cwd = "/src";
  h.meta.argv = {"./lost_update", "--quick"};
  h.meta.environment = {"LANG=C.UTF-8"};
  h.meta.strategy = "pct";
  h.meta.points = HEDDLE_POINTS_RACY;
  h.meta.created = "2024-01-02T03:04:05Z";
  h.meta.machine = "x86_64";
  h.meta.standard_input = std::string("in\0put", 6);
  h.meta.has_standard_input = true;
  h.meta.seed = 0x7c1;
  h.meta.run_index = 411;
  h.meta.time_base_ns = 1'700'000'000'000'000'000;
  h.meta.virtual_cpus = 4;
  h.meta.detail = kAccessesDetail;
  h.meta.racy_sites = {1, 2};
  h.meta.more = {{"note", "sample"}};
  h.totals = {17, 13, 5, 1, 5, 0x1234, 13000};
  h.threads = {{"0", 0, "main", ""}, {"0.1", 0, "add()", "first"}, {"0.2", 0, "add()", ""}};
  h.sites = {{1, HEDDLE_EV_READ, 4, 5, 25, "add", "/src/lost_update.cc", "counter"},
             {2, HEDDLE_EV_WRITE, 4, 5, 42, "add", "/src/lost_update.cc", "counter"},
             {3, HEDDLE_EV_READ, 4, 9, 10, "main", "/src/lost_update.cc", "counter"},
             {HEDDLE_SITE_PC | 7, HEDDLE_EV_THREAD_CREATE, 0, 7, 15, "main", "/src/lost_update.cc", ""},
             {HEDDLE_SITE_PC | 8, HEDDLE_EV_THREAD_JOIN, 0, 8, 3, "main", "/src/lost_update.cc", ""}};
  const Frame add{"add()", "_Z3addv", "/src/lost_update.cc", "lost_update", 5, 25, 0x1180, false, false};
  const Frame start{"start_thread", "start_thread", "", "libc.so.6", 0, 0, 0x89134, false, true};
  const Frame thread{"std::thread::thread()",
                     "_ZNSt6threadC1Ev",
                     "/usr/include/c++/12/thread",
                     "lost_update",
                     140,
                     9,
                     0x1300,
                     true,
                     true};
  const Frame create{"main", "main", "/src/lost_update.cc", "lost_update", 7, 15, 0x1200, false, false};
  const Frame join{"main", "main", "/src/lost_update.cc", "lost_update", 8, 3, 0x1240, false, false};
  const Frame check{"main", "main", "/src/lost_update.cc", "lost_update", 9, 3, 0x1260, false, false};
  h.stacks = {{add, start}, {thread, create}, {join}, {check}};
  h.objects = {{1, HEDDLE_EV_THREAD_CREATE, "thread 0.1"}, {2, HEDDLE_EV_THREAD_CREATE, "thread 0.2"}};
  h.schedule = {{0, 2}, {1, 2}, {2, 4}, {1, 2}, {0, 3}};
  h.inputs = std::string(40, '\7');
  h.output = "lost_update: lost_update.cc:9: int main(): Assertion `counter == 2' failed.\n";
  h.output_truncated = true;
  h.races = {{"counter",
              4,
              {"0.1", HEDDLE_EV_READ, "add", "/src/lost_update.cc", 5, {add, start}},
              {"0.2", HEDDLE_EV_WRITE, "add", "/src/lost_update.cc", 5, {add, start}}}};
  h.notes = {"thread 17 of libfoo is not controlled"};
  h.failure = FailureRecord{HEDDLE_FAIL_ASSERTION,
                            "assertion:main",
                            "assertion `counter == 2'",
                            "0",
                            "main",
                            "/src/lost_update.cc",
                            9,
                            "signal 6",
                            {{"0", {.activity = Activity::kRunning}, {check}},
                             {"0.1", {.activity = Activity::kFinished}, {}},
                             {"0.2", {.activity = Activity::kFinished}, {}}},
                            {{"0", WaitKind::kLock, "m", "0.1", 0, check, Frame{}}},
                            {"a note"}};
  h.failure->said = "counter == 2";
  h.wait_status = 6;
  h.complete = true;
  return h;
}

std::vector<HeddleEvent> sample_events() {
  const std::uint32_t create = HEDDLE_SITE_PC | 7, join = HEDDLE_SITE_PC | 8;
  const std::uint8_t p = HEDDLE_EF_POINT, v = HEDDLE_EF_VALUE | 2, pv = p | v, sw = HEDDLE_EF_SWITCH,
                     pre = HEDDLE_EF_PREEMPTED;
  const auto flags = [](int f) { return static_cast<std::uint8_t>(f); };
  return {{0, 0, 0, 0, 0, 0, HEDDLE_EV_THREAD_START, flags(p | sw)},
          {0x7ff0, 0, create, 2, 1, 0, HEDDLE_EV_THREAD_CREATE, p},
          {0x7ff8, 0, create, 2, 2, 0, HEDDLE_EV_THREAD_CREATE, p},
          {0, 0, 0, 0, 1, 1, HEDDLE_EV_THREAD_START, flags(p | sw)},
          {0x404040, 0, 1, 1, 0, 1, HEDDLE_EV_READ, pv},
          {0, 0, 0, 0, 2, 2, HEDDLE_EV_THREAD_START, flags(p | sw)},
          {0x404040, 0, 1, 1, 0, 2, HEDDLE_EV_READ, pv},
          {0x404040, 1, 2, 1, 0, 2, HEDDLE_EV_WRITE, pv},
          {0, 0, 0, 0, 2, 2, HEDDLE_EV_THREAD_EXIT, p},
          {0x404040, 1, 2, 1, 0, 1, HEDDLE_EV_WRITE, flags(pv | sw | pre)},
          {0, 0, 0, 0, 1, 1, HEDDLE_EV_THREAD_EXIT, p},
          {0x7ff0, 0, join, 3, 1, 0, HEDDLE_EV_THREAD_JOIN, flags(p | sw)},
          {0x7ff8, 0, join, 3, 2, 0, HEDDLE_EV_THREAD_JOIN, p},
          {0x404040, 1, 3, 4, 0, 0, HEDDLE_EV_READ, v}};
}

}  // namespace heddle
