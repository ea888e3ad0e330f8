#!/usr/bin/env python3
"""hunt --with CMD, record --with CMD: a client beside each run.

    tests/e2e/with.py --heddle build/bin/heddle

Closing line: 'N passed, M failed'.
"""
import argparse, json, os, pathlib, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import bounded, processes, survivors  # noqa: E402

FOUND, CLEAN = 66, 0
CLIENT = f"exec {sys.executable} {HERE / 'with' / 'client.py'}"
passed = failed = 0


def check(name, ok, why=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok    ' if ok else 'not ok'} {name}{'' if ok else ': ' + str(why)[:600]}", flush=True)


def hunt(heddle, work, exe, client, *more, backend="fibers"):
    code, out, err = bounded([heddle, "hunt", "--json", "--seed", 1, "--with", client, *more, "--", exe], work, 240,
                             env=dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}"))
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, {}, err


def record(heddle, work, exe, client, *more):
    code, out, err = bounded([heddle, "record", "--json", "--network", "own", "--with", client, *more, "--", exe], work,
                             120)
    try:
        return code, json.loads(err.splitlines()[-1]), err
    except (ValueError, IndexError):
        return code, {}, err


def recordings(heddle, work, servers):
    """The server runs in parallel beside its client; the replay needs no client."""
    trace = work / "recording.trace"
    for i in range(5):
        code, said, err = record(heddle, work, servers[1], CLIENT, "-o", trace)
        check(f"record {i}: the server ends with its client", code == 0 and said.get("complete") and
              not said["failure"] and not said["notes"], (code, said, err))
        replays(heddle, work, trace, f"recording {i}", 0)
    code, said, err = record(heddle, work, servers[4], CLIENT, "-o", trace)
    check("record: a failure after the client's end", code == 134 and said["failure"]["kind"] == "assertion",
          (code, said, err))
    replays(heddle, work, trace, "its recording", FOUND)
    code, said, err = record(heddle, work, servers[1], f"{CLIENT} 9", "-o", trace)
    check("record: a client that ends badly is noted", code == 0 and "client ended with status 9" in json.dumps(said),
          (code, said, err))
    for how, what in (2, "ignores SIGTERM is killed"), (5, "has no handler dies of SIGTERM"):
        start = time.monotonic()
        code, said, err = record(heddle, work, servers[how], CLIENT, "-o", trace)
        check(f"record: a program that {what}, and that is no failure", code == 0 and said and not said["failure"] and
              time.monotonic() - start < 30, (code, said, err))
        replays(heddle, work, trace, f"a program that {what}:", 0)
    start = time.monotonic()
    code, said, err = record(heddle, work, servers[3], f"{CLIENT}; sleep 1000", "-o", trace)
    check("record: a program that ends first ends its client", code == 0 and time.monotonic() - start < 30,
          (code, said, err))


def replays(heddle, work, trace, what, status):
    for backend in "fibers", "baton":  # no client any more: what it sent is in the trace
        code, out, err = bounded([heddle, "replay", "--json", trace],
                                 work,
                                 60,
                                 env=dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}"))
        again = json.loads(out or "{}")
        check(f"{what} replays on {backend}", code == status and again.get("reproduced"),
              (code, again.get("divergence"), err[-300:]))


def clients_alive():
    return processes(lambda process: str(HERE / "with" / "client.py").encode() in (process / "cmdline").read_bytes())


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    heddle = pathlib.Path(ap.parse_args().heddle).resolve()
    with tempfile.TemporaryDirectory(prefix="heddle-with-") as folder:
        work = pathlib.Path(folder)
        servers = {}
        for how in range(6):
            servers[how] = work / f"server{how}"
            code, _, err = bounded(
                [heddle, "cc", "-g", "-O1", "-pthread", f"-DHOW={how}", HERE / "with" / "server.c", "-o", servers[how]],
                work, 60)
            check(f"build {how}", code == 0, err)
        for backend in ("fibers", "baton"):
            trace = work / f"{backend}.trace"
            code, found, err = hunt(heddle,
                                    work,
                                    servers[0],
                                    CLIENT,
                                    "--runs",
                                    300,
                                    "--time",
                                    "120s",
                                    "-o",
                                    trace,
                                    backend=backend)
            failure = found.get("failure") or {}
            check(f"{backend}: the lost update of two connections is found", code == FOUND and
                  failure.get("kind") == "assertion", (code, found, err[-300:]))
            for other in ("fibers", "baton"):  # no client any more: what it sent is in the trace
                code, out, err = bounded([heddle, "replay", "--json", "--times", 3, trace], work, 60,
                                         env=dict(os.environ, HEDDLE_OPTIONS=f"backend={other}"))
                again = json.loads(out or "{}")
                check(f"{backend}: replays without the client on {other}", code == FOUND and
                      again.get("times_reproduced") == 3, (code, again.get("divergence"), err[-300:]))
            code, found, err = hunt(heddle, work, servers[1], CLIENT, "--runs", 30, backend=backend)
            check(f"{backend}: the fixed one does not fail, and finds its port free in each run", code == CLEAN and
                  found.get("runs") == 30, (code, found.get("failure"), err[-300:]))
        code, found, err = hunt(heddle, work, servers[1], f"{CLIENT} 9", "--runs", 2)
        check("a client that ends badly is noted", code == CLEAN and "client ended with status 9" in json.dumps(found),
              found)
        start = time.monotonic()
        code, found, err = hunt(heddle, work, servers[2], CLIENT, "--runs", 1)
        check("a program that ignores SIGTERM is killed, and that is no failure", code == CLEAN and
              found.get("runs") == 1 and time.monotonic() - start < 30, (code, found, err[-300:]))
        start = time.monotonic()
        code, found, err = hunt(heddle, work, servers[3], f"{CLIENT}; sleep 1000", "--runs", 3)
        check("a program that ends first ends its client", code == CLEAN and found.get("runs") == 3 and
              time.monotonic() - start < 30, (code, found, err[-300:]))
        recordings(heddle, work, servers)
        check("no program and no client is left", not survivors(work) and not clients_alive(), clients_alive())
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
