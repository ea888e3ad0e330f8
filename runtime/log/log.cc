#include "runtime/log/log.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace heddle::rt::log {
namespace {

constexpr uint64_t kChunk = HEDDLE_LOG_CHUNK_BYTES, kPage = 4096;
constexpr uint64_t kModulesAt = kPage;
constexpr uint64_t kChunksAt = (kModulesAt + HEDDLE_LOG_MODULES * sizeof(HeddleLogModule) + kPage - 1) & ~(kPage - 1);
constexpr uint64_t kAhead = 16 * kChunk;  // of the file that is made ready at a time
constexpr uint64_t kLeast = kChunksAt + kAhead;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr uint32_t kPerDirectory = (kChunk - sizeof(HeddleLogChunk)) / sizeof(HeddleLogStream);
constexpr uint32_t kKeptEnded = 64;  // rings of threads that have ended, before the oldest is taken
constexpr uint32_t kFiles = 99;

// All that a child of a fork must not have. Lies in memory that a fork wipes.
struct State {
  bool on;
  uint64_t process;
  HeddleLogHeader* header;
  char* base;
  uint64_t limit, ready;      // of the file: bytes that have room on the disk
  bool ahead;                 // it is made ready piece by piece; else all of it at the start
  uint32_t ring_chunks;       // 0: linear
  uint32_t lock;              // futex: 0 free, 1 held, 2 somebody waits
  HeddleLogChunk* directory;  // the last of it
  uint32_t directory_number;
  ThreadLog* free_threads;
  ThreadLog *first_ended, *last_ended;  // rings keep their contents for a while: a queue
  uint32_t ended_count;
  char *pool, *pool_end;  // of ThreadLog
};
State* state;  // the address outlives a fork, what is there does not
Settings settings;
uint64_t processes;  // of this one and those that it came from by forks

thread_local ThreadLog* current __attribute__((tls_model("initial-exec")));
ThreadLog gone;  // `current` of a thread that has ended

uint64_t nanoseconds(int clock) {
  timespec t{};
  raw_syscall(SYS_clock_gettime, clock, &t);
  return (uint64_t)t.tv_sec * 1'000'000'000 + (uint64_t)t.tv_nsec;
}

// No handler runs meanwhile, and nobody is cancelled: the lock would never be free again.
class Allocating {
 public:
  Allocating() {
    const uint64_t all = ~0ull;
    raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK_, &all, &mask_, sizeof mask_);
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
  static constexpr int SIG_BLOCK_ = 0;
  uint64_t mask_ = 0;
};

HeddleLogChunk* chunk_at(uint32_t number) {
  return reinterpret_cast<HeddleLogChunk*>(state->base + kChunksAt + number * kChunk);
}

bool make_ready(uint64_t until) {
  if (until <= state->ready) return true;
  if (!state->ahead) return false;
  uint64_t goal = until + kAhead < state->limit ? until + kAhead : state->limit;
  for (; goal >= until; goal = goal > until ? until : 0) {
    if (raw_syscall(SYS_madvise, state->base + state->ready, goal - state->ready, kPopulateWrite) == 0)
      return state->ready = goal, true;
  }
  return false;
}

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

void say(const char* why, const char* path, long error) {
  char line[900];
  size_t n = 0;
  const char* const parts[] = {"heddle: no log: ", why, path, error ? ": " : "",
                               error ? strerrordesc_np((int)-error) : "", "; the program runs without one\n"};
  for (const char* part : parts)
    for (; part && *part && n < sizeof line; part++) line[n++] = *part;
  raw_syscall(SYS_write, 2, line, n);
}

// PATH, then PATH.2 ...: a log is never overwritten.
long create(char* name) {
  long fd = -EEXIST;
  const size_t length = __builtin_strlen(settings.path);
  for (uint32_t i = 1; i <= kFiles && fd == -EEXIST; i++) {
    __builtin_memcpy(name, settings.path, length + 1);
    if (i > 1) {
      char* p = name + length;
      *p++ = '.';
      if (i >= 10) *p++ = (char)('0' + i / 10);
      *p++ = (char)('0' + i % 10);
      *p = 0;
    }
    fd = raw_syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  return fd;
}

struct Found {
  HeddleLogHeader* header;
  HeddleLogModule* modules;
};

void read_build_id(HeddleLogModule& m, const char* at, size_t bytes) {
  while (bytes > sizeof(ElfW(Nhdr))) {
    const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* name = at + sizeof note;
    const char* data = name + ((note.n_namesz + 3) & ~3u);
    const char* next = data + ((note.n_descsz + 3) & ~3u);
    if (next < at || next > at + bytes) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !__builtin_memcmp(name, "GNU", 4) &&
        note.n_descsz <= sizeof m.build_id) {
      m.build_id_bytes = note.n_descsz;
      __builtin_memcpy(m.build_id, data, note.n_descsz);
      return;
    }
    bytes -= (size_t)(next - at);
    at = next;
  }
}

int add_module(dl_phdr_info* info, size_t, void* data) {
  const Found& f = *static_cast<const Found*>(data);
  const uint32_t number = f.header->module_count;
  if (number == HEDDLE_LOG_MODULES) return 1;
  HeddleLogModule& m = f.modules[number];
  m.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const uint64_t low = info->dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_LOAD && low + p.p_memsz > m.end) m.end = low + p.p_memsz;
    if (p.p_type == PT_NOTE) read_build_id(m, (const char*)low, p.p_memsz);
  }
  if (number == 0)
    raw_syscall(SYS_readlink, "/proc/self/exe", m.path, sizeof m.path - 1);
  else
    for (size_t i = 0; i + 1 < sizeof m.path && info->dlpi_name && info->dlpi_name[i]; i++)
      m.path[i] = info->dlpi_name[i];
  m.check = heddle_log_hash(&m, sizeof m - sizeof m.check);
  __atomic_store_n(&f.header->module_count, number + 1, __ATOMIC_RELEASE);
  return 0;
}

