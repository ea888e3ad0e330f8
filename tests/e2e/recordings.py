#!/usr/bin/env python3
"""Every program of tests/programs recorded in parallel; each recording replays at the first attempt, on both backends.

    tests/e2e/recordings.py --heddle build/bin/heddle [--times 4] [FILE ...]

    // record: none             in a program's head: not for recordings, with the reason behind it
A run of a program that may not end (a livelock, a wait for ever) is killed when its time is over, and counts as nothing.
A recording that diverges is a failure of this test.
Closing line: 'N passed, M failed (F failing runs replayed)'.
"""
import argparse, concurrent.futures, json, os, pathlib, re, sys, tempfile

from programs import Case, bounded, survivors, PROGRAMS, FOUND
from report import Report

SECONDS = 40


def record(heddle, case, exe, folder, times):
    """(failing runs that were replayed, what went wrong)"""
    failing, trace = 0, folder / "run.heddle"
    for i in range(times):
        if case.remove:
            (folder / case.remove).write_text("12\n")
        status, written, err = bounded([heddle, "record", "--json", "-o", trace, "--", exe, *case.args], folder,
                                       SECONDS, case.stdin)
        if case.remove:
            (folder / case.remove).unlink(missing_ok=True)
        if status is None:
            return failing, f"recording {i} did not end in {SECONDS} s" if case.kind == "clean" else None
        try:
            said = json.loads(err.splitlines()[-1])
        except (ValueError, IndexError):
            return failing, f"recording {i}: status {status}, {err[-300:]}"
        err_lines = [line for line in err.splitlines() if line]
        for backend in ("fibers", "baton"):
            env = dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}")
            code, out, err = bounded([heddle, "replay", "--json", trace], folder, 60, env=env)
            wanted = FOUND if said["failure"] else 0
            if code != wanted:
                return failing, f"recording {i} (status {status}), replay on {backend}: {code} instead of {wanted}: {(out + err)[:900]}"
            answer = json.loads(out)
            again = answer["failure"]
            alone = not any("another process" in note
                            for note in said["notes"])  # what a child writes, no replay repeats
            if alone and len(err_lines) == 1 and not answer.get(
                    "output_truncated") and len(written) < 1 << 19 and answer["output"] != written:
                return failing, f"recording {i}, replay on {backend}: the program wrote {answer['output'][-200:]!r} instead of {written[-200:]!r}"
            if said["failure"] and again["signature"] != said["failure"]["signature"]:
                return failing, f"recording {i}: another signature: {again['signature']} instead of {said['failure']['signature']}"
        failing += bool(said["failure"])
    return failing, None


def check(heddle, path, times):
    text = path.read_text()[:2000]
    if re.search(r"record:\s*none", text):
        return 0, None
    case = Case(path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        exe = folder / path.stem
        code, out, err = case.build(heddle, "O1", exe)
        if code != 0:
            return 0, f"build: {err}"
        failing, wrong = record(heddle, case, exe, folder, times)
        left = survivors(folder)
        return failing, wrong or (f"left alive: {left}" if left else None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True, type=pathlib.Path)
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    a = parser.parse_args()
    heddle = a.heddle.resolve()
    files = [f.resolve() for f in a.files] or sorted(
        p for p in PROGRAMS.rglob("*") if p.suffix in (".c", ".cc") and "expect:" in p.read_text()[:500])
    report, replayed = Report(), 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for path, (failing, wrong) in zip(files, pool.map(lambda p: check(heddle, p, a.times), files)):
            replayed += failing
            report.line(f"{path.parent.name}/{path.name}", wrong)
    return report.close(f" ({replayed} failing runs replayed)")


if __name__ == "__main__":
    sys.exit(main())
