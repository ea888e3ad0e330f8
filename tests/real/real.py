#!/usr/bin/env python3
"""Programs that we did not write: fetched as Debian source packages, built by heddle-cc through their own build systems, unchanged.

    tests/real/real.py --heddle build/bin/heddle [--work build/real] [--runs 20] [NAME ...]

Each programs/NAME.py describes one program (class Program below). For each: it builds; alone it does its work; under
`hunt --runs 20` it comes to the end with nothing failed, and its work is right; recorded in parallel it does its work too, and the recording
replays at the first attempt, without the client. Closing line: 'N passed, M failed'.
"""
import argparse, dataclasses, importlib, json, os, pathlib, shutil, signal, subprocess, sys, time
from typing import Callable, Optional

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "programs"), str(HERE.parent / "e2e")]
sys.modules.setdefault("real", sys.modules["__main__"])
from fetch import Sources  # noqa: E402
from programs import bounded  # noqa: E402


@dataclasses.dataclass
class KnownBug:
    """A bug of the program that Debian's package has a fix for. The fix is taken out again; the hunt must find the bug there, and not in the package."""
    fix: str                          # its first patch in debian/patches; this one and all later ones are taken back
    rebuild: str                      # shell, in a copy of the built tree
    command: list                     # as Program.command
    prepare: Callable                 # (folder, program): input files
    failure: str                      # the kind that the hunt finds
    hunt: tuple = ()                  # more options of hunt


@dataclasses.dataclass
class Program:
    package: str                      # Debian's source package
    needs: list                       # packages that its build needs
    build: str                        # shell, in the source tree; CC and CXX are heddle's
    made: str                         # the file that the build leaves
    command: list                     # what is run, in a folder of its own; {program}, {tree}, {folder}
    prepare: Optional[Callable] = None  # (folder): input files
    client: Optional[str] = None      # for servers: python file in clients/, with the port as argument
    port: int = 0
    right: Optional[Callable] = None  # (folder, output) -> what is wrong, or None
    hunt: tuple = ()                  # more options of hunt
    record: bool = True               # also under record, and its replay
    attempts: int = 1                 # for what fails now and then by itself, built by clang too
    known_bug: Optional[KnownBug] = None


def must(argv, cwd, timeout, env=None):
    code, out, err = bounded(argv, cwd, timeout, env=env)
    if code != 0:
        raise RuntimeError(f"{' '.join(map(str, argv))[:200]}: status {code}: {(out + err)[-600:]}")
    return out


