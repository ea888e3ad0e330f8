#!/usr/bin/env python3
"""What a recording must not cost: threads that share memory under locks only leave no trace of it in the log, frequent system calls
are not trapped, locks taken by a function of another module need the baton as little as others, a lock is little more than what it takes to log it, and a
computation is not much slower than without hooks.

    tests/e2e/recording_cost.py --heddle build/bin/heddle

Closing line: 'N passed, M failed'.
"""
import argparse, pathlib, re, subprocess, sys, tempfile

from programs import bounded
from report import Report

# The threads take turns, so that each finds what the other one touched last.
GUARDED = r"""
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t turn[2];
static struct { long value; char apart[120]; } part[4];
static void* work(void* p) {
  long who = (long)p;
  for (int i = 0; i < 2000; i++) {
    sem_wait(&turn[who]);
    pthread_mutex_lock(&lock);
    for (int k = 0; k < 4; k++) part[k].value += k;
    pthread_mutex_unlock(&lock);
    sem_post(&turn[!who]);
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) sem_init(&turn[i], 0, i == 0);
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  printf("%ld\n", part[3].value);
  return 0;
}
"""

# A trap is seen by its time: the kernel counts none.
CALLS = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(void) {
  int ends[2];
  char c = 0;
  if (pipe(ends)) return 1;
  double least[2] = {1e9, 1e9};
  for (int turn = 0; turn < 20; turn++)
    for (int way = 0; way < 2; way++) {
      double start = now();
      for (int i = 0; i < 500; i++) {
        if (way ? syscall(SYS_write, ends[1], &c, 1) != 1 : write(ends[1], &c, 1) != 1) return 2;
        if (way ? syscall(SYS_read, ends[0], &c, 1) != 1 : read(ends[0], &c, 1) != 1) return 2;
      }
      if (now() - start < least[way]) least[way] = now() - start;
    }
  printf("%.3f\n", least[0] / least[1]);
  return 0;
}
"""

# Functions without a hook, as STATS_LOCK() of memcached.
LOCKS = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
int take(pthread_mutex_t* m);
int give(pthread_mutex_t* m);
__asm__(".globl take, give\n take: jmp pthread_mutex_lock@PLT\n give: jmp pthread_mutex_unlock@PLT\n");
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  double least[2] = {1e9, 1e9};
  for (int turn = 0; turn < 20; turn++)
    for (int way = 0; way < 2; way++) {
      double start = now();
      for (int i = 0; i < 10000; i++) way ? pthread_mutex_lock(&lock) : take(&lock), way ? pthread_mutex_unlock(&lock) : give(&lock);
      if (now() - start < least[way]) least[way] = now() - start;
    }
  printf("%.3f\n", least[0] / least[1]);
  return 0;
}
"""


# What a lock and the first access behind it cost, beside what no lock can do without: an atomic operation to take it, and one to release it.
LOCKED = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>
enum { kLocks = 16, kRounds = 4000, kTurns = 20 };
static pthread_mutex_t lock[kLocks];
static struct { long value; char apart[120]; } part[kLocks];
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
__attribute__((noinline)) void locked(unsigned x) {
  for (int i = 0; i < kRounds; i++) {
    x = x * 1664525u + 1013904223u;
    pthread_mutex_lock(&lock[x >> 28]);
    part[x >> 28].value++;
    pthread_mutex_unlock(&lock[x >> 28]);
  }
}
__attribute__((noinline, annotate("heddle-ignore"))) void atomic(unsigned x) {
  static int word[kLocks];
  for (int i = 0; i < kRounds; i++) {
    x = x * 1664525u + 1013904223u;
    __atomic_fetch_add(&word[x >> 28], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&word[x >> 28], 1, __ATOMIC_SEQ_CST);
  }
}
int main(void) {
  double least[2] = {1e9, 1e9};
  for (int i = 0; i < kLocks; i++) pthread_mutex_init(&lock[i], 0);
  for (int turn = 0; turn < kTurns; turn++)
    for (int way = 0; way < 2; way++) {
      double start = now();
      (way ? atomic : locked)((unsigned)turn);
      if (now() - start < least[way]) least[way] = now() - start;
    }
  printf("%.3f\n", least[0] / least[1]);
  return 0;
}
"""
LOCKED_STEPS = 2 * 4000 * 20


# The same computation with hooks and without.
COMPUTES = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { kCount = 1 << 14 };
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
#define SORT(name) \
  __attribute__((noinline)) void name(unsigned* heap, unsigned x) { \
    for (int i = 0; i < kCount; i++) heap[i] = x = x * 1664525u + 1013904223u; \
    for (int k = kCount / 2 - 1, n = kCount; n > 1;) { \
      int i = k > 0 ? k : 0; \
      if (k-- < 0) { unsigned t = heap[0]; heap[0] = heap[--n]; heap[n] = t; } \
      for (int child; (child = 2 * i + 1) < n; i = child) { \
        if (child + 1 < n && heap[child + 1] > heap[child]) child++; \
        if (heap[i] >= heap[child]) break; \
        unsigned t = heap[i]; heap[i] = heap[child]; heap[child] = t; \
      } \
    } \
  }
SORT(hooked)
__attribute__((annotate("heddle-ignore"))) SORT(plain)
int main(void) {
  unsigned* heap = malloc(kCount * sizeof *heap);
  double least[2] = {1e9, 1e9};
  for (int turn = 0; turn < 20; turn++)
    for (int way = 0; way < 2; way++) {
      double start = now();
      (way ? plain : hooked)(heap, (unsigned)turn);
      if (now() - start < least[way]) least[way] = now() - start;
    }
  printf("%.3f\n", least[0] / least[1]);
  return 0;
}
"""


