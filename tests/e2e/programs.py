#!/usr/bin/env python3
"""Every program of tests/programs in every mode: build, hunt, replay.

    tests/e2e/programs.py --heddle build/bin/heddle [--level O0] [--backend fibers] [--replays 20] [FILE ...]

A program is one file with its expectation in its first line:

    // expect: deadlock          in fail/: hunt finds a failure of that kind, and 20 replays give the same signature, 2 more
                                 on the other backend too
    // expect: clean             in success/: nothing fails, and no data race is reported
    // expect: clean race        in success/: nothing fails, and a data race is reported
    // expect: clean race 5      the same, and at least so many
Options may follow on further comment lines at the top, one per line:
    // cflags: -std=c++20        // hunt: --points all      // args: 3 x      // stdin: hello      // runs: 500
    // alone: SIGSEGV            how it ends when nobody controls it: a status or a signal (success/: 0; fail/: anything)
    // remove: input.txt         this file is made in the program's folder before the hunt and is gone before the replay
    // options: hang_timeout=1s  HEDDLE_OPTIONS beside the backend
    // tsan: none, why           not with --objects gcc or clang
Whatever the outcome, no process of the program may be alive afterwards. Closing line: 'N passed, M failed'.
"""
import argparse, concurrent.futures, contextlib, json, os, pathlib, re, shlex, signal, subprocess, sys, tempfile, time

from built import build_once
from report import Report

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"
FOUND, CLEAN = 66, 0


def bounded(argv, cwd, timeout, stdin=b"", env=None):
    """(status, stdout, stderr); a time-out kills the process group and gives status None."""
    p = subprocess.Popen([str(a) for a in argv],
                         stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE,
                         cwd=cwd,
                         start_new_session=True,
                         env=env)
    try:
        out, err = p.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return None, "", f"no answer in {timeout} s"
    return p.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def processes(chosen):
    """Those for which `chosen(their folder in /proc)`; one that goes meanwhile is none. (Not with glob(): it fails if one goes while it looks.)"""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if chosen(pathlib.Path("/proc", name)):
                found.append(name)
        except OSError:
            pass
    return found


def survivors(folder):
    """Processes whose program lies in `folder`; a killed one may need a moment."""
    for _ in range(20):
        alive = processes(lambda process: os.readlink(process / "exe").startswith(f"{folder}/"))
        if not alive:
            return []
        time.sleep(0.05)
    for pid in alive:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    return alive


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
        self.races = int(words[2]) if self.race and words[2:] and words[2].isdigit() else 1
        field = lambda name: (re.search(rf"\b{name}:\s*(.*?)\s*(\*/)?$", text, re.M) or [None, ""])[1]
        self.cflags, self.hunt, self.args = (shlex.split(field(n)) for n in ("cflags", "hunt", "args"))
        self.stdin, self.runs = field("stdin").encode(), int(field("runs") or (30 if self.kind == "clean" else 2000))
        self.alone = field("alone") or ("0" if self.kind == "clean" else "")
        self.remove, self.options = field("remove"), field("options")
        self.tsan = not field("tsan").startswith("none")

    def build(self, heddle, level, exe, objects="heddle"):
        """`objects`: who compiles; 'gcc' and 'clang' do it with -fsanitize=thread, and heddle links."""
        c = self.path.suffix == ".c"
        front, flags = ["cc"] if c else ["c++", "-std=c++20"], ["-g", f"-{level}", "-pthread", *self.cflags]
        if objects == "heddle":
            return build_once(heddle, [*front, *flags], self.path, exe,
                              lambda: bounded([heddle, *front, *flags, self.path, "-o", exe], exe.parent, 120))
        compiler = {"gcc": ["gcc", "g++"], "clang": ["clang-19", "clang++-19"]}[objects][not c]
        include = heddle.parent.parent / "include"
        compiled = [f for f in flags if not f.startswith(("-l", "-Wl,", "-fheddle"))]
        made = bounded([
            compiler, *front[1:], *compiled, "-w", "-I", include, "-fsanitize=thread", "-c", self.path, "-o", f"{exe}.o"
        ], exe.parent, 120)
        return made if made[0] else bounded([heddle, *front, *flags, f"{exe}.o", "-o", exe], exe.parent, 120)


def hunt(case, heddle, work, exe, env, *more):
    """(status, JSON object or None, stderr)"""
    code, out, err = bounded([
        heddle, "hunt", "--json", "--seed", 1, "--runs", case.runs, "--time", "60s", *case.hunt, *more, "--", exe,
        *case.args
    ], work, 120, case.stdin, env)
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, None, err


