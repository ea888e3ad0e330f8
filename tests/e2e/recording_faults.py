#!/usr/bin/env python3
"""What goes wrong around a recording: signals, full disks, one file for two, scripts, spins, wrong words on the command line.

    tests/e2e/recording_faults.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'

Each case is a function; it fails by an assertion.
"""
import argparse, json, os, pathlib, re, signal, subprocess, sys

from cases import run
from programs import bounded, survivors

CLEAN, USAGE, DIVERGED, FOUND, NOT_RECORDED = 0, 2, 3, 66, 125

# Says when it is there, then waits; with an argument it handles signals: counts them and ends with 40 + number at SIGTERM.
WAITS = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void* idles(void* p) { for (;;) pause(); return p; }
static volatile sig_atomic_t hups;
static void on_hup(int n) { (void)n; hups++; (void)!write(1, "hup\n", 4); }
static void on_term(int n) { (void)n; _exit(40 + hups); }
int main(int argc, char** argv) {
  if (argc > 1) { signal(SIGHUP, on_hup); signal(SIGTERM, on_term); }
  (void)argv;
  pthread_t t;
  pthread_create(&t, 0, idles, 0);
  (void)!write(1, "ready\n", 6);
  for (;;) pause();
}
"""
# Many steps: fills the log.
LONG = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n, rounds = 200000;
static void* works(void* p) {
  for (long i = 0; i < rounds; i++) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); }
  return p;
}
int main(int argc, char** argv) {
  if (argc > 1) rounds = atol(argv[1]);
  pthread_t a, b;
  pthread_create(&a, 0, works, 0);
  pthread_create(&b, 0, works, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%ld\n", n);
  return argc > 2 ? atoi(argv[2]) : 0;
}
"""


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def __call__(self, *args, timeout=120, limit=None):
        argv = [str(a) for a in (self.exe, *args)]
        if limit:
            argv = ["/bin/sh", "-c", f'{limit}; exec "$@"', "sh", *argv]
        return bounded(argv, self.work, timeout)

    def build(self, source, name, *flags):
        path = self.work / f"{name}.c"
        path.write_text(source)
        code, _, err = self("cc", "-g", "-O1", "-pthread", *flags, path, "-o", self.work / name)
        assert code == 0, err
        return self.work / name

    def start(self, *args):
        """A recording whose program has said that it is there."""
        p = subprocess.Popen([str(a) for a in (self.exe, *args)],
                             cwd=self.work,
                             stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             start_new_session=True)
        assert p.stdout.readline() == b"ready\n", p.stderr.read()
        return p

    def script(self, text, name="wrap.sh"):
        path = self.work / name
        path.write_text(text)
        path.chmod(0o755)
        return path


def ended(p, timeout=60):
    out, err = p.communicate(timeout=timeout)
    return p.returncode, out.decode(), err.decode()


def signals_reach_the_program(h):
    exe, trace = h.build(WAITS, "waits"), h.work / "w.heddle"
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        for group in (False, True):
            p = h.start("record", "-o", trace, "--", exe)
            (os.killpg if group else os.kill)(p.pid, number)
            code, out, err = ended(p)
            name = number.name
            assert code == 128 + number and f"killed by {name}" in err and f"{name} was forwarded to the program" in err, (
                number, group, code, err)
            assert all(line == line.rstrip() for line in err.splitlines()), err
            code, out, err = h("show", trace)
            assert name in out, (name, out, err)
            code, out, err = h("replay", trace)
            assert code == FOUND and f"killed by {name}" in err, (name, code, err)


def handled_signals_come_once_each(h):
    exe, trace = h.build(WAITS, "waits"), h.work / "w.heddle"
    p = h.start("record", "-o", trace, "--", exe, "handles")
    for _ in range(3):
        os.killpg(p.pid, signal.SIGHUP)
        assert p.stdout.readline() == b"hup\n"
    os.kill(p.pid, signal.SIGTERM)
    code, out, err = ended(p)
    assert code == 43 and out == "", (code, out, err)
    code, out, err = h("replay", trace)
    assert code == FOUND and out == "ready\nhup\nhup\nhup\n", (code, out, err)


