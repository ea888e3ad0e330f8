#!/usr/bin/env python3
"""The contract of the command line beyond acceptance: help, usage errors, seeds, interrupts, the pasted replay line.

    tests/e2e/command_line.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, re, shutil, signal, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run
from programs import bounded

FAIL = HERE.parent / "programs" / "fail"
FOUND, CLEAN, USAGE, INCONCLUSIVE, INTERRUPTED = 66, 0, 2, 3, 130


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def __call__(self, *args, stdin=b"", timeout=60, **env):
        return bounded([self.exe, *args], self.work, timeout, stdin, dict(os.environ, **env))

    def build(self, source, name, *flags):
        path = self.work / f"{name}.c"
        path.write_text(source)
        code, _, err = self("cc", "-g", "-O1", "-pthread", *flags, path, "-o", self.work / name)
        assert code == 0, err
        return self.work / name


RACY = (FAIL / "lost_update.c").read_text()


def help_and_version(h):
    code, out, _ = h("--version")
    assert code == 0 and re.fullmatch(
        r"heddle \d+\.\d+\.\d+\nbuilt from (commit [0-9a-f]{12}( with local changes)?|sources without git), "
        r"by \w+ [\d.]+ with LLVM 19\.[\d.]+\n", out), out
    code, out, _ = h("--help")
    assert code == 0 and "heddle hunt -- " in out and "heddle doctor" in out, out
    for verb in ("hunt", "replay", "show"):
        code, out, err = h(verb, "--help")
        assert code == 0 and "Example" in out and "--json" in out or verb == "show", (verb, out, err)


def usage_errors(h):
    exe = h.build(RACY, "racy")
    (h.work / "text").write_text("hello")
    for args, word in [
        ((), "heddle hunt -- ./queue"), (("hnt", ), "did you mean hunt"), (("merge", ), "not in this version"),
        (("hunt", ), "heddle hunt -- ./PROG"), (("hunt", "--"), "--"),
        (("hunt", exe), f"put -- before the program\n  heddle hunt -- {exe}\n"),
        (("hunt", "--runs", "5", exe, "--seed", "1"), f"heddle hunt --runs 5 -- {exe} --seed 1\n"),
        (("hunt", "--strategy", "nope", "--", exe), "random, pct"),
        (("hunt", "--points", "nope", "--", exe), "sync, racy, all"), (("hunt", "--time", "soon", "--", exe), "30s"),
        (("hunt", "--seed", "x", "--", exe), "invalid seed 'x': expected a number"),
        (("hunt", "--seed"), "--seed needs one value"),
        (("hunt", "--seed", "1", "--seed", "2"), "--seed needs one value"),
        (("hunt", "--fail-on-exit", "x", "--", exe), "1,3"),
        (("hunt", "--fail-on-output", "(", "--", exe), "regular expression"),
        (("hunt", "--", "racy"), "did you mean ./racy"), (("hunt", "--", h.work), "is a folder"),
        (("hunt", "--", "."), "is a folder"), (("hunt", "--", ""), "empty"), (("hunt", "--", h.work / "text"), ""),
        (("hunt", "--stratgy", "pct", "--", exe), "--stratgy is not an option; did you mean --strategy?"),
        (("hunt", "--strategy", "ptc", "--", exe), "; did you mean pct?"),
        (("show", "--evnts", "t.heddle"), "; did you mean --events?"),
        (("show", "--html", "t.heddle"), "--html is not an option; did you mean --format html?"),
        (("hunt", "--bound", "x", "--", exe), "--bound: invalid number 'x': expected a whole number from 0 to 1000"),
        (("hunt", "--bound", "-1", "--", exe), "whole number"), (("hunt", "--runs", "0", "--", exe), "whole number"),
        (("hunt", "--strategy", "dfs", "--bound", "2", "--", exe), "--strategy icb --bound 2"),
        (("hunt", "--strategy", "pct", "--bound", "2", "--", exe), "--strategy icb --bound 2"),
        (("hunt", "--bound", "2", "--", exe), "--bound applies only to icb, not to auto"),
        (("hunt", "--strategy", "icb", "--depth", "3", "--", exe),
         "--depth applies only to pct and auto, not to icb\n  --strategy pct --depth 3"),
        (("hunt", "--", "./racy.c"), "heddle cc -g -pthread ./racy.c -o ./racy"),
        (("hunt", "--", "racy.c"), "heddle cc -g -pthread ./racy.c -o ./racy"),
        (("hunt", "--max-steps=-3", "--", exe), "whole number"),
        (("replay", "--times", "x", "t.heddle"), "whole number"), (("replay", ), "TRACE"),
        (("replay", h.work / "text"), ""), (("replay", h.work), "")
    ]:
        code, out, err = h(*args)
        assert code == USAGE and word in err and not out, (args, code, out, err)
    code, _, err = h("hunt", "--", exe, HEDDLE_OPTIONS="nope=1")
    assert code == USAGE and "nope" in err, (code, err)
    code, out, _ = h("hunt", "--", exe, HEDDLE_OPTIONS="help=1")
    assert code == 0 and "backend" in out and "baton|fibers" in out and "20 million in the first run" in out, (code,
                                                                                                               out)


def with_json_an_error_is_an_object(h):
    exe = h.build("int main(void) { return 0; }", "fine")
    (h.work / "text").write_text("hello")
    for args, status in [(("hunt", "--json", "--strategy", "nope", "--", exe), USAGE),
                         (("hunt", "--json", "--nope", "--", exe), USAGE), (("hunt", "--json", exe), USAGE),
                         (("hunt", "--json", "--", "./missing"), USAGE),
                         (("hunt", "--json", "-o", "/nonexistent/t", "--", exe), USAGE),
                         (("hunt", "--gtest", "--json", "--", exe), USAGE),
                         (("hunt", "--json", "--junit", "/nonexistent/x", "--", exe), USAGE),
                         (("replay", "--json", "text"), USAGE), (("replay", "--json"), USAGE),
                         (("simplify", "--json", "text"), USAGE), (("show", "--json", "text"), USAGE),
                         (("show", "--format", "json", "text"), USAGE), (("doctor", "--json", "--nope"), USAGE)]:
        code, out, err = h(*args)
        said = json.loads(out)
        assert code == status and set(said) == {"error"} and said["error"] in err, (args, code, out, err)
    code, out, err = h("hunt", "--json", "--runs", "2", "--junit", "/dev/full", "--", exe)  # a report is not the answer
    assert code == INCONCLUSIVE and json.loads(out)["runs"] == 2, (code, out, err)
    for args in (("record", "--json", "--nope", "--", exe), ("hunt", "--nope", "--", exe,
                                                             "--json")):  # stdout is the program's; its own option
        code, out, err = h(*args)
        assert out == "" and err, (args, code, out, err)


def completion_knows_every_option(h):
    script = HERE.parents[1] / "scripts" / "completion" / "heddle.bash"
    def offered(*words):
        ask = f'source "$0"; COMP_WORDS=(heddle "$@"); COMP_CWORD=$#; _heddle; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return set(
            subprocess.run(["bash", "-c", ask, script, *words], capture_output=True, text=True,
                           check=True).stdout.split())
    verbs = set(re.findall(r"^  heddle (\S+)", h("--help")[1].split("Examples:")[0], re.M))
    assert verbs == {word for word in offered("") if not word.startswith("-")}, verbs
    for verb in sorted(verbs - {"cc", "c++"}):
        known = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", h(verb, "--help")[1], re.M))
        assert len(known) > 2 and known == offered(verb, "--") - {"--"}, (verb, known ^ offered(verb, "--"))


def what_a_program_lacks_is_the_next_step(h):
    (h.work / "plain.c").write_text(RACY)
    (h.work / "calm.c").write_text("int main(void) { return 0; }")
    assert h("cc", "-O1", "-pthread", "plain.c", "-o", "no_lines")[0] == 0
    code, out, err = h("hunt", "--seed", "1", "--", "./no_lines")
    assert code == FOUND and "  next     build the program with -g" in out, (code, out, err)
    assert "with -g" not in h("hunt", "--seed", "1", "--", h.build(RACY, "lines"))[1]
    (h.work / "race.c").write_text(RACE_ONLY)
    for flags, lacks in (("-O1",), True), (("-O1", "-g"), False):
        assert h("cc", *flags, "-pthread", "race.c", "-o", "race")[0] == 0
        code, out, err = h("hunt", "--seed", "1", "--runs", "100", "-o", "race.heddle", "--", "./race")
        assert code == CLEAN and "data race" in out and ("  next     build the program with -g"
                                                         in out) == lacks, (flags, out, err)
    subprocess.run(["gcc", "-g", "calm.c", "-o", "calm"], cwd=h.work, check=True)
    code, out, err = h("hunt", "--seed", "1", "--runs", "3", "--", "./calm")
    assert code == CLEAN and "  next     build it with heddle cc or heddle c++" in out, (code, out, err)
    assert "with heddle cc" not in h("hunt", "--seed", "1", "--runs", "3", "--",
                                     h.build("int main(void) { return 0; }", "own"))[1]


def one_is_one(h):
    exe = h.build("int main(void) { return 0; }", "alone")
    for strategy, words in ("dfs", "  the only schedule was executed: none fails\n"), (
            "dpor", "  1 schedule, at least one of each class, was executed: none fails\n"):
        code, out, err = h("hunt", "--seed", "1", "--strategy", strategy, "--", exe)
        assert code == CLEAN and words in out, (code, out, err)
    code, out, err = h("hunt", "--seed", "1", "--strategy", "icb", "--bound", "0", "--", exe)
    assert code == CLEAN and "  the only schedule with at most 0 preemptions was executed: none fails\n" in out, (code,
                                                                                                                  out,
                                                                                                                  err)


COUNTS = """#include <pthread.h>
#include <stdatomic.h>
static atomic_long n;
static void* count(void* u) { for (int i = 0; i < 100000; i++) atomic_fetch_add(&n, 1); return u; }
int main(void) { pthread_t t; pthread_create(&t, 0, count, 0), count(0), pthread_join(t, 0); return n != 200000; }
"""


def a_run_that_reaches_the_step_bound_and_still_changes_something_is_no_failure(h):
    exe = h.build(COUNTS, "counts")
    code, out, err = h("hunt", "--seed", "1", "--max-steps", "10000", "--", exe)
    assert code == INCONCLUSIVE and "inconclusive: no run ended in 8 runs" in out and "note: 8 runs were cut off at the step bound" in out and "--max-steps N" in out, (
        code, out, err)
    assert "livelock" not in out and "hardly" not in out, out
    code, out, err = h("hunt", "--json", "--seed", "1", "--max-steps", "10000", "--fail-on-exit", "0", "--", exe)
    answer = json.loads(out)
    assert code == INCONCLUSIVE and answer["cut_off"]["at_step_bound"] == 8 and not answer["found"], (code, answer)
    code, out, err = h("hunt", "--seed", "1", "--runs", "2", "--", exe)
    assert code == CLEAN and "cut off" not in out, (code, out, err)
    spins = h.build((FAIL / "livelock_backoff.c").read_text(), "spins")
    code, out, err = h("hunt", "--seed", "1", "--max-steps", "10000", "--", spins)
    assert code == FOUND and "livelock: threads spun without progress until the step bound" in out, (code, out, err)


def a_run_that_reaches_its_time_limit_is_no_failure(h):
    exe = h.build(COUNTS.replace("for (int i = 0; i < 100000; i++)", "for (;;)"), "counts_on")
    code, out, err = h("hunt", "--seed", "1", "--max-steps", "1000000000", "--run-timeout", "100ms", "--", exe)
    assert code == INCONCLUSIVE and "inconclusive: no run ended in 8 runs" in out and "note: 8 runs were cut off at --run-timeout" in out, (
        code, out, err)
    assert "livelock" not in out, out
    code, out, err = h("hunt", "--json", "--seed", "1", "--max-steps", "1000000000", "--run-timeout", "100ms", "--",
                       exe)
    answer = json.loads(out)
    assert code == INCONCLUSIVE and answer["cut_off"]["over_time"] == 8 and not answer["found"], (code, answer)


AIO = """#include <aio.h>
#include <errno.h>
#include <fcntl.h>
int main(void) {
  static char text[60];
  struct aiocb a = {.aio_fildes = open("/proc/self/comm", O_RDONLY), .aio_buf = text, .aio_nbytes = sizeof text};
  const struct aiocb* all[1] = {&a};
  aio_read(&a);
  while (aio_error(&a) == EINPROGRESS) aio_suspend(all, 1, 0);
  return aio_return(&a) <= 0;
}
"""


def waiting_beside_an_uncontrolled_thread_is_not_called_a_deadlock(h):
    exe = h.build(AIO, "aio")
    code, out, err = h("hunt", "--seed", "1", "--time", "20s", "--", exe)
    assert code in (CLEAN, INCONCLUSIVE) and "deadlock:" not in out and "libc made a thread of its own" in out, (code,
                                                                                                                 out,
                                                                                                                 err)
    if code == INCONCLUSIVE:
        assert "beside a thread that heddle does not control" in out, out


NOT_VARIED = """#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static atomic_int x;
static void* f(void* u) {
#ifdef WAIT
  pthread_mutex_lock(&m), ready = 1, pthread_cond_signal(&c), pthread_mutex_unlock(&m);
#elif defined CAS
  int zero = 0;
  atomic_compare_exchange_weak(&x, &zero, 1);
#else
  pthread_mutex_lock(&m), ready = 1, pthread_mutex_unlock(&m);
#endif
  return u;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
#ifdef WAIT
  pthread_mutex_lock(&m);
  if (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
#elif defined CAS
  (void)atomic_load_explicit(&x, memory_order_relaxed);
#elif defined PID
  if (getpid() == 1) return 1;
#endif
  pthread_join(t, 0);
}
"""


def what_was_not_varied_is_named(h):
    for flag, words in ("-DWAIT", "none fails; not varied: spurious wake-ups\n"), (
            "-DPID", "none fails; not varied: process ids\n"
    ), ("-DNONE", "none fails\n"), (
            "-DCAS",
            "none fails; not varied: memory orders (all is sequentially consistent), failures of weak compare-and-exchange\n"
    ):
        exe = h.build(NOT_VARIED, "varied", flag)
        for strategy in "dfs", "icb", "dpor":
            code, out, err = h("hunt", "--seed", "1", "--strategy", strategy, "--", exe)
            assert code == CLEAN and words in out, (flag, strategy, code, out, err)


SIGNALLED = """#include <assert.h>
#include <pthread.h>
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t hit;
static pthread_t first;
static void handle(int number) { hit = number; }
static void* sends(void* unused) {
  pthread_kill(first, SIGUSR1);
  return unused;
}
int main(void) {
  signal(SIGUSR1, handle);
  first = pthread_self();
  pthread_t t;
  pthread_create(&t, 0, sends, 0);
  pthread_mutex_lock(&m);
  int before = hit;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  int after = hit;
  pthread_mutex_unlock(&m);
  assert(before == after);
  pthread_join(t, 0);
}
"""


def moments_of_signals_are_varied_or_named(h):
    """dpor does not know that a signal meets all that its receiver does next; icb enumerates that."""
    exe = h.build(SIGNALLED, "signalled")
    code, out, err = h("hunt", "--seed", "1", "--strategy", "dpor", "--", exe)
    assert code == FOUND or "moments of signals" in out, (code, out, err)
    code, out, err = h("hunt", "--seed", "1", "--strategy", "icb", "--", exe)
    assert code == FOUND, (code, out, err)


def a_few_runs_are_no_sample(h):
    exe = h.build(NOT_VARIED, "few", "-DWAIT")
    code, out, err = h("hunt", "--seed", "1", "--strategy", "random", "--runs", "3", "--", exe)
    assert code == CLEAN and "too few runs to tell what others would show" in out and "hardly" not in out, (code, out,
                                                                                                            err)


def distinct_exits_are_told_apart(h):
    exe = h.build(RACY.replace("assert(", "if (!(").replace(");\n  return 0;", ")) return 7;\n  return 8;"), "exits")
    code, out, err = h("hunt", "--seed", "1", "--keep-going", "--strategy", "random", "--runs", "200", "--time", "0",
                       "--", exe)
    last = [line for line in out.splitlines() if "distinct failures in 200 runs" in line]
    assert code == FOUND and len(last) == 1 and "exit status 7 (" in last[0] and "exit status 8 (" in last[0], (code,
                                                                                                                out,
                                                                                                                err)
    assert "reads-from pair" in out.split(last[0])[1] and "classes of schedules" in out, out


def a_trace_that_cannot_be_written_costs_that_failure_its_trace_and_no_other(h):
    folders = {1: ["t.heddle"], 2: ["t.heddle", "t-2.heddle"]}  # the program makes them, where the traces are to be
    keep = ("hunt", "--seed", "1", "--keep-going", "--strategy", "random", "--runs", "100", "--time", "0", "-o",
            "t.heddle")
    for n, names in folders.items():
        h.work.joinpath(str(n)).mkdir()
        tool = Tool(h.exe, h.work / str(n))
        source = RACY.replace("assert(", "if (!(").replace(");\n  return 0;", ")) return 7;\n  return 8;")
        make = "".join(f'mkdir("{name}", 0700); ' for name in names)
        exe = tool.build(
            "#include <sys/stat.h>\n" + re.sub(r"(int main\([^)]*\) \{)", lambda m: m[1] + " " + make, source), "exits")
        for flags in ((), ("--json",)):
            for name in names:
                if (h.work / str(n) / name).exists():
                    (h.work / str(n) / name).rmdir()
            (h.work / str(n) / "t-2.heddle").unlink(missing_ok=True)
            code, out, err = tool(*keep, *flags, "--", exe)
            assert code == (FOUND if n == 1 else USAGE), (n, flags, code, out, err)
            if flags:
                said = json.loads(out)
                assert ("error" in said) == (n == 2) and said["found"] == (n == 1), said
                assert [bool(f.get("error"))
                        for f in said["failures"]] == ([True, False] if n == 1 else [True, True]), said
                assert len({f["failure"]["message"] for f in said["failures"]}) == 2, said
            else:
                assert all(f"FAILED  exit status {status} " in out for status in (
                    7, 8)) and out.count("no trace was written, and the run was not executed again") == n, out
                assert "2 distinct failures in 100 runs" in out, out


def switches_in_the_list_are_those_counted(h):
    exe = h.build(RACY, "listed")
    assert h("hunt", "--seed", "1", "-o", "l.heddle", "--", exe)[0] == FOUND
    counted = json.loads(h("show", "--json", "l.heddle")[1])["switches"]
    _, out, _ = h("show", "--events", "l.heddle")
    marked = [line for line in out.splitlines() if line.endswith(("(switch)", "(after preemption)"))]
    assert len(marked) == counted > 0, (counted, marked)


def a_list_of_events_takes_a_window(h):
    assert h("hunt", "--seed", "1", "-o", "w.heddle", "--", h.build(RACY, "window"))[0] == FOUND
    whole = {
        int(line.split()[0]): line
        for line in h("show", "--events", "w.heddle")[1].splitlines() if line.split()[:1] and line.split()[0].isdigit()
    }
    assert len(whole) > 9, whole
    for window, numbers in ((("--from", 3, "--to", 5), {3, 4, 5}), (("--to", 2), {0, 1, 2}), (("--from", max(whole)),
                                                                                              {max(whole)})):
        code, out, err = h("show", "--events", *map(str, window), "w.heddle")
        shown = {
            int(line.split()[0]): line
            for line in out.splitlines() if line.split()[:1] and line.split()[0].isdigit()
        }
        assert code == 0 and shown == {n: whole[n] for n in numbers}, (window, code, out, err)


def a_list_of_events_goes_around_a_step(h):
    assert h("hunt", "--seed", "1", "-o", "s.heddle", "--", h.build(RACY, "stepped"))[0] == FOUND
    numbered = lambda text: [line for line in text.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    whole = numbered(h("show", "--events", "s.heddle")[1])
    steps = [i for i, line in enumerate(whole) if line.split()[1] == "*"]
    assert len(steps) > 4, whole
    for n in (0, 3, len(steps) - 1):
        code, out, err = h("show", "--step", str(n), "s.heddle")
        assert code == 0 and numbered(out) == whole[max(0, steps[n] - 10):steps[n] + 11], (n, code, out, err)
    code, out, err = h("show", "--step", "3", "--thread", "0.1", "s.heddle")
    of_thread = [line for line in whole if "0.1" in line.split()[1:3]]
    assert code == 0 and numbered(out) and all(line in of_thread for line in numbered(out)), (code, out, err)
    code, out, err = h("show", "--step", str(len(steps)), "s.heddle")
    assert code == USAGE and f"no step {len(steps)}" in err and not out, (code, out, err)
    assert h("show", "--step", "1", "--from", "2", "s.heddle")[0] == USAGE


def coverage_says_when_it_is_a_sample(h):
    exe = h.build(
        """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void* add(void* u) { for (int i = 0; i < 20; i++) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); } return u; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(t + i, 0, add, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }
