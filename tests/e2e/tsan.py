#!/usr/bin/env python3
"""Objects built with -fsanitize=thread by gcc and clang, linked by heddle.

    tests/e2e/tsan.py --heddle build/bin/heddle

Closing line: 'N passed, M failed'.
"""
import argparse, json, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import PROGRAMS, bounded  # noqa: E402

SOURCES = HERE / "tsan"
FOUND, CLEAN = 66, 0
COMPILERS = {"gcc": "g++", "clang": "clang++-19"}
# For ThreadSanitizer's own tests, and what its interceptors call among themselves: compilers and programs refer to none of these.
NOT_OURS = re.compile(
    r"__tsan_(testonly_|setjmp|resume|thread_start_func|stack_initialization|tls_initialization|on_thread_idle)")
INTERFACE = re.compile(r"^(__tsan_|Annotate|WTFAnnotate|RunningOnValgrind|ValgrindSlowdown|ThreadSanitizerQuery)")


class Check:
    def __init__(self, heddle, work):
        self.heddle, self.work, self.passed, self.failed = heddle, work, 0, 0

    def __call__(self, name, ok, why=""):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        print(f"{'ok    ' if ok else 'not ok'} {name}{'' if ok else ': ' + str(why)[:600]}", flush=True)
        return ok

    def run(self, *argv, timeout=120, env=None):
        return bounded(argv, self.work, timeout, env=env)

    def compile(self, compiler, source, name, *flags):
        """An object; the compiler's own driver, nothing of ours."""
        out = self.work / f"{name}.o"
        code, _, err = self.run(COMPILERS[compiler], "-std=c++20", "-g", "-w", "-fsanitize=thread", *flags, "-c",
                                source, "-o", out)
        return out if code == 0 else self(f"{compiler} compiles {name}", False, err) or None

    def link(self, name, *objects):
        exe = self.work / name
        code, _, err = self.run(self.heddle, "c++", "-pthread", *objects, "-o", exe)
        return exe if code == 0 else self(f"heddle links {name}", False, err) or None

    def build(self, compiler, source, name, *flags):
        made = self.compile(compiler, source, name, *flags)
        return made and self.link(name, made)

    def hunt(self, exe, *more, runs=60, backend="fibers"):
        code, out, err = self.run(self.heddle, "hunt", "--json", "--seed", 1, "--runs", runs, *more, "--", exe,
                                  env=dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}"))
        try:
            return code, json.loads(out)
        except ValueError:
            return code, {"races": [], "error": err}


def symbols_of(*argv):
    text = subprocess.run([str(a) for a in argv],
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL,
                          text=True,
                          check=True).stdout
    return {
        w[-1]
        for w in map(str.split, text.splitlines()) if len(w) == 3 and w[1] in "TWV" and INTERFACE.match(w[-1])
    }


def no_symbol_is_missing(check):
    (check.work / "empty.cc").write_text("int main() {}\n")
    exe = check.build("gcc", check.work / "empty.cc", "empty")
    ours = symbols_of("nm", "-D", exe)
    libraries = {
        "gcc": ("nm", "-D", subprocess.check_output(["g++", "-print-file-name=libtsan.so"], text=True).strip()),
        "clang": ("nm", subprocess.check_output(["clang++-19", "-print-file-name=libclang_rt.tsan-x86_64.a"],
                                                text=True).strip())
    }
    if not pathlib.Path(libraries["clang"][1]).exists():
        libraries["clang"] = (
            "nm", next(pathlib.Path("/usr/lib/llvm-19/lib/clang").glob("*/lib/linux/libclang_rt.tsan-x86_64.a")))
    for compiler, command in libraries.items():
        theirs = {s for s in symbols_of(*command) if not NOT_OURS.match(s)}
        check(f"all {len(theirs)} functions of {compiler}'s libtsan are there",
              len(theirs) > 150 and not theirs - ours, sorted(theirs - ours))


def everything_links_and_is_silent(check):
    for compiler, variants in {"gcc": [("-O0",), ("-O1",), ("-O2", "-mcx16", "-latomic")],
                               "clang": [("-O0", "-mcx16", "-DWIDE"), ("-O1",),
                                         ("-O2", "-mcx16", "-DWIDE", "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm",
                                          "-tsan-compound-read-before-write=1")]}.items():
        for flags in variants:
            exe = check.build(compiler, SOURCES / "everything.cc", "everything", *flags)
            if not exe:
                continue
            code, out, err = check.run(exe)
            name = f"everything {compiler} {flags[0]}"
            if not check(f"{name}: runs alone", code == 0 and re.fullmatch(r"sum \d+\n", out), (code, out, err)):
                continue
            for backend in ("fibers", "baton"):
                code, found = check.hunt(exe, runs=20, backend=backend)
                check(f"{name}: no failure, no race on {backend}", code == CLEAN and not found["races"], (code, found))


def planted_races_are_found(check):
    for compiler in COMPILERS:
        for kind in range(1, 11):
            if kind == 9 and compiler == "gcc":
                continue  # a call of memset has no hook
            line = next(i for i, l in enumerate((SOURCES / "races.cc").read_text().splitlines(), 1)
                        if f"case {kind}:" in l)
            for fixed in (False, True):
                exe = check.build(compiler, SOURCES / "races.cc", "races", "-O1", f"-DKIND={kind}",
                                  *(["-DFIXED"] if fixed else []))
                code, found = check.hunt(exe, runs=20)
                lines = {(e["function"].split("(")[0], e["line"])
                         for r in found["races"] for e in (r["first"], r["second"])}
                ok = not found["races"] if fixed else any(line <= l <= line + 5 for _, l in lines)
                check(f"race {kind} {compiler}{' fixed' if fixed else ''}", code == CLEAN and ok,
                      (code, lines, found.get("error")))


