#!/usr/bin/env python3
"""The race detector beside ThreadSanitizer, on tests of Debian's source packages: docs/races.md has the table.

    tests/real/races_beside_tsan.py --heddle build/bin/heddle --folder /tmp/beside [--runs 20] [TEST ...]

Each test is built twice from the same source: with clang++ -fsanitize=thread, run natively, and with heddle c++, run under `hunt` with the detector
on. Printed: a line of the table per test, and each distinct race. Nothing is judged here: a person explains the differences.
"""
import argparse, json, os, pathlib, re, subprocess, sys

from fetch import Sources

PACKAGES = {"lockfree": "boost1.74", "leveldb": "leveldb", "libcds": "libcds", "abseil": "abseil"}
BOOST_THREAD = ["libs/thread/src/pthread/thread.cpp", "libs/thread/src/pthread/once.cpp", "libs/thread/src/future.cpp"]


def lockfree(tree, name):
    """Boost.Lockfree: its own tests, with Boost.Thread built into them."""
    includes = [f"-I{p}" for p in sorted(tree.glob("libs/*/include"))
                ] + [f"-I{p}" for p in sorted(tree.glob("libs/*/*/include"))]
    flags = [
        *includes, f"-I{tree}/libs/lockfree/test", "-std=c++17", "-DBOOST_LOCKFREE_INCLUDE_TESTS",
        "-DBOOST_TEST_NO_LIB", "-w", "-DBOOST_THREAD_BUILD_LIB=1", "-DBOOST_THREAD_NO_LIB",
        "-DBOOST_LOCKFREE_STRESS_TEST"
    ]
    return [f"libs/lockfree/test/{name}.cpp", *BOOST_THREAD], flags, []


def leveldb(tree, name):
    skip = ("_test.cc", "windows", "_bench", "leveldbutil", "db_test")
    sources = [
        str(p.relative_to(tree)) for d in ("db", "util", "table", "helpers/memenv")
        for p in sorted((tree / d).glob("*.cc")) if not any(s in str(p) for s in skip)
    ]
    flags = [f"-I{tree}", f"-I{tree}/include", "-std=c++17", "-DLEVELDB_PLATFORM_POSIX=1", "-DHAVE_FDATASYNC=1", "-w"]
    (tree / "port" / "port_config.h").write_text("#pragma once\n#define HAVE_FDATASYNC 1\n")
    return [f"{name}.cc", *sources], flags, ["-lgtest", "-lgmock", "-lgtest_main"]


def libcds(tree, name):
    sources = [str(p.relative_to(tree)) for p in sorted((tree / "src").glob("*.cpp"))]
    flags = [
        f"-I{tree}", f"-I{tree}/test/include", f"-I{tree}/test/unit", "-std=c++17", "-mcx16", "-w",
        "-DCDS_BUILD_STATIC_LIB"
    ]
    return [f"test/unit/{name}.cpp", "test/unit/main.cpp", *sources], flags, ["-lgtest"]


def abseil(tree, name):
    """absl::Mutex and what is built on it."""
    skip = ("_test", "benchmark", "mock", "test_", "_testing", "print_hash_of", "scoped_set_env",
            "gaussian_distribution_gentables")
    folders = ("base", "base/internal", "synchronization", "synchronization/internal", "debugging",
               "debugging/internal", "time", "time/internal", "time/internal/cctz/src", "strings", "strings/internal",
               "strings/internal/str_format", "numeric", "profiling/internal")
    sources = [
        str(p.relative_to(tree)) for d in folders for p in sorted((tree / "absl" / d).glob("*.cc"))
        if not any(s in p.name for s in skip)
    ]
    flags = [f"-I{tree}", "-std=c++17", "-w"]
    return [f"absl/{name}.cc", *sources], flags, ["-lgtest", "-lgmock", "-lgtest_main"]


TESTS = {
    "lockfree": [
        "queue_test", "stack_test", "spsc_queue_test", "freelist_test", "queue_bounded_stress_test",
        "queue_unbounded_stress_test", "stack_bounded_stress_test", "stack_unbounded_stress_test",
        "spsc_queue_stress_test"
    ],
    "leveldb": ["util/env_test", "util/cache_test", "db/skiplist_test", "db/autocompact_test"],
    "libcds": ["stack/treiber_stack_hp", "queue/msqueue_hp", "queue/basket_queue_dhp", "misc/permutations"],
    "abseil": [
        "synchronization/barrier_test", "synchronization/blocking_counter_test", "synchronization/notification_test"
    ],
}


