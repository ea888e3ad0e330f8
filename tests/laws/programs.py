#!/usr/bin/env python3
"""The laws on every program of tests/programs.

    tests/laws/programs.py --heddle build/bin/heddle --laws build/tests/heddle_laws
                           [--resolve build/tests/heddle_sites_resolve] [--schedules 100] [--law NAME] [FILE ...]

A program may say in its opening comment, beside what tests/e2e/programs.py reads:
    // laws: 20 schedules, <why so few>      laws: none, <why>
Prints a line per program, with the breaches of one that failed, and those again at the end; closing line: 'N passed, M failed'.
"""
import argparse, concurrent.futures, os, pathlib, queue, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from programs import PROGRAMS, Case, bounded  # noqa: E402
from report import Report  # noqa: E402

TIMEOUT = 900
PLAIN_RUNS = 100


def build_plain(case, exe, include):
    """As clang builds it."""
    front = ["clang-19"] if case.path.suffix == ".c" else ["clang++-19", "-std=c++20"]
    return bounded([*front, "-w", "-g", "-O1", "-pthread", "-I", include, *case.cflags, case.path, "-o", exe],
                   exe.parent, 120)


def idle_program_behaves_as_built_by_clang(case, exe, heddle, work):
    """Only programs that always end alike: those of success/ whose output the schedule does not change. A racy program's does."""
    plain = work / "plain" / exe.name
    plain.parent.mkdir()
    code, _, err = build_plain(case, plain, heddle.parent.parent / "include")
    if code != 0:
        return f"clang: {err[-300:]}" if "heddle_" not in err else None  # <heddle/check.h> without its runtime
    # Same argv[0] and folder for both.
    def run(program):
        code, out, _ = bounded(["bash", "-c", 'exec -a "$0" "$@"', exe.name, program, *case.args], work, 60, case.stdin)
        return (code, None if case.race else out)
    expected = run(plain)
    different = [actual for actual in (run(exe) for _ in range(3)) if actual != expected]
    # A difference is heddle's only if clang's program never shows one: how many runs that takes is a matter of chance.
    if different and all(run(plain) == expected for _ in range(PLAIN_RUNS)):
        return f"idle: {different} instead of {expected}"
    return None


def check(path, a, cpu):
    """(laws that hold, laws that do not, the output of those)"""
    case = Case(path)
    laws = re.search(r"\blaws:\s*(none|\d+)", path.read_text())
    if laws and laws[1] == "none":
        return 0, 0, ""
    schedules = int(laws[1]) if laws else a.schedules
    with tempfile.TemporaryDirectory(prefix="heddle-laws-") as folder:
        work = pathlib.Path(folder)
        exe = work / path.stem
        code, _, err = case.build(a.heddle, "O1", exe, a.objects)
        if code != 0:
            return 0, 1, f"build: {err[-300:]}"
        (work / "stdin").write_bytes(case.stdin)
        extra = ["--law", a.law] if a.law else []
        if case.options:
            extra += ["--options", case.options]
        code, out, err = bounded([
            a.laws, "--schedules",
            min(schedules, a.schedules), "--cpu", cpu, "--stdin", work / "stdin", *extra, "--", exe, *case.args
        ], work, TIMEOUT)
        passed, failed = (len(re.findall(rf"^{word}", out, re.M)) for word in ("ok", "not ok"))
        broken = re.sub(r"^ok .*\n", "", out, flags=re.M)  # the broken laws, each with the breaches before it
        if code not in (0, 1):
            failed += 1
            broken += f"\nstatus {code} {err[-300:]}"
        if case.kind == "clean" and not a.law and a.objects == "heddle":
            why = idle_program_behaves_as_built_by_clang(case, exe, a.heddle, work)
            passed, failed = passed + (why is None), failed + (why is not None)
            broken += f"\nidle_program_behaves_as_built_by_clang {why}" if why else ""
        if a.resolve and not a.law:  # the law of sites.py
            code, out, _ = bounded([a.resolve, exe], work, TIMEOUT)
            passed, failed = passed + (code == 0), failed + (code != 0)
            broken += f"\neach_site_names_one_instruction {out[-800:]}" if code != 0 else ""
        return passed, failed, broken.strip()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--laws", default="build/tests/heddle_laws", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--resolve",
                    type=lambda p: pathlib.Path(p).resolve(),
                    help="heddle_sites_resolve: with the law of sites")
    ap.add_argument("--schedules", type=int, default=100)
    ap.add_argument("--law")
    ap.add_argument("--objects",
                    choices=("heddle", "gcc", "clang"),
                    default="heddle",
                    help="gcc, clang: compile with -fsanitize=thread")
    ap.add_argument("files", nargs="*", type=pathlib.Path)
    a = ap.parse_args()
    files = a.files or sorted(p for d in ("fail", "success")
                              for p in (PROGRAMS / d).iterdir() if p.suffix in (".c", ".cc"))
    cpus = queue.Queue()
    for cpu in os.sched_getaffinity(0):
        cpus.put(cpu)

    def on_own_cpu(path):
        cpu = cpus.get()
        try:
            return check(path.resolve(), a, cpu)
        finally:
            cpus.put(cpu)

    report = Report()
    with concurrent.futures.ThreadPoolExecutor(cpus.qsize()) as pool:
        for path, (passed, failed, broken) in zip(files, pool.map(on_own_cpu, files)):
            name = f"{path.parent.name}/{path.name}"
            report.line(name if failed else f"{name}: {passed} laws", broken if failed else None, (passed, failed))
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
