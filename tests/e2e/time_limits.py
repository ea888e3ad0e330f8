#!/usr/bin/env python3
"""--time is a promise: what is executed again after the search is part of it, and what was seen is reported all the same.

    tests/e2e/time_limits.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'

A limit is a multiple of what one run takes on this machine now: a busy machine makes both longer.
"""
import argparse, json, pathlib, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

FOUND, CLEAN, INCONCLUSIVE = 66, 0, 3
FOR_EVER = 10**12

# A race at its start, and a computation of as many turns as its argument says; with a second one it fails at its end.
SLOW = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int flag;
static long* cells;
static void* works(void* turns) {
  flag++;
  for (long i = 0; i < *(long*)turns; i++) cells[i & 1023] += i ^ cells[i * 7 & 1023];
  return 0;
}
int main(int count, char** words) {
  long turns = atol(words[1]);
  cells = calloc(1024, sizeof *cells);
  pthread_t t;
  pthread_create(&t, 0, works, &turns);
  flag++;
  pthread_join(t, 0);
  assert(count == 2);
}
"""


class Tool:
    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work
        (work / "slow.c").write_text(SLOW)
        code, _, err = bounded([heddle, "cc", "-g", "-O1", "-pthread", work / "slow.c", "-o", work / "slow"], work, 120)
        assert code == 0, err

    def hunt(self, *options, turns, fails=False):
        """(status, answer, seconds)"""
        start = time.monotonic()
        code, out, err = bounded([
            self.heddle, "hunt", "--json", "--seed", 1, "--workers", 1, "-o", "t.heddle", *options, "--", "./slow",
            turns, *(["x"] if fails else [])
        ], self.work, 300)
        assert out, (code, err)
        return code, json.loads(out), time.monotonic() - start

    def turns(self):
        """So many that a watched run takes some tenths of a second, and how many seconds it takes. (Others run light clones.)"""
        turns = 50_000
        while (seconds := self.hunt("--runs", 1, "--detector", "on", turns=turns)[2]) < 0.4:
            turns *= 2
        return turns, seconds


def runs_are_not_repeated_beyond_the_time(h):
    """The search sees races; repeating them and writing a trace with every access would take many times as long as a run does."""
    turns, seconds = h.turns()
    budget = 4 * seconds
    code, answer, used = h.hunt("--time", f"{budget:.3f}s", turns=turns)
    assert code in (CLEAN, INCONCLUSIVE) and answer["races"] and answer["trace"], (code, answer)
    assert used < 2 * budget, (used, budget)


def a_run_that_does_not_end_is_reported(h):
    """No run ends: how far it came, and the races that it showed, with a trace of it."""
    code, answer, used = h.hunt("--time", "1s", turns=FOR_EVER)
    assert code == INCONCLUSIVE and answer["runs"] == 0 and answer["out_of_time"], (code, answer)
    assert answer["stopped"]["runs"] == 1 and answer["stopped"]["steps"] > 0 and answer["stopped"][
        "threads"] == 2, answer["stopped"]
    assert {race["variable"] for race in answer["races"]} == {"flag"} and answer["trace"], answer
    code, out, _ = bounded([h.heddle, "show", answer["trace"]], h.work, 60)
    assert code == 0 and "on flag" in out, out
    code, out, _ = bounded(
        [h.heddle, "hunt", "--seed", 1, "--workers", 1, "--time", "1s", "-o", "w.heddle", "--", "./slow", FOR_EVER],
        h.work, 60)
    assert "the run was stopped after" in out and "use a longer --time" in out and "without hooks" in out, out


def simplification_is_part_of_the_time(h):
    """A failure is found at once; to simplify it takes as many runs as there is time for."""
    turns, seconds = h.turns()
    budget = 3 * seconds
    code, answer, used = h.hunt("--time", f"{budget:.3f}s", "--simplify", turns=turns, fails=True)
    assert answer["failure"]["kind"] == "assertion" and answer["trace"], (code, answer)
    assert used < 2.5 * budget, (used, budget)


def very_short(h):
    """A tenth of a second is enough to say something true."""
    code, answer, used = h.hunt("--time", "100ms", turns=FOR_EVER)
    assert code == INCONCLUSIVE and answer["runs"] == 0 and answer["out_of_time"], (code, answer)
    assert answer["seconds"] < 1, answer["seconds"]


CASES = [
    runs_are_not_repeated_beyond_the_time, a_run_that_does_not_end_is_reported, simplification_is_part_of_the_time,
    very_short
]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    return run(CASES, lambda folder, _: Tool(a.heddle, folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