void write_header(bool find_modules, const char* old_modules, uint32_t old_count) {
  HeddleLogHeader& h = *state->header;
  h.version = HEDDLE_LOG_VERSION;
  h.header_bytes = sizeof h;
  h.chunk_bytes = kChunk;
  h.flags = settings.ring_bytes ? HEDDLE_LOG_RING : 0;
  h.ring_bytes = state->ring_chunks * kChunk;
  h.limit = state->limit;
  h.modules_at = kModulesAt;
  h.chunks_at = kChunksAt;
  h.realtime_ns = nanoseconds(CLOCK_REALTIME);
  h.monotonic_ns = nanoseconds(CLOCK_MONOTONIC);
  h.tsc = now();
  h.pid = (uint32_t)raw_syscall(SYS_getpid);
  h.parent_pid = (uint32_t)raw_syscall(SYS_getppid);
  auto* modules = reinterpret_cast<HeddleLogModule*>(state->base + kModulesAt);
  Found f{&h, modules};
  if (find_modules) {
    dl_iterate_phdr(add_module, &f);
  } else {
    __builtin_memcpy(modules, old_modules, old_count * sizeof *modules);
    h.module_count = old_count;
  }
  state->directory = chunk_at(0);
  h.chunk_count = 1;
  begin_chunk(*state->directory, HEDDLE_LOG_DIRECTORY, 0, 0, state->directory_number = 1);
  h.magic = HEDDLE_LOG_MAGIC;
  h.check = heddle_log_hash(&h, offsetof(HeddleLogHeader, check));
}

// What the executable and its libraries are does not change by a fork; libc's list of them must not be asked then.
struct {
  HeddleLogModule modules[HEDDLE_LOG_MODULES];
  uint32_t count;
} * known_modules;

long map_file(long fd) {
  rlimit limit{};
  raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit);
  uint64_t bytes = settings.limit < kLeast ? kLeast : settings.limit;
  if (limit.rlim_cur < bytes) bytes = limit.rlim_cur;  // a file that grew beyond would cost the process its life
  bytes &= ~(kPage - 1);
  if (bytes < kChunksAt + 2 * kChunk) return -EFBIG;
  if (const long failed = raw_syscall(SYS_ftruncate, fd, bytes)) return failed;
  long p;
  while ((p = raw_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == -ENOMEM &&
         bytes / 2 >= kLeast) {
    bytes = bytes / 2 & ~(kPage - 1);
    raw_syscall(SYS_ftruncate, fd, bytes);
  }
  if (p < 0 && p > -4096) return p;
  raw_syscall(SYS_madvise, p, bytes, MADV_DONTFORK);
  state->base = (char*)p;
  state->header = reinterpret_cast<HeddleLogHeader*>(p);
  state->limit = bytes;
  const long first = raw_syscall(SYS_fallocate, fd, 0, 0, bytes < kLeast ? bytes : kLeast);
  if (first && first != -EOPNOTSUPP) return first;
  const long ready = raw_syscall(SYS_madvise, p, bytes < kLeast ? bytes : kLeast, kPopulateWrite);
  if (ready == -EINVAL) {  // an old kernel: all room now, or a full disk would be a fault
    state->ready = bytes;
    return raw_syscall(SYS_fallocate, fd, 0, 0, bytes);
  }
  if (ready) return -ENOSPC;
  state->ahead = true;
  state->ready = bytes < kLeast ? bytes : kLeast;
  return 0;
}

// The log of this process; `quietly`: of a child, where nobody expects a word.
void open_log(bool quietly) {
  char name[sizeof settings.path + 4] = {};
  const bool given = settings.descriptor >= 0;
  const long fd = given ? settings.descriptor : create(name);
  if (fd < 0) {
    if (!quietly) say("cannot create ", name, fd);
    return;
  }
  if (const uint64_t chunks = (settings.ring_bytes + kChunk - 1) / kChunk; settings.ring_bytes)
    state->ring_chunks = chunks < 2 ? 2 : (uint32_t)chunks;
  const long failed = map_file(fd);
  raw_syscall(SYS_close, fd);
  if (failed) {
    if (state->base) raw_syscall(SYS_munmap, state->base, state->limit);
    if (!given) raw_syscall(SYS_unlink, name);
    if (!quietly) say("cannot write ", given ? "log_fd" : name, failed);
    return;
  }
  write_header(!quietly, (const char*)known_modules->modules, known_modules->count);
  if (!quietly) {
    known_modules->count = state->header->module_count;
    __builtin_memcpy(known_modules->modules, state->base + kModulesAt, sizeof known_modules->modules);
  }
  state->on = true;
}

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
  known_modules = map_private<__typeof__(*known_modules)>();
  constexpr int kWipeOnFork = 18;
  if (!state || !known_modules) return say("no memory", "", 0);
  if (raw_syscall(SYS_madvise, state, (sizeof(State) + kPage - 1) & ~(kPage - 1), kWipeOnFork))
    return say("the kernel is older than 4.14", "", 0);
  state->process = ++processes;
  open_log(false);
  if (!state->on) return;
  if (ThreadLog* t = new_thread()) begin(*t);
  sync_recorder_start();
}

}  // namespace heddle::rt::log
