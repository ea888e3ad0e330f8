// Streams and threads of a log.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/log/state.h"

namespace heddle::rt::log {

State* state;
Settings settings;

uint64_t nanoseconds(int clock) {
  timespec t{};
  raw_syscall(SYS_clock_gettime, clock, &t);
  return (uint64_t)t.tv_sec * 1'000'000'000 + (uint64_t)t.tv_nsec;
}

HeddleLogChunk* chunk_at(uint32_t number) {
  return reinterpret_cast<HeddleLogChunk*>(state->base + kChunksAt + number * kChunk);
}

void begin_chunk(HeddleLogChunk& c, uint32_t type, uint32_t stream, uint64_t thread, uint64_t sequence) {
  __atomic_store_n(&c.sequence, 0ull, __ATOMIC_RELEASE);
  __atomic_store_n(&c.committed, 0u, __ATOMIC_RELEASE);
  c.sealed = 0;
  c.check = 0;
  c.magic = HEDDLE_LOG_CHUNK_MAGIC;
  c.type = type;
  c.stream = stream;
  c.thread = thread;
  c.tsc = now();
  c.monotonic_ns = nanoseconds(CLOCK_MONOTONIC);
  __atomic_store_n(&c.sequence, sequence, __ATOMIC_RELEASE);
}

namespace {

constexpr uint32_t kPerDirectory = (kChunk - sizeof(HeddleLogChunk)) / sizeof(HeddleLogStream);
constexpr uint32_t kKeptEnded = 64;  // rings of threads that have ended, before the oldest is taken

uint64_t processes;  // of this one and those that it came from by forks

thread_local ThreadLog* current __attribute__((tls_model("initial-exec")));
ThreadLog gone;  // `current` of a thread that has ended

// No handler runs meanwhile, and nobody is cancelled: the lock would never be free again.
class Allocating {
 public:
  Allocating() {
    constexpr int kBlock = 0;
    const uint64_t all = ~0ull;
    raw_syscall(SYS_rt_sigprocmask, kBlock, &all, &mask_, sizeof mask_);
    uint32_t expected = 0;
    if (__atomic_compare_exchange_n(&state->lock, &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    while (__atomic_exchange_n(&state->lock, 2u, __ATOMIC_ACQUIRE)) futex_wait(&state->lock, 2);
  }
  ~Allocating() {
    if (__atomic_exchange_n(&state->lock, 0u, __ATOMIC_RELEASE) == 2) futex_wake(&state->lock, 1);
    constexpr int kSetMask = 2;
    raw_syscall(SYS_rt_sigprocmask, kSetMask, &mask_, nullptr, sizeof mask_);
  }
  Allocating(const Allocating&) = delete;

 private:
  uint64_t mask_ = 0;
};

// The number of a new one, + 1; 0: there is no room. Under the lock.
uint32_t take_chunk() {
  const uint32_t number = state->header->chunk_count;
  const uint64_t until = kChunksAt + (number + 1ull) * kChunk;
  if (until > state->limit || !make_ready(until)) {
    state->header->full = until > state->limit ? HEDDLE_LOG_AT_LIMIT : HEDDLE_LOG_DISK_FULL;
    return 0;
  }
  __atomic_store_n(&state->header->chunk_count, number + 1, __ATOMIC_RELEASE);
  return number + 1;
}

char* payload_of(HeddleLogChunk& c) { return reinterpret_cast<char*>(&c + 1); }

HeddleLogStream& stream_at(uint32_t number) {
  HeddleLogChunk* c = chunk_at(0);
  for (; number >= kPerDirectory; number -= kPerDirectory) c = chunk_at(c->next - 1);
  return reinterpret_cast<HeddleLogStream*>(payload_of(*c))[number];
}

void describe(HeddleLogStream& s, uint64_t thread, uint32_t type, uint32_t first) {
  s = HeddleLogStream{};
  s.thread = thread;
  s.type = type;
  s.first = first;
  s.tid = (int)raw_syscall(SYS_gettid);
  s.check = heddle_log_hash(&s, 2 * sizeof(uint64_t) - sizeof s.first);
}

// Number of the stream, + 1. Under the lock.
uint32_t add_stream(uint64_t thread, uint32_t type, uint32_t first) {
  const uint32_t number = state->header->stream_count, slot = number % kPerDirectory;
  if (number && slot == 0) {
    const uint32_t more = take_chunk();
    if (!more) return 0;
    HeddleLogChunk* next = chunk_at(more - 1);
    begin_chunk(*next, HEDDLE_LOG_DIRECTORY, 0, 0, ++state->directory_number);
    __atomic_store_n(&state->directory->next, more, __ATOMIC_RELEASE);
    state->directory = next;
  }
  describe(reinterpret_cast<HeddleLogStream*>(payload_of(*state->directory))[slot], thread, type, first);
  __atomic_store_n(&state->directory->committed, (uint32_t)((slot + 1) * sizeof(HeddleLogStream)), __ATOMIC_RELEASE);
  __atomic_store_n(&state->header->stream_count, number + 1, __ATOMIC_RELEASE);
  return number + 1;
}

void write_to(Writer& w, HeddleLogChunk& c) {
  w.chunk = &c;
  w.at = payload_of(c);
  w.room = (uint32_t)(kChunk - sizeof c);
  w.committed = 0;
}

void seal(HeddleLogChunk& c) {
  c.check = heddle_log_hash(payload_of(c), c.committed);
  __atomic_store_n(&c.sealed, 1u, __ATOMIC_RELEASE);
}

// The ring of a thread that has ended.
void take_over_ring(ThreadLog& t, uint32_t type, Writer& w) {
  uint32_t number = w.first;
  for (uint32_t i = 0; i < w.chunks && number; i++, number = chunk_at(number - 1)->next)
    __atomic_store_n(&chunk_at(number - 1)->sequence, 0ull, __ATOMIC_RELEASE);
  describe(stream_at(w.stream - 1), t.thread, type, w.first);
}

bool open_stream(ThreadLog& t, uint32_t type, Writer& w) {
  if (w.stream) {
    take_over_ring(t, type, w);
  } else {
    w.first = take_chunk();
    w.stream = w.first ? add_stream(t.thread, type, w.first) : 0;
    w.chunks = 1;
  }
  if (!w.stream) return false;
  w.sequence = 1;
  const uint32_t first = w.first;
  HeddleLogChunk& c = *chunk_at(first - 1);
  begin_chunk(c, type, w.stream - 1, t.thread, 1);
  write_to(w, c);
  return true;
}

bool next_chunk(ThreadLog& t, uint32_t type, Writer& w) {
  HeddleLogChunk& full = *w.chunk;
  seal(full);
  uint32_t next = full.next;
  if (!next) {
    const bool may_grow = !state->ring_chunks || w.chunks < state->ring_chunks;
    next = may_grow ? take_chunk() : 0;
    if (next)
      w.chunks++;
    else if (state->ring_chunks)
      next = w.first;
    if (!next) return false;
  }
  begin_chunk(*chunk_at(next - 1), type, w.stream - 1, t.thread, ++w.sequence);
  __atomic_store_n(&full.next, next, __ATOMIC_RELEASE);
  write_to(w, *chunk_at(next - 1));
  return true;
}

}  // namespace

void* make_room(ThreadLog& t, HeddleLogType type, uint32_t bytes) {
  Writer& w = t.writers[type];
  if (!w.full) {
    const Allocating lock;
    if (!w.chunk ? open_stream(t, type, w) : next_chunk(t, type, w)) return w.room >= bytes ? w.at : nullptr;
    if (!w.stream) state->header->lost_threads++;
    w.full = true;
    w.room = 0;
  }
  if (w.stream) __atomic_fetch_add(&stream_at(w.stream - 1).lost, 1ull, __ATOMIC_RELAXED);
  return nullptr;
}

ThreadLog* new_thread() {
  const Allocating lock;
  ThreadLog* t = state->free_threads;
  Writer rings[HEDDLE_LOG_TYPES] = {};
  if (state->ended_count >= kKeptEnded) {
    t = state->first_ended;
    state->first_ended = t->next;
    state->ended_count--;
    for (uint32_t type = 0; type < HEDDLE_LOG_TYPES; type++) {
      const Writer& w = t->writers[type];
      rings[type].stream = w.stream;
      rings[type].first = w.first;
      rings[type].chunks = w.chunks;
    }
  } else if (t) {
    state->free_threads = t->next;
  } else {
    if (state->pool + sizeof(ThreadLog) > state->pool_end) {
      constexpr size_t kPool = 64 << 10;
      const long p = raw_syscall(SYS_mmap, 0, kPool, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (p < 0 && p > -4096) return nullptr;
      state->pool = (char*)p;
      state->pool_end = state->pool + kPool;
    }
    t = reinterpret_cast<ThreadLog*>(state->pool);
    state->pool += sizeof(ThreadLog);
  }
  *t = ThreadLog{};
  __builtin_memcpy(t->writers, rings, sizeof rings);
  t->process = state->process;
  t->thread = state->header->thread_count++;
  return t;
}

void begin(ThreadLog& t) { current = &t; }

namespace {

void give_back_locked(ThreadLog& t) {
  bool has_rings = false;
  for (const Writer& w : t.writers) has_rings |= state->ring_chunks && w.stream;
  if (!has_rings) {
    t.next = state->free_threads;
    state->free_threads = &t;
    return;
  }
  t.next = nullptr;
  (state->ended_count++ ? state->last_ended->next : state->first_ended) = &t;
  state->last_ended = &t;
}

}  // namespace

void give_back(ThreadLog& t) {
  const Allocating lock;
  give_back_locked(t);
}

void end() {
  ThreadLog* t = current;
  if (!on() || !t || t->process != state->process) return;
  current = &gone;
  const Allocating lock;
  for (const Writer& w : t->writers)
    if (w.stream && w.chunk) __atomic_store_n(&stream_at(w.stream - 1).ended, 1u, __ATOMIC_RELEASE);
  give_back_locked(*t);
}

ThreadLog* mine(HeddleLogType type) {
  ThreadLog* t = current;
  if (HEDDLE_LIKELY(t && t->process == state->process)) {
    if (HEDDLE_LIKELY(!t->busy)) return t;
    if (const Writer& w = t->writers[type]; w.stream && w.chunk)
      __atomic_fetch_add(&stream_at(w.stream - 1).lost, 1ull, __ATOMIC_RELAXED);
    return nullptr;
  }
  if (t == &gone) return nullptr;
  t = new_thread();  // it was made in another way, or it is the only one of a child
  if (t) begin(*t);
  return t;
}

namespace {

template <class T>
T* map_private() {
  const long p = raw_syscall(SYS_mmap, 0, (sizeof(T) + kPage - 1) & ~(kPage - 1), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p < 0 && p > -4096 ? nullptr : (T*)p;
}

// The first operation of a child: it is alone.
__attribute__((noinline)) bool on_in_child() {
  if (state->process == 0) {  // wiped
    state->process = ++processes;
    if (settings.descriptor < 0) open_log(true);
  }
  return state->on;
}

}  // namespace

bool on() { return HEDDLE_LIKELY(state->on) || (state->process == 0 && on_in_child()); }

void start(const Settings& wanted) {
  settings = wanted;
  state = map_private<State>();
  constexpr int kWipeOnFork = 18;
  if (!state) return say("no memory", "", 0);
  if (raw_syscall(SYS_madvise, state, (sizeof(State) + kPage - 1) & ~(kPage - 1), kWipeOnFork))
    return say("the kernel is older than 4.14", "", 0);
  state->process = ++processes;
  open_log(false);
  if (!state->on) return;
  if (ThreadLog* t = new_thread()) begin(*t);
  sync_recorder_start();
}

}  // namespace heddle::rt::log
