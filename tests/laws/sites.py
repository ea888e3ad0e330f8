#!/usr/bin/env python3
"""The law of sites: each names exactly one instruction in the bitcode of its file, with the same place and kind.

    tests/laws/sites.py --heddle build/bin/heddle --resolve build/tests/heddle_sites_resolve [--all] [FILE ...]

Checked for the programs of tests/programs and corpus: those in C at one of -O0 to -O3 in turn, of those in C++, which
take long to compile, every fourth (--all: each at all levels; programs.py checks those of tests/programs at -O1). And for
what linkers do with modules: the same template in two objects, also of different levels of optimisation, link-time
optimisation, archives, shared libraries, -fheddle-late, --gc-sections, strip. Closing line: 'N passed, M failed'.
"""
import argparse, concurrent.futures, os, pathlib, re, struct, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(ROOT / "corpus")]
from programs import PROGRAMS, Case, bounded  # noqa: E402
from report import Report  # noqa: E402
import corpus  # noqa: E402

LEVELS = ("O0", "O1", "O2", "O3")
SITE = struct.Struct("<IiiiIHBBII")
HEAD, READ = 8192, 1  # abi/site.h, abi/events.h

TEMPLATE = """
#pragma once
#include <cstdlib>
#include <mutex>
template <class T>
struct Box {
  std::mutex lock;
  T value{};
  __attribute__((noinline)) T add(T more) {
    std::lock_guard<std::mutex> held(lock);
    for (T i = 0; i < more; ++i) value += i;
    if (value > 1000) std::abort();
    return value;
  }
};
inline int total;
inline int count(int n) { return n < 2 ? total : total += count(n - 1); }
int other();
"""
MAIN = """
#include "box.h"
static int own(int* p) { return *p += 1; }
int main() { Box<int> b; return own(&total) + other() + b.add(2) + count(3) > 99; }
"""
OTHER = """
#include "box.h"
static int own(int* p) { return *p -= 1; }
int other() { Box<int> b; return b.add(3) - own(&total) + count(2); }
"""
# The optimiser makes the call of read() the end of the loop.
DRAIN = """
#include <unistd.h>
char bytes[8];
int drain(int from) {
  try {
    for (;;) (void)read(from, bytes, sizeof bytes);
  } catch (...) {
    return 1;
  }
}
int main(int argc, char**) { return argc > 1 ? drain(0) : bytes[0]; }
"""


def run(*argv, cwd):
    code, out, err = bounded(argv, cwd, 300)
    if code != 0:
        raise AssertionError(f"status {code} of {' '.join(map(str, argv))}: {(out + err)[-800:]}")
    return out


