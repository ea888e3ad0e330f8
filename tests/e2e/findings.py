#!/usr/bin/env python3
"""What a hunt has found is told as it is, and never lost: interrupts, failures that do not come back, traces that cannot be written.

    tests/e2e/findings.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'

Chance has no part in this: a program that must differ from execution to execution counts them in a file that it maps before runs fork off
(heddle_init_done), and interrupts are sent when a file says how far the hunt is.
"""
import argparse, json, os, pathlib, re, signal, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run
from programs import bounded

FOUND, CLEAN, USAGE, INCONCLUSIVE = 66, 0, 2, 3
SOON = 60  # seconds: what takes 5 here, on a machine with much else to do


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def __call__(self, *args, timeout=120, **env):
        return bounded([self.exe, *args], self.work, timeout, b"", dict(os.environ, **env))

    def json(self, *args, **env):
        code, out, err = self(*args, **env)
        assert out.startswith("{"), (code, out, err)
        return code, json.loads(out)

    def build(self, source, name):
        path = self.work / f"{name}.c"
        path.write_text(source)
        code, _, err = self("cc", "-g", "-O1", "-pthread", path, "-o", self.work / name)
        assert code == 0, err
        return f"./{name}"

    def start(self, *args):
        return subprocess.Popen([self.exe, *args],
                                cwd=self.work,
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE,
                                text=True)

    def wait_for(self, process, condition):
        deadline = time.monotonic() + 300
        while not condition():
            assert process.poll() is None and time.monotonic() < deadline, (process.poll(), process.stderr.read()
                                                                            if process.poll() is not None else "")
            time.sleep(0.02)

    def told_after(self, process):
        """What an interrupted hunt says, and those of its failures that were not simplified for it."""
        out, err = process.communicate(timeout=SOON)
        assert out, (process.returncode, err)
        said = json.loads(out)
        assert said["interrupted"] and said["failures"], said
        for f in said["failures"]:
            assert (self.work / f["trace"]).exists(), f
        return said, [f for f in said["failures"] if (f.get("simplified") or {}).get("why_not") == "interrupted"]


# `executions` counts all executions of the program, in hunts and replays alike.
COUNTED = """#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <heddle/check.h>
int main(void) {
  int file = open("executions", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096)) return 99;
  int* executions = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  heddle_init_done();
  ++*executions;
  %s
}
"""
AT_MARK = {"HEDDLE_OPTIONS": "fork_at_mark=1"}


def another_failure_is_no_confirmation(h):
    exe = h.build(COUNTED % "return *executions;", "counts")
    code, said = h.json("hunt", "--json", "--seed", "1", "--workers", "1", "--runs", "5", "-o", "t.heddle", "--", exe,
                        **AT_MARK)
    assert code == INCONCLUSIVE and not said["found"] and said["diverged"] and said["failure"][
        "signature"] == "exit|1", (code, said)
    code, said = h.json("hunt", "--json", "--keep-going", "--seed", "1", "--workers", "1", "--runs", "5", "-o",
                        "t.heddle", "--", exe, **AT_MARK)
    assert code == INCONCLUSIVE and len(said["failures"]) == 5 and not any(f["confirmed"]
                                                                           for f in said["failures"]), (code, said)
    code, out, _ = h("hunt", "--seed", "1", "--workers", "1", "--runs", "5", "-o", "t.heddle", "--", exe, **AT_MARK)
    first = int(re.search(r"FAILED ONCE  exit status (\d+)", out)[1])
    assert code == INCONCLUSIVE and f"ended with exit status {first + 1} instead of exit status {first}" in out, (code,
                                                                                                                  out)


def a_crash_in_another_function_is_another_failure(h):
    exe = h.build(
        "static void __attribute__((noinline)) odd(void) { *(volatile int*)8 = 1; }\nstatic void __attribute__((noinline)) even(void) { *(volatile int*)8 = 2; }\n"
        + COUNTED % "*executions % 2 ? odd() : even();\n  return 0;", "crashes")
    hunted = ("hunt", "--json", "--seed", "1", "--workers", "1", "--runs", "1", "-o", "crash.heddle", "--", exe)
    code, said = h.json(*hunted, **AT_MARK)
    assert code == INCONCLUSIVE and said["failure"]["signature"] == "segfault|odd|main", (code, said)
    for _ in range(2):
        code, said = h.json("replay", "--json", "crash.heddle", **AT_MARK)
        assert (code, said["reproduced"]) in (
            (FOUND, True),
            (INCONCLUSIVE, False)) and (code == FOUND) == (said["failure"]["signature"] == "segfault|odd|main"), (code,
                                                                                                                  said)