class Bench:
    """One program on its way through all checks."""

    def __init__(self, name, program, heddle, work, runs):
        self.name, self.program, self.heddle, self.runs = name, program, heddle, runs
        self.work, self.env = work, dict(os.environ,
                                         PATH=f"{heddle.parent}:{os.environ['PATH']}",
                                         CC="heddle-cc",
                                         CXX="heddle-c++")
        self.passed = self.failed = 0

    def check(self, what, why):
        self.passed, self.failed = self.passed + (not why), self.failed + bool(why)
        print(
            f"{'ok    ' if not why else 'not ok'} {self.name}: {what} {self.seconds():.1f} s{': ' + str(why)[:900] if why else ''}",
            flush=True)
        return not why

    def seconds(self):
        now = time.monotonic()
        took, self.since = now - getattr(self, "since", now), now
        return took

    def build(self, sources):
        self.seconds()
        try:
            self.tree = sources.get(self.program.package)
            made = self.tree / self.program.made
            stamp, newest = made.with_name(made.name + ".heddle-built"), max(p.stat().st_mtime_ns for p in self.parts())
            if not (made.exists() and stamp.exists() and stamp.read_text() == str(newest)):
                must(["sh", "-ec", self.program.build.format(jobs=os.cpu_count())], self.tree, 900, self.env)
                stamp.write_text(str(newest))
        except RuntimeError as error:
            return self.check("builds unchanged", error)
        return self.check("builds unchanged", None if made.exists() else f"{made} was not made")

    def parts(self):
        """What a program built by heddle depends on."""
        lib = self.heddle.parent.parent / "lib" / "heddle"
        return [lib / "libheddle_rt.a", lib / "heddle-pass.so"]

    def folder(self, mode):
        """Fresh for each mode, with the input files."""
        folder = self.work / "run" / f"{self.name}-{mode}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if self.program.prepare:
            self.program.prepare(folder)
        return folder

    def command(self, folder, words=None, tree=None):
        tree = tree or self.tree
        names = {"program": tree / self.program.made, "tree": tree, "folder": folder}
        return [word.format(**names) for word in words or self.program.command]

    def client(self):
        return f"exec {sys.executable} {HERE / 'clients' / self.program.client} {self.program.port}"

    def right(self, folder, output=""):
        return self.program.right(folder, output) if self.program.right else None

    def alone(self):
        folder = self.folder("alone")
        if not self.program.client:
            for _ in range(self.program.attempts):
                code, out, err = bounded(self.command(folder), folder, 120)
                why = f"status {code} {err[-300:]}" if code else self.right(folder, out + err)
                if not why:
                    break
                folder = self.folder("alone")
            return self.check("alone", why)
        server = subprocess.Popen(self.command(folder),
                                  cwd=folder,
                                  stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL,
                                  start_new_session=True)
        try:
            code, out, err = bounded(["sh", "-c", self.client()], folder, 60)
            server.terminate()
            ended = server.wait(20)
        except subprocess.TimeoutExpired:
            ended = "still there after SIGTERM"
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()
        return self.check("alone",
                          f"client {code} {err[-300:]}, server {ended}" if code or ended else self.right(folder))

    def hunted(self):
        folder = self.folder("hunt")
        trace = self.work / f"{self.name}.trace"
        more = ["--with", self.client()] if self.program.client else []
        code, out, err = bounded([
            self.heddle, "hunt", "--json", "--seed", 1, "--runs", self.runs, "--time", "400s", *more,
            *self.program.hunt, "-o", trace, "--", *self.command(folder)
        ], folder, 600)
        try:
            found = json.loads(out)
        except ValueError:
            return self.check("hunt", f"status {code}: {err[-500:]}")
        bad_client = [n for n in found.get("notes", []) if "client ended" in n]
        why = None
        if code != 0 or found.get("runs") != self.runs or bad_client:
            why = f"status {code} after {found.get('runs')} runs, {found.get('failure')}, {bad_client}"
        return self.check(f"hunt, {self.runs} runs, {len(found.get('races', []))} races", why or self.right(folder))

    def recorded(self):
        folder = self.folder("record")
        trace = self.work / f"{self.name}.recording"
        more = ["--with", self.client()] if self.program.client else []
        for _ in range(self.program.attempts):
            code, out, err = bounded([self.heddle, "record", *more, "-o", trace, "--", *self.command(folder)], folder,
                                     300)
            if code == 0:
                break
            folder = self.folder("record")
        if not self.check(
                "record",
                f"status {code}: {err[-500:]}" if code or "client ended" in err else self.right(folder, out + err)):
            return False
        code, out, err = bounded([self.heddle, "replay", "--json", trace], folder, 300)
        again = json.loads(out) if out.startswith("{") else {}
        return self.check("replay of the recording",
                          None if code == 0 and again.get("reproduced") else f"status {code}: {again or err[-500:]}")

    def without_fix(self):
        """A copy of the built tree in which the fix of the known bug is taken back."""
        bug, tree = self.program.known_bug, self.tree.with_name(self.tree.name + "-without-fix")
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(self.tree, tree, symlinks=True)
        series = [line for line in (tree / "debian" / "patches" / "series").read_text().split("\n") if line]
        for name in reversed(series[series.index(bug.fix):]):
            must(["patch", "-R", "-p1", "-s", "-i", self.tree / "debian" / "patches" / name], tree, 60)
        must(["sh", "-ec", bug.rebuild.format(jobs=os.cpu_count())], tree, 900, self.env)
        return tree

    def hunt_known_bug(self, tree, mode):
        """(status, answer, folder) of a hunt for the known bug."""
        bug, folder = self.program.known_bug, self.folder(mode)
        bug.prepare(folder, self.tree / self.program.made)
        code, out, err = bounded([
            self.heddle, "hunt", "--json", "--seed", 1, "--runs", 5 * self.runs, "--time", "200s", *bug.hunt, "-o",
            self.work / f"{self.name}-{mode}.trace", "--", *self.command(folder, bug.command, tree)
        ], folder, 300)
        return code, json.loads(out) if out.startswith("{") else {"error": err[-500:]}, folder

    def knows_bug(self):
        self.seconds()
        code, found, _ = self.hunt_known_bug(self.tree, "fixed")
        self.check("hunt for the known bug where it is fixed",
                   None if code == 0 and not found.get("found") else f"status {code}: {found}")
        try:
            tree = self.without_fix()
        except RuntimeError as error:
            return self.check("builds without the fix", error)
        code, found, folder = self.hunt_known_bug(tree, "bug")
        kind = (found.get("failure") or {}).get("kind")
        if not self.check(f"hunt for the known bug, run {found.get('runs')}",
                          None if code == 66 and kind == self.program.known_bug.failure else f"status {code}: {found}"):
            return False
        code, out, err = bounded([self.heddle, "replay", "--json", "--times", 3, found["trace"]], folder, 120)
        return self.check("replay of the known bug, 3 times",
                          None if code == 66 else f"status {code}: {out[-300:]} {err[-300:]}")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--work", default="build/real", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--runs", type=int, default=20)
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    names = a.names or sorted(p.stem for p in (HERE / "programs").glob("*.py"))
    programs = {name: importlib.import_module(name).PROGRAM for name in names}
    must([
        HERE.parent.parent / "scripts" / "install-deps", "dpkg-dev",
        *sorted({n
                 for p in programs.values() for n in p.needs})
    ], HERE, 900)
    (a.work / "source").mkdir(parents=True, exist_ok=True)
    sources = Sources(a.work / "source", must)
    passed = failed = 0
    for name, program in programs.items():
        bench = Bench(name, program, a.heddle, a.work, a.runs)
        if bench.build(sources) and bench.alone():
            bench.hunted()
            if program.record:
                bench.recorded()
            if program.known_bug:
                bench.knows_bug()
        passed, failed = passed + bench.passed, failed + bench.failed
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
