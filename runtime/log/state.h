// What a process keeps of its log: shared by log.cc (streams, threads) and file.cc (the file).
#pragma once
#include "runtime/log/log.h"

namespace heddle::rt::log {

constexpr uint64_t kChunk = HEDDLE_LOG_CHUNK_BYTES, kPage = 4096;
constexpr uint64_t kModulesAt = kPage;
constexpr uint64_t kChunksAt = (kModulesAt + HEDDLE_LOG_MODULES * sizeof(HeddleLogModule) + kPage - 1) & ~(kPage - 1);
constexpr uint64_t kAhead = 16 * kChunk;  // of the file that is made ready at a time
constexpr int kPopulateWrite = 23;        // MADV_POPULATE_WRITE, Linux 5.14

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
extern State* state;  // the address outlives a fork, what is there does not
extern Settings settings;

uint64_t nanoseconds(int clock);
HeddleLogChunk* chunk_at(uint32_t number);
/// The chunk is the stream's `sequence`-th from here on, and empty.
void begin_chunk(HeddleLogChunk& c, uint32_t type, uint32_t stream, uint64_t thread, uint64_t sequence);

/// Takes room on the disk up to that offset in the file; false: there is none. Under the lock.
bool make_ready(uint64_t until);
/// Creates the log of this process, and sets state->on if that is possible. `quietly`: in a child of a fork, where
/// nobody expects a word.
void open_log(bool quietly);
/// One line on stderr. `error`: -errno, or 0.
void say(const char* why, const char* path, long error);

}  // namespace heddle::rt::log