class Linking:
    """Two modules that share a template, linked in all ways."""

    def __init__(self, heddle, resolve, folder):
        self.heddle, self.resolve, self.folder = heddle, resolve, folder
        for name, text in {"box.h": TEMPLATE, "main.cc": MAIN, "other.cc": OTHER}.items():
            (folder / name).write_text(text)

    def compile(self, *arguments, to="program"):
        run(self.heddle, "c++", "-std=c++20", "-g", "-pthread", *arguments, "-o", to, cwd=self.folder)
        return self.folder / to

    def resolved(self, *files):
        """How many sites; raises with the breaches."""
        return int(re.search(r"^(\d+) sites resolved, 0 breaches", run(self.resolve, *files, cwd=self.folder), re.M)[1])

    def modules_of(self, file):
        """The modules that heads of Box<int>::add name, and how many heads do."""
        heads = [head for head in site_heads(file.read_bytes()) if head[0].startswith("_ZN3BoxIiE3add")]
        return {bitcode for _, bitcode in heads}, len(heads)

    def check_one_copy(self, file):
        assert self.resolved(file) > 20
        modules, heads = self.modules_of(file)
        assert (len(modules), heads) == (1, 1), f"{heads} arrays of one template, of {len(modules)} modules"

    def a_template_in_two_objects_has_one_array_of_the_module_that_was_kept(self):
        for level in LEVELS:
            self.check_one_copy(self.compile(f"-{level}", "main.cc", "other.cc"))
            self.check_one_copy(self.compile(f"-{level}", "other.cc", "main.cc"))

    def objects_of_different_levels_go_together(self):
        for one, two in (("O0", "O2"), ("O3", "O0")):
            self.compile(f"-{one}", "-c", "main.cc", to="main.o")
            self.compile(f"-{two}", "-c", "other.cc", to="other.o")
            assert self.resolved(self.compile("main.o", "other.o")) > 20

    def link_time_optimisation(self):
        for lto in ("-flto", "-flto=thin"):
            for level in ("O0", "O2"):
                assert self.resolved(self.compile(lto, "-fuse-ld=lld", f"-{level}", "main.cc", "other.cc")) > 20

    def archives_and_partly_linked_objects(self):
        for name in ("main", "other"):
            self.compile("-O1", "-c", f"{name}.cc", to=f"{name}.o")
        run("ar", "rcs", "libother.a", "other.o", cwd=self.folder)
        self.check_one_copy(self.compile("main.o", "libother.a"))
        run("ld", "-r", "main.o", "other.o", "-o", "both.o", cwd=self.folder)
        self.check_one_copy(self.compile("both.o"))

    def sections_that_are_discarded_and_strip(self):
        for linker in ("-fuse-ld=bfd", "-fuse-ld=lld"):
            file = self.compile("-O1", linker, "-Wl,--gc-sections", "-ffunction-sections", "main.cc", "other.cc")
            self.check_one_copy(file)
            run("strip", file, cwd=self.folder)
            self.check_one_copy(file)

    def a_shared_library_has_bitcode_of_its_own(self):
        library = self.compile("-O1", "-shared", "-fPIC", "other.cc", to="libother.so")
        program = self.compile("-O1", "main.cc", "-L.", "-lother", "-Wl,-rpath,$ORIGIN")
        assert self.resolved(library) + self.resolved(program) == self.resolved(library, program)

    def hooks_after_the_optimiser(self):
        for level in LEVELS:
            assert self.resolved(self.compile("-fheddle-late", f"-{level}", "main.cc", "other.cc")) > 10

    def a_loop_that_an_invoke_closes(self):
        (self.folder / "drain.cc").write_text(DRAIN)
        for level in LEVELS:
            for late in ([], ["-fheddle-late"]):
                assert self.resolved(self.compile(*late, f"-{level}", "drain.cc")) > 2

    def sites_and_calls_of_a_trace_resolve(self):
        for name, sites, calls in (("lost_update", 2, 4), ("two_locks", 0, 4)):
            source = PROGRAMS / "fail" / f"{name}.c"
            run(self.heddle, "cc", "-g", "-O2", "-pthread", source, "-o", name, cwd=self.folder)
            hunt = [self.heddle, "hunt", "--seed", 1, "-o", f"{name}.heddle", "--", f"./{name}"]
            code, _, err = bounded(hunt, self.folder, 120)
            assert code == 66, err
            assert self.resolved("--trace", f"{name}.heddle", name) >= sites
            assert self.resolved("--calls", f"{name}.heddle", name) >= calls

    def accesses_of_a_lifted_recording_are_found_by_place(self):
        source = PROGRAMS / "recorded" / "guarded_together.c"
        run(self.heddle, "cc", "-g", "-O2", "-pthread", source, "-o", "guarded", cwd=self.folder)
        run(self.heddle, "record", "-o", "r.heddle", "--", "./guarded", cwd=self.folder)
        run(self.heddle, "lift", "r.heddle", "-o", "l.heddle", cwd=self.folder)
        assert self.resolved("--trace", "l.heddle", "guarded") > 4

    def a_reference_that_is_off_by_one_is_a_breach(self):
        file = self.compile("-O1", "main.cc", "other.cc")
        data = bytearray(file.read_bytes())
        at = next(at for at, site in site_table(data) if site[6] == READ and not site[8] & HEAD)
        site = list(SITE.unpack_from(data, at))
        site[9] += 1
        SITE.pack_into(data, at, *site)
        file.write_bytes(data)
        code, out, _ = bounded([self.resolve, file], self.folder, 120)
        assert code == 1 and "breach: site" in out, out