# With an argument it handles SIGINT. Says when it is there; ends with 7 when it had one, else after a while with 8.
INTERRUPTED = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t came;
static void on_int(int n) { (void)n; came = 1; }
static void* idles(void* p) { return p; }
int main(int argc, char** argv) {
  if (argc > 1) signal(SIGINT, on_int);
  (void)argv;
  pthread_t t;
  pthread_create(&t, 0, idles, 0);
  pthread_join(t, 0);
  (void)!write(1, "ready\n", 6);
  for (int i = 0; i < (argc > 1 ? 600 : 15) && !came; i++) usleep(100000);
  return came ? 7 : 8;
}
"""


def ignored_signals_reach_a_handler(h):
    """A script without job control starts its background jobs with SIGINT ignored: a handler of the program gets it nevertheless, and a
    program without one lives on, as both do natively."""
    exe, trace = h.build(INTERRUPTED, "interrupted"), h.work / "i.heddle"
    for words, want in (([exe, "handles"], 7), ([exe], 8)):
        for start in ([], [h.exe, "record", "-o", trace, "--"]):
            p = subprocess.Popen([str(w) for w in start + words],
                                 cwd=h.work,
                                 stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE,
                                 start_new_session=True,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
            assert p.stdout.readline() == b"ready\n", p.stderr.read()
            p.send_signal(signal.SIGINT)
            code, out, err = ended(p)
            assert code == want, (start, words, code, out, err)
        code, out, err = h("replay", trace)
        assert code == FOUND and out == "ready\n", (words, code, out, err)


BARE_CLONE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
static void* idles(void* p) { return p; }
static int waits(void* p) { (void)p; for (;;) pause(); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, idles, 0);
  pthread_join(t, 0);
  char* stack = malloc(65536);
  return clone(waits, stack + 65536, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0) < 0;
}
"""


def refused_recordings_leave_no_file(h):
    exe, trace = h.build(BARE_CLONE, "bare"), h.work / "b.heddle"
    code, out, err = h("record", "-o", trace, "--", exe)
    assert code == NOT_RECORDED and "bare clone()" in err, (code, err)
    assert not trace.exists(), trace.stat()


def folder_that_is_gone(h):
    exe, gone = h.build(LONG, "long"), h.work / "gone"
    for verb, want in (("record", NOT_RECORDED), ("hunt", USAGE)):
        gone.mkdir()
        done = subprocess.run([
            "/bin/sh", "-c", 'cd gone; rmdir ../gone; exec "$@"', "sh", h.exe, verb, "-o", h.work / "g.heddle", "--",
            exe, "10"
        ],
                              cwd=h.work,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              timeout=60)
        err = done.stderr.decode()
        assert done.returncode == want and "current folder" in err and "bug" not in err, (verb, done.returncode, err)


MAPS = r"""
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
int main(int argc, char** argv) {
  (void)argc;
  char* p = mmap(0, 65 << 20, PROT_READ, MAP_PRIVATE, open(argv[1], O_RDONLY), 0);
  printf("%d\n", p == MAP_FAILED ? -1 : p[5]);
}
"""


def only_what_can_be_replayed_is_offered(h):
    exe, trace, large = h.build(MAPS, "maps"), h.work / "m.heddle", h.work / "large"
    with open(large, "wb") as f:
        f.truncate(65 << 20)
    code, out, err = h("record", "-o", trace, "--", exe, large)
    assert code == CLEAN and "recorded " in err and "cannot be replayed" in err and "replay it" not in err, (code, out,
                                                                                                             err)
    code, out, err = h("show", trace)
    assert "replay it" not in out, out
    code, out, err = h("record", "-o", trace, "--", h.build(LONG, "long"), 10)
    assert code == CLEAN and f"replay it:  heddle replay {trace}" in err, (code, out, err)


