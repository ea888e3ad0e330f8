#!/usr/bin/env python3
"""Logs that programs keep of themselves (docs/logs.md): what is in them, and that the program does what it does without.

    tests/e2e/logs.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, resource, signal, struct, subprocess, sys, time

import cases

LOCKS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n, times;
static void* locks(void* unused) {
  for (long i = 0; i < times; i++) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(int argc, char** argv) {
  pthread_t t[4];
  times = argc > 1 ? atol(argv[1]) : 1000;
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, locks, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("%ld\n", n);
  if (argc > 2) abort();
  return 3;
}
"""


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def build(self, source, name="p", suffix="c"):
        (self.work / f"{name}.{suffix}").write_text(source)
        done = subprocess.run([self.exe, "cc", "-g", "-O1", "-pthread", f"{name}.{suffix}", "-o", name], cwd=self.work)
        assert done.returncode == 0
        return self.work / name

    def run(self, argv, options="log=log", **more):
        """Without a host. (status, stdout, stderr)"""
        env = {**os.environ, "HEDDLE_OPTIONS": options} if options is not None else None
        p = subprocess.run([str(a) for a in argv], cwd=self.work, env=env, capture_output=True, timeout=120, text=True, **more)
        return p.returncode, p.stdout, p.stderr

    def show(self, name="log", damaged=False):
        p = subprocess.run([self.exe, "show", "--json", name], cwd=self.work, capture_output=True, text=True, timeout=120)
        assert p.returncode == 0, p.stderr
        text = subprocess.run([self.exe, "show", name], cwd=self.work, capture_output=True, text=True, timeout=120)
        assert text.returncode == 0 and ("damage:" in text.stdout) == damaged, text.stdout
        log = json.loads(p.stdout)
        assert bool(log["damage"]) == damaged, log["damage"]
        return log


def streams(log, type="sync"):
    return {s["thread"]: s for s in log["streams"] if s["type"] == type}


def nothing_changes_and_all_is_counted(h):
    p = h.build(LOCKS)
    assert h.run([p]) == h.run([p], None) == (3, "4000\n", "")
    log = h.show()
    of = streams(log)
    assert set(of) == {"0", "0.1", "0.2", "0.3", "0.4"}, set(of)
    for i in range(1, 5):
        assert of[f"0.{i}"]["kinds"] == {"start": 1, "exit": 1, "lock": 1000, "unlock": 1000}, of[f"0.{i}"]
        assert of[f"0.{i}"]["ended"] and of[f"0.{i}"]["lost"] == 0
    assert of["0"]["kinds"] == {"create": 4, "join": 4}, of["0"]
    assert log["modules"][0]["path"] == str(p) and len(log["modules"][0]["build_id"]) == 40, log["modules"]
    assert (h.work / "log").stat().st_mode & 0o777 == 0o600


def a_ring_keeps_the_newest(h):
    p = h.build(LOCKS)
    assert h.run([p, 20000], "log=log:log_ring=64k") == (3, "80000\n", "")
    for name, s in streams(h.show()).items():
        if name != "0":
            assert s["overwritten_chunks"] > 20 and 40_000 < s["committed"] <= 65536, s
            assert s["kinds"].get("exit") == 1 and "start" not in s["kinds"], s


def a_kill_loses_nothing(h):
    p = h.build(LOCKS)
    for n in range(10):
        with subprocess.Popen([p, "1000000000"], cwd=h.work,
                              env={**os.environ, "HEDDLE_OPTIONS": f"log=log{n}:log_ring={'256k' if n % 2 else '32k'}"}) as q:
            time.sleep(0.05 + 0.03 * n)
            q.kill()
        log = h.show(f"log{n}")
        assert log["log"]["committed"] > 1000, log["log"]


def a_crash_is_the_programs_own(h):
    p = h.build(LOCKS)
    assert h.run([p, 10, "x"])[0] == -signal.SIGABRT
    assert streams(h.show())["0.1"]["kinds"]["lock"] == 10