def run(argv, folder, timeout, env=None):
    try:
        done = subprocess.run([str(a) for a in argv],
                              cwd=folder,
                              timeout=timeout,
                              capture_output=True,
                              text=True,
                              errors="replace",
                              env={
                                  **os.environ,
                                  **(env or {})
                              })
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace") + (late.stderr or b"").decode(errors="replace")


def build(compiler, tree, sources, flags, libraries, program, jobs):
    """Object files first: shared by the tests of a package."""
    objects = program.parent / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    made, waiting = [], []
    for source in sources:
        made.append(objects / (source.replace("/", "_") + ".o"))
        if made[-1].exists():
            continue
        argv = [*compiler, "-g", "-O1", "-pthread", *flags, "-c", tree / source, "-o", made[-1]]
        waiting.append(
            (source, subprocess.Popen([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)))
        if len(waiting) >= jobs:
            finish(*waiting.pop(0))
    for source, process in waiting:
        finish(source, process)
    status, said = run([*compiler, "-g", "-O1", "-pthread", *made, *libraries, "-o", program], tree, 300)
    if status:
        raise RuntimeError(said[-600:])


def finish(source, process):
    said = process.communicate(timeout=600)[0]
    if process.returncode:
        raise RuntimeError(f"{source}: {said.decode(errors='replace')[-600:]}")


def tsan_says(program, folder, times):
    races, ends = set(), []
    for _ in range(times):
        status, said = run([program], folder, 120, {"TSAN_OPTIONS": "exitcode=0"})
        ends.append(status)
        races |= set(re.findall(r"SUMMARY: ThreadSanitizer: ([^\n]*)", said))
    return sorted(races), ends


def heddle_says(heddle, program, folder, runs):
    status, said = run(
        [heddle, "hunt", "--seed", "1", "--runs", runs, "--time", "60s", "--detector", "on", "--json", "--", program],
        folder, 200)
    try:
        found = json.loads(said[said.index("{"):said.rindex("}") + 1])
    except ValueError:
        return [], f"status {status}: {said[-200:]}", 0
    place = lambda a: f"{a['kind']} {pathlib.Path(a['file']).name}:{a['line']} {a['function']}"
    races = sorted({f"{r['variable']}: {place(r['first'])} / {place(r['second'])}" for r in found.get("races", [])})
    failure = found.get("failure") or {}
    return races, failure.get("kind") or "nothing failed", found.get("runs", 0)


def compare(options, package, name):
    tree = options.sources.get(PACKAGES[package])
    sources, flags, libraries = globals()[package](tree, name)
    programs = {}
    for kind, compiler in (("tsan", ["clang++-19", "-fsanitize=thread"]), ("heddle", [options.heddle, "c++"])):
        folder = options.folder / package / kind
        programs[kind] = folder / name.replace("/", "_")
        build(compiler, tree, sources, flags, libraries, programs[kind], options.jobs)
    work = options.folder / package / "work"
    work.mkdir(exist_ok=True)
    theirs, ends = tsan_says(programs["tsan"], work, options.tsan_times)
    ours, end, runs = heddle_says(options.heddle, programs["heddle"], work, options.runs)
    print(
        f"| {PACKAGES[package]} | {name} | {len(theirs)} in {len(ends)} runs, ends {ends} | {len(ours)} in {runs} runs, {end} |",
        flush=True)
    for race in theirs:
        print(f"    tsan    {race}")
    for race in ours:
        print(f"    heddle  {race}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--runs", default=20, type=int)
    parser.add_argument("--tsan-times", default=5, type=int)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("tests", nargs="*", help="PACKAGE or PACKAGE/TEST")
    options = parser.parse_args()
    options.heddle, options.folder = options.heddle.resolve(), options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.sources = Sources(
        options.folder, lambda argv, folder, timeout: subprocess.run(
            [str(a) for a in argv], cwd=folder, timeout=timeout, check=True, stdout=subprocess.DEVNULL))
    for package, names in TESTS.items():
        for name in names:
            if options.tests and package not in options.tests and f"{package}/{name}" not in options.tests:
                continue
            try:
                compare(options, package, name)
            except (RuntimeError, subprocess.SubprocessError) as problem:
                print(f"| {PACKAGES[package]} | {name} | not built: {str(problem)[-400:]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
