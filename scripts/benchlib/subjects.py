"""The programs of the reach table, each built three times with the same flags: by heddle cc, by clang, by clang with ThreadSanitizer."""
import os, pathlib, random, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/real"), str(ROOT / "tests/real/programs")]
VARIANTS = ("clang", "tsan", "heddle")
PORT, CONNECTIONS = 21311, 256


class Subject:
    """`command(exe)`: what is run, in `folder`. `client(share)`: the command of a load that writes its seconds to the file `seconds`; share: one
    part in so many of its requests, where `divisible`."""

    def __init__(self, name, what, real, folder, executables, command, client=None, divisible=False):
        self.name, self.what, self.real, self.folder = name, what, real, folder
        self.executables, self.command, self.client, self.divisible = executables, command, client, divisible
        # Debian's valgrind gives up on clang 19's debug information.
        self.executables["stripped"] = executables["clang"].with_name(executables["clang"].name + ".stripped")
        must(["strip", "-o", self.executables["stripped"], executables["clang"]], folder)


def must(argv, cwd, timeout=900, env=None):
    p = subprocess.run([str(a) for a in argv],
                       cwd=cwd,
                       stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT,
                       text=True,
                       timeout=timeout,
                       env=env)
    if p.returncode:
        raise RuntimeError(f"{' '.join(map(str, argv))[:200]}: status {p.returncode}: {p.stdout[-800:]}")


class Builder:
    def __init__(self, heddle, work, quick):
        self.heddle, self.work, self.quick = heddle, work, quick
        self.fronts = {
            "clang": ("clang-19", "clang++-19"),
            "tsan": ("clang-19 -fsanitize=thread", "clang++-19 -fsanitize=thread"),
            "heddle": (f"{heddle} cc", f"{heddle} c++")
        }

    def folder(self, name):
        folder = self.work / "run" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def kernel(self, name, what, rounds):
        executables = {v: self.work / f"{name}.{v}" for v in VARIANTS}
        for variant, exe in executables.items():
            must([*self.fronts[variant][0].split(), "-g", "-O2", "-pthread", HERE / f"{name}.c", "-o", exe], self.work)
        return Subject(name, what, False, self.folder(name), executables, lambda exe: [exe, rounds])

    def compilers(self, variant):
        """CC and CXX of one word each: build systems do not agree about more."""
        paths = []
        for front, end in zip(self.fronts[variant], ("cc", "c++")):
            path = self.work / "bin" / f"{variant}-{end}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'#!/bin/sh\nexec {front} "$@"\n')
            path.chmod(0o755)
            paths.append(str(path))
        return paths

    def stamp(self, variant):
        """What a built program depends on."""
        lib = self.heddle.parent.parent / "lib" / "heddle"
        return "built" if variant != "heddle" else str(
            max((lib / f).stat().st_mtime_ns for f in ("libheddle_rt.a", "heddle-pass.so")))

    def real(self, name):
        """The program of tests/real, from Debian's sources through its own build system; what was built before is taken."""
        import importlib
        from fetch import Sources
        program = importlib.import_module(name).PROGRAM
        must([ROOT / "scripts/install-deps", "dpkg-dev", *program.needs], self.work)
        (self.work / "source").mkdir(exist_ok=True)
        source, executables = Sources(self.work / "source", must).get(program.package), {}
        for variant in VARIANTS:
            tree, stamp = self.work / f"{name}-{variant}", self.work / f"{name}-{variant}.stamp"
            executables[variant] = tree / program.made
            if stamp.exists() and stamp.read_text() == self.stamp(variant):
                continue
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(source, tree, symlinks=True)
            cc, cxx = self.compilers(variant)
            must(["sh", "-ec", program.build.format(jobs=os.cpu_count())], tree, env=dict(os.environ, CC=cc, CXX=cxx))
            stamp.write_text(self.stamp(variant))
        return executables

    def text(self, folder, megabytes):
        rng, words = random.Random(1), [b"%d" % (i * i * 7919 % 100003) for i in range(3000)]
        (folder / "text").write_bytes(b" ".join(rng.choices(words, k=megabytes << 18))[:megabytes << 20])

    def xz(self):
        executables, folder = self.real("xz"), self.folder("xz")
        megabytes = 1 if self.quick else 3
        self.text(folder, megabytes)
        return Subject(
            "xz",
            f"compresses {megabytes} MB, 2 threads; liblzma is part of the program, so its computation is instrumented",
            True, folder, executables, lambda exe: [exe, "-k", "-f", "-T2", "--block-size=512KiB", "text"])

    def pbzip2(self):
        executables, folder = self.real("pbzip2"), self.folder("pbzip2")
        megabytes = 2 if self.quick else 12
        self.text(folder, megabytes)
        return Subject(
            "pbzip2",
            f"compresses {megabytes} MB, 2 threads; the compression itself is libbz2's, which nobody instruments but Helgrind",
            True, folder, executables, lambda exe: [exe, "-k", "-f", "-p2", "-b5", "text"])

    def memcached(self):
        executables, folder = self.real("memcached"), self.folder("memcached")
        load, requests = self.work / "load", 4_000 if self.quick else 60_000
        must(["clang-19", "-O2", "-pthread", HERE / "load.c", "-o", load], self.work)
        return Subject(
            "memcached",
            f"2 threads, {requests:,} requests over 2 connections, 16 under way at a time; seconds of the load, without the start",
            True,
            folder,
            executables,
            lambda exe: [exe, "-u", "root", "-t", "2", "-c", CONNECTIONS, "-l", "127.0.0.1", "-p", PORT],
            client=lambda share: [load, PORT, requests // share, "seconds"],
            divisible=not self.quick)

    def subjects(self):
        """Functions that build one each: what cannot be built is a line of the table, not the end of it."""
        yield "cpu", lambda: self.kernel("cpu", "2 threads sort, each memory of its own; no synchronisation", 4
                                         if self.quick else 60)
        yield "locks", lambda: self.kernel("locks", "2 threads, 16 locks, one addition under each", 20_000
                                           if self.quick else 1_000_000)
        yield "xz", self.xz
        yield "pbzip2", self.pbzip2
        yield "memcached", self.memcached
