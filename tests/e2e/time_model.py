#!/usr/bin/env python3
"""Time is part of the schedule: sleeps and time-outs can end early, reports say which did, claims name the time model.

    tests/e2e/time_model.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

FOUND, CLEAN = 66, 0
PROGRAMS = HERE.parent / "programs"


class Tool:
    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work

    def __call__(self, *args):
        return bounded([self.heddle, *args], self.work, 120)

    def build(self, source, *compiler):
        exe = self.work / f"{source.stem}-{'-'.join(map(str, compiler)).replace('/', '_') or 'heddle'}"
        front = list(compiler) or [self.heddle, "cc"]
        code, _, err = bounded([*front, "-g", "-O1", "-pthread", source, "-o", exe], self.work, 120)
        assert code == 0, err
        return exe


def early_ends_are_found_named_and_replayed(h):
    for name in ("sleep_order.c", "timed_wait_ignored.c", "longer_sleep_first.c"):
        exe, trace, small = h.build(PROGRAMS / "fail" / name), h.work / "t.heddle", h.work / "s.heddle"
        code, out, err = h("hunt", "--seed", 2, "--runs", 300, "-o", trace, "--", exe)
        assert code == FOUND and "early" in out and "ended before thread 0" in out, (name, code, out, err)
        code, out, err = h("replay", "--json", "--times", 5, trace)
        assert code == FOUND and json.loads(out)["times_reproduced"] == 5, (name, code, out, err)
        code, out, err = h("simplify", "--json", trace, "-o", small)
        assert code == CLEAN and json.loads(out)["early_timeouts"], (name, code, out, err)
        code, out, err = h("show", small)
        assert "time-outs that ended early" in out, (name, out, err)


def virtual_time_never_ends_a_wait_early(h):
    exe = h.build(PROGRAMS / "fail" / "sleep_order.c")
    code, out, err = h("hunt", "--json", "--seed", 1, "--runs", 300, "--time-model", "virtual", "--", exe)
    answer = json.loads(out)
    assert code == CLEAN and answer["time_model"] == "virtual" and answer["runs"] == 300, (code, out, err)


def programs_of_gcc_too(h):
    exe = h.build(PROGRAMS / "fail" / "sleep_order.c", "gcc")
    code, out, err = h("hunt", "--seed", 1, "--runs", 500, "-o", h.work / "g.heddle", "--", exe)
    assert code == FOUND, (code, out, err)


def claims_name_the_time_model(h):
    fails, clean = h.build(PROGRAMS / "fail" / "sleep_order.c"), h.build(PROGRAMS / "success" / "timed_waits_checked.c")
    for strategy in ("dfs", "icb", "dpor"):
        code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "-o", h.work / "e.heddle", "--", fails)
        assert code == FOUND, (strategy, code, out, err)
        code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "--", clean)
        assert code == CLEAN and "executed" in out and "(--time-model loose)" in out, (strategy, code, out, err)
        code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "--time-model", "virtual", "--", clean)
        assert code == CLEAN and "(--time-model virtual)" in out, (strategy, code, out, err)
    code, out, err = h("hunt", "--strategy", "random", "--seed", 1, "--runs", 300, "--time-model", "virtual", "--", clean)
    assert "hardly show others" not in out or "end only when no other thread can run" in out, out


def runs_and_schedules_add_up(h):
    source = h.work / "race.c"
    source.write_text("""#include <pthread.h>
static int x;
static void* f(void* u) { x++; return u; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); return 0; }
""")
    code, out, err = h("hunt", "--strategy", "dfs", "--seed", 1, "-o", h.work / "r.heddle", "--", h.build(source))
    runs, schedules, before = (re.search(pattern, out) for pattern in
                               (r"in (\d+) runs", r"all (\d+) schedules", r"(\d+) runs? came before all scheduling points"))
    assert runs and schedules and before and int(runs[1]) == int(schedules[1]) + int(before[1]), (code, out, err)


CASES = [early_ends_are_found_named_and_replayed, virtual_time_never_ends_a_wait_early, programs_of_gcc_too,
         claims_name_the_time_model, runs_and_schedules_add_up]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    heddle = pathlib.Path(args.heddle).resolve()
    return run(CASES, lambda work, _: Tool(heddle, work), args.names)


if __name__ == "__main__":
    sys.exit(main())
