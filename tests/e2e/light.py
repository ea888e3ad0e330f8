#!/usr/bin/env python3
"""Light clones: what they save, counted in hooks, and what they must not cost: races in functions that were light.

    tests/e2e/light.py --heddle build/bin/heddle [CASE ...]

Closing line: 'N passed, M failed'.
"""
import argparse, json, os, pathlib, sys

import cases
from programs import bounded

# Computes some million accesses between two locks, then fails.
COMPUTES = r"""
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned table[4096], done;
__attribute__((noinline)) static unsigned mixed(unsigned a, unsigned b) { return table[a & 4095] * 31 + b; }
static void compute(void) {
  for (unsigned round = 0; round < 400; round++)
    for (unsigned i = 0; i < 4096; i++) table[i] = mixed(i * 7, round);
}
static void* computes(void* unused) {
  compute();
  pthread_mutex_lock(&lock);
  done++;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, computes, 0), pthread_join(t[i], 0);
  pthread_mutex_lock(&lock);
  assert(done != 2);
  pthread_mutex_unlock(&lock);
  return 0;
}
"""

# Of run 20 on, counted in a file, two threads update `total` without a lock, in a function that all runs execute. The detector watches the first ten
# runs, since there are so many accesses, and then one in 64.
LATE_RACE = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static unsigned table[4096];
static long total;
static int together;
__attribute__((noinline)) static void add(long* sum, long n) {
  long old = *sum;
  *sum = old + n;
}
static void* works(void* own) {
  long mine = 0;
  for (unsigned round = 0; round < 800; round++)
    for (unsigned i = 0; i < 4096; i++) table[i] = table[(i * 7) & 4095] + round;
  add(together ? &total : &mine, 1);
  return own;
}
static void* adds(void* unused) {
  long mine = 0;
  add(together ? &total : &mine, 1);
  return unused;
}
int main(void) {
  int n = 0;
  FILE* f = fopen("count", "r");
  if (f && fscanf(f, "%d", &n) != 1) n = 0;
  if (f) fclose(f);
  f = fopen("count", "w");
  fprintf(f, "%d\n", n + 1);
  fclose(f);
  together = n >= 20;
  pthread_t a, b;
  pthread_create(&a, 0, works, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!together || total == 2);
  return 0;
}
"""


class Tool:
    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def build(self, source, *flags):
        (self.folder / "p.c").write_text(source)
        code, out, err = bounded([self.heddle, "cc", "-g", "-O1", "-pthread", *flags, "p.c", "-o", "p"], self.folder,
                                 120)
        assert code == 0, err[-600:]

    def hunt(self, options, *more):
        code, out, err = bounded([
            self.heddle, "hunt", "--json", "--seed", 1, "--workers", 1, "--time", 0, *more, "-o", "t.heddle", "--",
            "./p"
        ],
                                 self.folder,
                                 300,
                                 env=dict(os.environ, HEDDLE_OPTIONS=options))
        assert out.startswith("{"), err[-600:]
        return json.loads(out)

    def replays(self):
        said = bounded([self.heddle, "replay", "--times", 3, "t.heddle"], self.folder, 120)
        assert "3 of 3 replays" in said[1] + said[2], said

    def trace(self):
        return json.loads(bounded([self.heddle, "show", "--json", "t.heddle"], self.folder, 60)[1])


def accesses_that_no_one_asks_for_have_no_hooks(tool):
    tool.build(COMPUTES)
    counts = {}
    for light in (0, 1):
        found = tool.hunt(f"detail=points:light={light}", "--detector", "off", "--runs", 1)
        assert found["failure"]["kind"] == "assertion", found
        counts[light] = tool.trace()["totals"]["accesses"]
    assert counts[0] >= 6_000_000 and counts[1] == 0, counts
    tool.replays()


def calls_of_the_heap_keep_a_function_light(tool):
    """Every light run was void and executed again with all hooks, because a call of malloc() was taken for the site of a step."""
    allocates = COMPUTES.replace("static unsigned table[4096], done;",
                                 "#include <stdlib.h>\nstatic unsigned *table, done;")
    allocates = allocates.replace(
        "static void compute(void) {",
        "static void compute(void) {\n  table = realloc(calloc(2048, sizeof *table), 4096 * sizeof *table);")
    allocates = allocates.replace("mixed(i * 7, round);\n}", "mixed(i * 7, round);\n  free(table);\n}")
    assert allocates.count("free(table)") == 1
    tool.build(allocates)
    found = tool.hunt("detail=points", "--detector", "off", "--runs", 1)
    assert found["failure"]["kind"] == "assertion", found
    assert tool.trace()["totals"]["accesses"] == 0, tool.trace()["totals"]
    tool.replays()


def what_is_asked_for_has_them_all(tool):
    """In the same trace: accesses as events, though the run that was found was light."""
    tool.build(COMPUTES.replace("round < 400", "round < 4"))
    found = tool.hunt("detail=accesses:light=1", "--detector", "off", "--runs", 1)
    assert found["failure"]["kind"] == "assertion", found
    assert tool.trace()["totals"]["events"] > 50_000, tool.trace()["totals"]
    tool.replays()


def a_race_in_a_light_function_is_found_by_a_later_run(tool):
    tool.build(LATE_RACE)
    found = tool.hunt("", "--runs", 200)
    assert found["failure"] and found["failure"]["kind"] == "assertion", found
    assert found["runs"] > 64, found["runs"]  # run 65 is watched, and from the next epoch on `add` is not light
    assert any("add" in json.dumps(race) for race in found["races"]), found["races"]


CASES = [
    accesses_that_no_one_asks_for_have_no_hooks, calls_of_the_heap_keep_a_function_light,
    what_is_asked_for_has_them_all, a_race_in_a_light_function_is_found_by_a_later_run
]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", required=True, type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    sys.exit(cases.run(CASES, lambda folder, way: Tool(a.heddle, folder), a.names))


if __name__ == "__main__":
    main()
