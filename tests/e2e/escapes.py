#!/usr/bin/env python3
"""What control does not see is noticed and named, with what to do: built by heddle cc and by gcc alone.

    tests/e2e/escapes.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

FOUND, CLEAN, USAGE = 66, 0, 2


class Tool:
    def __init__(self, heddle, work, plain):
        self.heddle, self.work, self.plain = heddle, work, plain

    def __call__(self, *args):
        return bounded([self.heddle, *args], self.work, 90)

    def build(self, source, name, *flags):
        path = self.work / f"{name}.c"
        path.write_text(source)
        front = ["gcc"] if self.plain else [self.heddle, "cc"]
        code, _, err = bounded([*front, "-w", "-g", "-O1", path, "-pthread", *flags, "-o", self.work / name], self.work,
                               120)
        assert code == 0, err
        return self.work / name

    def notes(self, exe, status=CLEAN):
        code, out, err = self("hunt", "--json", "--seed", 1, "--runs", 20, "-o", "t.heddle", "--", exe)
        assert code == status, (code, out, err)
        return " | ".join(json.loads(out)["notes"])


CLONE = """#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
static char stack[65536];
static uintptr_t storage[65536];
static atomic_int done;
static int runs(void* unused) {
  (void)unused;
  done = 1;
  for (;;) __asm__ volatile("syscall" ::"a"(60), "D"(0) : "rcx", "r11", "memory");
}
int main(void) {
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | %s;
  uintptr_t* own = storage + 32768;
  *own = (uintptr_t)own;
  if (clone(runs, stack + sizeof stack, flags, 0, 0, own) < 0) return 1;
  struct timespec moment = {0, 1000000};
  while (!done) nanosleep(&moment, 0);
  return 0;
}
"""


def bare_clone(h):
    """A thread that libc does not know runs beside the others; the note says what to use instead."""
    notes = h.notes(h.build(CLONE % "CLONE_SETTLS", "cloned"))
    assert "made by a bare clone()" in notes and "use pthread_create" in notes, notes
    # Without storage of its own it would take itself for its creator.
    code, out, err = h("hunt", "--", h.build(CLONE % "0", "shares"))
    assert code == USAGE and not out and "made by a bare clone()" in err and "use pthread_create" in err, (code, out,
                                                                                                           err)


FUTEX = """#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int word;
static long futex(atomic_int* at, long op, long value) {
  long result;
  register long r10 __asm__("r10") = 0;
  __asm__ volatile("syscall" : "=a"(result) : "a"(202), "D"(at), "S"(op), "d"(value), "r"(r10) : "rcx", "r11", "memory");
  return result;
}
static void lock(void) {
  int free = 0;
  while (!atomic_compare_exchange_strong(&word, &free, 1)) {
    futex(&word, FUTEX_WAIT_PRIVATE, 1);
    free = 0;
  }
}
static void unlock(void) {
  atomic_store(&word, 0);
  %s
}
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* unused) {
  for (int i = 0; i < 3; i++) {
    lock();
    pthread_mutex_lock(&inner);
    pthread_mutex_unlock(&inner);
    unlock();
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  return 0;
}
"""


def futex_in_assembly(h):
    """Own locks on system calls that no library makes: seen by the trap, so controlled. Without its wake-up it deadlocks."""
    h.notes(h.build(FUTEX % "futex(&word, FUTEX_WAKE_PRIVATE, 1);", "right"))
    wrong = h.build(FUTEX % "", "wrong")
    code, out, err = h("hunt", "--json", "--seed", 1, "--runs", 2000, "-o", "t.heddle", "--", wrong)
    found = json.loads(out)
    assert code == FOUND and found["failure"]["kind"] == "deadlock" and "futex wait" in found["failure"]["signature"], (
        code, out, err)
    code, out, err = h("replay", "--json", "--times", 3, "t.heddle")
    assert code == FOUND and json.loads(out)["times_reproduced"] == 3, (code, out, err)


def futexes_that_are_not_modelled(h):
    notes = h.notes(h.build("""#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static unsigned word;
int main(void) {
  syscall(SYS_futex, &word, FUTEX_TRYLOCK_PI, 0, 0, 0, 0);
  syscall(449, 0, 0, 0, 0, 0); /* futex_waitv of nothing */
  return 0;
}
""", "odd"))
    assert "futex operation 8 is not modelled" in notes and "futex_waitv leads out of control" in notes, notes


def io_uring(h):
    notes = h.notes(h.build("""#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { return syscall(SYS_io_uring_setup, 4, 0) == -1 && errno == ENOSYS ? 0 : 1; }
""", "uring"))
    assert "io_uring cannot be controlled" in notes, notes


PARALLEL = """int together(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 4; i++) sum += i;
  return sum;
}
"""


def openmp(h):
    """Linked, behind a library, or loaded by dlopen."""
    (h.work / "together.c").write_text(PARALLEL)
    code, _, err = bounded(["gcc", "-fopenmp", "-shared", "-fPIC", "together.c", "-o", "libtogether.so"], h.work, 60)
    assert code == 0, err
    behind = h.build("int together(void); int main(void) { return together() - 6; }", "behind",
                     h.work / "libtogether.so", f"-Wl,-rpath,{h.work}")
    for exe in [behind] + ([h.build(PARALLEL + "int main(void) { return together() - 6; }", "direct", "-fopenmp")]
                           if h.plain else []):
        code, out, err = h("hunt", "--", exe)
        assert code == USAGE and not out and "OpenMP" in err and "libgomp" in err, (code, out, err)
    loads = h.build(f"""#include <dlfcn.h>
