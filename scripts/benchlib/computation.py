"""What one controlled run of a data-heavy program costs, after the first ten of a hunt: processor time, beside the program by itself."""
import dataclasses, os, pathlib, random, resource, shlex, shutil, statistics, subprocess, sys, time

from . import measure

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/real"), str(ROOT / "tests/real/programs")]
PORT, REQUESTS = 21411, 60_000
FIRST, MORE = 10, 22  # runs that are left out, runs that are measured
XZ = "./configure --quiet --disable-shared --disable-nls --disable-doc --disable-scripts CFLAGS='-O2 -g' && make -j2"
# gnulib of 2014 with glibc of today: as in Debian's patch.
LBZIP2 = (
    "sed -i s/_IO_ftrylockfile/_IO_EOF_SEEN/ lib/*.c; echo '#define _IO_IN_BACKUP 0x100' >> lib/stdio-impl.h; touch aclocal.m4 configure config.h.in Makefile.in */Makefile.in; "
    "FORCE_UNSAFE_CONFIGURE=1 ./configure --quiet CFLAGS='-O2 -g' && make -j2")
PBZIP2 = "make CXX=$CXX CXXFLAGS='-O2 -g -Wno-reserved-user-defined-literal'"


@dataclasses.dataclass
class Subject:
    package: str
    build: str
    made: str
    command: list
    before: float          # times native, of the version before light clones (issue 14)
    goal: float
    needs: tuple = ()
    server: bool = False
    patched: bool = True   # by Debian


SUBJECTS = {
    "xz": Subject("xz-utils", XZ, "src/xz/xz", ["-T3", "-1", "--block-size=1MiB", "-k", "-f", "text"], 15, 3),
    "lbzip2": Subject("lbzip2", LBZIP2, "src/lbzip2", ["-n3", "-k", "-f", "text"], 30, 3, patched=False),
    "pbzip2": Subject("pbzip2", PBZIP2, "pbzip2", ["-k", "-f", "-p3", "-b1", "text"], 30, 3, ("libbz2-dev", )),
    "memcached": Subject("memcached", "./configure && make -j2", "memcached",
                         ["-u", "root", "-t", "2", "-l", "127.0.0.1", "-p", PORT], 230, 20, ("libevent-dev", ), True),
}


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
    return p.stdout