""", "sampled")
    # Of a hunt at full speed only some runs are observed; of a short one of a strategy that learns, each.
    code, out, err = h("hunt", "--seed", "1", "--runs", "3000", "--strategy", "random", "--", exe)
    sampled = re.search(r"in a sample of ([\d,]+) of ([\d,]+) runs: ", out)
    assert code == 0 and sampled and int(sampled[1].replace(",", "")) < int(sampled[2].replace(",", "")) == 3000, (code,
                                                                                                                   out,
                                                                                                                   err)


def openmp_is_refused_in_words(h):
    (h.work / "gomp.c").write_text("int omp_get_num_threads(void) { return 1; }")
    subprocess.run(["cc", "-shared", "-fPIC", "gomp.c", "-o", "libgomp.so.1", "-Wl,-soname,libgomp.so.1"],
                   cwd=h.work,
                   check=True)
    exe = h.build("int omp_get_num_threads(void); int main(void) { return omp_get_num_threads() - 1; }", "omp",
                  "./libgomp.so.1", "-Wl,-rpath,.")
    code, out, err = h("hunt", "--", "./omp")
    assert code == USAGE and "uses OpenMP (libgomp.so.1)" in err and not out, (code, out, err)


def without_debug_information_there_is_a_hint(h):
    path = h.work / "bare.c"
    path.write_text(RACY)
    assert h("cc", "-O1", "-pthread", "-s", path, "-o", "bare")[0] == 0
    code, out, err = h("hunt", "--seed", "1", "--", "./bare")
    assert code == FOUND and "-g" in out, (code, out, err)


def signatures_need_no_debug_information(h):
    (h.work / "line\nfeed").mkdir()
    asserts = "#include <assert.h>\nstatic void* buy(void* p) { assert(!p); return p; }\nint main(void) { return buy(\"\") != 0; }"
    for name, verb, source, signature in [("a.c", "cc", asserts, "assertion|buy|main"),
                                          ("line\nfeed/a.c", "cc", asserts, "assertion|buy|main"),
                                          ("b.cc", "c++", BANK, "deadlock|lock transfer|lock transfer")]:
        (h.work / name).write_text(source)
        for flag in ("-g", "-g0"):
            code, _, err = h(verb, flag, "-O0", "-pthread", name, "-o", name + ".out")
            assert code == 0, err
            code, out, err = h("hunt", "--seed", "1", "--json", "-o", "t.heddle", "--", "./" + name + ".out")
            assert code == FOUND and json.loads(out)["failure"]["signature"] == signature, (name, flag, code, out, err)
    assert h("cc", "-s", "-O0", "a.c", "-o", "stripped")[0] == 0
    _, out, _ = h("hunt", "--seed", "1", "--json", "-o", "t.heddle", "--", "./stripped")
    assert json.loads(out)["failure"]["signature"] == "assertion|buy", out  # what the assertion itself says


def options_are_found_from_the_help(h):
    for args in (("--help",), ("hunt", "--help"), ("replay", "--help")):
        assert "HEDDLE_OPTIONS" in h(*args)[1], args
    code, out, _ = h("hunt", HEDDLE_OPTIONS="help=1")
    assert code == 0 and "backend" in out, (code, out)


def pasted_replay_line_works(h):
    folder = h.work / "a b"
    folder.mkdir()
    exe = h.build(RACY, "a b/it's")
    code, out, err = bounded([h.exe, "hunt", "--seed", "3", "--", "./it's"], folder, 60)
    assert code == FOUND and out.startswith("FAILED  assertion"), (code, out, err)
    line = out.split("replay it:")[1].splitlines()[0].strip()
    assert line.startswith("heddle replay "), line
    path = f"{h.exe.parent}:{os.environ['PATH']}"
    p = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, env=dict(os.environ, PATH=path))
    assert p.returncode == FOUND and "reproduced: assertion" in p.stderr, (line, p)


def same_seed_same_hunt_whatever_the_workers(h):
    exe = h.build(RACY.replace("return 0;\n}", "return 0;\n}"), "seeded")
    seen = set()
    for workers in (1, 2, 4):
        code, out, err = h("hunt", "--json", "--seed", "11", "--strategy", "random", "--workers", workers, "-o",
                           "w.heddle", "--", exe)
        found = json.loads(out)
        assert code == FOUND, (code, err)
        seen.add((found["runs"], found["failure"]["signature"], found["switches"], json.dumps(found["races"])))
    assert len(seen) == 1, seen


def standard_input_reaches_every_run_and_the_replay(h):
    exe = h.build(
        '#include <stdio.h>\n#include <string.h>\nint main(void) { char b[64] = ""; fgets(b, sizeof b, stdin);'
        ' printf("got %s", b); return strcmp(b, "bad\\n") == 0 ? 5 : 0; }', "reader")
    code, out, err = h("hunt", "--runs", "5", "--", exe, stdin=b"good\n")
    assert code == CLEAN, (out, err)
    code, out, err = h("hunt", "--json", "-o", "in.heddle", "--", exe, stdin=b"bad\n")
    assert code == FOUND and json.loads(out)["failure"]["kind"] == "exit" and json.loads(out)["runs"] == 1, (out, err)
    code, out, err = h("replay", "in.heddle", stdin=b"other\n")
    assert code == FOUND and out == "got bad\n", (code, out, err)


def exit_statuses_that_count(h):
    exe = h.build("int main(void) { return 3; }", "three")
    for flag, status in [("any", FOUND), ("none", CLEAN), ("3,4", FOUND), ("4", CLEAN)]:
        code, out, err = h("hunt", "--runs", "3", "--fail-on-exit", flag, "-o", "x.heddle", "--", exe)
        assert code == status, (flag, code, out, err)
    code, out, err = h("hunt", "--runs", "3", "--fail-on-exit", "3", "-o", "x.heddle", "--", exe)
    code, out, err = h("replay", "--times", "3", "x.heddle")
    assert code == FOUND and "3 of 3 replays" in err, (code, err)


def each_run_starts_in_a_fresh_folder(h):
    exe = h.build('#include <stdio.h>\n#include <unistd.h>\nint main(void) { if (access("mark", F_OK) == 0) return 1;'
                  ' FILE* f = fopen("mark", "w"); fclose(f); return 0; }', "marks")
    folder = h.work / "cwd"
    folder.mkdir()
    code, out, err = bounded([h.exe, "hunt", "--runs", "5", "--cwd-copy", "--", exe], folder, 60)
    assert code == CLEAN and not list(folder.iterdir()), (code, out, err)
    code, out, err = bounded([h.exe, "hunt", "--runs", "5", "--workers", "1", "--", exe], folder, 60)
    assert code == FOUND, (code, out, err)


def replay_wants_the_same_program(h):
    exe = h.build(RACY, "moved")
    code, out, err = h("hunt", "--seed", "1", "-o", "m.heddle", "--", exe)
    assert code == FOUND, err
    shutil.move(exe, h.work / "elsewhere")
    code, _, err = h("replay", "m.heddle")
    assert code == USAGE and "-- PROG" in err, (code, err)
    code, _, err = h("replay", "m.heddle", "--", "./elsewhere")
    assert code == FOUND, (code, err)
    h.build(RACY.replace("int seen", "long seen"), "moved")
    code, _, err = h("replay", "m.heddle")
    assert code == USAGE and "rebuilt" in err and "build-id" in err, (code, err)


def the_program_behind_a_wrapper_script_replays_without_it(h):
    h.build(RACY, "inner")
    wrap = h.work / "wrap.sh"
    wrap.write_text("#!/bin/sh\nexport MINE=1\nexec ./inner one two\n")
    wrap.chmod(0o755)
    code, _, err = h("hunt", "--seed", "1", "-o", "w.heddle", "--", "./wrap.sh")
    assert code == FOUND, err
    for program in ((), ("--", "./wrap.sh"), ("--", "./inner")):
        code, _, err = h("replay", "w.heddle", *program)
        assert code == FOUND and "reproduced" in err, (program, code, err)
    h.build(RACY.replace("int seen", "long seen"), "inner")
    for program in ((), ("--", "./inner")):
        code, _, err = h("replay", "w.heddle", *program)
        assert code == USAGE and "inner was rebuilt" in err and "file:" not in err, (program, code, err)


LIBRARY = "int shared; void add(void) { int seen = shared; shared = seen + 1; }"
USES_LIBRARY = """#include <assert.h>
#include <pthread.h>
extern int shared;
void add(void);
static void* work(void* p) { add(); return p; }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(shared == 2);
}
"""


def replay_wants_the_same_libraries(h):
    def library(source):
        (h.work / "add.c").write_text(source)
        assert h("cc", "-g", "-O1", "-shared", "-fPIC", "add.c", "-o", "libadd.so")[0] == 0
    library(LIBRARY)
    exe = h.build(USES_LIBRARY, "uses", "-L.", "-ladd", "-Wl,-rpath,$ORIGIN")
    code, _, err = h("hunt", "--seed", "1", "-o", "l.heddle", "--", exe)
    assert code == FOUND, err
    code, _, err = h("replay", "l.heddle")
    assert code == FOUND, err
    elsewhere = h.work / "elsewhere"
    elsewhere.mkdir()
    for name in ("uses", "libadd.so"):
        shutil.copy(h.work / name, elsewhere)
    library(
        LIBRARY.replace("int seen", "int other = 0; (void)other; int seen") + " int more(int* p) { return (*p)++; }")
    code, _, err = h("replay", "l.heddle")
    assert code == USAGE and "libadd.so was rebuilt" in err and "build-id" in err and "diverged" not in err, (code, err)
    code, _, err = h("replay", "l.heddle", "--", elsewhere / "uses")  # its own library is the recorded one
    assert code == FOUND, (code, err)


def a_divergence_never_prints_two_equal_lines(h):
    # The file that decides which of two accesses of one line comes is read again, not fed: --fail-on-exit is none of it.
    exe = h.build(
        """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int a;