def signal_before_the_program(h):
    script = h.script("#!/bin/sh\necho ready\nsleep 60\n")
    p = h.start("record", "-o", h.work / "w.heddle", "--", script)
    p.send_signal(signal.SIGTERM)
    code, out, err = ended(p)
    assert code == 143 and "SIGTERM" in err and not (h.work / "w.heddle").exists(), (code, err)


def small_disks(h):
    """Whatever the size: a good trace, a trace that says that it was cut off, or a message; never a signal, never a ruin."""
    if os.geteuid():
        return
    exe, small = h.build(LONG, "long"), h.work / "small"
    small.mkdir()
    seen = set()
    for kilobytes in (64, 1024, 2048, 3072, 3584, 4096, 4608, 5120, 6144, 8192):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", small],
                          stderr=subprocess.DEVNULL).returncode:
            return
        try:
            trace = small / "x.heddle"
            code, out, err = h("record", "-o", trace, "--", exe)
            seen.add(code)
            if code == NOT_RECORDED:
                assert "No space left" in err and str(trace) in err and not list(small.iterdir()), (
                    kilobytes, err, list(small.iterdir()))
            else:
                assert code == CLEAN and out == "400000\n" and trace.stat().st_size < kilobytes << 10, (kilobytes, code,
                                                                                                        out, err)
                assert [p.name for p in small.iterdir()] == ["x.heddle"]
                shown, said, why = h("show", trace)
                steps = int(re.search(r"recorded ([\d,]+) step", err)[1].replace(",", ""))
                assert ("replay it" in err) == (steps > 0) == ("replay it" in said), (kilobytes, err, said)
                assert shown in (CLEAN, DIVERGED), (kilobytes, shown, why)
                if "the disk is full" in err and steps > 0:  # what is there can be followed, and nothing diverged
                    again, _, why = h("replay", trace)
                    assert again == DIVERGED and "inconclusive" in why and "diverged" not in why, (kilobytes, again,
                                                                                                   why)
        finally:
            subprocess.run(["umount", small], check=True)
    assert seen == {CLEAN, NOT_RECORDED}, seen


def one_file_for_two(h):
    exe, trace = h.build(WAITS, "waits"), h.work / "w.heddle"
    p = h.start("record", "-o", trace, "--", exe)
    code, out, err = h("record", "-o", trace, "--", exe)
    assert code == NOT_RECORDED and "in use by another recording" in err and str(trace) in err and not out, (code, out,
                                                                                                             err)
    p.send_signal(signal.SIGTERM)
    assert ended(p)[0] == 143
    assert h("replay", trace)[0] == FOUND
    code, out, err = h("record", "-o", trace, "--", h.build(LONG, "long"), 10)  # free again
    assert code == CLEAN, (code, err)


def script_runs_to_its_end(h):
    exe, trace = h.build(LONG, "long"), h.work / "s.heddle"
    script = h.script(f"""#!/bin/sh
trap 'echo trapped' EXIT
echo before
{exe} 10 5
echo first $?
{exe} 20 6
echo second $?
sleep 0.1 &
wait
exit 7
""")
    code, out, err = h("record", "-o", trace, "--", script)
    assert code == 7, (code, out, err)
    assert out == "before\n20\nfirst 5\n40\nsecond 6\ntrapped\n", (out, err)
    assert f"{exe} was recorded" in err, err
    assert h("replay", trace, "--", exe)[:2] == (FOUND, "20\n")
    code, out, err = h("replay", trace)
    assert code == FOUND and "20\n" in out and "40\n" not in out, (code, out, err)
    for words, want in ((["timeout", "60", exe, 10,
                          3], 3), (["sh", "-c", f"{exe} 10; exit 4"], 4), (["env", "A=1", exe, 10, 0], 0)):
        code, out, err = h("record", "-o", trace, "--", *words)
        assert code == want and out == "20\n", (words, code, out, err)
    crash = h.build('#include <stdlib.h>\nint main(void) { abort(); }', "crash")
    script = h.script(f"#!/bin/bash\n{crash}\necho status $?\n")
    code, out, err = h("record", "-o", trace, "--", script)
    assert code == CLEAN and out == "status 134\n" and "FAILED" in err, (code, out, err)