def a_child_of_a_fork_has_a_log_of_its_own(h):
    p = h.build(r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* locks(void* times) {
  for (long i = 0; i < (long)times; i++) pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  locks((void*)5);
  for (int i = 0; i < 2; i++)
    if (fork() == 0) {
      if (i) _exit(7);  // does nothing: no log
      locks((void*)11);
      pthread_create(&t, 0, locks, (void*)3);
      pthread_join(t, 0);
      _exit(9);
    }
  int status;
  wait(&status), wait(&status);
  locks((void*)6);
  return 0;
}""")
    assert h.run([p]) == (0, "", "")
    assert streams(h.show())["0"]["kinds"] == {"lock": 11, "unlock": 11}
    child = h.show("log.2")
    assert streams(child)["0"]["kinds"] == {"create": 1, "join": 1, "lock": 11, "unlock": 11}, streams(child)
    assert streams(child)["0.1"]["kinds"]["lock"] == 3
    assert child["modules"] == h.show()["modules"] and child["log"]["pid"] != h.show()["log"]["pid"]
    assert sorted(f.name for f in h.work.glob("log*")) == ["log", "log.2"]


def an_exec_begins_another_log(h):
    p = h.build(LOCKS)
    q = h.build(r"""
#include <pthread.h>
#include <unistd.h>
int main(int argc, char** argv) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
  return execv(argv[1], argv + 1);
}""", "q")
    assert h.run([q, p]) == (3, "4000\n", "")
    assert streams(h.show())["0"]["kinds"] == {"lock": 1, "unlock": 1}
    assert streams(h.show("log.2"))["0.1"]["kinds"]["lock"] == 1000


def a_daemon_closes_everything_and_goes_on(h):
    p = h.build(r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* locks(void* done) {
  for (int i = 0; i < 50000; i++) pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
  return done;
}
int main(void) {
  pthread_t t;
  if (fork()) _exit(0);
  setsid();
  if (chdir("/")) return 1;
  for (int i = 0; i < 1024; i++) close(i);
  pthread_create(&t, 0, locks, 0);
  pthread_join(t, 0);
  return 0;
}""")
    assert h.run([p])[0] == 0
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.1)
        if (h.work / "log.2").exists() and "join" in streams(h.show("log.2")).get("0", {}).get("kinds", {}):
            break
    assert streams(h.show("log.2"))["0.1"]["kinds"]["lock"] == 50000


