#!/usr/bin/env python3
"""Equal seed, equal hunt: the number of workers, the backend (chosen, or the default) and what lies before the program's code in its
executable change neither `runs` nor the failure nor its schedule.

    tests/laws/hunts.py --heddle build/bin/heddle [FILE ...]
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from programs import PROGRAMS, Case, bounded  # noqa: E402

# One of each kind, with those that wait in system calls which only the program itself can end; others are told other things in each run.
FILES = [
    "lost_update.c", "two_locks.c", "check.c", "wrong_order_output.cc", "lost_signal.c", "barrier_short.c",
    "uncaught.cc", "pipe_order.c", "big_writes_interleave.c", "epoll_timeout_ignored.c", "poll_timeout_ignored.c",
    "random_choice.cc", "select_timeout_ignored.c", "signals_cross.c", "timer_before_ready.c", "timerfd_too_soon.c",
    "waits_for_signal.c"
]

# Calls of so many functions of libc, and cold code: what an executable has before its own code when the runtime needs more of both.
FILLER = """#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((cold)) void filler(char* p) {
  link(p, p), unlink(p), rmdir(p), chdir(p), sync(), nice(1), lchown(p, 0, 0), symlink(p, p), setenv(p, p, 1), strpbrk(p, p), strcspn(p, p);
}
"""


def hunt(case, heddle, exe, work, strategy, workers, backend):
    trace = work / f"{strategy}-{workers}-{backend}.heddle"
    env = dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}" if backend != "default" else "")
    code, out, err = bounded([
        heddle, "hunt", "--json", "--seed", 11, "--runs", case.runs, "--strategy", strategy, "--workers", workers,
        *case.hunt, "-o", trace, "--", exe, *case.args
    ], work, 120, case.stdin, env)
    try:
        found = json.loads(out)
        schedule = bounded([heddle, "show", "--schedule", trace], work, 60)[1]
        return code, found["runs"], (found["failure"] or {}).get("signature"), schedule
    except ValueError:
        return code, err[-300:]


def check(path, heddle):
    case = Case(path)
    with tempfile.TemporaryDirectory(prefix="heddle-hunts-") as folder:
        work = pathlib.Path(folder)
        exe = work / path.stem
        code, _, err = case.build(heddle, "O1", exe)
        if code != 0:
            return f"build: {err[-300:]}"
        other = work / "other" / path.stem
        other.parent.mkdir()
        (work / "filler.c").write_text(FILLER)
        subprocess.run(["gcc", "-w", "-O1", "-c", "filler.c"], cwd=work, check=True)
        case.cflags.append(work / "filler.o")
        code, _, err = case.build(heddle, "O1", other)
        if code != 0:
            return f"build with other code: {err[-300:]}"
        for strategy in ("random", "pct", "auto"):
            first = hunt(case, heddle, exe, work, strategy, 1, "baton")
            if first[0] != 66:
                return f"{strategy}: nothing found: {first}"
            for workers, backend, program in ((2, "baton", exe), (1, "fibers", exe), (2, "fibers", exe),
                                              (2, "default", exe), (2, "default", other)):
                again = hunt(case, heddle, program, work, strategy, workers, backend)
                if again != first:
                    return f"{strategy}, {workers} workers, {backend}, {program.parent.name}: {again} instead of {first}"
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("files", nargs="*", type=pathlib.Path)
    a = ap.parse_args()
    failed = 0
    files = a.files or [PROGRAMS / "fail" / name for name in FILES]
    for path in files:
        why = check(path.resolve(), a.heddle)
        failed += why is not None
        print(
            f"{'ok    ' if why is None else 'not ok'} {path.name} equal seed, equal hunt{'' if why is None else ': ' + why}",
            flush=True)
    print(f"{len(files) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