def one_failure_that_comes_back_is_enough(h):
    exe = h.build(COUNTED % "if (*executions == 1) abort();\n  return 7;", "first")
    fresh = lambda: (h.work / "executions").unlink(missing_ok=True)
    keep_going = ("hunt", "--keep-going", "--seed", "1", "--workers", "1", "--runs", "5", "-o", "t.heddle")
    code, said = h.json(*keep_going, "--json", "--junit", "t.xml", "--sarif", "t.sarif", "--", exe, **AT_MARK)
    told = [(f["failure"]["kind"], f["confirmed"]) for f in said["failures"]]
    assert code == FOUND and said["found"] and told == [("abort", False), ("exit", True)], (code, said)
    assert said["failure"]["signature"] == "exit|7" and said["trace"] == "t-2.heddle" and not said["diverged"], said
    assert h("replay", "t-2.heddle")[0] == FOUND
    junit = (h.work / "t.xml").read_text()
    assert '<failure type="exit"' in junit and "<error" not in junit and "t-2.heddle" in junit, junit
    results = json.loads((h.work / "t.sarif").read_text())["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == ["exit"], results
    fresh()
    code, out, _ = h(*keep_going, "--", exe, **AT_MARK)
    assert code == FOUND and "FAILED ONCE" in out.splitlines()[0] and "FAILED  exit status 7" in out, (code, out)
    fresh()
    assert h(*keep_going, "--bisect", "--", exe, **AT_MARK)[0] == 1


# Threads that mix their numbers in: dozens of exit statuses, and schedules that take long to simplify. With an argument it also says in a file
# that it is about to fail.
MANY = """#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
atomic_uint h;
void* w(void* p) { for (int i = 0; i < 12; i++) h = h * 3 + (unsigned)(long)p; return 0; }
int main(int argc, char** argv) {
  pthread_t t[5];
  for (long i = 0; i < 5; i++) pthread_create(&t[i], 0, w, (void*)(i + 1));
  for (int i = 0; i < 5; i++) pthread_join(t[i], 0);
  if (argc > 1) {
    int log = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(log, "x", 1) != 1) return 99;
  }
  exit(1 + h % 60);
}
"""
MANY_OPTIONS = ("hunt", "--json", "--keep-going", "--simplify", "--strategy", "random", "--seed", "1", "--workers", "1",
                "--time", "0")


def an_interrupt_ends_the_search_and_nothing_is_simplified(h):
    exe = h.build(MANY, "many")
    p = h.start(*MANY_OPTIONS, "--runs", "100000000", "-o", "many.heddle", "--", exe, "log")
    log = h.work / "log"
    h.wait_for(p, lambda: log.exists() and log.stat().st_size > 100)
    p.send_signal(signal.SIGINT)
    said, left_out = h.told_after(p)
    assert p.returncode == FOUND and len(left_out) == sum(f["confirmed"]
                                                          for f in said["failures"]) > 0, (p.returncode,
                                                                                           said["failures"])
    assert all(f["simplified"]["interrupted"] for f in left_out), left_out
    assert h("replay", said["trace"])[0] == FOUND


def an_interrupt_ends_simplification(h):
    exe = h.build(MANY, "many")
    p = h.start(*MANY_OPTIONS, "--runs", "1000", "-o", "many.heddle", "--", exe)
    h.wait_for(p, (h.work / "many-full.heddle").exists)
    p.send_signal(signal.SIGINT)
    said, left_out = h.told_after(p)
    assert p.returncode == FOUND and len(said["failures"]) > 20 and left_out, (p.returncode, len(said["failures"]),
                                                                               left_out)
    for f in said["failures"][0], said["failures"][-1]:
        assert h("replay", f["trace"])[0] in (FOUND, INCONCLUSIVE) and (f["confirmed"] or not f.get("simplified")), f


def no_number_of_interrupts_loses_what_was_found(h):
    exe = h.build(MANY, "many")
    p = h.start(*MANY_OPTIONS, "--runs", "100000000", "-o", "many.heddle", "--", exe, "log")
    log = h.work / "log"
    h.wait_for(p, lambda: log.exists() and log.stat().st_size > 100)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        p.send_signal(number)
    said, _ = h.told_after(p)
    assert p.returncode == (FOUND if said["found"] else INCONCLUSIVE), (p.returncode, said["found"])
    assert h("replay", said["trace"])[0] == FOUND


def an_interrupt_in_words(h):
    exe = h.build(MANY, "many")
    p = h.start(*(o for o in MANY_OPTIONS if o != "--json"), "--runs", "1000", "-o", "many.heddle", "--", exe)
    h.wait_for(p, (h.work / "many-full.heddle").exists)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=SOON)
    assert p.returncode == FOUND and "note: not simplified: interrupted; heddle simplify many-" in out, (p.returncode,
                                                                                                         out[-2000:],
                                                                                                         err)
    assert re.search(r"^interrupted: \d+ distinct failures in 1,?000 runs", out, re.M), out[-2000:]


