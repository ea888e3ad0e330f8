#!/usr/bin/env python3
"""Every program of tests/programs in every mode: build, hunt, replay.

    tests/e2e/programs.py --heddle build/bin/heddle [--level O0] [--replays 20] [FILE ...]

A program is one file with its expectation in its first line:

    // expect: deadlock          in fail/: hunt finds a failure of that kind, and 20 replays give the same signature
    // expect: clean             in success/: nothing fails, and no data race is reported
    // expect: clean race        in success/: nothing fails, and a data race is reported
Options may follow on further comment lines at the top:
    // cflags: -std=c++20        hunt: --points all        args: 3 x        stdin: hello        runs: 500
Closing line: 'N passed, M failed'.
"""
import argparse, concurrent.futures, json, os, pathlib, re, shlex, signal, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"
FOUND, CLEAN = 66, 0


def bounded(argv, cwd, timeout, stdin=b"", env=None):
    """(status, stdout, stderr); a time-out kills the process group and gives status None."""
    p = subprocess.Popen([str(a) for a in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                         start_new_session=True, env=env)
    try:
        out, err = p.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return None, "", f"no answer in {timeout} s"
    return p.returncode, out.decode(errors="replace"), err.decode(errors="replace")


class Case:
    def __init__(self, path):
        self.path = path
        head = []
        for line in path.read_text().splitlines():
            if not line.lstrip().startswith(("//", "/*", "*")):
                break
            head.append(line)
        text = "\n".join(head)
        words = re.search(r"expect:\s*([\w ]+)", text).group(1).split()
        self.kind, self.race = words[0], "race" in words[1:2]
        field = lambda name: (re.search(rf"\b{name}:\s*(.*?)\s*(\*/)?$", text, re.M) or [None, ""])[1]
        self.cflags, self.hunt, self.args = (shlex.split(field(n)) for n in ("cflags", "hunt", "args"))
        self.stdin, self.runs = field("stdin").encode(), int(field("runs") or 2000)

    def build(self, heddle, level, exe):
        front = ["cc"] if self.path.suffix == ".c" else ["c++", "-std=c++20"]
        return bounded([heddle, *front, "-g", f"-{level}", "-pthread", *self.cflags, self.path, "-o", exe], exe.parent, 120)


def check_fail(case, heddle, work, exe, replays, env):
    trace = work / "t.heddle"
    code, out, err = bounded([heddle, "hunt", "--json", "--seed", 1, "--runs", case.runs, "--time", "60s", *case.hunt, "-o", trace,
                              "--", exe, *case.args], work, 120, case.stdin, env)
    try:
        found = json.loads(out)
    except ValueError:
        return f"hunt: status {code}, no JSON: {err[-300:]}"
    failure = found.get("failure") or {}
    if code != FOUND or failure.get("kind") != case.kind or not failure.get("signature"):
        return f"hunt: status {code}, kind {failure.get('kind')} after {found.get('runs')} runs: {err[-200:]}"
    for i in range(replays):
        code, out, err = bounded([heddle, "replay", "--json", trace], work, 60, b"", env)
        try:
            again = json.loads(out)
        except ValueError:
            return f"replay {i}: status {code}, no JSON: {err[-300:]}"
        signature = (again.get("failure") or {}).get("signature")
        if code != FOUND or again.get("diverged") or signature != failure["signature"]:
            return f"replay {i}: status {code}, {again.get('divergence')}, {signature!r} instead of {failure['signature']!r}"
    return None


def check_success(case, heddle, work, exe, env):
    code, out, err = bounded([exe, *case.args], work, 60, case.stdin)
    if code != 0:
        return f"alone, without heddle: status {code} {err[-200:]}"
    runs = min(case.runs, 200)
    code, out, err = bounded([heddle, "hunt", "--json", "--seed", 1, "--runs", runs, "--time", "60s", *case.hunt, "--", exe, *case.args],
                             work, 120, case.stdin, env)
    try:
        found = json.loads(out)
    except ValueError:
        return f"hunt: status {code}, no JSON: {err[-300:]}"
    if code != CLEAN or found.get("found"):
        return f"hunt: status {code}, {found.get('failure')}"
    if bool(found.get("races")) != case.race:
        return f"races: {found.get('races')}"
    return None


def run_case(path, heddle, level, backend, replays):
    case = Case(path)
    env = dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}")
    with tempfile.TemporaryDirectory(prefix="heddle-e2e-") as folder:
        work = pathlib.Path(folder)
        exe = work / path.stem
        code, _, err = case.build(heddle, level, exe)
        if code != 0:
            return f"build: {err[-300:]}"
        if case.kind == "clean":
            return check_success(case, heddle, work, exe, env)
        return check_fail(case, heddle, work, exe, replays, env)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("--level", action="append", help="O0, O1, O2 (default: O0 and O1)")
    ap.add_argument("--backend", default="baton")
    ap.add_argument("--replays", type=int, default=20)
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("files", nargs="*", type=pathlib.Path)
    a = ap.parse_args()
    heddle = pathlib.Path(a.heddle).resolve()
    files = a.files or sorted(p for d in ("fail", "success") for p in (PROGRAMS / d).iterdir() if p.suffix in (".c", ".cc"))
    jobs = [(f, level) for f in files for level in a.level or ["O0", "O1"]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = [(f, level, pool.submit(run_case, f.resolve(), heddle, level, a.backend, a.replays)) for f, level in jobs]
        for f, level, result in results:
            why = result.result()
            failed += why is not None
            print(f"{'ok    ' if why is None else 'not ok'} {f.parent.name}/{f.name} -{level} {a.backend}{'' if why is None else ': ' + why}",
                  flush=True)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
