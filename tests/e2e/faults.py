#!/usr/bin/env python3
"""What goes wrong around the program: full disks, damaged traces, closed descriptors, processes that stay behind.

    tests/e2e/faults.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'

Each case is a function; it fails by an assertion. Programs that only misbehave inside themselves are in tests/programs.
"""
import argparse, json, os, pathlib, resource, signal, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run
from programs import bounded, survivors

PROGRAMS = HERE.parent / "programs"
FOUND, CLEAN, USAGE, DIVERGED = 66, 0, 2, 3
RACY = (PROGRAMS / "fail" / "lost_update.c").read_text()


class Tool:
    def __init__(self, exe, work, backend):
        self.exe, self.work, self.backend = exe, work, backend

    def __call__(self, *args, stdin=b"", timeout=120, limit=None, **env):
        argv = [str(a) for a in (self.exe, *args)]
        if limit:
            argv = ["/bin/sh", "-c", f'{limit}; exec "$@"', "sh", *argv]
        return bounded(argv, self.work, timeout, stdin,
                       dict(os.environ, HEDDLE_OPTIONS=f"backend={self.backend}:hang_timeout=3s", **env))

    def build(self, source, name, *flags):
        path = self.work / f"{name}.c"
        path.write_text(source)
        code, _, err = self("cc", "-g", "-O1", "-pthread", *flags, path, "-o", self.work / name)
        assert code == 0, err
        return self.work / name

    def hunt(self, *args, **more):
        code, out, err = self("hunt", "--json", "--seed", 1, *args, **more)
        return code, json.loads(out) if out else None, err

    def trace_of(self, exe, name="t.heddle"):
        trace = self.work / name
        code, found, err = self.hunt("-o", trace, "--", exe)
        assert code == FOUND, (code, found, err)
        return trace