def signals_behind_a_script(h):
    """The program gets it while it runs, the script when it goes on."""
    exe = h.build(WAITS, "waits")
    script = h.script(f"#!/bin/bash\n{exe} handles\necho status $?\necho ready\nsleep 60 & wait\n")
    p = h.start("record", "-o", h.work / "w.heddle", "--", script)
    p.send_signal(signal.SIGTERM)
    assert p.stdout.readline() == b"status 40\n" and p.stdout.readline() == b"ready\n"
    p.send_signal(signal.SIGTERM)
    code, out, err = ended(p)
    assert code == 143 and not survivors(h.work), (code, out, err)


SPINS = r"""
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag;
static void* sets(void* p) { pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sets, 0);
  while (!flag) {}
  pthread_join(t, 0);
  return 0;
}
"""


def replay_of_a_spin_is_inconclusive(h):
    source, exe, trace = h.work / "spins.c", h.work / "spins", h.work / "s.heddle"
    source.write_text(SPINS)
    subprocess.run(["cc", "-O1", "-g", "-pthread", source, "-o", exe], check=True)
    code, out, err = h("record", "-o", trace, "--", exe)
    assert code == CLEAN, (code, err)
    code, out, err = h("replay", "--hang-timeout", "2s", trace)
    assert code == DIVERGED and "spins" in err and "for 2 s" in err and "--hang-timeout" in err, (code, out, err)
    code, out, err = h("replay", "--hang-timeout", "0", trace)
    assert code == USAGE, (code, err)


def words(h):
    exe = h.build(LONG, "long")
    code, out, err = h("record", exe, "10")
    assert code == NOT_RECORDED and "put -- before the program" in err and f"heddle record -- {exe} 10" in err, (code,
                                                                                                                 err)
    code, out, err = h("hunt", exe, "10")
    assert code == USAGE and "-- before the program" in err, (code, err)
    code, out, err = h("record", "--frobnicate", "--", exe)
    assert code == NOT_RECORDED and "--frobnicate" in err, (code, err)
    for place in ("/dev/full", "/dev/stdout", "/dev/null", "/proc/self/fd/1"):
        code, out, err = h("record", "-o", place, "--", exe)
        assert code == NOT_RECORDED and place in err and "regular file" in err and not out, (place, code, out, err)
    code, out, err = h("record", "-o", h.work / "t.heddle", "--", exe, limit="ulimit -f 100")
    assert code == NOT_RECORDED and "t.heddle" in err and "ulimit -f" in err, (code, err)
    assert not (h.work / "t.heddle").exists()
    code, out, err = h("record", "--", h.work)
    assert code == NOT_RECORDED and "hunt" not in err, (code, err)
    code, out, err = h("record", "--", h.script("#!/bin/sh\nexit 3\n"))
    assert code == NOT_RECORDED and "hunt" not in err and not list(h.work.glob("*.heddle")), (code, err)
    alone = h.build("int main(void) { return 0; }", "alone")
    code, out, err = h("record", "--", alone)
    assert code == CLEAN and "1 thread in" in err, (code, err)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    cases = [
        signals_reach_the_program, handled_signals_come_once_each, ignored_signals_reach_a_handler,
        refused_recordings_leave_no_file, folder_that_is_gone, only_what_can_be_replayed_is_offered,
        signal_before_the_program, small_disks, one_file_for_two, script_runs_to_its_end, signals_behind_a_script,
        replay_of_a_spin_is_inconclusive, words
    ]
    return run(cases, lambda folder, _: Tool(pathlib.Path(a.heddle).resolve(), folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
