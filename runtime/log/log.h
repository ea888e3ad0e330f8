// The log that a program keeps of itself where nobody started it with heddle (abi/log.h). Recorders are files of this
// folder; each writes records to streams of the calling thread.
//
// Rules of this folder: nothing here may change what the program does. No descriptor stays open, so that the program
// may close all; no libc call after the start, errno stays; a thread waits for another one only while that allocates a
// chunk; what cannot be written is counted and left out. A fork gives the child nothing: the state lies in memory that
// a fork wipes (MADV_WIPEONFORK), and the mapping of the file is not inherited. The child's first operation opens a
// file of its own.
#pragma once
#include <pthread.h>

#include "abi/log.h"
#include "runtime/rt.h"

namespace heddle::rt::log {

struct Settings {
  char path[512];       // absolute; empty: no log was asked for
  int descriptor = -1;  // instead of a path: an empty file that somebody gave
  uint64_t ring_bytes = 0;
  uint64_t limit = 256ull << 20;
};

/// HEDDLE_OPTIONS of `environment`. False: what it says about logs is wrong, and was said on stderr.
bool read_settings(char** environment, Settings& out);

/// Once, at the start of the process, with nobody else in it. Problems are said in one line on stderr.
void start(const Settings& settings);
/// A log is being written by this process. In a child of a fork: opens its own, where the parent had one.
bool on();

/// A thread's end of a stream.
struct Writer {
  HeddleLogChunk* chunk;
  char* at;
  uint32_t room, committed;
  uint32_t stream;         // number + 1; 0: none yet
  uint32_t first, chunks;  // first chunk + 1, how many there are
  uint64_t sequence;
  bool full;  // there is no room any more: records are counted only
};

/// What the runtime keeps of a thread of this process; taken again for later threads, with its rings.
struct ThreadLog {
  uint64_t thread;
  uint64_t process;   // whose: a child of a fork begins anew
  uint32_t children;  // created so far
  bool busy;          // in put(): a handler that comes there writes nothing
  Writer writers[HEDDLE_LOG_TYPES];
  void* (*entry)(void*);  // its start routine, until it has begun
  void* argument;
  ThreadLog* next;  // among those that are free, or have ended
};

/// The calling thread's, to write records of `type`; null: it has ended, or there is no memory, or a handler
/// interrupted the writing of another record, which was counted. Only if on().
ThreadLog* mine(HeddleLogType type);
/// One that is not begun yet: for a thread that is about to be made. Null: no room.
ThreadLog* new_thread();
/// The calling thread is that one.
void begin(ThreadLog& t);
/// The calling thread writes nothing any more: its ThreadLog goes to a later one.
void end();
/// It was not made after all.
void give_back(ThreadLog& t);

/// Room for a record behind the last one; null: there is none, which was counted.
void* make_room(ThreadLog& t, HeddleLogType type, uint32_t bytes);

template <class Record>
inline void put(ThreadLog& t, HeddleLogType type, const Record& record) {
  Writer& w = t.writers[type];
  t.busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (HEDDLE_LIKELY(w.room >= sizeof record) || make_room(t, type, sizeof record)) {
    __builtin_memcpy(w.at, &record, sizeof record);
    w.at += sizeof record;
    w.room -= (uint32_t)sizeof record;
    __atomic_store_n(&w.chunk->committed, w.committed += (uint32_t)sizeof record, __ATOMIC_RELEASE);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t.busy = false;
}

inline uint64_t now() { return __builtin_ia32_rdtsc(); }

/// Puts itself in front of the functions that it records. (sync.cc)
void sync_recorder_start();

}  // namespace heddle::rt::log
