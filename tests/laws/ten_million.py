#!/usr/bin/env python3
"""A random schedule with ten million events finishes, its trace is written and shown, and memory stays bounded.

    tests/laws/ten_million.py --heddle build/bin/heddle

The bound is on the resident memory of any one process: heddle itself, and the program under it.
"""
import argparse, json, os, pathlib, resource, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
EVENTS, FOUND = 10_000_000, 66
MIB = 1 << 20
LIMIT = 300 * MIB  # the ring of a million events, the schedule, and the tables of the trace


class Measured:
    """A finished command: status, stdout, seconds, and the most memory that it or any child of it had resident."""

    def __init__(self, argv, cwd, timeout):
        start = time.monotonic()
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:  # its RUSAGE_CHILDREN is then that of this command alone
            os.close(read)
            p = subprocess.run([str(a) for a in argv],
                               cwd=cwd,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE,
                               timeout=timeout)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
            os.write(write, json.dumps([p.returncode, peak, p.stderr.decode()[-500:]]).encode() + b"\n")
            for at in range(0, len(p.stdout), 1 << 16):
                os.write(write, p.stdout[at:at + (1 << 16)])
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as answer:
            self.status, self.peak, self.err = json.loads(answer.readline() or b"[null, 0, \"time-out\"]")
            self.out = answer.read().decode()
        os.waitpid(pid, 0)
        self.seconds = time.monotonic() - start

    def __str__(self):
        return f"status {self.status}, {self.seconds:.1f} s, {self.peak / MIB:.0f} MiB {self.err}"


def check(heddle, work):
    exe, trace = work / "ten_million", work / "t.heddle"
    built = Measured([heddle, "cc", "-g", "-O1", "-pthread", HERE / "programs" / "ten_million.c", "-o", exe], work, 120)
    if built.status != 0:
        return f"build: {built}"
    hunt = Measured([
        "env", "HEDDLE_OPTIONS=detail=accesses", heddle, "hunt", "--json", "--strategy", "random", "--seed", 1,
        "--runs", 1, "--time", "10m", "-o", trace, "--", exe
    ], work, 600)
    print(f"hunt   {hunt}", flush=True)
    if hunt.status != FOUND:
        return f"hunt: {hunt.out[-500:]}"
    print(f"trace  {trace.stat().st_size / MIB:.1f} MiB", flush=True)
    steps = {"hunt": hunt}
    steps["show"] = Measured([heddle, "show", trace], work, 300)
    steps["show --json"] = Measured([heddle, "show", "--json", trace], work, 300)
    steps["replay"] = Measured([heddle, "replay", trace], work, 600)
    for name, step in steps.items():
        print(f"{name:12} {step}", flush=True)
        if step.status != (0 if name.startswith("show") else FOUND):
            return f"{name}: {step}"
        if step.peak > LIMIT:
            return f"{name}: {step.peak / MIB:.0f} MiB, at most {LIMIT / MIB:.0f} allowed"
    shown = json.loads(steps["show --json"].out)
    if shown["events"] < EVENTS or not shown["complete"]:
        return f"{shown['events']} events, complete: {shown['complete']}"
    print(
        f"{shown['events']} events, {trace.stat().st_size / shown['events']:.2f} bytes each, {shown['switches']} switches"
    )
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-ten-million-") as folder:
        why = check(a.heddle, pathlib.Path(folder))
    print(f"{'ok    ' if why is None else 'not ok'} ten million events{'' if why is None else ': ' + why}")
    return why is not None


if __name__ == "__main__":
    sys.exit(main())
