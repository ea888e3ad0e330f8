#!/usr/bin/env python3
"""Whoever is killed, whenever: what was recorded is readable, and replays as far as it goes.

    tests/e2e/killed.py --heddle build/bin/heddle [--times 50]

Closing line: 'N passed, M failed'.
"""
import argparse, json, os, pathlib, random, signal, subprocess, sys, tempfile, time

from programs import bounded, survivors

# What the threads see of each other without a lock is printed too: a replay must not let any of them go further than it had come.
PROGRAM = r"""
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <sys/socket.h>
std::atomic<long> n;
std::mutex m;
long guarded;
extern "C" int take(pthread_mutex_t*);  // without hooks
extern "C" int give(pthread_mutex_t*);
asm(".globl take, give\n take: jmp pthread_mutex_lock@PLT\n give: jmp pthread_mutex_unlock@PLT\n");
struct Outside {
  Outside() { take(m.native_handle()); }
  ~Outside() { give(m.native_handle()); }
};
volatile long racy[8][8];
int main() {
  auto work = [](int who) {
    unsigned long seen = 0;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return;
    for (long i = 0;; i++) {
      if (i % 4 == 0) seen += send(ends[0], &seen, sizeof seen, MSG_DONTWAIT) + recv(ends[1], &seen, sizeof seen, MSG_DONTWAIT);
      n++;
      volatile long own = 0;
      for (int k = 0; k < 1000; k++) own = own + k;  // a replay of what is recorded in half a second should not take half a minute
      racy[i % 8][0] = racy[(i + who) % 8][0] * 31 + i;
      seen = seen * 7 + racy[i % 5][0];
      auto count = [&] {
        if (++guarded % 500 == 0) std::printf("%ld %ld %lx\n", guarded, n.load(), seen), std::fflush(stdout);
      };
      if (i % 2) {
        Outside g;
        count();
      } else {
        std::lock_guard g(m);
        count();
      }
    }
  };
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join();
  b.join();
  c.join();
}
"""


def kill_run(recorder, exe):
    """Kills the youngest process of that program until the recorder ends: a fork server killed before it was ready is started once more."""
    for _ in range(300):
        for pid in subprocess.run(["pgrep", "-n", "-f", f"^{exe}"], capture_output=True, text=True).stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            recorder.wait(0.1)
            return
        except subprocess.TimeoutExpired:
            pass
    recorder.kill()
    sys.exit("the recorder goes on although its program was killed 300 times")


def kill_one(heddle, folder, exe, i, rng):
    trace = folder / "killed.heddle"
    trace.unlink(missing_ok=True)
    delay, whom = rng.uniform(0, 0.6), rng.choice(["all", "recorder", "program"])
    p = subprocess.Popen([heddle, "record", "-o", trace, "--", exe],
                         cwd=folder,
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL,
                         start_new_session=True)
    time.sleep(delay)
    if whom == "program":
        kill_run(p, exe)
    else:
        (os.killpg if whom == "all" else os.kill)(p.pid, signal.SIGKILL)
        p.wait()
    left = survivors(folder)
    if left:
        return f"{whom} killed after {delay:.3f} s: left alive {left}"
    if not trace.exists():  # 125: the program was killed before it began, and nothing was kept
        return None if delay < 0.2 or p.returncode == 125 else f"{whom} killed after {delay:.3f} s: no trace at all"
    code, out, err = bounded([heddle, "show", "--format", "json", trace], folder, 60)
    early = "cut off before the program began" in err or "before heddle's runtime" in err
    if code != 0 and not early:
        return f"{whom} killed after {delay:.3f} s: show says {code} {err[-300:]}"
    if early:
        return None
    code, out, err = bounded([heddle, "replay", "--json", trace], folder, 60)
    said = json.loads(out) if out else {}
    if code not in (0, 3, 66) or said.get("diverged"):
        return f"{whom} killed after {delay:.3f} s: replay says {code} {(out + err)[-500:]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    rng, passed, failed = random.Random(a.seed), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "p.cc").write_text(PROGRAM)
        code, out, err = bounded([a.heddle, "c++", "-std=c++20", "-g", "-O1", "-pthread", "p.cc", "-o", "p"], folder,
                                 120)
        if code != 0:
            sys.exit(f"build: {err}")
        for i in range(a.times):
            wrong = kill_one(a.heddle, folder, folder / "p", i, rng)
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong:
                print(f"FAILED kill {i}: {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