def check_fail(case, heddle, work, exe, replays, env, other):
    trace = work / "t.heddle"
    code, found, err = hunt(case, heddle, work, exe, env, "-o", trace)
    if found is None:
        return f"hunt: status {code}, no JSON: {err[-300:]}"
    failure = found.get("failure") or {}
    if code != FOUND or failure.get("kind") != case.kind or not failure.get("signature"):
        return f"hunt: status {code}, kind {failure.get('kind')} after {found.get('runs')} runs: {err[-200:]}"
    if case.remove:
        (work / case.remove).unlink()
    for times, where in ((replays, env), (2, other)):
        code, out, err = bounded([heddle, "replay", "--json", "--times", times, trace], work, 120, b"", where)
        try:
            again = json.loads(out)
        except ValueError:
            return f"replay: status {code}, no JSON: {err[-300:]}"
        signature = (again.get("failure") or {}).get("signature")
        if code != FOUND or again.get(
                "diverged") or signature != failure["signature"] or again.get("times_reproduced") != times:
            return (f"replay {where['HEDDLE_OPTIONS']}: status {code}, {again.get('times_reproduced')} of {times}, "
                    f"{again.get('divergence')}, {signature!r} instead of {failure['signature']!r}")
    return None


def check_success(case, heddle, work, exe, env):
    code, found, err = hunt(case, heddle, work, exe, env)
    if found is None:
        return f"hunt: status {code}, no JSON: {err[-300:]}"
    if code != CLEAN or found.get("found"):
        return f"hunt: status {code}, {found.get('failure')}"
    races = len(found.get("races") or [])
    if races < case.races if case.race else races:
        return f"{races} races: {found.get('races')}"
    return None


def check_alone(case, work, exe):
    code, _, err = bounded([exe, *case.args], work, 60, case.stdin)
    survivors(work)  # what it leaves behind on its own is its own business
    want = -signal.Signals[case.alone] if case.alone.startswith("SIG") else int(case.alone)
    return None if code == want else f"alone, without heddle: status {code} instead of {want} {err[-200:]}"


def timed(run, *args):
    start = time.monotonic()
    return run(*args), time.monotonic() - start


def run_backend(case, heddle, work, exe, backend, replays):
    env, other = (dict(os.environ, HEDDLE_OPTIONS=":".join(filter(None, [f"backend={b}", case.options])))
                  for b in (backend, "baton" if backend == "fibers" else "fibers"))
    if case.remove:
        (work / case.remove).write_text("made for the hunt\n")
    why = check_success(case, heddle, work, exe, env) if case.kind == "clean" else check_fail(
        case, heddle, work, exe, replays, env, other)
    left = survivors(work)
    return why or (f"left running: {left}" if left else None)


def run_case(path, heddle, level, backends, replays, objects):
    case = Case(path)
    if objects != "heddle" and not case.tsan:
        return None
    with tempfile.TemporaryDirectory(prefix="heddle-e2e-") as folder:
        work = pathlib.Path(folder)
        exe = work / path.stem
        code, _, err = case.build(heddle, level, exe, objects)
        if code != 0:
            return f"build: {err[-300:]}"
        if why := case.alone and check_alone(case, work, exe):
            return why
        for backend in backends:
            if why := run_backend(case, heddle, work, exe, backend, replays):
                return f"{backend}: {why}"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("--level", action="append", help="O0, O1, O2 (default: O0 and O1)")
    ap.add_argument("--backend", action="append", help="baton, fibers (default: both)")
    ap.add_argument("--objects",
                    choices=("heddle", "gcc", "clang"),
                    default="heddle",
                    help="gcc, clang: compile with -fsanitize=thread")
    ap.add_argument("--replays", type=int, default=20)
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("files", nargs="*", type=pathlib.Path)
    a = ap.parse_args()
    heddle = pathlib.Path(a.heddle).resolve()
    files = a.files or sorted(p for d in ("fail", "success")
                              for p in (PROGRAMS / d).iterdir() if p.suffix in (".c", ".cc"))
    jobs = [(f, level) for f in files for level in a.level or ["O0", "O1"]]
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = [(f, level,
                    pool.submit(timed, run_case, f.resolve(), heddle, level, a.backend or ["baton", "fibers"],
                                a.replays, a.objects)) for f, level in jobs]
        for f, level, result in results:
            why, seconds = result.result()
            report.line(f"{f.parent.name}/{f.name} -{level} {seconds:.1f} s", why)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