def annotations_mean_what_they_say(check):
    for compiler in COMPILERS:
        for how, races in enumerate((True, False, False, False, False, False, False, True)):
            exe = check.build(compiler, SOURCES / "annotations.cc", "annotations", "-O1", f"-DHOW={how}")
            code, found = check.hunt(exe, runs=20)
            check(f"annotation {how} {compiler}", code == CLEAN and bool(found["races"]) == races,
                  (code, found["races"][:1], found.get("failure")))


def lost_update_is_found_and_replayed(check):
    source = check.work / "lost.cc"
    source.write_text((PROGRAMS / "fail" / "lost_update.c").read_text())
    for compiler in COMPILERS:
        exe = check.build(compiler, source, f"lost_{compiler}", "-O1")
        trace = check.work / "lost.trace"
        code, found = check.hunt(exe, "-o", trace, runs=2000)
        failure = found.get("failure") or {}
        check(f"lost update {compiler}: found with its line", code == FOUND and failure.get("line"),
              (code, failure, found.get("error")))
        for backend in ("fibers", "baton"):
            code, out, err = check.run(check.heddle,
                                       "replay",
                                       "--json",
                                       "--times",
                                       5,
                                       trace,
                                       env=dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}"))
            again = json.loads(out or "{}")
            ok = code == FOUND and again.get("times_reproduced") == 5 and again["failure"]["signature"] == failure.get(
                "signature")
            check(f"lost update {compiler}: replayed on {backend}", ok, (code, again.get("divergence"), err[-200:]))
        code, out, err = check.run(check.heddle, "show", trace)
        check(f"lost update {compiler}: show names the source", code == 0 and "lost.cc" in out, out[-300:] + err)


def stacks_pass_through_all_kinds_of_code(check):
    for compiler in COMPILERS:
        tsan = check.compile(compiler, SOURCES / "mixed_tsan.cc", "mixed_tsan", "-O2", "-fPIC")
        main, plain = check.work / "mixed_main.o", check.work / "mixed_plain.o"
        check.run(check.heddle, "c++", "-std=c++20", "-g", "-O1", "-c", SOURCES / "mixed_main.cc", "-o", main)
        check.run("gcc", "-O2", "-c", SOURCES / "mixed_plain.c", "-o", plain)
        library = check.work / "libmixed.so"
        check.run(check.heddle, "c++", "-shared", tsan, plain, "-o", library)
        own = check.work / compiler / "libown.so"  # gcc's asks for libtsan.so
        own.parent.mkdir(exist_ok=True)
        check.run(COMPILERS[compiler], "-shared", "-fsanitize=thread", tsan, plain, "-o", own)
        for how, parts in {
                "in one program": (main, tsan, plain),
                "in a library": (main, library, f"-Wl,-rpath,{check.work}"),
                "in a library that the compiler linked": (main, f"-L{own.parent}", "-lown", f"-Wl,-rpath,{own.parent}")
        }.items():
            exe = check.link("mixed", *parts)
            code, _, err = check.run(exe)
            check(f"mixed {compiler} {how}: alone", code == 0, (code, err))
            code, found = check.hunt(exe, runs=20)
            stacks = [[f["function"].split("(")[0] for f in e["stack"]] for r in found["races"]
                      for e in (r["first"], r["second"])]
            ours = [s for s in stacks if s[:1] == ["innermost"]]
            theirs = [s for s in stacks if s[:1] == ["through_tsan"]]
            check(f"mixed {compiler} {how}: races of heddle's code and ThreadSanitizer's", ours and theirs, stacks)
            check(
                f"mixed {compiler} {how}: stacks of both", ours and theirs and
                all("through_tsan" in s and "outermost" in s for s in ours) and all("outermost" in s for s in theirs),
                stacks)


def contexts_of_the_program(check):
    for compiler in COMPILERS:
        exe = check.build(compiler, SOURCES / "contexts.cc", "contexts", "-O1")
        code, found = check.hunt(exe, runs=30)
        check(f"contexts {compiler}", code == CLEAN and not found["races"],
              (code, found["races"][:1], found.get("failure")))


def the_flag_given_to_heddle_is_left_out(check):
    exe = check.work / "flag"
    code, _, err = check.run(check.heddle, "c++", "-std=c++20", "-g", "-O1", "-fsanitize=thread", "-DKIND=3",
                             SOURCES / "races.cc", "-o", exe)
    check("-fsanitize=thread given to heddle: a note", code == 0 and "-fsanitize=thread is removed" in err, (code, err))
    undefined = subprocess.run(["nm", exe], stdout=subprocess.PIPE, text=True).stdout
    check("... its own hooks are in", "touch" in undefined and ".heddle" in undefined, undefined[-200:])
    code, found = check.hunt(exe, runs=20)
    check("... and find the race", code == CLEAN and found["races"], (code, found))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("--only", help="part of a check's function name")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-tsan-") as work:
        check = Check(pathlib.Path(a.heddle).resolve(), pathlib.Path(work))
        for part in (no_symbol_is_missing, everything_links_and_is_silent, planted_races_are_found,
                     annotations_mean_what_they_say, lost_update_is_found_and_replayed,
                     stacks_pass_through_all_kinds_of_code, contexts_of_the_program,
                     the_flag_given_to_heddle_is_left_out):
            if not a.only or a.only in part.__name__:
                part(check)
    print(f"{check.passed} passed, {check.failed} failed")
    return check.failed > 0


if __name__ == "__main__":
    sys.exit(main())
