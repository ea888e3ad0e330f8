#!/usr/bin/env python3
"""heddle simplify: never costlier, always the same failure; bad input; ctrl-C; hunt --simplify.

    tests/e2e/simplify.py --heddle build/bin/heddle [--seeds N]
    tests/e2e/simplify.py --heddle build/bin/heddle --corpus [--seeds 50] [NAME ...]      only the law, for every program of corpus/ (or these)

--seeds: hunts for each program (default 1). Closing line: 'N passed, M failed'.
"""
import argparse, json, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "corpus")]
import corpus  # noqa: E402
from programs import Case, bounded  # noqa: E402

FOUND, DONE, USAGE, COULD_NOT, INTERRUPTED = 66, 0, 2, 3, 130
# Failures that depend on the schedule, of as many kinds as there are, with the most preemptions that may be left.
PROGRAMS = {
    "lost_update.c": 1,
    "two_locks.c": 1,
    "lost_signal.c": 2,
    "use_after_free.cc": 2,
    "wrong_order_output.cc": 1,
    "spin_on_flag.c": 1,
    "file_update.c": 2,
    "pipe_order.c": 2,
    "livelock_trylock.c": 2,
    "rwlock_deadlock.c": 2,
    "exit_window.c": 2,
    "barrier_short.c": 1
}
passed = failed = 0


