#!/usr/bin/env python3
"""`heddle replay --gdb` with a real gdb: breakpoints, watchpoints, backtraces, and going to and fro in a recorded run.

    gdb.py --heddle build/bin/heddle

Commands go to gdb's standard input, as a script's would; what it prints is looked at. One line per check.
"""
import argparse, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time

from programs import processes

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAIL = ROOT / "tests/programs/fail"
FOUND = 66
passed = failed = 0

MANY = r"""
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, unlocked;
static void* adds(void* p) {
  for (int i = 0; i < 40; i++) {
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    unlocked++;
  }
  return p;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, adds, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  assert(unlocked == total);
}
"""


def check(name, ok, why=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok    ' if ok else 'not ok'} {name}{'' if ok else ': ' + str(why)[-1500:]}", flush=True)
    return ok


# Where the key of the user's traces is: gdb gets a home of its own, so that no settings of the user's are read.
STATE = os.environ.get("XDG_STATE_HOME") or str(pathlib.Path.home() / ".local/state")


class Bench:
    """Programs and traces, made by the heddle under test, and gdb sessions on them."""

    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work

    def trace(self, name, source, *hunt, options="-O1"):
        compiler = "c++" if str(source).endswith(".cc") else "cc"
        built = subprocess.run(
            [self.heddle, compiler, "-g", options, "-pthread", f"-I{ROOT}/include", source, "-o", self.work / name],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        hunted = subprocess.run([
            self.heddle, "hunt", "--strategy", "pct", "--seed", "5", "-o", self.work / f"{name}.heddle", *hunt, "--",
            self.work / name
        ],
                                cwd=self.work,
                                stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT,
                                timeout=300)
        check(f"{name}: a trace of its failure", built.returncode == 0 and hunted.returncode == FOUND,
              built.stdout + hunted.stdout)
        return self.work / f"{name}.heddle"

    def gdb(self, trace, *commands, timeout=120, environment=None):
        """What is printed, and whether something of it is still alive afterwards."""
        p = subprocess.Popen([self.heddle, "replay", "--gdb", trace],
                             cwd=self.work,
                             stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT,
                             start_new_session=True,
                             env={
                                 **os.environ, "HOME": str(self.work),
                                 "XDG_STATE_HOME": STATE,
                                 "COLUMNS": "200",
                                 **(environment or {})
                             })
        try:
            out = p.communicate("".join(c + "\n" for c in ("set width 0", *commands)).encode(),
                                timeout)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            out = p.communicate()[0].decode(errors="replace") + "\n(no answer)"
        return out

    def alive(self):
        """Processes that execute a program of ours."""
        return processes(lambda process: os.readlink(process / "exe").startswith(str(self.work)))

    def nothing_left(self, name):
        deadline = time.monotonic() + 5
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        check(f"{name}: nothing of it is left", not self.alive(), self.alive())
        check(f"{name}: no folder of a session is left",
              not list(pathlib.Path(tempfile.gettempdir()).glob("heddle-gdb-*")))


def parts(out):
    """The answers, one per prompt."""
    return [p.strip() for p in out.split("(gdb) ")]


def as_accepted(b):
    trace = b.trace("lost", FAIL / "lost_update.c")
    out = b.gdb(trace, "continue", "backtrace", "kill", "quit")
    check("lost: starts stopped before main", re.search(r"step 0 of \d+.*\n#0 +main \(\) at .*lost_update\.c:\d+", out),
          out)
    check("lost: continue stops in the failing frame",
          re.search(r"FAILED  assertion `.*\n#\d+ .* in main \(\) at .*lost_update\.c:\d+\n\d+\t.*assert", out), out)
    check("lost: backtrace has no frame of the runtime", "heddle::rt" not in out and
          re.search(r"^#\d+ .* in main \(\) at", out, re.M), out)
    b.nothing_left("lost")


def breakpoints(b, trace):
    out = b.gdb(trace, "break put", "continue", "print filled", "next", "next", "next", "print filled", "info threads",
                "delete", "heddle to-failure", "print filled", "kill")
    p = parts(out)
    check("queue: a breakpoint stops in the program's function, in its thread",
          re.search(r"hit Breakpoint 1.*put .*queue\.c:26", p[3]), p[3])
    check("queue: print, next, print", p[4] == "$1 = 0" and p[8] == "$2 = 1", p[4:9])
    check("queue: threads have the names of the recording", '"0.1 put"' in p[9] and '"0 main"' in p[9], p[9])
    check("queue: stepping changed nothing: it fails as recorded", "FAILED  assertion `filled > 0`" in p[11] and
          p[12] == "$3 = 0", p[11:])
    b.nothing_left("queue")


def stepping(b, trace):
    """From every step next and step go on in the program, never in the runtime; and change nothing."""
    commands = [word for n in range(1, 15) for word in (f"heddle goto {n}", "next", "step")]
    p = parts(b.gdb(trace, *commands, "heddle to-failure", "kill"))
    after = [p[i] for n in range(14) for i in (3 * n + 3, 3 * n + 4)]
    inside = [
        text for text in after if "FAILED" not in text and "trampoline" not in text  # what called the thread's function
        and re.search(r"runtime/|heddle::|__heddle|Traceback", text)
    ]
    check("queue: next and step stay in the program", not inside, inside)
    lines = [text for text in after if re.search(r"^\d+\t", text, re.M)]
    check("queue: and show its lines", len(lines) >= 20, after)
    check("queue: no error is shown as one of Python", not any("Traceback" in text for text in after), after)
    check("queue: it fails as recorded behind all that", "FAILED  assertion `filled > 0`" in p[3 * 14 + 2], p[-3:])


def interference(b, trace):
    out = b.gdb(trace, "heddle goto 9", "print available()", "heddle goto 9", "set var filled=5", "heddle to-failure")
    p = parts(out)
    check("queue: a call that takes a lock is not taken for the recorded failure",
          ("not as recorded: deadlock" in p[3] or "the replay ends" in p[3]) and "FAILED  " not in p[3], p[3])
    check("queue: a changed variable leaves the schedule, and that is said", "the replay ends at step" in p[6] and
          "another event happened" in p[6] and "FAILED" not in p[6], p[6])


def watchpoints(b, trace):
    out = b.gdb(trace, "watch filled", "continue", "continue", "continue", "continue")
    changes = re.findall(r"Old value = (-?\d+)\s+New value = (-?\d+)\s+(\w+) ", out)
    check("queue: a watchpoint sees every change, in the recorded order", changes == [("0", "1", "put"),
                                                                                      ("1", "0", "take")], changes or
          out)
    check("queue: and the run fails as recorded behind it", "FAILED  assertion `filled > 0`" in out, out)


def deadlock(b):
    trace = b.trace("transfer", ROOT / "examples/transfer.c")
    out = b.gdb(trace, "continue", "thread apply all bt", "heddle where")
    p = parts(out)
    check(
        "transfer: says that it is a deadlock, and who holds what",
        re.search(
            r"FAILED  deadlock: .*\n  0\.1 waits: lock bob\.lock at transfer\.c:11, held by 0\.2 \(taken at transfer\.c:10\)",
            p[2]), p[2])
    check("transfer: stops at the lock", re.search(r"11\t.*pthread_mutex_lock\(&to->lock\);", p[2]), p[2])
    stacks = re.split(r"\nThread \d+ ", "\n" + p[3])
    sites = [s for s in stacks if re.search(r"in transfer \(.*transfer\.c:11", s)]
    check("transfer: the stacks of both threads show their locks",
          len(sites) == 2 and any('"0.1 there"' in s for s in sites) and any('"0.2 back"' in s for s in sites), p[3])
    check("transfer: main is in its join", any(re.search(r"in main \(\) at .*transfer\.c:24", s) for s in stacks), p[3])
    b.nothing_left("transfer")


def to_and_fro(b):
    source = b.work / "many.c"
    source.write_text(MANY)
    trace = b.trace("many", source)
    commands = [
        "heddle next-switch", "info symbol $pc", "heddle next-switch", "heddle where", "heddle goto 40", "output total",
        "bt", "heddle back 7", "output total", "bt", "heddle goto 40", "output total", "bt", "heddle back 7",
        "output total", "bt", "heddle goto 20", "heddle goto 33", "output total", "bt", "heddle to-failure",
        "output unlocked", "heddle back", "heddle where", "heddle to-failure", "output unlocked", "heddle goto 999999",
        "heddle goto x"
    ]
    first, second = parts(b.gdb(trace, *commands)), parts(b.gdb(trace, *commands))
    check("many: next-switch goes to another thread each time", first[2] != first[4] and
          first[2].startswith("step ") and first[4].startswith("step "), first[2:5])
    check("many: where says what comes next",
          re.search(r"^step \d+ of \d+: thread .*\n  next switch at step \d+: to thread", first[5]), first[5])
    check("many: goto stops at its step", first[6].startswith("step 40 of "), first[6])
    check("many: back 7 goes back", first[9].startswith("step 33 of "), first[9])
    check("many: the same step, the same state: 40", first[6:9] == first[12:15], (first[6:9], first[12:15]))
    check("many: the same step, the same state: 33, from before and from behind",
          first[9:12] == first[15:18] == first[19:22], (first[9:12], first[15:18], first[19:22]))
    check(
        "many: to-failure, back, to-failure", first[22].count("FAILED  assertion") == 1 and
        first[24].startswith("step ") and "FAILED" in first[26] and first[23] == first[27], first[22:28])
    check("many: a step that is not there is refused", "has steps 1 to" in first[28] + first[-1] and
          "no number" in first[29], first[28:])
    lines = lambda answers: [re.sub(r"LWP \d+|process \d+", "", a) for a in answers]
    check("many: two sessions are equal to the last address",
          lines(first) == lines(second), [x for x in zip(lines(first), lines(second)) if x[0] != x[1]])
    b.nothing_left("many")
    steps = b.gdb(trace, *["next"] * 150, "heddle where", "heddle to-failure")
    check("many: 150 lines of next do not leave the schedule", "FAILED  assertion" in steps and
          "the replay ends" not in steps, steps)
    inside = b.gdb(trace, "heddle goto 30", *["step"] * 60, "heddle to-failure")
    check("many: 60 of step neither", "FAILED  assertion" in inside and "the replay ends" not in inside, inside)


def back_is_pointed_to(b, trace):
    words = [
        "reverse-continue", "reverse-step", "reverse-next", "reverse-finish", "reverse-stepi", "rc", "heddle forward",
        "heddle reverse 3"
    ]
    answers = parts(b.gdb(trace, "heddle goto 3", *words, "heddle where"))
    for word, answer in zip(words, answers[3:]):
        check(f"queue: {word} points to heddle back", "heddle back" in answer and "Traceback" not in answer, answer)
    check("queue: and nothing has moved", answers[3 + len(words)].startswith("step 3 of "), answers[3:])


def kinds(b):
    for name, source, want in (("null", "null_call.c",
                                r"FAILED  segmentation fault.*\n#1 .* in calls .*null_call\.c:\d+"),
                               ("exits", "two_exits.cc", r"FAILED  exit status 3(.*\n)+?#\d+ .*two_exits\.cc:\d+"),
                               ("thrown", "uncaught.cc",
                                r"FAILED  uncaught exception std::out_of_range: too far.*\n#\d+ .*uncaught\.cc:\d+"),
                               ("loops", "infinite_loop.c",
                                r"FAILED  livelock: .*\n#\d+ .* in loops .*infinite_loop\.c:\d+"),
                               ("checked", "check.c",
                                r"FAILED  check `open_files == 1`.*\n#\d+ .* in use .*check\.c:\d+")):
        out = b.gdb(b.trace(name, FAIL / source), "continue", "bt")
        check(f"{name}: stops at its failure, in the program's own frame", re.search(want, out), out)
    b.nothing_left("kinds")


def plain(b):
    """A program without our runtime in it, in a folder of the runtime's name: step goes into its functions."""
    folder = b.work / "runtime"
    folder.mkdir()
    shutil.copy(ROOT / "examples/transfer.c", folder / "transfer.c")
    subprocess.run(["gcc", "-g", "-pthread", "runtime/transfer.c", "-o", "plain"], cwd=b.work, check=True)
    hunted = subprocess.run([b.heddle, "hunt", "--seed", "1", "-o", "plain.heddle", "--", "./plain"],
                            cwd=b.work,
                            stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    check("plain: a trace of its failure", hunted.returncode == FOUND, hunted.stdout)
    out = parts(b.gdb(b.work / "plain.heddle", "break there", "continue", "step"))
    check("plain: step goes into a function",
          re.search(r"transfer \(from=", out[-2]) and "runtime/transfer.c" in out[-2], out)
    b.nothing_left("plain")


def patience(b, trace):
    out = b.gdb(trace,
                "heddle goto 3",
                "shell sleep 3",
                "heddle to-failure",
                environment={"HEDDLE_OPTIONS": "hang_timeout=500ms:run_timeout=1s"})
    check("queue: no time-out of ours while the user thinks", "FAILED  assertion" in out, out)


def ends(b, trace):
    """Whoever ends, and however: nothing stays."""
    for name, act in (("gdb's input ends", None), ("heddle is told to end", signal.SIGTERM), ("heddle is killed",
                                                                                              signal.SIGKILL)):
        p = subprocess.Popen([b.heddle, "replay", "--gdb", trace],
                             cwd=b.work,
                             stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT,
                             start_new_session=True)
        p.stdin.write(b"heddle goto 5\n")
        p.stdin.flush()
        deadline, seen = time.monotonic() + 60, b""
        os.set_blocking(p.stdout.fileno(), False)
        while b"step 5 of" not in seen and time.monotonic() < deadline:
            seen += p.stdout.read() or b""
            time.sleep(0.05)
        check(f"{name}: the program is there before", b"step 5 of" in seen and b.alive(), seen)
        if act:
            os.kill(p.pid, act)
        else:
            p.stdin.close()
        p.wait(30)
        deadline = time.monotonic() + 5
        while b.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        check(f"{name}: it is gone", not b.alive(), b.alive())
        for folder in pathlib.Path(tempfile.gettempdir()).glob("heddle-gdb-*"):
            check(f"{name}: only a kill leaves its folder", act == signal.SIGKILL)
            shutil.rmtree(folder, ignore_errors=True)


def refusals(b, trace):
    for extra in (["--json"], ["--times", "2"]):
        done = subprocess.run([b.heddle, "replay", "--gdb", *extra, trace],
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        check(f"--gdb with {extra[0]} is refused", done.returncode == 2 and b"cannot be combined" in done.stderr, done)
    done = subprocess.run([b.heddle, "replay", "--gdb", trace],
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE,
                          env={
                              **os.environ, "PATH": "/nowhere"
                          })
    check("without gdb: says what to install", done.returncode == 2 and b"install the package gdb" in done.stderr, done)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    a = ap.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-e2e-gdb."))
    b = Bench(str(pathlib.Path(a.heddle).resolve()), work)
    try:
        as_accepted(b)
        queue = b.trace("queue", ROOT / "examples/queue.c")
        for part in (breakpoints, stepping, back_is_pointed_to, interference, watchpoints, patience, ends, refusals):
            part(b, queue)
        for part in (deadlock, to_and_fro, kinds, plain):
            part(b)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