static void* work(void* p) { if (getenv("LD_SWITCH")) { atomic_fetch_add(&a, 1); } else { atomic_fetch_add(&a, 1); } return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 1; }
""", "branch")
    code, _, err = h("hunt", "--seed", "1", "-o", "b.heddle", "--", exe)
    assert code == FOUND, err
    code, out, err = h("replay", "--json", "b.heddle", LD_SWITCH="1")  # LD_* never comes from the trace
    assert code == INCONCLUSIVE, (code, out, err)
    d = json.loads(out)["divergence"]
    assert d["expected"]["text"] != d["actual"]["text"] and "column" in d["actual"]["text"], d


def a_damaged_trace_says_so_and_is_replayed_as_far_as_it_goes(h):
    exe = h.build(RACY, "dam")
    code, _, err = h("hunt", "--seed", "1", "-o", "whole.heddle", "--", exe)
    assert code == FOUND, err
    whole = (h.work / "whole.heddle").read_bytes()
    seen = set()
    for size in range(0, len(whole), max(1, len(whole) // 40)):
        (h.work / "cut.heddle").write_bytes(whole[:size])
        code, _, err = h("replay", "--trust", "cut.heddle")  # its seal is gone
        seen.add(code)
        assert code in (USAGE, INCONCLUSIVE, FOUND), (size, code, err)
        if code == INCONCLUSIVE:
            assert "the trace is damaged" in err and "intact" in err and "diverged" not in err, (size, err)
        elif code == FOUND:
            assert ("the trace is damaged" in err or size >= len(whole) - 72) and "reproduced" in err, (size, err)
        else:
            assert "program ended" not in err and ("damaged" in err or "cut off" in err or "not a heddle" in err or
                                                   "no intact" in err), (size, err)
    assert {USAGE, INCONCLUSIVE} <= seen, seen
    (h.work / "cut.heddle").write_bytes(whole[:-72 - 8])  # only the end mark, and the seal behind it
    code, out, err = h("replay", "--trust", "--json", "cut.heddle")
    again = json.loads(out)
    assert again["complete"] is False and again["damage"] and again["steps"] > 0, (code, again)


RACE_ONLY = """#include <pthread.h>
static int ready, data, seen;
static void* work(void* p) { data = 1; ready = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); if (ready) seen = data; pthread_join(t, 0); return 0; }
"""


def races_without_a_failure_can_be_replayed_and_shown(h):
    exe = h.build(RACE_ONLY, "races")
    code, out, err = h("hunt", "--seed", "1", "--runs", "200", "-o", "r.heddle", "--", exe)
    assert code == CLEAN and "data races" in out.splitlines()[0], (code, out, err)
    assert "heddle replay r.heddle" in out and "heddle show r.heddle" in out, out
    assert "  next     --points all" in out and "--points all" not in h(
        "hunt", "--points", "all", "--seed", "1", "--runs", "50", "-o", "all.heddle", "--", exe)[1], out
    code, out, err = h("replay", "r.heddle")
    assert code == CLEAN and "reproduced" in err and "data race" in err, (code, err)
    code, out, err = h("show", "r.heddle")
    assert code == 0 and "data race" in out.splitlines()[0], out


def an_interrupted_hunt_still_confirms_what_it_found(h):
    exe = h.build(RACE_ONLY, "interrupted")
    p = subprocess.Popen([h.exe, "hunt", "--runs", "100000000", "--time", "0", "--seed", "1", "--", exe], cwd=h.work,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    assert p.returncode == INTERRUPTED and out.startswith("interrupted: nothing failed"), (p.returncode, out, err)
    assert "ready:" in out and "not reproduced" not in out and "heddle replay" in out, out


BANK = """#include <mutex>
#include <thread>
struct Account { std::mutex m; long balance = 100; };
static Account a, b;
static void transfer(Account& from, Account& to) {
  std::lock_guard<std::mutex> first(from.m);
  std::lock_guard<std::mutex> second(to.m);
  from.balance--, to.balance++;
}
int main() {
  std::thread t1([] { transfer(a, b); }), t2(transfer, std::ref(b), std::ref(a));
  t1.join(), t2.join();
}
"""


def a_deadlock_of_std_threads_is_shown_in_the_users_words(h):
    (h.work / "bank.cc").write_text(BANK)
    assert h("c++", "-g", "-O0", "-std=c++20", "-pthread", "bank.cc", "-o", "bank")[0] == 0
    code, out, err = h("hunt", "--seed", "1", "-o", "d.heddle", "--", "./bank")
    assert code == FOUND and "join 0.1, held" not in out and "taken at bank.cc:6" in out, (code, out, err)
    _, out, _ = h("show", "--width", "120", "d.heddle")
    assert "0.1 main::{lambda#1}" in out and "0.2 transfer" in out and "create 0.1" in out, out
    for lock in ("a.m", "b.m"):
        assert any("lock " + lock in line and "std::lock_guard" in line and "waits" not in line
                   for line in out.splitlines()), (lock, out)
    for word in ("heddle::rt", "malloc", "$_", "start_thread", "held by 0.1, held"):
        assert word not in out, (word, out)
    assert all(len(line) <= 130 for line in out.splitlines()), out
    _, out, _ = h("show", "--events", "d.heddle")
    starts = [line for line in out.splitlines() if " start " in line]
    assert len(starts) == 2 and "lambda" in starts[0] + starts[1] and all("std::" not in line
                                                                          for line in starts), starts


TWO_MAINS = """#include <assert.h>
#include <pthread.h>
static void* work(void* p) { assert(p); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }
"""


def first_lines_fit(h):
    names = [f"the_lock_with_the_rather_long_name_number_{i}" for i in range(5)]
    for count in (2, 3, 5):
        used = names[:count]
        source = "#include <pthread.h>\n" + "".join(f"static pthread_mutex_t {n} = PTHREAD_MUTEX_INITIALIZER;\n"
                                                    for n in used)
        source += f"static pthread_mutex_t* all[] = {{{', '.join('&' + n for n in used)}}};\n"
        source += f"""static void* eats(void* p) {{
  long i = (long)p;
  pthread_mutex_lock(all[i]), pthread_mutex_lock(all[(i + 1) % {count}]);
  pthread_mutex_unlock(all[i]), pthread_mutex_unlock(all[(i + 1) % {count}]);
  return p;
}}
int main(void) {{
  pthread_t t[{count}];
  for (long i = 0; i < {count}; i++) pthread_create(&t[i], 0, eats, (void*)i);
  for (int i = 0; i < {count}; i++) pthread_join(t[i], 0);
}}
"""
        exe = h.build(source, f"dine{count}")
        code, out, err = h("hunt", "--seed", "1", "--strategy", "random", "-o", "d.heddle", "--", exe)
        assert code == FOUND and out.startswith("FAILED  deadlock: ") and f"lock {names[0]} at " in out, (count, out,
                                                                                                          err)
        lines = [
            out.splitlines()[0],
            h("replay", "d.heddle")[2].splitlines()[1],
            h("show", "--width", "120", "d.heddle")[1].splitlines()[0]
        ]
        assert all(len(line) <= 120 and "0.1" in line for line in lines), lines


def a_stack_has_no_dispatchers(h):
    (h.work / "two.c").write_text(TWO_MAINS)
    for flags in (("-g", "-O0"), ("-g", "-O1"), ("-O1",), ("-g", "-O2")):
        assert h("cc", *flags, "-pthread", "two.c", "-o", "two")[0] == 0
        code, out, err = h("hunt", "--seed", "1", "--json", "-o", "t.heddle", "--", "./two")
        main = next(t for t in json.loads(out)["failure"]["threads"] if t["thread"] == "0")
        assert code == FOUND and [f["function"] for f in main["stack"]].count("main") == 1, (flags, main)


def writes_are_told_from_reads(h):
    exe = h.build("""#include <pthread.h>