#include <stdlib.h>
int main(void) {{
  setenv("OMP_WAIT_POLICY", "passive", 1);
  int (*together)(void) = (int (*)(void))dlsym(dlopen("{h.work}/libtogether.so", RTLD_NOW), "together");
  return together() - 6;
}}
""", "loads")
    notes = h.notes(loads)
    assert "OpenMP" in notes and "libgomp" in notes and "do without -fopenmp" in notes, notes


BOUND = """#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int here, ends[2];
static void meet(int wanted) {
  pthread_mutex_lock(&m);
  here++;
  pthread_cond_broadcast(&c);
  while (here < wanted) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
}
static void* asks(void* unused) {
  meet(3);
  long result = %s;
  meet(6);
  return (void*)result;
}
static void* reads(void* unused) {  // outside while the others are moved
  char byte;
  return (void*)(read(ends[0], &byte, 1) - 1);
}
int main(void) {
  pthread_t a, b, c;
  void *ra, *rb, *rc;
  if (pipe(ends)) return 1;
  pthread_create(&c, 0, reads, 0);
  pthread_create(&a, 0, asks, 0);
  pthread_create(&b, 0, asks, 0);
  meet(3);
  meet(6);
  if (write(ends[1], "", 1) != 1) return 2;
  pthread_join(a, &ra);
  pthread_join(b, &rb);
  pthread_join(c, &rc);
  return ra || rb || rc;
}
"""


def kernel_threads(h):
    """What belongs to one kernel thread is asked for on fibers: the run goes on with real threads, and says so; the schedules are the baton's."""
    asked = {
        "setuid": "syscall(SYS_setuid, getuid())",
        "unshare": "unshare(CLONE_FS)",
        "signalfd4": "({ sigset_t s; sigemptyset(&s); signalfd(-1, &s, 0) < 0; })",
        "setpriority": "setpriority(PRIO_PROCESS, 0, 1)",
        "prctl": "prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)",
        "getrusage": "({ struct rusage u; getrusage(RUSAGE_THREAD, &u); })",
        "set_robust_list": "syscall(SYS_set_robust_list, &ends, 24)"
    }
    # Timers are modelled (runtime/io/timers.cc), those of one thread too: such a call stays on fibers.
    modelled = {
        "timer_create": "({ timer_t t; struct sigevent e = {.sigev_notify = 4, .sigev_signo = SIGURG}; e._sigev_un._tid = gettid(); timer_create(CLOCK_MONOTONIC, &e, &t); })"
    }
    for name, expression in (asked | modelled).items():
        exe, seen = h.build(BOUND % expression, name), {}
        for options in ("", "backend=baton"):
            code, out, err = bounded([
                h.heddle, "hunt", "--json", "--seed", 1, "--runs", 20, "--strategy", "random", "-o", "t.heddle", "--",
                exe
            ],
                                     h.work,
                                     90,
                                     env=dict(os.environ, HEDDLE_OPTIONS=options))
            assert code == CLEAN, (name, options, code, out, err)
            answer = json.loads(out)
            seen[options] = answer["runs"], answer["steps"], answer["coverage"]
            assert ("concerns one kernel thread"
                    in " ".join(answer["notes"])) == (not options and name in asked), (name, options, answer["notes"])
        assert seen[""] == seen["backend=baton"], (name, seen)


CASES = [bare_clone, futex_in_assembly, futexes_that_are_not_modelled, io_uring, kernel_threads, openmp]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    built = {"built by heddle cc": False, "built by gcc": True}
    return run(CASES, lambda folder, way: Tool(a.heddle, folder, built[way]), a.names, built)


if __name__ == "__main__":
    sys.exit(main())