def no_descriptor_is_seen(h):
    p = h.build(r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 4096; i++)
    if (fcntl(i, F_GETFD) != -1) printf("%d ", i);
  printf("%d\n", open("/dev/null", O_RDONLY));
}""")
    assert h.run([p]) == h.run([p], None)


def what_cannot_be_written_is_one_line(h):
    p = h.build(LOCKS)
    for options, what in (("log=/nowhere/log", "No such file or directory"), (f"log={h.work}/p/log", "Not a directory"),
                          ("log=log:log_ring=many", "log_ring"), ("log=", "log=FILE"), ("log=x:log_limit=9g", "log_limit")):
        status, out, err = h.run([p], options)
        assert (status, out) == (3, "4000\n") and err.startswith("heddle: ") and err.count("\n") == 1 and what in err, err
    assert not list(h.work.glob("log*"))


def a_full_disk_ends_the_log_and_nothing_else(h):
    p = h.build(LOCKS)
    script = "mount -t tmpfs -o size=1m none m && HEDDLE_OPTIONS=log=m/log%s ./p 20000; s=$?; cp --sparse=always m/log out; exit $s"
    for more, full in (("", "disk"), (":log_ring=64k", "no"), (":log_ring=4m", "disk")):
        (h.work / "m").mkdir(exist_ok=True)
        status, out, err = h.run(["unshare", "-rm", "sh", "-c", script % more], None)
        assert (status, out, err) == (3, "80000\n", ""), (status, out, err)
        log = h.show("out")
        assert log["log"]["full"] == full, log["log"]
        assert log["log"]["committed"] > 200_000 or not more == "", log["log"]
    # No room for anything: it runs without a log, and nothing is left.
    status, out, err = h.run(["unshare", "-rm", "sh", "-c",
                              "mount -t tmpfs -o size=64k none m && HEDDLE_OPTIONS=log=m/log ./p 20; s=$?; ls m; exit $s"], None)
    assert (status, out) == (3, "80\n") and "No space left" in err and err.count("\n") == 1, (status, out, err)


def a_limit_of_the_file_size_is_no_signal(h):
    p = h.build(LOCKS)
    limited = lambda n: lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
    ended = h.run([p, 20000], preexec_fn=limited(1 << 20))
    assert ended == (3, "80000\n", ""), ended
    log = h.show()
    assert log["log"]["full"] == "limit" and log["log"]["limit"] == 1 << 20, log["log"]
    # Who began when it was full has no stream.
    assert sum(s["lost"] for s in log["streams"]) + log["log"]["streams_lost"] * 40000 > 100000, log
    status, out, err = h.run([p], "log=small", preexec_fn=limited(4096))
    assert (status, out) == (3, "4000\n") and "File too large" in err and not (h.work / "small").exists(), err


def a_limit_of_the_address_space_makes_it_smaller(h):
    p = h.build(LOCKS)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
    assert h.run([p], preexec_fn=limit)[:2] == (3, "4000\n")
    assert h.show()["log"]["limit"] < 256 << 20


def set_user_id_programs_obey_nobody(h):
    p = h.build(LOCKS)
    h.work.chmod(0o777)
    os.chown(p, 65534, 65534)
    p.chmod(0o4755)
    status, out, err = h.run(["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", p])
    assert (status, out, err) == (3, "4000\n", ""), (status, out, err)
    assert not list(h.work.glob("log*"))


def thousands_of_threads_have_names(h):
    p = h.build(r"""
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* inner(void* unused) { return pthread_mutex_lock(&m), pthread_mutex_unlock(&m), unused; }
static void* ends(void* how) {
  pthread_t t;
  pthread_create(&t, 0, inner, 0);
  pthread_join(t, 0);
  if ((long)how % 3 == 0) pthread_exit(0);
  while ((long)how % 3 == 1) pause();
  return 0;
}
int main(void) {
  for (int i = 0; i < 50; i++) {
    pthread_t t[50];
    for (long k = 0; k < 50; k++) if (pthread_create(&t[k], 0, ends, (void*)k)) return 1;
    for (long k = 0; k < 50; k++) {
      if (k % 3 == 1) pthread_cancel(t[k]);
      pthread_join(t[k], 0);
    }
  }
  return 0;
}""")
    assert h.run([p]) == (0, "", "")
    log = h.show()
    of = streams(log)
    # A few may not have begun when the process ended: their makers were cancelled while they waited for them.
    assert log["log"]["threads_seen"] > 4096 and log["log"]["threads_seen"] - len(of) < 17, log["log"]
    assert {f"0.{i}" for i in range(1, 2501)} < set(of) and "0.2499.1" in of and not any("#" in name for name in of)
    # Nobody waits for the last ones whose maker was cancelled while it did.
    assert sum(s["kinds"].get("exit") != 1 or not s["ended"] for name, s in of.items() if name != "0") < 17
    # Bounded, whatever the number of threads.
    assert h.run([p], "log=ring:log_ring=32k") == (0, "", "")
    ring = h.show("ring")
    assert len(streams(ring)) < 400 and ring["log"]["used"] < 40 << 20 and ring["log"]["full"] == "no", ring["log"]


def handlers_may_interrupt(h):
    p = h.build(r"""
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static sem_t s;
static volatile int posts;
static void handler(int n) { (void)n; sem_post(&s); posts++; }
int main(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  sem_init(&s, 0, 0);
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &often, 0);
  for (int i = 0; i < 2000000; i++) pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
  setitimer(ITIMER_REAL, &never, 0);
  printf("%d\n", posts);
}""")
    status, out, err = h.run([p])
    assert status == 0 and err == "", err
    main = streams(h.show())["0"]
    assert main["kinds"]["sem post"] + main["lost"] == int(out) and main["kinds"]["lock"] == 2000000, (main, out)


def damage_is_named_and_the_rest_is_read(h):
    p = h.build(LOCKS)
    assert h.run([p, 5000])[0] == 3
    whole = (h.work / "log").read_bytes()
    used = h.show()["log"]["used"]
    # Only a chunk that is full has a checksum (abi/log.h): which of the last ones are, is up to the threads.
    sealed = next(at for at in range(used - 16384, 0, -16384) if struct.unpack_from("<I", whole, at + 52)[0] == 1)
    for n, (at, what) in enumerate([(sealed + 8000, "checksum"), (used - 3 * 16384, "damaged"), (used, None)]):
        name = f"broken{n}"
        (h.work / name).write_bytes(whole[:at] + bytes([255 ^ whole[at]]) + whole[at + 1:] if what else whole[:at - 20000])
        log = h.show(name, damaged=True)
        assert what is None or any(what in d for d in log["damage"]), log["damage"]
        assert log["log"]["committed"] > 300_000
    (h.work / "head").write_bytes(whole[:30] + b"!" + whole[31:])
    p = subprocess.run([h.exe, "show", "head"], cwd=h.work, capture_output=True, text=True)
    assert p.returncode == 2 and "damaged" in p.stderr, p


def a_descriptor_may_be_given(h):
    p = h.build(LOCKS)
    fd = os.open(h.work / "given", os.O_RDWR | os.O_CREAT)
    assert h.run([p], f"log_fd={fd}", pass_fds=[fd]) == (3, "4000\n", "")
    assert streams(h.show("given"))["0.1"]["kinds"]["lock"] == 1000
    status, out, err = h.run([p], f"log_fd={fd}", pass_fds=[fd])  # it is not empty any more
    assert (status, out) == (3, "4000\n") and "File exists" in err, err
    assert streams(h.show("given"))["0.1"]["kinds"]["lock"] == 1000
    assert not list(h.work.glob("log*"))


def a_log_is_no_trace_and_no_option_of_a_hunt(h):
    p = h.build(LOCKS)
    assert h.run([p])[0] == 3
    for verb in ("replay", "simplify"):
        q = subprocess.run([h.exe, verb, "log"], cwd=h.work, capture_output=True, text=True)
        assert q.returncode == 2 and "log that a program kept" in q.stderr, q
    q = subprocess.run([h.exe, "hunt", "--", p], cwd=h.work, capture_output=True, text=True,
                       env={**os.environ, "HEDDLE_OPTIONS": "log=x"})
    assert q.returncode == 2 and "without heddle" in q.stderr, q
    q = subprocess.run([h.exe, "show", "--format", "html", "log"], cwd=h.work, capture_output=True, text=True)
    assert q.returncode == 2 and "is a log" in q.stderr, q


CASES = [f for name, f in list(globals().items()) if callable(f) and getattr(f, "__module__", "") == __name__ and
         name not in ("Tool", "streams")]

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", required=True, type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    sys.exit(cases.run(CASES, lambda folder, way: Tool(a.heddle, folder), a.names))
