#!/usr/bin/env python3
"""The law of runtime/io/: a replay prints what its recording printed, though the world has changed, and changes nothing.

    inputs.py --heddle build/bin/heddle [--backend baton|fibers]

Each program of inputs/ is executed once under control (every output counts as a failure, so there is a trace), then replayed.
"""
import argparse, json, os, pathlib, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
failures = 0


def check(name, ok, detail=""):
    global failures
    failures += not ok
    print(("ok     " if ok else "FAILED ") + name + ("" if ok else f": {str(detail)[:1500]}"), flush=True)


class World:
    def __init__(self, heddle, backend, work):
        self.heddle, self.work = heddle, work
        self.env = {"HOME": "/root", "PATH": "/usr/bin:/bin", "HEDDLE_OPTIONS": f"backend={backend}"}

    def build(self):
        for source in sorted((HERE / "inputs").glob("*.cc")):
            subprocess.run([self.heddle, "c++", "-w", "-std=c++20", "-O1", "-g", "-pthread", "-rdynamic", source,
                            "-o", self.work / source.stem], check=True)

    def call(self, *arguments, stdin=b""):
        return subprocess.run([self.heddle, *arguments],
                              cwd=self.work,
                              input=stdin,
                              capture_output=True,
                              timeout=120,
                              env=self.env)

    def record(self, program, *arguments, stdin=b""):
        done = self.call("hunt",
                         "--runs",
                         "1",
                         "--seed",
                         "1",
                         "--strategy",
                         "random",
                         "--fail-on-output",
                         ".",
                         "-o",
                         "t.heddle",
                         "--json",
                         "--",
                         f"./{program}",
                         *arguments,
                         stdin=stdin)
        shown = json.loads(self.call("show", "--json", "t.heddle").stdout or b"{}")
        return done.returncode, shown.get("output", ""), done.stderr

    def replay(self):
        done = self.call("replay", "t.heddle")
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr

    def same(self, name, program, *arguments, stdin=b"", between=lambda: None, lines=sorted):
        status, printed, err = self.record(program, *arguments, stdin=stdin)
        between()
        again, reprinted, err2 = self.replay()
        check(name, status == 66 and again == 66 and lines(printed.splitlines()) == lines(reprinted.splitlines()),
              (status, again, printed, reprinted, err, err2))


def files_come_back(w):
    d = w.work / "d"
    d.mkdir()
    (d / "a.txt").write_text("1\n2\n3\n")
    (d / "b.bin").write_bytes(bytes(range(256)) * 200)
    (d / "link").symlink_to("/etc/x")
    for name in ("victim", "r1"):
        (d / name).touch()
    snapshot = lambda: {p.name: p.read_bytes() for p in d.iterdir() if p.is_file()}
    before = {}

    def change():
        for name in ("a.txt", "b.bin", "link"):
            (d / name).unlink(missing_ok=True)
        (d / "victim").touch()
        before.update(snapshot())

    w.same("files: a replay prints the same after its files are gone",
           "files",
           "d",
           stdin=b"one\ntwo\n",
           between=change)
    check("files: a replay writes, unlinks, spawns nothing", before == snapshot(), (before.keys(), snapshot().keys()))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", required=True)
    ap.add_argument("--backend", default="baton")
    a = ap.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-inputs-"))
    try:
        w = World(os.path.abspath(a.heddle), a.backend, work)
        w.build()
        files_come_back(w)
        w.same("channels: each thread reads what it read", "channels")
        w.same("signals: handlers run in the same places", "signals")
        (work / "in.txt").write_text("one\n")
        for what in ("closeall", "threadexit", "segv", "longjmp", "oom", "spawn", "daemon", "uring", "misc", "many",
                     "bt"):
            w.same(f"faults: {what}", "faults", what)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("all hold" if not failures else f"{failures} do not hold")
    return failures > 0


sys.exit(main())