def check(name, ok, why=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok    ' if ok else 'not ok'} {name}{'' if ok else ': ' + str(why)[:600]}", flush=True)
    return ok


class Heddle:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def run(self, *args, timeout=120, stdin=b""):
        return bounded([self.exe, *map(str, args)], self.work, timeout, stdin)

    def json(self, *args, timeout=120, stdin=b""):
        code, out, err = self.run(*args, timeout=timeout, stdin=stdin)
        try:
            return code, json.loads(out), err
        except ValueError:
            return code, {}, err + out


def law(h, name, trace, found, most=None, *more):
    """Simplified: the same signature in strict replays, and no costlier. Returns the answer."""
    small = h.work / "small.heddle"
    small.unlink(missing_ok=True)
    code, out, err = h.json("simplify", "--json", *more, trace, "-o", small, timeout=300)
    before, after = out.get("before", {}), out.get("after", {})
    cost = lambda size: (size.get("switches", -1), size.get("preemptions", -1))
    if not check(
            f"{name}: {cost(before)} -> {cost(after)} in {out.get('executions')} executions", code == DONE and
            cost(after) <= cost(before) and cost(before) == (found["switches"], found["preemptions"]),
        (code, before, after, err)):
        return out
    if most is not None:
        check(f"{name}: at most {most} preemptions are left", after["preemptions"] <= most,
              [p["text"] for p in out["preemptions"]])
    check(f"{name}: each preemption that is left is named",
          len(out["preemptions"]) == after["preemptions"], out["preemptions"])
    code, again, err = h.json("replay", "--json", "--times", 3, small)
    check(
        f"{name}: the same failure, three times", code == FOUND and again.get("times_reproduced") == 3 and
        again["failure"]["signature"] == found["failure"]["signature"],
        (code, again.get("divergence"), again.get("failure"), err))
    return out


def hunted(h, exe, args, seed, trace, *more, stdin=b"", strategy="random"):
    code, found, err = h.json("hunt",
                              "--json",
                              "--seed",
                              seed,
                              "--strategy",
                              strategy,
                              "--runs",
                              20000,
                              "--time",
                              "20s",
                              "-o",
                              trace,
                              *more,
                              "--",
                              exe,
                              *args,
                              stdin=stdin)
    return found if code == FOUND else None


def programs(h, seeds):
    for name, most in PROGRAMS.items():
        case, exe = Case(HERE.parent / "programs/fail" / name), h.work / name.split(".")[0]
        code, _, err = case.build(h.exe, "O1", exe)
        if not check(f"compile {name}", code == 0, err):
            continue
        for seed in range(1, seeds + 1):
            if found := hunted(h,
                               exe,
                               case.args,
                               seed,
                               h.work / "t.heddle",
                               *(w for w in case.hunt if "strategy" not in w),
                               stdin=case.stdin):
                law(h, f"{name} seed {seed}", h.work / "t.heddle", found, most)
            else:
                check(f"{name}: random finds it with seed {seed}", False)


def from_corpus(h, seeds, names):
    """Small sizes where there are some: long traces are scripts/bench's. Strategies in turn: each has traces of another shape."""
    traces, nothing = 0, []
    for program in corpus.programs(names=names):
        exe, args, before = program.build(
            h.exe, h.work), program.args("small" if "small" in program.truth["sizes"] else "default"), traces
        for seed in range(1, seeds + 1):
            for strategy in (("random", "racedirected", "pct")[(seed - 1) % 3], "auto"):
                if found := hunted(h, exe, args, seed, h.work / "t.heddle", strategy=strategy):
                    law(h, f"corpus {program.name} {strategy} seed {seed}", h.work / "t.heddle", found)
                    traces += 1
                    break
                nothing.append(f"{program.name} {strategy} {seed}")
        check(f"corpus {program.name}: there were traces to simplify", traces > before)
    print(f"{traces} traces from {seeds} seeds; hunts that found nothing: {', '.join(nothing) or 'none'}", flush=True)


def modes(h):
    """--exact, --suffix, --inputs, --one-by-one on one trace."""
    program = corpus.program("bbuf")
    exe, trace = program.build(h.exe, h.work), h.work / "modes.heddle"
    found = hunted(h, exe, program.args(), 3, trace)
    whole = law(h, "bbuf", trace, found)
    for more in ("--exact",), ("--inputs", "recorded"), ("--inputs", "real"), ("--one-by-one",):
        law(h, f"bbuf {' '.join(more)}", trace, found, None, *more)
    out = law(h, "bbuf --suffix 3", trace, found, None, "--suffix", 3)
    check("--suffix 3: no more than 3 switches were taken out", found["switches"] - out["after"]["switches"] <= 3,
          out["after"])
    for n in range(1, 6):
        out = law(h, f"bbuf --suffix {n}", trace, found, None, "--suffix", n)
        kept = found["switches"] - n
        before, after = switches_of(h, trace), switches_of(h, h.work / "small.heddle")
        check(f"--suffix {n}: the first {kept} switches are as they were",
              len(after) >= kept and before[:kept] == after[:kept], (before[-n - 2:], after[-n - 2:]))
    out = law(h, "bbuf --suffix 3", trace, found, None, "--suffix", 3)
    check("--suffix needs fewer executions", out["executions"] < whole["executions"],
          (out["executions"], whole["executions"]))
    again = h.json("simplify", "--json", trace, "-o", h.work / "again.heddle")[1]
    check("the same trace, the same answer", all(again.get(k) == whole[k] for k in ("after", "executions")),
          (again.get("after"), whole["after"]))
    once = h.json("simplify", "--json", h.work / "again.heddle", "-o", h.work / "twice.heddle")[1]
    check("simplified again: nothing is left to do",
          once.get("after", {}).get("switches") == again["after"]["switches"], once.get("after"))
    code, out, err = h.run("simplify", trace, "-o", h.work / "words.heddle")
    first = out.splitlines()[0]
    check("the first line is the answer", code == DONE and first.startswith(f"switches {found['switches']} -> ") and
          " executions, " in first, out)
    check("preemptions in source terms",
          re.search(r"was stopped (in|after) bbuf\.c:", out) and "heddle replay" in out, out)


def switches_of(h, trace):
    """Where another thread runs on: the number of the step, and who."""
    _, text, _ = h.run("show", "--events", "--full", trace)
    points = re.findall(r"^ *\d+ \* (0[.\d]*) ", text, re.M)
    return [(i, points[i]) for i in range(1, len(points)) if points[i] != points[i - 1]]


def local_minima(h):
    """What the paper's operations alone do not get out of: a schedule in which another thread comes last to each of 45 barriers, and a worker that
    need not have come since another one can do what it did. The optimum of both is known (corpus/*/truth.json)."""
    for name, size in ("streamcluster", "paper"), ("pfscan", "paper"):
        program, trace = corpus.program(name), h.work / "minimum.heddle"
        found = hunted(h, program.build(h.exe, h.work), program.args(size), 1, trace)
        best, after = program.truth["sizes"][size].get("minimal") or program.truth["minimal"], law(
            h, name, trace, found).get("after", {})
        check(f"{name}: {best['switches']} switches, {best['preemptions']} preemptions, no more",
              after.get("switches") == best["switches"] and after.get("preemptions") == best["preemptions"], after)


def bad_input(h):
    good, trace, bad = (h.work / "modes.heddle").read_bytes(), h.work / "modes.heddle", h.work / "bad.heddle"
    rng, worst = random.Random(5), None
    samples = [b"", b"hello\n", rng.randbytes(4096)] + [good[: len(good) * k // 24] for k in range(1, 24)]
    bad.write_bytes(good)
    as_before = h.run("show", "--json", bad)[:2]
    while len(samples) < 34:
        b = bytearray(good)
        b[rng.randrange(len(b))] ^= 1 << rng.randrange(8)
        bad.write_bytes(b)
        if h.run("show", "--json", bad)[:2] != as_before:  # else it lay between two blocks: nobody reads that
            samples.append(bytes(b))
    for i, sample in enumerate(samples):
        bad.write_bytes(sample)
        code, _, err = h.run("simplify", bad, "-o", h.work / "never.heddle", timeout=60)
        if code != USAGE or not err.strip():
            worst = (i, code, err[-200:])
        left = "nothing of its schedule is left" not in h.run("replay", "--trust", bad, timeout=60)[2]
        if "heddle replay --trust replays" in err and not left:
            worst = (i, "nothing is left that heddle replay could follow", err[-200:])
    check(f"{len(samples)} damaged traces: exit 2 and a reason", worst is None, worst)
    check("nothing was written for them", not (h.work / "never.heddle").exists())
    for what, args in {
            "no such trace": ["/nonexistent.heddle"],
            "no trace": [],
            "a folder that is not there": [trace, "-o", "/nonexistent/x.heddle"],
            "two programs": [trace, "--", "a", "b"]
    }.items():
        code, _, err = h.run("simplify", *args)
        check(f"{what}: exit 2 and a reason", code == USAGE and err.strip(), (code, err))
    clean = h.work / "clean.c"
    clean.write_text(
        "#include <pthread.h>\nint n;\nvoid*f(void*p){n++;return p;}\nint main(){pthread_t t;pthread_create(&t,0,f,0);n++;pthread_join(t,0);return 0;}\n"
    )
    h.run("cc", "-g", "-pthread", clean, "-o", h.work / "clean")
    h.run("hunt", "--seed", 1, "--runs", 50, "-o", h.work / "race.heddle", "--", h.work / "clean")
    code, _, err = h.run("simplify", h.work / "race.heddle")
    check("a trace without a failure: exit 2, and said", code == USAGE and "no failure" in err, (code, err))
    exe = h.work / "bbuf"
    shutil.copy(exe, h.work / "keep")
    corpus.program("bbuf").build(h.exe, h.work, level="O0")
    code, _, err = h.run("simplify", trace)
    check("another build of the program: exit 2, and said", code == USAGE and "build" in err, (code, err))
    shutil.copy(h.work / "keep", exe)
    code, _, err = h.run("record", "-o", h.work / "rec.heddle", "--", h.work / "lost_signal", timeout=30)
    code, _, err = h.run("simplify", h.work / "rec.heddle", timeout=30)
    check("a recording: refused, with what to do", code in (USAGE, COULD_NOT) and
          ("recording" in err or "no failure" in err), (code, err))


def interrupt(h):
    """Ctrl-C: what is there then is written, and replays."""
    program = corpus.program("streamcluster")
    exe, trace, small = program.build(h.exe, h.work), h.work / "long.heddle", h.work / "interrupted.heddle"
    found = hunted(h, exe, program.args(), 1, trace)
    if not check("a long trace", found is not None):
        return
    for wait in (0.05, 0.5, 2.0):
        small.unlink(missing_ok=True)
        p = subprocess.Popen([h.exe, "simplify", "--json", "--one-by-one", trace, "-o", small],
                             cwd=h.work,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        time.sleep(wait)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        if not small.exists():
            check(f"ctrl-C after {wait} s: nothing to keep yet, and no file", p.returncode
                  in (COULD_NOT, INTERRUPTED, -signal.SIGINT), (p.returncode, err[-200:]))
            continue
        said = json.loads(out)
        code, again, _ = h.json("replay", "--json", small)
        check(
            f"ctrl-C after {wait} s: the best so far ({said['after']['switches']} of {found['switches']} switches) replays",
            p.returncode == DONE and code == FOUND and again["failure"]["signature"] == found["failure"]["signature"],
            (p.returncode, code, again.get("divergence")))


def interrupt_twice(h):
    """The second ctrl-C comes while the best trace is executed for the last time: it is written all the same."""
    trace, small, kept = h.work / "long.heddle", h.work / "interrupted.heddle", 0
    for wait in (1.0, 1.5, 2.0, 3.0, 4.0):
        small.unlink(missing_ok=True)
        p = subprocess.Popen([h.exe, "simplify", "--json", "--one-by-one", trace, "-o", small],
                             cwd=h.work,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        time.sleep(wait)
        for _ in range(2):
            p.send_signal(signal.SIGINT)
            time.sleep(0.03)
        out, err = p.communicate(timeout=60)
        if p.returncode == INTERRUPTED and wait < 2:
            continue  # a slow machine: nothing had been seen yet
        kept += 1
        check(f"two ctrl-C after {wait} s: the best so far is there", p.returncode == DONE and small.exists() and
              h.run("replay", small)[0] == FOUND, (p.returncode, err[-200:]))
    check("two ctrl-C: there was something to keep", kept >= 3, kept)


def explained(h, name, source, *flags):
    """The lines about preemptions of what is left of the first failure that icb finds, and the trace."""
    path, exe, trace, small = h.work / f"{name}.c", h.work / name, h.work / f"{name}.heddle", h.work / f"{name}-small.heddle"
    path.write_text(source)
    code, _, err = h.run("cc", "-g", "-O1", "-pthread", *flags, path, "-o", exe)
    code, _, err = h.run("hunt", "--seed", 1, "--strategy", "icb", "--time", 0, "-o", trace, "--", exe)
    check(f"{name}: icb finds it", code == FOUND, (code, err))
    code, out, err = h.run("simplify", trace, "-o", small)
    return [line.strip() for line in out.splitlines() if " was stopped " in line], trace


LOST = """#include <assert.h>
#include <pthread.h>
int hits;
#define TWICE(x) hits += x; hits += x
static void* serve(void* u) {
%s
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, serve, 0), pthread_create(&b, 0, serve, 0);
  pthread_join(a, 0), pthread_join(b, 0);
  assert(hits %% 2 == 0 && hits >= 2);
}
"""
STEPS = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void* count(void* u) {
  for (int i = 0; i < 2; i++) atomic_fetch_add(&n, 1);
  return u;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, count, 0);
  assert(atomic_load(&n) != 1);
  pthread_join(a, 0);
}
"""


def inside_a_statement(h):
    """A thread that was stopped between two operations of a line was stopped in it, not after it."""
    lines, trace = explained(h, "inside", LOST % "  hits++;\n  return u;")
    want = r"thread 0\.[12] was stopped in inside\.c:6 \(hits\+\+\) between its read and its write of hits, thread 0\.[12] ran inside\.c:6 \(hits\+\+\)"
    check("a lost update: between the read and the write", len(lines) == 1 and re.fullmatch(want, lines[0]), lines)
    far = time.time() + 1e6
    os.utime(h.work / "inside.c", (far, far))
    _, out, _ = h.run("simplify", trace, "-o", h.work / "changed.heddle")
    check("a source that is newer than the program is not quoted",
          "inside.c:6 (read hits = 0) between its read" in out and "hits++" not in out, out)
    lines, _ = explained(
        h, "long", LOST %
        "  static __thread int this_is_a_rather_long_name_of_a_variable; this_is_a_rather_long_name_of_a_variable++; hits++; return u;"
    )
    check("of several statements in a line: the one",
          len(lines) == 1 and " was stopped in long.c:6 (hits++) between its read and its write of hits, " in lines[0],
          lines)
    lines, _ = explained(h, "macro", LOST % "  TWICE(1);\n  return u;", "-O0")
    check("in a macro: which operations", lines and " was stopped in macro.c:6 (TWICE(1)) between its " in lines[0],
          lines)
    lines, _ = explained(h, "steps", STEPS)
    check(
        "between two turns of a loop: after the line",
        any(" was stopped after steps.c:6 (" in line for line in lines) and
        not any(" between " in line for line in lines), lines)


BEGUN = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct Pair { int a, b; };
static struct Pair* p;
static void* make(void* u) {
  struct Pair* made = calloc(1, sizeof *made);
  p = made;
  p->a = 1;
  p->b = 2;
  return u;
}
static void* use(void* u) {
  if (p) assert(p->b == 2);
  return u;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, make, 0), pthread_create(&b, 0, use, 0);
  pthread_join(a, 0), pthread_join(b, 0);
}
"""
GUARDS = """#include <pthread.h>
typedef struct { pthread_mutex_t m; long balance; } Account;
static Account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 1}};
typedef struct { Account* held; } Guard;
static void take(Guard* g, Account* a) { g->held = a, pthread_mutex_lock(&a->m); }
static void drop(Guard* g) { pthread_mutex_unlock(&g->held->m); }
static void move(int from, int to, Guard* g) {
  take(&g[0], &accounts[from]);
  take(&g[1], &accounts[to]);
  accounts[from].balance--, accounts[to].balance++;
  drop(&g[1]);
  drop(&g[0]);
}
static Guard left[2], right[2];
static void* one(void* u) { return move(0, 1, left), u; }
static void* other(void* u) { return move(1, 0, right), u; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0), pthread_create(&b, 0, other, 0);
  pthread_join(a, 0), pthread_join(b, 0);
}
"""


def only_begun(h):
    """A statement of which a thread has only done what comes before its point was not executed: it was not stopped after that."""
    lines, _ = explained(h, "begun", BEGUN)
    check(
        "a write that did not come",
        len(lines) == 1 and "(p->b = 2)" not in lines[0].split(", thread")[0] and
        re.search(r" was stopped after begun\.c:[89] ", lines[0]), lines)
    lines, _ = explained(h, "guards", GUARDS)
    check("a lock that was not taken", lines and
          all("guards.c:9 " not in line.split(", thread")[0] or " was stopped in " in line for line in lines), lines)
    path, exe, trace = h.work / "early.c", h.work / "early", h.work / "early.heddle"
    path.write_text(EARLY)
    h.run("cc", "-g", "-O1", "-pthread", path, "-o", exe)
    code, out, err = h.run("hunt", "--simplify", "--seed", 1, "-o", trace, "--", exe)
    check("a sleep ended before the thread that matters started", code == FOUND and
          "ended before thread 0.2 started: 10 ms early" in out, (code, out, err))


EARLY = """#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void* prepare(void* u) { return pthread_mutex_lock(&m), ready = 1, pthread_mutex_unlock(&m), u; }
static void* use(void* u) {
  usleep(10000);
  pthread_mutex_lock(&m);
  int seen = ready;
  pthread_mutex_unlock(&m);
  assert(seen);
  return u;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, use, 0), pthread_create(&b, 0, prepare, 0);
  pthread_join(a, 0), pthread_join(b, 0);
}
"""

ORDER = """#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int last;
static void* first(void* u) {
  pthread_mutex_lock(&m), last = 1, pthread_mutex_unlock(&m);
  return u;
}
static void* second(void* u) {
  pthread_mutex_lock(&m), last = 2, pthread_mutex_unlock(&m);
  return u;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0), pthread_create(&b, 0, second, 0);
  pthread_join(a, 0), pthread_join(b, 0);
  assert(last == 2);
}
"""


def only_an_order(h):
    """Where no preemption is left the cause is the order in which the threads ran, and it is named."""
    source, exe, trace, small = h.work / "order.c", h.work / "order", h.work / "order.heddle", h.work / "order-small.heddle"
    source.write_text(ORDER)
    h.run("cc", "-g", "-O1", "-pthread", source, "-o", exe)
    found = hunted(h, exe, (), 1, trace)
    line = "  no preemption is needed: it fails when the threads run in this order: 0 (main), 0.2 (second), 0.1 (first), 0\n"
    out = law(h, "order.c", trace, found, 0)
    names = [turn["thread"] for turn in out.get("order", [])]
    check("order.c: --json has the order", names == ["0", "0.2", "0.1", "0"] and out["order"][1]["label"] == "second",
          out.get("order"))
    code, text, err = h.run("simplify", trace, "-o", small)
    check("order.c: the order is printed", line in text, (code, text, err))
    code, text, err = h.run("hunt", "--simplify", "--seed", 1, "-o", trace, "--", exe)
    check("order.c: hunt --simplify prints it", code == FOUND and line in text, (code, text, err))
    code, found, err = h.json("hunt", "--simplify", "--json", "--seed", 1, "-o", trace, "--", exe)
    check("order.c: hunt --simplify --json has it",
          [turn["thread"] for turn in found.get("simplified", {}).get("order", [])] == names, found.get("simplified"))
    source.write_text(
        "#include <pthread.h>\n#include <stdlib.h>\nint main(void) { static pthread_mutex_t m; pthread_mutex_lock(&m), pthread_mutex_unlock(&m), abort(); }\n"
    )
    h.run("cc", "-g", source, "-o", exe)
    h.run("hunt", "--seed", 1, "-o", trace, "--", exe)
    code, text, err = h.run("simplify", trace, "-o", small)
    check("one thread: no switch is needed", "  no switch is needed: it fails when only thread 0 runs\n" in text,
          (code, text, err))
    out = h.json("simplify", "--json", h.work / "modes.heddle", "-o", small)[1]
    check("where preemptions are left there is no order",
          out.get("preemptions") and out.get("order") == [], out.get("order"))


def few_words(h):
    """Of many preemptions a handful, with -q none; --json has all."""
    trace, small = h.work / "modes.heddle", h.work / "few.heddle"
    left = h.json("simplify", "--json", "--suffix", 1, trace, "-o", small)[1]
    count = len(left.get("preemptions", []))
    check("more than five preemptions are left", count > 5, count)
    code, out, err = h.run("simplify", "--suffix", 1, trace, "-o", small)
    check("five are printed, and where the others are",
          out.count(" was stopped ") == 5 and f"  ... and {count - 5} more: heddle show {small}\n" in out, out)
    code, out, err = h.run("simplify", "-q", "--suffix", 1, trace, "-o", small)
    check("-q: the answer and the line that replays it", code == DONE and
          [line.split()[0] for line in out.splitlines()] == ["switches", "trace"], out)
    for wrong in ("-3", "0", "x", "1.5"):
        code, out, err = h.run("simplify", f"--suffix={wrong}", trace, "-o", small)
        check(f"--suffix {wrong} is refused", code == USAGE and
              f"--suffix: invalid number '{wrong}': expected a whole number of at least 1" in err, (code, err))


def interrupted_early(h):
    """Ctrl-C before the failure was seen again, be it while the program starts: 130, and nothing is written."""
    for when in "static __attribute__((constructor)) void", "static void":
        source, exe, trace, none = h.work / "early.c", h.work / "early", h.work / "early.heddle", h.work / "early-none.heddle"
        block, started = h.work / "block", h.work / "started"
        source.write_text("#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>\n" + when +
                          """ wait_here(void) {
  if (access("block", F_OK) != 0) return;
  close(open("started", O_CREAT | O_WRONLY, 0666));
  for (;;) pause();
}
int main(void) { """ + ("" if "constructor" in when else "wait_here(); ") + "abort(); }\n")
        h.run("cc", "-g", source, "-o", exe)
        code, _, err = h.run("hunt", "--seed", 1, "-o", trace, "--", exe)
        check("a trace of an abort", code == FOUND, (code, err))
        block.touch()
        started.unlink(missing_ok=True)
        p = subprocess.Popen([h.exe, "simplify", trace, "-o", none],
                             cwd=h.work,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             text=True,
                             env=dict(os.environ, HEDDLE_OPTIONS="hang_timeout=100s:ready_timeout=100s"))
        while not started.exists() and p.poll() is None:
            time.sleep(0.01)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
        block.unlink()
        check(
            f"ctrl-C in {when.split()[-2]}: 130, and said", p.returncode == INTERRUPTED and
            "interrupted before a simpler trace was found" in err and not none.exists(), (p.returncode, out, err))


TWO_ASSERTIONS = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static int r1, r2, r3;
static void* reads(void* u) {
  r1 = atomic_load(&x);
  r2 = atomic_load(&x);
  r3 = atomic_load(&x);
  return u;
}
static void* writes(void* u) {
  atomic_store(&x, 1);
  atomic_store(&x, 2);
  return u;
}
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, reads, 0), pthread_create(&q, 0, writes, 0);
  pthread_join(p, 0), pthread_join(q, 0);
  assert(!(r1 == 0 && r2 == 1 && r3 == 2));
  assert(!(r1 == 0 && r3 == 2));
}
"""


def one_assertion_is_not_another(h):
    """Two assertions in one function have one signature, and are two failures."""
    source, exe, trace = h.work / "two.c", h.work / "two", h.work / "two.heddle"
    source.write_text(TWO_ASSERTIONS)
    h.run("cc", "-g", "-O1", "-pthread", source, "-o", exe)
    code, out, err = h.json("hunt", "--json", "--strategy", "dfs", "--keep-going", "--simplify", "--time", 0, "--seed",
                            1, "-o", trace, "--", exe)
    found = {f["failure"]["message"]: f for f in out.get("failures", [])}
    check("--keep-going: both", code == FOUND and len(found) == len(out["failures"]) == 2, (code, list(found), err))
    for message, f in found.items():
        full = h.json("show", "--json", f["simplified"].get("original", "/nonexistent"))[1].get("failure") or {}
        check(f"simplified, it is the same: {message}",
              full.get("message") == message, (full.get("message"), f["simplified"]))
    preemptions = sorted(f["simplified"]["after"]["preemptions"] for f in found.values())
    check("the alternation needs more preemptions than the other", len(set(preemptions)) == 2, preemptions)


def again_failure(h, trace):
    return h.json("replay", "--json", trace)[1].get("failure") or {}


def hunting(h):
    exe, trace = h.work / "bbuf", h.work / "hs.heddle"
    code, out, err = h.json("hunt", "--json", "--strategy", "random", "--seed", 3, "--simplify", "-o", trace, "--", exe,
                            5, 5, 2)
    said = out.get("simplified") or {}
    check("hunt --simplify", code == FOUND and said.get("after", {}).get("switches", 99) < out.get("switches", 0),
          (code, said, err))
    shown = h.json("show", "--json", trace)[1]
    check("its trace is the simplified one",
          shown.get("switches") == said.get("after", {}).get("switches"), shown.get("switches"))
    full = h.json("show", "--json", said.get("original", "/nonexistent"))[1]
    check("the original is beside it", full.get("switches") == out.get("switches"), full.get("switches"))
    check("it replays", h.run("replay", "--json", trace)[0] == FOUND)
    code, text, err = h.run("hunt", "--strategy", "random", "--seed", 3, "--simplify", "-o", trace, "--", exe, 5, 5, 2)
    lines = text.splitlines()
    check(
        "in words: the failure, what is left, where it is, and last what it was", code == FOUND and
        [line.split()[0]
         for line in lines[:4]] == ["FAILED", "switches", "thread", "trace"] and "was stopped " in lines[2] and
        lines[5].startswith("  found as ") and f"{out['switches']} switches" in lines[5] and "//" not in lines[2], text)
    thread = again_failure(h, trace).get("thread")
    check("the thread that failed is that of the simplified trace", f"thread {thread} " in lines[0] + " ",
          (thread, lines[0]))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", default=ROOT / "build/bin/heddle", type=pathlib.Path)
    ap.add_argument("--seeds", type=int, default=1)
    ap.add_argument("--corpus", action="store_true")
    ap.add_argument("names", nargs="*", metavar="NAME")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-simplify-") as folder:
        h = Heddle(a.heddle.resolve(), pathlib.Path(folder))
        if a.corpus:
            from_corpus(h, a.seeds, a.names)
        else:
            programs(h, a.seeds)
            modes(h)
            only_an_order(h)
            few_words(h)
            inside_a_statement(h)
            only_begun(h)
            one_assertion_is_not_another(h)
            interrupted_early(h)
            local_minima(h)
            bad_input(h)
            hunting(h)
            interrupt(h)
            interrupt_twice(h)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