def sections(data):
    """(name, address, offset, size) of each section."""
    offset, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * i) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        yield bytes(data[start:data.index(b"\0", start)]).decode(), header[3], header[4], header[5]


def site_table(data):
    """(offset in the file, fields) of each descriptor."""
    for name, _, offset, size in sections(data):
        if name == "heddle_sites":
            for at in range(offset, offset + size, SITE.size):
                yield at, SITE.unpack_from(data, at)


def site_heads(data):
    """(linkage name of the function, hash of its module) of each array."""
    everything = list(sections(data))
    base = next((address, offset) for name, address, offset, _ in everything if name == "heddle_sites")
    for at, site in site_table(data):
        if site[8] & HEAD:
            text = base[0] + at - base[1] + 4 + site[1]
            start = next(offset + text - address for _, address, offset, size in everything
                         if address and address <= text < address + size)
            bitcode = site[2] & 0xFFFFFFFF | (site[3] & 0xFFFFFFFF) << 32
            yield bytes(data[start:data.index(b"\0", start)]).decode(), bitcode


def check_program(build, resolve):
    """What is wrong with the sites of the program that `build` makes; None: nothing."""
    with tempfile.TemporaryDirectory(prefix="heddle-sites-") as folder:
        try:
            exe = build(pathlib.Path(folder))
            out = run(resolve, exe, cwd=folder)
        except (AssertionError, RuntimeError) as problem:
            return str(problem)
        return None if re.search(r"^[1-9]\d* sites resolved, 0 breaches", out, re.M) else f"no sites: {out}"


def build_test_program(path, heddle, level):
    def build(folder):
        code, _, err = Case(path).build(heddle, level, folder / path.stem)
        if code != 0:
            raise AssertionError(f"build: {err[-300:]}")
        return folder / path.stem
    return build


def programs(a):
    """(name, build) of all programs at their levels."""
    files = sorted(p for d in ("fail", "success") for p in (PROGRAMS / d).iterdir() if p.suffix in (".c", ".cc"))
    files = [f.resolve() for f in a.files] or files
    builds = [(f"{f.parent.name}/{f.name}", lambda level, f=f: build_test_program(f, a.heddle, level)) for f in files]
    if not a.files:
        for p in corpus.programs():
            build = lambda level, p=p: lambda folder: p.build(a.heddle, folder, level=level)
            builds.append((f"corpus/{p.source.name}", build))
    if not a.all and not a.files:
        builds = [b for b in builds if not b[0].endswith(".cc")] + [b for b in builds if b[0].endswith(".cc")][::4]
    for number, (name, build) in enumerate(builds):
        for level in LEVELS if a.all else [LEVELS[number % len(LEVELS)]]:
            yield f"{name} -{level}", build(level)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--resolve", default="build/tests/heddle_sites_resolve", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--all", action="store_true", help="every program at every level")
    ap.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    ap.add_argument("files", nargs="*", type=pathlib.Path)
    a = ap.parse_args()
    report = Report()
    if not a.files:
        for name, check in vars(Linking).items():
            if name.startswith("_") or name in ("compile", "resolved", "modules_of", "check_one_copy"):
                continue
            with tempfile.TemporaryDirectory(prefix="heddle-sites-") as folder:
                try:
                    check(Linking(a.heddle, a.resolve, pathlib.Path(folder)))
                    report.line(name)
                except AssertionError as problem:
                    report.line(name, str(problem))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        cases = list(programs(a))
        for (name, _), why in zip(cases, pool.map(lambda case: check_program(case[1], a.resolve), cases)):
            report.line(name, why)
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