static int set, seen, kept = 1;
static void* work(void* p) {
  set = 1;
  set = 1;
  seen = set;
  kept = kept;
  return p;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return set + seen + kept; }
""", "writes", "-O0")
    code, _, err = h("hunt", "--seed", "1", "-o", "w.heddle", "--", exe)
    assert code == FOUND, err
    _, out, _ = h("show", "--full", "--width", "160", "w.heddle", LC_ALL="C.UTF-8")
    for line in ("4 +set = 1; +set := 1", "5 +set = 1; +set := 1", "6 +seen = set; +set = 1, seen := 1",
                 "7 +kept = kept; +kept = 1 → 1"):
        assert re.search(line, out), (line, out)


def what_is_modelled_has_no_note(h):
    h.build("""#define _GNU_SOURCE
#include <pthread.h>
static pthread_mutex_t m;
static int n;
static void* work(void* p) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return p; }
int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&m, &a);
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return n != 2;
}
""", "inherits")
    code, out, err = h("hunt", "--seed", "1", "--runs", "20", "--json", "--", "./inherits")
    assert code == CLEAN and json.loads(out)["notes"] == [] and json.loads(out)["races"] == [], (code, out, err)


def an_exit_has_a_place(h):
    exe = h.build(RACY.replace("assert(", "if (!(").replace(");\n  return 0;", ")) return 7;\n  return 0;"), "leaves")
    code, out, err = h("hunt", "--seed", "1", "-o", "x.heddle", "--", exe)
    assert code == FOUND and out.startswith(
        "FAILED  exit status 7   leaves.c:") and "in main, thread 0" in out.splitlines()[0], (code, out, err)
    _, out, _ = h("show", "--json", "x.heddle")
    assert json.loads(out)["failure"]["signature"] == "exit|7", out


def path_and_ld_variables_of_a_trace_are_not_applied(h):
    exe = h.build(
        '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf("%s %s\\n", getenv("MINE"), getenv("LD_X") ? "LD" : "no");'
        ' return 1; }', "env")
    code, _, err = h("hunt", "-o", "e.heddle", "--", exe, MINE="recorded", LD_X="evil")
    assert code == FOUND, err
    code, out, err = h("replay", "e.heddle",
                       MINE="current")  # and that the program then prints something else is noticed
    assert code == INCONCLUSIVE and 'actual    0 system call   write of 12 bytes: "recorded no\\n"' in err, (code, out,
                                                                                                             err)


def the_environment_of_a_replay_has_the_recorded_order(h):
    exe = h.build(
        '#include <stdio.h>\nextern char** environ;\nint main(void) { for (char** e = environ; *e; e++) puts(*e); return 0; }',
        "envs")
    code, out, err = h("record", "-o", "envs.heddle", "--", exe, ZZ_AFTER_PATH="1")
    assert code == 0 and out.index("PATH=") < out.index("ZZ_AFTER_PATH="), (code, out, err)
    code, again, err = h("replay", "envs.heddle")
    assert code == 0 and again == out, (code, out, again, err)


def interrupt_ends_everything(h):
    exe = h.build('#include <stdio.h>\n#include <unistd.h>\nint main(void) { return 0; }', "forever_heddle_test")
    p = subprocess.Popen([h.exe, "hunt", "--json", "--runs", "100000000", "--time", "0", "--", exe],
                         cwd=h.work,
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    time.sleep(3)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    found = json.loads(out)
    assert p.returncode == INTERRUPTED and found["interrupted"] and found["runs"] > 0, (p.returncode, out, err)
    left = subprocess.run(["pgrep", "-f", "forever_heddle_tes[t]"], capture_output=True, text=True).stdout
    assert not left, left


def nothing_outlives_a_killed_heddle(h):
    exe = h.build(
        '#include <sys/socket.h>\nint main(void) { int s = socket(AF_INET, SOCK_STREAM, 0); listen(s, 1); for (;;) accept(s, 0, 0); }',
        "pausing_heddle_test")
    p = subprocess.Popen([h.exe, "hunt", "--", exe], cwd=h.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(3)
    p.kill()
    p.wait()
    deadline = time.time() + 5
    while (left := subprocess.run(["pgrep", "-f", "pausing_heddle_tes[t]"], capture_output=True,
                                  text=True).stdout) and time.time() < deadline:
        time.sleep(0.05)
    assert not left, left


def an_interrupt_before_the_first_run_ended_is_called_so(h):
    h.build(
        "#include <sys/socket.h>\nint main(void) { int s = socket(AF_INET, SOCK_STREAM, 0); listen(s, 1); for (;;) accept(s, 0, 0); }",
        "pauses")
    p = subprocess.Popen([h.exe, "hunt", "--", "./pauses"],
                         cwd=h.work,
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE,
                         text=True)
    time.sleep(3)
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=20)
    assert p.returncode == INTERRUPTED and out.startswith("interrupted: no run ended") and "--time" not in out, (
        p.returncode, out)


def an_answer_that_cannot_be_written_is_not_lost(h):
    h.build(RACY, "unheard")
    for flags in ((), ("--json",), ("--quiet",)):
        with open("/dev/full", "w") as full:
            p = subprocess.run([h.exe, "hunt", "--seed", "1", "-o", "t.heddle", *flags, "--", "./unheard"], cwd=h.work,
                               stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert p.returncode == FOUND and "cannot write the answer: No space" in p.stderr and "t.heddle" in p.stderr, (
            flags, p)
    with open("/dev/full", "w") as full:
        p = subprocess.run([h.exe, "replay", "--json", "t.heddle"],
                           cwd=h.work,
                           stdin=subprocess.DEVNULL,
                           stdout=full,
                           stderr=subprocess.PIPE,
                           text=True,
                           timeout=60)
    assert p.returncode == INCONCLUSIVE and "cannot write the answer: No space" in p.stderr, p


def a_full_disk_is_an_error(h):
    exe = h.build(RACY, "full")
    code, _, err = h("hunt", "--seed", "1", "-o", "/dev/full", "--", exe)
    assert code == USAGE and err.strip(), (code, err)
    code, _, err = h("hunt", "--seed", "1", "-o", "/nonexistent/t.heddle", "--", exe)
    assert code == USAGE and "/nonexistent" in err, (code, err)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    cases = [f for f in globals().values() if getattr(f, "__module__", "") == "__main__" and f not in (main, Tool)]
    return run(cases, lambda folder, _: Tool(pathlib.Path(a.heddle).resolve(), folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
