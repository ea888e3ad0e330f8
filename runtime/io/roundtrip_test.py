#!/usr/bin/env python3
"""The law of runtime/io/: a replay prints what its recording printed, though the world has changed, and changes nothing.

Runs the programs of testdata/ under testdata/world.cc (no scheduler, no host). Usage: roundtrip_test.py [--keep]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = ["-I", str(ROOT), "-std=c++20", "-O2", "-g", "-fPIC", "-fno-exceptions", "-fno-rtti", "-ftls-model=initial-exec",
         "-fno-stack-protector", "-fno-threadsafe-statics", "-D_GNU_SOURCE"]
failures = 0


def check(name, ok, detail=""):
    global failures
    failures += not ok
    print(("ok    " if ok else "FAILED ") + name + ("" if ok else f": {detail}"))


def build(work):
    sources = [str(p) for p in HERE.glob("*.cc") if not p.name.endswith("_test.cc")]
    subprocess.run(["clang++-19", *FLAGS, "-w", "-shared", "-o", work / "world.so", *sources, HERE / "raw_syscall.S",
                    HERE / "testdata" / "world.cc", "-ldl", "-lpthread"], check=True)
    for name in ("files", "channels", "signals", "faults"):
        subprocess.run(["clang++-19", "-w", "-std=c++20", "-O1", "-pthread", "-rdynamic", HERE / "testdata" / f"{name}.cc",
                        "-o", work / name], check=True)


def run(work, mode, program, *arguments, stdin=b""):
    env = {"WORLD_MODE": mode, "WORLD_FILE": str(work / "region"), "LD_PRELOAD": str(work / "world.so"), "HOME": "/root",
           "PATH": "/usr/bin:/bin"}
    # Without address randomisation, as heddle starts its programs.
    command = ["setarch", "-R", "env", *[f"{k}={v}" for k, v in env.items()], str(work / program), *arguments]
    done = subprocess.run(command, cwd=work, input=stdin, capture_output=True, timeout=60, env={"PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr


def files_come_back(work):
    d = work / "d"
    d.mkdir()
    (d / "a.txt").write_text("1\n2\n3\n")
    (d / "b.bin").write_bytes(bytes(range(256)) * 200)
    (d / "link").symlink_to("/etc/x")
    for name in ("victim", "r1"):
        (d / name).touch()
    recorded = run(work, "record", "files", "d", stdin=b"one\ntwo\n")
    check("files: the recording ran", recorded[0] == 5, recorded)
    for name in ("a.txt", "b.bin", "link"):
        (d / name).unlink()
    (d / "victim").touch()
    before = {p.name: p.read_bytes() for p in d.iterdir() if p.is_file()}
    replayed = run(work, "feed", "files", "d")
    check("files: a replay prints the same after its files are gone", recorded == replayed, replayed)
    after = {p.name: p.read_bytes() for p in d.iterdir() if p.is_file()}
    check("files: a replay writes, unlinks, spawns nothing", before == after, after)


def channels_come_back(work):
    recorded = run(work, "record", "channels")
    replayed = run(work, "feed", "channels")
    check("channels: each thread reads what it read", sorted(recorded[1].split(b"\n")) == sorted(replayed[1].split(b"\n")),
          (recorded, replayed))


def signals_come_back(work):
    recorded = run(work, "record", "signals")
    replayed = run(work, "feed", "signals")
    check("signals: handlers run in the same places", recorded == replayed and recorded[0] == -15, (recorded, replayed))


def faults_end_as_they_should(work):
    (work / "in.txt").write_text("one\n")
    expected = {"closeall": 17, "exec": 0, "threadexit": 9, "segv": 0, "longjmp": 0, "oom": 0, "spawn": 0, "daemon": 3,
                "uring": 0, "misc": 0, "many": 0, "abort": -6, "bt": 0, "big": 0}
    for what, status in expected.items():
        recorded = run(work, "record", "faults", what)
        replayed = run(work, "feed", "faults", what)
        check(f"faults: {what}", recorded == replayed and recorded[0] == status, (recorded[0], recorded[2], replayed[0], replayed[2]))
    check("faults: children were started once", (work / "spawned").read_text() == "x\n" and (work / "daemoned").read_text() == "d")
    status, out, err = run(work, "record", "faults", "cancel")
    check("faults: cancelled in a read, unwound through the trap", status == 0 and b"destructor\ncancelled 1" in out, (out, err))


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-io-"))
    try:
        build(work)
        for test in (files_come_back, channels_come_back, signals_come_back, faults_end_as_they_should):
            test(work)
    finally:
        if "--keep" in sys.argv:
            print(work)
        else:
            shutil.rmtree(work)
    table = subprocess.run([HERE / "policy_table.py", "--check"])
    check("policy: every system call has a line, docs/inputs.md is current", table.returncode == 0)
    sys.exit(1 if failures else 0)


main()
