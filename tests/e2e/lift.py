#!/usr/bin/env python3
"""A recording is a trace like any other: lifted it has values and lines, ends in the same way, replays, and can be simplified.

    tests/e2e/lift.py --heddle build/bin/heddle [FILE ...]          closing line: 'N passed, M failed'

Without FILE: programs whose recordings can be lifted whatever their threads did. Not signals, nor copies between ranges that others write meanwhile
(ARCHITECTURE.md, "Lifting a recording"): there `lift` may say that the run is another one. Each is recorded until it fails (at most some times:
under real parallelism most do not), and once if it does not.
"""
import argparse, json, pathlib, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import PROGRAMS, Case, bounded  # noqa: E402

ATTEMPTS = 15
ROOT = HERE.parents[1]
FILES = [
    "fail/lost_update.c", "fail/two_locks.c", "fail/barrier_short.c", "fail/uncaught.cc", "fail/lost_signal.c",
    "fail/latch_short.cc", "fail/sleep_order.c", "fail/quit_from_thread.c", "fail/alarm.c", "recorded/handed_on.c",
    "recorded/guarded_together.c", "recorded/locks_beside_each_other.c"
]


def recorded(heddle, exe, case, work):
    """The status of the recorded run; a failing one if there was one among ATTEMPTS."""
    for _ in range(ATTEMPTS):
        code, _, err = bounded([heddle, "record", "-o", "r.heddle", "--", exe, *case.args], work, 60, case.stdin)
        if code is None or code == 125:
            return None, err
        if code != 0:
            return code, ""
    return 0, ""


def answer(heddle, work, *words, timeout=120):
    code, out, err = bounded([heddle, *words], work, timeout)
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, {}, err


def check(path, heddle):
    case = Case(path)
    with tempfile.TemporaryDirectory(prefix="heddle-lift-") as folder:
        work = pathlib.Path(folder)
        exe = work / path.stem
        code, _, err = case.build(heddle, "O1", exe)
        if code != 0:
            return f"build: {err[-300:]}"
        code, err = recorded(heddle, exe, case, work)
        if code is None:
            return f"record: {err[-300:]}"
        status, lifted, err = answer(heddle, work, "lift", "--json", "r.heddle", "-o", "l.heddle")
        if status != 0:
            return f"lift: status {status}: {err.strip()[-300:]}"
        expected = 66 if lifted["failure"] else 0
        status, again, err = answer(heddle, work, "replay", "--json", "--times", "3", "l.heddle")
        if status != expected or again.get("times_reproduced") != 3:
            return f"replay of the lifted trace: status {status}, {again.get('divergence')} {err[-300:]}"
        recording = answer(heddle, work, "replay", "--json", "r.heddle")[1]
        if (recording.get("failure") or {}).get("signature") != (lifted["failure"] or {}).get("signature"):
            return f"another failure: {lifted['failure']} instead of {recording.get('failure')}"
        if not lifted["failure"] or lifted["failure"]["kind"] == "signal":  # one from outside has no schedule
            return None
        status, small, err = answer(heddle, work, "simplify", "--json", "r.heddle", "-o", "s.heddle")
        if status != 0:
            return f"simplify: status {status}: {err.strip()[-300:]}"
        if small["after"]["preemptions"] > max(small["before"]["preemptions"], 4):
            return f"simplify: {small['before']} -> {small['after']}"
        status, again, err = answer(heddle, work, "replay", "--json", "s.heddle")
        if status != 66 or not again.get("reproduced"):
            return f"replay of the simplified trace: status {status}, {again.get('divergence')} {err[-300:]}"
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default=ROOT / "build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("files", nargs="*", type=pathlib.Path)
    a = ap.parse_args()
    passed = failed = 0
    for path in a.files or [PROGRAMS / name for name in FILES]:
        why = check(path.resolve(), a.heddle)
        passed, failed = passed + (why is None), failed + (why is not None)
        print(f"{'ok    ' if why is None else 'not ok'} {path.name}{'' if why is None else ': ' + why}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
