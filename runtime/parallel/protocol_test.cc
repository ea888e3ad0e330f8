// The ownership protocol of recordings (owners.h, terms.h, baton.cc, step_log.cc, the hand-overs of free_steps.cc,
// plain_code.cc), executed in every order of its atomic operations, for two and three threads. The code is the
// runtime's own, compiled for the host.
//
// Law: a replay of the log computes what the recording did. Each of its steps is executed in the order of the log,
// which is that of (number, thread), followed by the code of its thread up to the place of that thread's next step. And
// nobody waits for ever.
//
// States are whole: the variables of the code, and the stacks of the threads. A state that was reached before is not
// continued, so the search ends although threads spin and wait. Orders of memory weaker than the sequence are not
// executed.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <unordered_set>

#include "abi/events.h"
#include "runtime/parallel/protocol_world_test.h"

namespace heddle::rt {
namespace protocol {

World world;
HeddleThreadInfo infos[kMostThreads];
uint32_t used_threads;
std::string programs[kMostThreads];

namespace {

constexpr size_t kStack = 16 * 1024, kCleared = 1024;
alignas(64) char stacks[kMostThreads][kStack];
void* searcher;  // its stack pointer while a thread runs
uint32_t current = kNobody;

__attribute__((naked, noinline)) void switch_stack(void**, void*) {
  __asm__(
      "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
      "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
      "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}

void run_thread() {
  start(current);
  wait_for_turn(State::kStarted);
  execute(current);
  wait_for_turn(State::kEnded);
  __builtin_trap();
}

char* top(uint32_t thread) { return stacks[thread] + kStack; }

void prepare(uint32_t thread) {
  std::memset(stacks[thread], 0, kStack);
  void** at = reinterpret_cast<void**>(top(thread)) - 2;
  *at = reinterpret_cast<void*>(run_thread);
  world.fibers[thread] = {at - 6, State::kRuns, false, nullptr};
}

// What is below the stack pointer is left from calls that returned: it would make equal states different.
void clear_below(uint32_t thread) {
  char* const low = static_cast<char*>(world.fibers[thread].stack_pointer);
  const size_t room = (size_t)(low - stacks[thread]), bytes = room < kCleared ? room : kCleared;
  std::memset(low - bytes, 0, bytes);
}

}  // namespace

uint32_t running() { return current; }

namespace {

// One turn: up to the thread's next operation that another thread could notice.
void run(uint32_t thread) {
  Fiber& f = world.fibers[thread];
  f.state = State::kRuns;
  f.word = nullptr;
  self = &world.threads[thread];
  current = thread;
  switch_stack(&searcher, f.stack_pointer);
  current = kNobody;
  self = nullptr;
  clear_below(thread);
  for (uint32_t i = 0; i < used_threads; i++)
    if (i != thread && world.fibers[i].state == State::kPauses) world.fibers[i].state = State::kRuns;
}

using Bytes = std::vector<char>;

void append(Bytes& to, const void* from, size_t bytes) {
  const char* p = static_cast<const char*>(from);
  to.insert(to.end(), p, p + bytes);
}

Bytes save() {
  static const std::vector<Region> regions = variables();
  Bytes state;
  state.reserve(8192);
  for (const Region& r : regions) append(state, r.at, r.bytes);
  for (uint32_t i = 0; i < used_threads; i++) {
    const char* low = static_cast<char*>(world.fibers[i].stack_pointer);
    append(state, low, (size_t)(top(i) - low));
  }
  return state;
}

void put_back(const Bytes& state) {
  static const std::vector<Region> regions = variables();
  const char* from = state.data();
  for (const Region& r : regions) {
    std::memcpy(r.at, from, r.bytes);
    from += r.bytes;
  }
  for (uint32_t i = 0; i < used_threads; i++) {
    char* low = static_cast<char*>(world.fibers[i].stack_pointer);
    const size_t bytes = (size_t)(top(i) - low);
    std::memcpy(low, from, bytes);
    from += bytes;
  }
}

struct Hash {
  uint64_t a, b;
  bool operator==(const Hash&) const = default;
};
struct HashOfHash {
  size_t operator()(const Hash& h) const { return h.a; }
};

Hash hash_of(const Bytes& state) {
  Hash h{0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f};
  for (size_t i = 0; i + 8 <= state.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, &state[i], 8);
    if (!word) continue;
    word = (word ^ i) * 0x9e3779b97f4a7c15;
    word ^= word >> 32;
    h.a = (h.a ^ word) * 0xbf58476d1ce4e5b9;
    h.a ^= h.a >> 29;
    h.b = (h.b + word) * 0x94d049bb133111eb;
    h.b ^= h.b >> 31;
  }
  return h;
}

// --- The law.

struct Place {
  uint32_t action = 0;
  bool in_hook = false;  // of that action: its access is not done
};

bool is_hook(char letter) { return letter && std::strchr("rwRW", letter); }
bool is_step(char letter) { return letter && std::strchr("skluc", letter); }

class Replay {
 public:
  // Nothing: it computes the same. Else what is different.
  std::optional<std::string> check(const std::vector<NumberedStep>& log) {
    std::vector<std::vector<const HeddleStep*>> own(used_threads);
    for (const NumberedStep& s : log) own[s.step.thread].push_back(&s.step);
    std::vector<size_t> next(used_threads);
    for (const NumberedStep& s : log) {
      if (wrong_) break;
      const uint32_t t = s.step.thread;
      execute_step(t, s.step);
      const size_t following = ++next[t];
      if (following < own[t].size()) go_on(t, *own[t][following]);
    }
    for (uint32_t c = 0; c < kCells && !wrong_; c++)
      if (cells_[c] != world.cells[c]) fail("the last value of a cell");
    return wrong_;
  }

 private:
  void fail(const std::string& what) {
    if (!wrong_) wrong_ = what;
  }
  char letter(uint32_t t) const { return at_[t].action < programs[t].size() ? programs[t][at_[t].action] : 0; }

  void execute_step(uint32_t t, const HeddleStep& step) {
    seen_[t] = requested_[t];
    if (step.kind == HEDDLE_EV_HANDOVER || step.kind == HEDDLE_EV_THREAD_START) return;
    if (step.kind == HEDDLE_EV_THREAD_EXIT) {
      if (letter(t)) fail("the thread ends before its program");
      return;
    }
    if (!is_step(letter(t))) return fail("a step that the program does not make here");
    switch (letter(t)) {
      case 'k': cells_[0] = value_of(t, at_[t].action); break;
      case 'l': lock(t); break;
      case 'u': unlock(t); break;
      case 'c': requested_[(t + 1) % used_threads] = true; break;
      default: break;
    }
    at_[t].action++;
  }

  void lock(uint32_t t) {
    if (holder_ != kNobody) fail("a lock of what is locked");
    holder_ = t;
  }
  void unlock(uint32_t t) {
    if (holder_ != t) fail("an unlock by another thread");
    holder_ = kNobody;
  }

  // The code behind a step of `t`, up to the place of its next one.
  void go_on(uint32_t t, const HeddleStep& next) {
    Place& place = at_[t];
    const bool stops = next.kind == HEDDLE_EV_HANDOVER;
    uint32_t left = stops ? next.hooks - 1 : ~0u;  // hooks to begin
    if (stops && !left) {
      if (!place.in_hook) fail("a stop in a hook that the thread is not in");
      return;
    }
    if (place.in_hook) finish_hook(t);
    for (; !wrong_; finish_hook(t)) {
      while (letter(t) == 'o') place.action++;
      if (!is_hook(letter(t))) break;
      place.in_hook = true;
      if (--left == 0) return;
    }
    if (stops) fail("a place that the thread does not come to");
  }

  void finish_hook(uint32_t t) {
    Place& place = at_[t];
    const char l = letter(t);
    uint64_t& cell = cells_[l == 'R' || l == 'W'];
    if (world.seen[t][place.action] != seen_[t])
      fail("thread " + std::to_string(t) + " saw at action " + std::to_string(place.action) + " that it shall end: " +
           std::to_string(world.seen[t][place.action]) + ", its replay " + std::to_string(seen_[t]));
    if (l == 'w' || l == 'W')
      cell = value_of(t, place.action);
    else if (world.read[t][place.action] != cell)
      fail("thread " + std::to_string(t) + " read " + std::to_string(world.read[t][place.action]) + " in action " +
           std::to_string(place.action) + ", its replay " + std::to_string(cell));
    place.in_hook = false;
    place.action++;
  }

  Place at_[kMostThreads];
  uint64_t cells_[kCells] = {};
  uint32_t holder_ = kNobody;
  bool requested_[kMostThreads] = {}, seen_[kMostThreads] = {};
  std::optional<std::string> wrong_;
};

std::string log_text(const std::vector<NumberedStep>& log) {
  std::string text;
  for (const auto& [number, s] : log) {
    text += "  " + std::to_string(number) + ": thread " + std::to_string(s.thread) + " kind " + std::to_string(s.kind) +
            " hooks " + std::to_string(s.hooks) + "\n";
  }
  return text;
}

// --- The search.

struct Found {
  uint64_t states = 0, ends = 0, slept_out = 0;
};

class Search {
 public:
  Found all(const std::vector<std::string>& wanted) {
    begin(wanted);
    for (uint32_t i = 0; i < used_threads; i++) prepare(i);
    for (uint32_t i = 0; i < used_threads; i++)
      do run(i);
      while (world.fibers[i].state != State::kStarted);
    for (uint32_t i = 0; i < used_threads; i++) world.fibers[i].state = State::kRuns;
    visit();
    while (!path_.empty() && !::testing::Test::HasFailure()) {
      Node& node = path_.back();
      if (!node.choices) {
        path_.pop_back();
        continue;
      }
      const uint32_t thread = (uint32_t)__builtin_ctz(node.choices);
      node.choices &= node.choices - 1;
      node.chosen = thread;
      put_back(node.state);
      run(thread);
      visit();
    }
    return found_;
  }

 private:
  struct Node {
    Bytes state;
    uint32_t choices, chosen;
  };

  void visit() {
    Bytes state = save();
    if (!seen_.insert(hash_of(state)).second) return;
    found_.states++;
    uint32_t choices = threads_in(State::kRuns);
    if (!choices) choices = threads_in(State::kPauses);  // nobody else goes on: they look again
    if (!choices && (choices = with_limit())) found_.slept_out++;
    if (!choices) return end();
    path_.push_back({std::move(state), choices, kNobody});
  }

  static uint32_t threads_in(State state) {
    uint32_t which = 0;
    for (uint32_t i = 0; i < used_threads; i++) which |= (uint32_t)(world.fibers[i].state == state) << i;
    return which;
  }
  static uint32_t with_limit() {
    uint32_t which = 0;
    for (uint32_t i = 0; i < used_threads; i++)
      which |= (uint32_t)(world.fibers[i].state == State::kSleeps && world.fibers[i].has_limit) << i;
    return which;
  }

  void end() {
    found_.ends++;
    const std::vector<NumberedStep> log = logged();
    std::optional<std::string> wrong;
    if (threads_in(State::kSleeps))
      wrong = "threads sleep for ever";
    else
      wrong = Replay().check(log);
    if (wrong) ADD_FAILURE() << *wrong << "\n" << described(log);
  }

  std::string described(const std::vector<NumberedStep>& log) const {
    std::string text = "programs:";
    for (uint32_t i = 0; i < used_threads; i++) text += " " + programs[i];
    text += "\nlog:\n" + log_text(log) + "order of turns: ";
    for (const Node& n : path_) text += std::to_string(n.chosen);
    return text;
  }

  std::vector<Node> path_;
  std::unordered_set<Hash, HashOfHash> seen_;
  Found found_;
};

}  // namespace

// On the stack of a thread.
void wait_for_turn(State state) {
  Fiber& f = world.fibers[current];
  f.state = state;
  switch_stack(&f.stack_pointer, searcher);
}

}  // namespace protocol

using namespace protocol;

void protocol_access(const volatile void* at) {
  if (running() != kNobody && others_look_at(at)) wait_for_turn(State::kRuns);
}
void protocol_pause() {
  if (running() != kNobody) wait_for_turn(State::kPauses);
}

void futex_wait(uint32_t* word, uint32_t value, uint64_t timeout_ns, bool) {
  protocol_access(word);
  if (*word != value) return;
  Fiber& f = world.fibers[running()];
  f.word = word;
  f.has_limit = timeout_ns != 0;
  wait_for_turn(State::kSleeps);
}

void futex_wake(uint32_t* word, int count, bool) {
  protocol_access(word);
  for (uint32_t i = 0; i < used_threads && count > 0; i++) {
    Fiber& f = world.fibers[i];
    if (f.state != State::kSleeps || f.word != word) continue;
    f.state = State::kRuns;
    f.word = nullptr;
    count--;
  }
}

void check_failed(const char* what, const char* file, int line) {
  ADD_FAILURE() << file << ":" << line << ": " << what;
  __builtin_trap();
}

namespace {

Found check(const std::vector<std::string>& threads) {
  const Found found = Search().all(threads);
  EXPECT_GT(found.ends, 0u);
  return found;
}

/// All programs of up to `longest` of these letters.
std::vector<std::string> programs_of(std::string_view letters, size_t longest) {
  std::vector<std::string> all{""};
  for (size_t from = 0, length = 1; length <= longest; length++) {
    const size_t to = all.size();
    for (; from < to; from++)
      for (const char letter : letters) all.push_back(all[from] + letter);
  }
  all.erase(all.begin());
  return all;
}

TEST(Protocol, OneThreadNeverSleeps) { EXPECT_EQ(check({"wrsko"}).slept_out, 0u); }

TEST(Protocol, TwoThreadsOfOneStripeAreReplayedAsRecorded) {
  for (const std::string& one : programs_of("rws", 2))
    for (const char* other : {"r", "w", "s"})
      if (!HasFailure()) EXPECT_EQ(check({one, other}).slept_out, 0u) << one << " " << other;
  for (const char* one : {"wr", "ws", "sr"})
    for (const char* other : {"rw", "ww", "sw"})
      if (!HasFailure()) EXPECT_EQ(check({one, other}).slept_out, 0u) << one << " " << other;
}

// Who reads behind a step without the baton comes after whoever wrote, and before whoever writes next.
TEST(Protocol, SharedMemoryIsReplayedAsRecorded) {
  check({"rw", "rr"});
}

TEST(Protocol, TwoThreadsOfTwoStripesAreReplayedAsRecorded) {
  for (const char* other : {"Ww", "Wr", "Rw", "WR"})
    for (const char* one : {"wW", "rW", "wR"})
      if (!HasFailure()) check({one, other});
}

TEST(Protocol, SystemCallsThatWriteMemoryAreReplayedAsRecorded) {
  for (const char* other : {"r", "w", "k", "rw", "wr", "rr"})
    if (!HasFailure()) check({"k", other});
}

TEST(Protocol, CodeWithoutHooksIsReplayedAsRecorded) {
  for (const char* other : {"w", "r", "k"})
    for (const char* one : {"wo", "row"})
      if (!HasFailure()) check({one, other});
}

TEST(Protocol, LocksAreReplayedAsRecorded) {
  for (const char* other : {"lwu", "lru", "lur"})
    for (const char* one : {"lwu", "wlu"})
      if (!HasFailure()) check({one, other});
}

TEST(Protocol, EqualNumbersOfTwoThreadsAreNoOrder) {
  check({"lwu", "sr"});
  check({"sr", "lwu"});
}

TEST(Protocol, MemoryBesideALockIsReplayedAsRecorded) {
  for (const char* other : {"w", "r", "k"})
    for (const char* one : {"lwu", "luw", "lulu"})
      if (!HasFailure()) check({one, other});
}

TEST(Protocol, ThreadsSeeARequestToEndWhereTheirReplayDoes) {
  for (const char* other : {"c", "lucr"})
    for (const char* one : {"lur", "swr"})
      if (!HasFailure()) check({one, other});
}

TEST(Protocol, ThreeThreadsAreReplayedAsRecorded) {
  check({"s", "s", "w"});
  check({"r", "s", "w"});
}

}  // namespace
}  // namespace heddle::rt