def build(heddle, folder, name, text, level="-O1"):
    (folder / f"{name}.c").write_text(text)
    subprocess.run([heddle, "cc", "-g", level, f"{name}.c", "-o", name, "-lpthread"], cwd=folder, check=True)
    return folder / name


def guarded_memory(heddle, folder):
    exe = build(heddle, folder, "guarded", GUARDED)
    code, out, err = bounded([heddle, "record", "--quiet", "-o", folder / "g.heddle", "--", exe], folder, 60)
    if code != 0 or out != "12000\n":
        return f"status {code}, {out!r} {err[-300:]}"
    events = bounded([heddle, "show", "--events", folder / "g.heddle"], folder, 60)[1]
    handed, locked = len(re.findall(r" hand-over", events)), len(re.findall(r" lock lock", events))
    if locked < 4000:
        return f"{locked} steps of the lock"
    return f"{handed} hand-overs for {locked} times the lock was taken" if handed > locked // 100 else None


def at_most(heddle, folder, name, text, limit, said, level="-O1"):
    """The program prints a ratio, recorded."""
    exe = build(heddle, folder, name, text, level)
    code, out, err = bounded([heddle, "record", "--quiet", "-o", folder / f"{name}.heddle", "--", exe], folder, 60)
    if code != 0:
        return f"status {code} {err[-300:]}"
    return said.format(out.strip()) if float(out) > limit else None


def named_calls(heddle, folder):
    return at_most(heddle, folder, "calls", CALLS, 0.8, "read() and write() take {} of what trapped ones take")


def locks_of_other_modules(heddle, folder):
    return at_most(heddle, folder, "locks", LOCKS, 2, "a lock of another module takes {} times as long")


def locked_memory(heddle, folder):
    wrong = at_most(heddle, folder, "locked", LOCKED, 16,
                    "a lock with an addition takes {} times as long as two atomic operations", "-O2")
    if wrong:
        return wrong
    # Two steps each, of half a byte: which of 16 locks it was, twice.
    trace = folder / "locked.heddle"
    steps = len(re.findall(r" (?:un)?lock lock", bounded([heddle, "show", "--events", trace], folder, 60)[1]))
    most = LOCKED_STEPS * 5 // 8 + 4096
    if steps != LOCKED_STEPS:
        return f"{steps} steps of locks instead of {LOCKED_STEPS}"
    return f"a trace of {trace.stat().st_size} bytes for {steps} steps" if trace.stat().st_size > most else None


def computation(heddle, folder):
    return at_most(heddle, folder, "computes", COMPUTES, 3, "a sort takes {} times as long as without hooks", "-O2")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", required=True, type=pathlib.Path)
    heddle = parser.parse_args().heddle.resolve()
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        for check in (guarded_memory, named_calls, locks_of_other_modules, locked_memory, computation):
            report.line(check.__name__.replace("_", " "), check(heddle, pathlib.Path(name)))
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
