#!/usr/bin/env python3
"""What the race detector must not cost: large ranges, local arrays of a deep recursion, and a program's single-threaded part.

    tests/e2e/detector_cost.py --heddle build/bin/heddle

Processor time of the same schedule with the detector and without, both with all hooks (light=0), the least of three each. The bounds are about three times what was
measured on 2026-11-18 (in brackets, with that of the version before): a loaded machine stays within them. Closing line: 'N passed, M failed'.
"""
import argparse, os, pathlib, resource, subprocess, sys, tempfile

from report import Report

OTHER = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* other(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}
"""
RANGES = OTHER + r"""
int main(void) {
  size_t bytes = 64u << 20;
  char *from = malloc(bytes), *to = malloc(bytes);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  for (int i = 0; i < 4; i++) {
    memset(from, i, bytes);
    memcpy(to, from, bytes);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(t, 0);
  return to[bytes / 2] != 3;
}
"""
RECURSION = OTHER + r"""
__attribute__((noinline)) static int sum(const char* p, int n) {
  int s = 0;
  for (int i = 0; i < n; i += 8) s += p[i];
  return s;
}
__attribute__((noinline)) static int deep(int n) {
  char local[256];
  int numbers[16];
  memset(local, n, sizeof local);
  for (int i = 0; i < 16; i++) numbers[i] = n + i;
  int s = sum(local, sizeof local) + sum((const char*)numbers, sizeof numbers);
  return n ? s + deep(n - 1) : s;
}
int main(void) {
  pthread_t t;
  volatile int s = 0;
  pthread_create(&t, 0, other, 0);
  for (int i = 0; i < 40; i++) {
    s += deep(8000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(t, 0);
  return 0;
}
"""
# Each round is a new interval: the detector's fast path does not help.
ALONE = OTHER + r"""
int main(void) {
  int words = 1 << 18;
  int* a = malloc(words * sizeof *a);
  for (int i = 0; i < 30; i++) {
    for (int k = 0; k < words; k++) a[k] = k * i;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_join(t, 0);
  return a[1] != 29;
}
"""
PROGRAMS = {"ranges": (RANGES, 5), "recursion": (RECURSION, 9), "alone": (ALONE, 2)}  # (source, most: with / without)


def processor_time(argv, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv,
                          cwd=folder,
                          capture_output=True,
                          text=True,
                          timeout=900,
                          env=dict(os.environ, HEDDLE_OPTIONS="light=0"))
    if done.returncode:
        sys.exit(f"{argv}: status {done.returncode}\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(heddle, folder, name, report):
    source, most = PROGRAMS[name]
    (folder / f"{name}.c").write_text(source)
    subprocess.run([heddle, "cc", "-g", "-O1", "-pthread", f"{name}.c", "-o", name], cwd=folder, check=True)
    hunt = [heddle, "hunt", "--seed", "1", "--runs", "1", "--workers", "1", "--strategy", "random", "-q",
            "--hang-timeout", "10m", "--time", "0"]  # on a machine that has little time for us
    times = {"on": [], "off": []}
    for _ in range(3):
        for detector in times:
            times[detector].append(processor_time([*hunt, "--detector", detector, "--", f"./{name}"], folder))
    ratio = min(times["on"]) / min(times["off"])
    said = f"{ratio:.1f} times the processor time without the detector"
    report.line(f"{name}: {said}", None if ratio <= most else f"at most {most}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, type=pathlib.Path)
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="heddle-detector-cost-") as folder:
        for name in PROGRAMS:
            check(options.heddle.resolve(), pathlib.Path(folder), name, report)
    sys.exit(report.close())


if __name__ == "__main__":
    main()
