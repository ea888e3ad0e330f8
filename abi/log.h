// Logs: what recorders in a program leave in a file, also where nobody started the program with heddle.
//
//            0  +---------------------+
//               | HeddleLogHeader     |  what is known at the start (checked), then what changes
//   modules_at  +---------------------+
//               | HeddleLogModule [n] |  executable and libraries: build-ids, where they lie
//    chunks_at  +---------------------+
//               | chunk 0             |  the directory: HeddleLogStream [..]; its `next` is more of the directory
//               | chunk 1             |  each chunk: HeddleLogChunk, then bytes of one stream
//               | ...                 |
//        limit  +---------------------+  the file is sparse; chunks that nobody was given take no room on the disk
//
//   stream {thread 7, SYNC} -> chunk -> next -> next                            linear
//   stream {thread 7, SYNC} -> chunk -> next -> next -> back to the first      a ring: the oldest is overwritten
//
// A stream belongs to one thread and holds records of one type, each whole in its chunk. The file is a shared mapping:
// what was committed survives the death of the process by any signal. It does not survive the machine's.
//
// Who reads it does not trust it, and may read while it is written. A record counts once `committed` covers it. A
// chunk that is full is sealed: its payload has a checksum. The chunk that a thread was writing to is not.
//
// A log has addresses of code and of synchronisation objects, file names of the program and its libraries, times, and
// ids of threads and of the process. It has no data of the program: no values, arguments, variables of the environment,
// and no bytes that went in or out.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define HEDDLE_LOG_MAGIC 0x31474f4c4c444548ull  // "HEDLLOG1"
#define HEDDLE_LOG_VERSION 1u
#define HEDDLE_LOG_CHUNK_MAGIC 0x4b4e4843u  // "CHNK"
#define HEDDLE_LOG_CHUNK_BYTES 16384u       // of this version; a reader takes it from the header
#define HEDDLE_LOG_MODULES 60u              // room for so many

enum HeddleLogType {
  HEDDLE_LOG_NONE,
  HEDDLE_LOG_DIRECTORY,  // of chunks: HeddleLogStream
  HEDDLE_LOG_THREADS,    // HeddleLogThread: the threads that this one made
  HEDDLE_LOG_SYNC,       // HeddleLogSync: its synchronisation
  HEDDLE_LOG_TYPES
};

enum HeddleLogFull {  // why something is missing at the end
  HEDDLE_LOG_HAS_ROOM,
  HEDDLE_LOG_AT_LIMIT,  // the log's own
  HEDDLE_LOG_DISK_FULL,
};

enum { HEDDLE_LOG_RING = 1u };  // HeddleLogHeader::flags

struct HeddleLogHeader {
  uint64_t magic;
  uint32_t version, header_bytes;
  uint32_t chunk_bytes, flags;
  uint64_t ring_bytes;  // of each stream; 0: linear
  uint64_t limit;       // of the file
  uint64_t modules_at, chunks_at;
  uint64_t realtime_ns, monotonic_ns, tsc;  // at the start, at one moment
  uint32_t pid, parent_pid;
  uint64_t check;  // heddle_log_hash() of all above
  // What changes.
  uint32_t module_count;
  uint32_t chunk_count;   // that were given to somebody
  uint32_t stream_count;  // of the directory
  uint32_t full;          // enum HeddleLogFull
  uint64_t thread_count;  // threads that were seen, the first is 0
  uint64_t lost_threads;  // threads without a stream: there was no room
};

struct HeddleLogModule {
  uint64_t base, end;  // load bias; behind its last byte
  uint32_t build_id_bytes, reserved;
  uint8_t build_id[32];
  char path[192];
  uint64_t check;  // of all above
};

struct HeddleLogStream {
  uint64_t thread;  // number, from 0, in the order in which they were seen; never used again
  uint32_t type;    // enum HeddleLogType
  uint32_t first;   // its first chunk, + 1; 0: none yet
  uint64_t check;   // of thread and type
  uint32_t ended;   // 1: its thread has ended; in a ring, the stream may go to another thread later
  int32_t tid;      // kernel id
  uint64_t lost;    // records without room, or of a handler that interrupted the writing of another record
  uint64_t reserved[3];
};

struct HeddleLogChunk {
  uint32_t magic;
  uint32_t type;
  uint32_t stream;             // number in the directory; of a directory: 0
  uint32_t next;               // chunk + 1; 0: none
  uint64_t sequence;           // the stream's n-th, from 1; 0: it is being taken over
  uint64_t thread;             // as in its stream
  uint64_t tsc, monotonic_ns;  // when it was begun
  uint32_t committed;          // bytes of payload
  uint32_t sealed;             // 1: there will be no more; `check` is right
  uint64_t check;              // of the payload
};

/// Thread `thread` is the `ordinal`-th that this one made, from 1: its name is this one's, ".", and that number. The
/// first thread is "0". A thread that nobody names here was made without pthread_create, or its maker's ring has
/// forgotten it: its name is "#" and its number.
struct HeddleLogThread {
  uint64_t thread;
  uint32_t ordinal, reserved;
  uint64_t tsc;
  uint64_t site;  // return address of the call
};

/// An operation. Times of one processor never run backwards, and those of different ones differ by less than an
/// operation takes, where the kernel calls the TSC reliable: what releases is stamped before it happens, what acquires
/// afterwards, so that along one object times grow.
struct HeddleLogSync {
  uint64_t tsc;
  uint64_t site;    // return address of the call, | kind << 48 (enum HeddleEventKind) | HEDDLE_LOG_FAILED
  uint64_t object;  // address. CREATE: the new thread's number. START: its pthread_t, as in JOIN and DETACH
};
#define HEDDLE_LOG_FAILED (1ull << 63)  // it did not get what it asked for
#define HEDDLE_LOG_SITE_OF(word) ((word) & ((1ull << 48) - 1))
#define HEDDLE_LOG_KIND_OF(word) ((uint32_t)((word) >> 48 & 255))

static inline uint64_t heddle_log_hash(const void* bytes, size_t count) {
  const unsigned char* p = (const unsigned char*)bytes;
  uint64_t h = 0x9e3779b97f4a7c15ull ^ count;
  for (; count >= 8; p += 8, count -= 8) {
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
    h = (h ^ word) * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
  }
  for (; count; p++, count--) h = (h ^ *p) * 0x100000001b3ull;
  return h ^ h >> 32;
}

static inline uint32_t heddle_log_record_bytes(uint32_t type) {
  return type == HEDDLE_LOG_THREADS     ? (uint32_t)sizeof(struct HeddleLogThread)
         : type == HEDDLE_LOG_SYNC      ? (uint32_t)sizeof(struct HeddleLogSync)
         : type == HEDDLE_LOG_DIRECTORY ? (uint32_t)sizeof(struct HeddleLogStream)
                                        : 0;
}

#ifdef __cplusplus
static_assert(sizeof(HeddleLogModule) == 256 && sizeof(HeddleLogStream) == 64 && sizeof(HeddleLogChunk) == 64);
static_assert(sizeof(HeddleLogThread) == 32 && sizeof(HeddleLogSync) == 24 && sizeof(HeddleLogHeader) <= 256);
#endif