def processor_time(argv, cwd, limit):
    """Of the command and all that it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    must(argv, cwd, limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def times_of_runs(argv, program, folder, limit):
    """Processor time of each run of a hunt, in their order, as /proc said last: runs are the children of the fork server, which is `program` too. What is
    executed again at the end of the hunt (races, with stacks) follows behind them."""
    hunt = subprocess.Popen([str(a) for a in argv],
                            cwd=folder,
                            stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    end, seen, ticks, program = time.monotonic() + limit, {}, os.sysconf("SC_CLK_TCK"), os.path.realpath(program)
    while hunt.poll() is None:
        if time.monotonic() > end:
            hunt.kill()
            raise RuntimeError(f"more than {limit} s")
        for pid in measure.descendants(hunt.pid):
            try:
                if os.readlink(f"/proc/{pid}/exe") != program:
                    continue
                words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            seen[int(words[19]), pid] = int(words[1]), (int(words[11]) + int(words[12])) / ticks
        time.sleep(0.005)
    if hunt.returncode:
        raise RuntimeError(f"the hunt ended with status {hunt.returncode}")
    servers = {pid for _, pid in seen}
    return [seconds for _, (parent, seconds) in sorted(seen.items()) if parent in servers]


class Computation:
    def __init__(self, heddle, work, quick, names=()):
        self.heddle, self.work, self.quick = heddle, work, quick
        self.names, self.rows = names or tuple(SUBJECTS), {}

    def measure(self):
        (self.work / "source").mkdir(parents=True, exist_ok=True)
        for name in self.names:
            try:
                self.rows[name] = self.server(SUBJECTS[name]) if SUBJECTS[name].server else self.program(SUBJECTS[name])
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                self.rows[name] = " ".join(str(error).split())[-300:]
            print(f"  {name}: {self.rows[name]}", flush=True)
        return self

    # Built as both by the program's own build system; what was built before is taken.
    def built(self, subject, variant):
        from fetch import Sources
        tree, lib = self.work / f"{subject.package}-{variant}", self.heddle.parent.parent / "lib" / "heddle"
        stamp = "built" if variant == "clang" else str(
            max((lib / f).stat().st_mtime_ns for f in ("libheddle_rt.a", "heddle-pass.so")))
        mark = tree.with_suffix(".stamp")
        if not (mark.exists() and mark.read_text() == stamp):
            must([ROOT / "scripts/install-deps", "dpkg-dev", *subject.needs], self.work)
            source = Sources(self.work / "source", must).get(subject.package, subject.patched)
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(source, tree, symlinks=True)
            fronts = ("clang-19", "clang++-19") if variant == "clang" else (f"{self.heddle} cc", f"{self.heddle} c++")
            names = [self.work / f"{variant}-{end}" for end in ("cc", "c++")]
            for path, front in zip(names, fronts):
                path.write_text(f'#!/bin/sh\nexec {front} "$@"\n')
                path.chmod(0o755)
            must(["sh", "-ec", subject.build], tree, env=dict(os.environ, CC=str(names[0]), CXX=str(names[1])))
            mark.write_text(stamp)
        return tree / subject.made

    def controlled(self, folder, more, command, *options):
        """The mean over runs FIRST + 1 to FIRST + more. Not the difference of two hunts: they do not execute the same races again."""
        argv = [
            self.heddle, "hunt", "-q", "--seed", 1, "--runs", FIRST + more, "--workers", 1, "--time", 0,
            "--hang-timeout", "10m", "-o", "t.heddle", *options, "--", *command
        ]
        times = times_of_runs(argv, command[0], folder, 3600)[FIRST:FIRST + more]
        if len(times) < more:
            raise RuntimeError(f"only {FIRST + len(times)} runs were seen")
        print("   ", " ".join(f"{t:.2f}" for t in times), flush=True)
        return statistics.mean(times)

    def folder(self, subject):
        folder = self.work / "run" / subject.package
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def program(self, subject):
        folder, megabytes = self.folder(subject), 1 if self.quick else 6
        rng, words = random.Random(1), [b"%d" % (i * i * 7919 % 100003) for i in range(3000)]
        (folder / "text").write_bytes(b" ".join(rng.choices(words, k=megabytes << 18))[:megabytes << 20])
        native, hooked = self.built(subject, "clang"), self.built(subject, "heddle")
        alone = min(processor_time([native, *subject.command], folder, 300) for _ in range(3))
        return alone, self.controlled(folder, MORE, [hooked, *subject.command])

    # With fewer runs, since each is long.
    def server(self, subject):
        folder, requests, more = self.folder(subject), REQUESTS // 10 if self.quick else REQUESTS, 6
        must(["clang-19", "-O2", "-pthread", HERE / "load.c", "-o", self.work / "load"], self.work)
        client = shlex.join([str(self.work / "load"), str(PORT), str(requests), "seconds"])
        timed = f"sh -c '{client}; times > client_times'"
        native, hooked = self.built(subject, "clang"), self.built(subject, "heddle")
        alone = min(self.served(native, subject, folder, timed) for _ in range(3))
        return alone, self.controlled(folder, more, [hooked, *subject.command], "--with", timed)

    def client(self, folder):
        """Its processor time, as the shell says it: 0m0.010s."""
        words = (folder / "client_times").read_text().split()[-2:]
        return sum(60 * float(w.partition("m")[0]) + float(w.partition("m")[2].rstrip("s")) for w in words)

    def served(self, exe, subject, folder, timed):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        server = subprocess.Popen([str(w) for w in [exe, *subject.command]],
                                  cwd=folder,
                                  stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        try:
            must(shlex.split(timed), folder, 300)
        finally:
            server.terminate()
            server.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - self.client(folder)

    def section(self):
        lines = [
            "## Computation", "",
            f"Processor time of one controlled run (`heddle hunt`, default options), the mean of runs {FIRST + 1} to {FIRST + MORE} (memcached: to 16), beside clang -O2 of the same source with the same input. "
            "*Before*: the version before light clones, as issue 14 has it.", "",
            "| program | native | before | a controlled run | ratio | goal |", "|---|---|---|---|---|---|"
        ]
        for name, row in self.rows.items():
            subject = SUBJECTS[name]
            if isinstance(row, str):
                lines.append(f"| {name} | {row.replace('|', '/')} | | | | |")
                continue
            native, controlled = row
            ratio = controlled / native
            met = "met" if ratio <= subject.goal else "**not met**"
            lines.append(
                f"| {name} | {native:.2f} s | {subject.before:.0f}x | {controlled:.2f} s | {ratio:.1f}x | at most {subject.goal:.0f}x: {met} |"
            )
        return "\n".join(lines) + "\n"