TWO = """#include <pthread.h>
#include <stdatomic.h>
atomic_int last;
void* w(void* p) { last = (int)(long)p; return 0; }
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, w, (void*)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return last;
}
"""


def nobody_waits_for_a_reader_that_does_not_read(h):
    """The pipe is full: each way to write what was found there ends by interrupts, and the trace is there."""
    exe = h.build("int main(void) { return 3; }", "three")
    pipe, trace = h.work / "pipe", h.work / "full.heddle"
    os.mkfifo(pipe)
    full = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        while os.write(full, b"x" * 4096):
            pass
    except BlockingIOError:
        os.set_blocking(full, True)
    for wanted, stdout, said in (("--junit", "/dev/stdout"), full,
                                 "cannot write /dev/stdout"), (("--sarif", pipe), subprocess.DEVNULL,
                                                               "cannot write"), (("--json", ), full, "cannot write"):
        trace.unlink(missing_ok=True)
        p = subprocess.Popen([h.exe, "hunt", "--seed", "1", "--runs", "3", *wanted, "-o", trace, "--", exe],
                             cwd=h.work,
                             stdin=subprocess.DEVNULL,
                             stdout=stdout,
                             stderr=subprocess.PIPE,
                             text=True)
        h.wait_for(p, trace.exists)
        sent = 0
        while p.poll() is None and sent < 8:
            p.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[sent % 3])
            sent += 1
            try:
                p.wait(2)
            except subprocess.TimeoutExpired:
                pass
        if p.poll() is None:
            p.kill()
        err = p.communicate()[1]
        assert p.returncode == FOUND and said in err and sent <= 4, (wanted, p.returncode, sent, err)
        assert h("replay", trace)[0] == FOUND
    os.close(full)


def a_trace_that_cannot_be_written_costs_only_itself(h):
    exe = h.build(TWO, "two")
    (h.work / "t-2.heddle").mkdir()
    args = ("hunt", "--keep-going", "--strategy", "dfs", "--workers", "1", "-o", "t.heddle")
    code, said = h.json(*args, "--json", "--junit", "t.xml", "--", exe)
    first, second = said["failures"]
    assert code == FOUND and said["found"] and said["trace"] == "t.heddle" and first["confirmed"], (code, said)
    assert not second["confirmed"] and second["trace"] is None and "t-2.heddle" in second["error"], second
    assert h("replay", "t.heddle")[0] == FOUND
    code, out, _ = h(*args, "--", exe)
    assert code == FOUND and "no trace" in out and "t-2.heddle" in out and "2 distinct failures" in out, (code, out)


def a_program_that_is_gone_does_not_take_its_failures_along(h):
    source = '#include <unistd.h>\nint main(int n, char** v) { unlink(v[1]); return 3; }'
    for flags in ((), ("--keep-going",)):
        exe = h.build(source, "vanishing")
        code, said = h.json("hunt", "--json", "--no-fork-server", "--workers", "1", "--seed", "1", "--runs", "5",
                            *flags, "-o", "t.heddle", "--", exe, "vanishing")
        assert code == INCONCLUSIVE and not said["found"] and said["failure"]["signature"] == "exit|3", (flags, code,
                                                                                                         said)
        assert (h.work / "t.heddle").exists() and not said["diverged"], said
        h.build(source, "vanishing")
        assert h("replay", "t.heddle")[0] == FOUND, h("replay", "t.heddle")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    cases = [f for f in globals().values() if getattr(f, "__module__", "") == "__main__" and f not in (main, Tool)]
    return run(cases, lambda folder, _: Tool(pathlib.Path(a.heddle).resolve(), folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