WRITER = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char block[1 << 20];
static long blocks;
static void* writes(void* unused) {
  for (long i = 0; i < blocks; i++)
    for (size_t at = 0; at < sizeof block;) {
      ssize_t n = write(1, block + at, sizeof block - at);
      if (n <= 0) _exit(9);
      at += (size_t)n;
    }
  return unused;
}
int main(int argc, char** argv) {
  blocks = atol(argv[1]);
  memset(block, 'x', sizeof block);
  for (size_t i = 63; i < sizeof block; i += 64) block[i] = '\n';
  pthread_t a, b;
  pthread_create(&a, 0, writes, 0);
  pthread_create(&b, 0, writes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return argc > 2 ? 5 : 0;
}
"""


def gigabytes_to_stdout(h):
    exe = h.build(WRITER, "writer")
    code, found, err = h.hunt("--runs", 1, "--", exe, 1024)  # 2 GiB
    assert code == CLEAN, (code, found, err)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert used < 1 << 20, f"{used} KiB in memory"
    trace = h.work / "w.heddle"
    code, found, err = h.hunt("--runs", 1, "-o", trace, "--", exe, 20, "fail")
    assert code == FOUND and found["failure"]["signature"] == "exit|5", (code, found, err)
    assert trace.stat().st_size < 1 << 20
    replay = subprocess.run([h.exe, "replay", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
    alone = subprocess.run([exe, "20", "fail"], stdout=subprocess.PIPE, timeout=60)
    assert replay.returncode == FOUND and replay.stdout == alone.stdout, (replay.returncode, len(replay.stdout))
    # Nobody reads the program's output any more: the replay still ends.
    pipe = subprocess.Popen([h.exe, "replay", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    pipe.stdout.read(10)
    pipe.stdout.close()
    assert pipe.wait(timeout=60) in (FOUND, DIVERGED)


def nothing_of_ours_in_stdout(h):
    exe = h.build(
        '#include <stdio.h>\n#include <assert.h>\nint main(void) { puts("mine"); fflush(stdout); assert(!"end"); }',
        "says")
    trace = h.trace_of(exe)
    code, out, err = h("replay", trace)
    assert code == FOUND and out == "mine\n" and "reproduced" in err, (code, out, err)
    code, out, err = h("replay", "--json", trace)
    assert json.loads(out)["reproduced"], out
    code, out, err = bounded([exe], h.work, 10)
    assert code == -signal.SIGABRT and out == "mine\n" and err.startswith("says: "), (code, out, err)


def full_disk(h):
    exe = h.build(RACY, "racy")
    good = h.trace_of(exe, "good.heddle").read_bytes()
    code, _, err = h("hunt", "--seed", 1, "-o", "/dev/full", "--", exe)
    assert code == USAGE and "No space left" in err and "assertion" in err and "seed 1" in err, (code, err)
    tiny = h.work / "tiny"
    tiny.mkdir()
    room = -(-len(good) // 4096) * 4 + 4
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}k", "tmpfs", tiny],
                                      stderr=subprocess.DEVNULL).returncode:
        return
    try:
        (tiny / "t.heddle").write_bytes(good)  # what is there stays there
        (tiny / "rest").write_bytes(b"x" * 4096)
        code, _, err = h("hunt", "--seed", 1, "-o", tiny / "t.heddle", "--", exe)
        assert code == USAGE and "No space left" in err and "assertion" in err, (code, err)
        assert (tiny / "t.heddle").read_bytes() == good and sorted(p.name
                                                                   for p in tiny.iterdir()) == ["rest", "t.heddle"]
        (tiny / "rest").unlink()
        assert h("replay", tiny / "t.heddle")[0] == FOUND  # a replay writes nothing
    finally:
        subprocess.run(["umount", tiny], check=True)


def small_limits(h):
    exe = h.build(RACY, "racy")
    code, _, err = h("hunt", "--seed", 1, "--", exe, limit="ulimit -f 1")
    assert code == USAGE and "ulimit -f" in err, (code, err)
    code, _, err = h("hunt", "--seed", 1, "--", exe, limit="ulimit -v 2000000")
    assert code == USAGE and "ulimit -v" in err, (code, err)
    code, found, err = h.hunt("--", exe, limit="ulimit -n 40")
    assert code == FOUND, (code, found, err)


def no_place_for_the_trace(h):
    exe = h.build(RACY, "racy")
    for place, word in (("/nonexistent/t.heddle", "no folder"), (h.work, "is a folder")):
        code, out, err = h("hunt", "--seed", 1, "-o", place, "--", exe)
        assert code == USAGE and word in err and "in run" not in err, (place, code, out, err)


def bad_traces(h):
    exe = h.build(RACY, "racy")
    trace = h.trace_of(exe)
    good = trace.read_bytes()
    bad = h.work / "bad.heddle"
    foreign = {"empty": b"", "one byte": good[:1], "text": b"hello, world\n" * 100, "elf": exe.read_bytes(),
               "newer": good[:8] + bytes([250]) + good[9:], "zeros": bytes(4096)}
    for name, data in foreign.items():
        bad.write_bytes(data)
        for verb in ("replay", "show"):
            code, out, err = h(verb, bad)
            want = (USAGE,) if verb == "replay" else (USAGE, 3)
            assert code in want and err.strip() and not out, (name, verb, code, out, err)
    for cut in range(16, len(good), max(1, len(good) // 12)):  # every one answers: a result, an error or a divergence
        bad.write_bytes(good[:cut])
        assert h("replay", "--trust", bad)[0] in (USAGE, FOUND, DIVERGED), cut
        assert h("show", bad)[0] in (0, USAGE, DIVERGED), cut
    for at in range(0, len(good), max(1, len(good) // 24)):
        damaged = bytearray(good)
        damaged[at] ^= 0xff
        bad.write_bytes(damaged)
        code, _, err = h("replay", "--trust", bad)
        assert code in (USAGE, FOUND, DIVERGED), (at, code, err)
        code, _, err = h("show", bad)
        assert code in (0, USAGE, DIVERGED), (at, code, err)


def other_programs(h):
    exe = h.build(RACY, "racy")
    trace = h.trace_of(exe)
    other = h.build(RACY.replace("counter == 2", "counter == 3"), "other")
    code, _, err = h("replay", trace, "--", other)
    assert code == USAGE and "build-id" in err, (code, err)
    moved = h.work / "moved"
    exe.rename(moved)
    code, _, err = h("replay", trace)
    assert code == USAGE and "heddle replay" in err, (code, err)
    assert h("replay", trace, "--", moved)[0] == FOUND
    static = h.work / "static"  # nothing can be put before it
    subprocess.run(["cc", "-static", "-pthread", h.work / "racy.c", "-o", static], check=True)
    text = h.work / "text"
    text.write_text("hello")
    script = h.work / "broken"
    script.write_text("#!/nonexistent/interpreter\n")
    script.chmod(0o755)
    cut = h.work / "cut"
    cut.write_bytes(moved.read_bytes()[:3000])
    cut.chmod(0o755)
    for program in (h.work / "missing", h.work, text, static, script, cut, "/dev/null"):
        code, out, err = h("hunt", "--seed", 1, "--", program)
        assert code == USAGE and err.strip() and not out, (program, code, out, err)


def wrapper_script(h):
    exe = h.build(RACY, "racy")
    script = h.work / "wrapper"
    script.write_text(f'#!/bin/sh\nexport WRAPPED=1\necho starting >/dev/null\nexec {exe} "$@"\n')
    script.chmod(0o755)
    trace = h.work / "t.heddle"
    code, found, err = h.hunt("-o", trace, "--", script)
    assert code == FOUND and found["failure"]["kind"] == "assertion", (code, found, err)
    code, out, err = h("replay", "--json", trace)
    assert code == FOUND and json.loads(out)["failure"]["signature"] == found["failure"]["signature"], (code, out, err)


def becomes_another_instrumented_program(h):
    racy = h.build(RACY, "racy")
    first = h.build('#include <unistd.h>\nint main(int c, char** v) { (void)c; return execv(v[1], v + 1); }', "first")
    code, found, err = h.hunt("--runs", 20, "--", first, racy)
    assert code == CLEAN, (code, found, err)  # what follows an exec runs uncontrolled
    assert any("exec" in n for n in found["notes"]), found


LEAVER = r"""
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void* sleeps(void* unused) {
  for (;;) sleep(1000);
  return unused;
}
static void linger(void) {
  setsid();
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  for (int fd = 0; fd < 64; fd++) close(fd);
  pthread_t t;
  pthread_create(&t, 0, sleeps, 0);
  for (;;) pause();
}
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  pthread_t t;
  pthread_create(&t, 0, sleeps, 0);
  for (int i = 0; i < 3; i++)
    if (fork() == 0) {
      if (fork() == 0) linger();
      _exit(0);
    }
  if (!strcmp(how, "fail")) abort();
  if (!strcmp(how, "group")) kill(0, SIGKILL);
  if (!strcmp(how, "parent")) kill(getppid(), SIGKILL);
  if (!strcmp(how, "stop")) raise(SIGSTOP);
  if (!strcmp(how, "wait")) for (;;) pause();
  return 0;
}
"""


def nothing_stays_behind(h):
    exe = h.build(LEAVER, "leaver")
    code, found, err = h.hunt("--runs", 3, "--", exe)
    assert code == CLEAN and not survivors(h.work), (code, err)
    assert any("left behind" in n for n in found["notes"]), found["notes"]
    code, found, err = h.hunt("--runs", 3, "-o", h.work / "t.heddle", "--", exe, "fail")
    assert code == FOUND and found["failure"]["kind"] == "abort" and not survivors(h.work), (code, err)
    code, _, err = h("replay", h.work / "t.heddle")
    assert code == FOUND and not survivors(h.work), (code, err)


def kills_around_itself(h):
    exe = h.build(LEAVER, "leaver")
    for how in ("group", "parent", "stop"):
        code, found, err = h.hunt("--runs", 2, "-o", h.work / "t.heddle", "--", exe, how, timeout=60)
        assert code in (CLEAN, FOUND, USAGE, DIVERGED) and (found or err.strip()), (how, code, found, err)
        assert not survivors(h.work), how


def heddle_is_killed(h):
    exe = h.build(LEAVER, "leaver")
    for signo, status in ((signal.SIGINT, 130), (signal.SIGTERM, None), (signal.SIGKILL, -9)):
        p = subprocess.Popen([h.exe, "hunt", "--", exe, "wait"],
                             cwd=h.work,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while subprocess.run(["pgrep", "-f", str(exe) + " wait"],
                             stdout=subprocess.DEVNULL).returncode and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        p.send_signal(signo)
        code = p.wait(timeout=30)
        assert status is None or code == status, (signo, code)
        # After SIGKILL only what the kernel ends for us can be expected to be gone: the server and the controlled runs.
        left = survivors(h.work)
        assert not left or signo == signal.SIGKILL, (signo, left)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("--backend", default="baton")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    cases = [
        gigabytes_to_stdout, nothing_of_ours_in_stdout, full_disk, small_limits, no_place_for_the_trace, bad_traces,
        other_programs, wrapper_script, becomes_another_instrumented_program, nothing_stays_behind, kills_around_itself,
        heddle_is_killed
    ]
    return run(cases, lambda folder, _: Tool(pathlib.Path(a.heddle).resolve(), folder, a.backend), a.names)


if __name__ == "__main__":
    sys.exit(main())
