"""Time and computation: schedules until a bug is found that needs an early time-out, or a thread that is held back across a computation; and how well
`--time` is kept."""
import json, pathlib, statistics, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from programs import Case  # noqa: E402
from time_limits import SLOW  # noqa: E402

PROGRAMS = ROOT / "tests/programs/fail"
TIMED = ("sleep_order.c", "longer_sleep_first.c", "timed_semaphore.cc", "timed_wait_ignored.c",
         "poll_timeout_ignored.c", "select_timeout_ignored.c", "epoll_timeout_ignored.c", "timer_before_ready.c",
         "timerfd_too_soon.c")
# A source is held back while main computes for so many turns (issue 14, D1).
LATE = """#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int started, finished;
static unsigned cells[1024];
static void* source(void* unused) {
  pthread_mutex_lock(&m);
  started = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  finished = 1;
  return unused;
}
int main(int count, char** words) {
  const long turns = count > 1 ? atol(words[1]) : 0;
  pthread_t t;
  pthread_create(&t, 0, source, 0);
  pthread_mutex_lock(&m);
  while (!started) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  for (long i = 0; i < turns; i++) cells[i % 1024] += (unsigned)i;
  pthread_mutex_lock(&m);
  while (!finished) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
"""
TURNS, LATE_GOAL = (0, 10**6, 10**8), 20
KEPT = 0.1  # `--time` holds within so much of it


class Promises:
    def __init__(self, heddle, work, quick):
        self.heddle, self.work, self.seeds = heddle, work, range(1, 4 if quick else 21)
        self.timed, self.late, self.limits = [], [], []

    def hunt(self, *words):
        start = time.monotonic()
        p = subprocess.run([str(w) for w in (self.heddle, "hunt", "--json", "-o", "t.heddle", *words)],
                           cwd=self.work,
                           stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE,
                           text=True)
        if p.returncode not in (0, 3, 66):
            raise RuntimeError(f"{words}: status {p.returncode}: {p.stderr[-300:]}")
        return json.loads(p.stdout), time.monotonic() - start

    def runs_until_found(self, seeds, exe, *args, limit=2000, seconds=60, options=()):
        """The index of the first failing schedule of each seed; None: not found."""
        answers = [
            self.hunt("--seed", s, "--runs", limit, "--time", f"{seconds}s", *options, "--", exe, *args)[0]
            for s in seeds
        ]
        return [a["runs"] if a["found"] else None for a in answers]

    def build(self, name, source):
        path, exe = self.work / f"{name}.c", self.work / name
        path.write_text(source)
        subprocess.run([str(self.heddle), "cc", "-g", "-O1", "-pthread", str(path), "-o", str(exe)], check=True)
        return exe

    def measure_timed(self):
        for name in TIMED:
            case, exe = Case(PROGRAMS / name), self.work / name.partition(".")[0]
            code, _, err = case.build(self.heddle, "O1", exe)
            assert code == 0, err
            loose = self.runs_until_found(self.seeds, exe, *case.args, options=case.hunt)
            virtual = self.runs_until_found(list(self.seeds)[:3],
                                            exe,
                                            *case.args,
                                            limit=500,
                                            options=[*case.hunt, "--time-model", "virtual"])
            self.timed.append((name, loose, virtual))
            print(f"  {name}: {loose}, virtual: {virtual}", flush=True)

    def measure_late(self):
        exe = self.build("late", LATE)
        for turns in TURNS:
            seeds = list(self.seeds)[:5] if turns > 10**6 else self.seeds
            self.late.append((turns, self.runs_until_found(seeds, exe, turns, limit=100, seconds=600)))
            print(f"  late {turns}: {self.late[-1][1]}", flush=True)

    def measure_limits(self):
        exe = self.build("slow", SLOW)
        for what, words in (("short runs", (1000, )), ("runs of some tenths of a second", (2_000_000, )),
                            ("runs of seconds", (40_000_000, )), ("no run that ends", (10**12, ))):
            for seconds in (2, 10):
                self.limits.append((what, seconds, self.hunt("--seed", 1, "--time", f"{seconds}s", "--", exe,
                                                             *words)[1]))
                print(f"  --time {seconds}s, {what}: {self.limits[-1][2]:.2f} s", flush=True)

    def measure(self):
        self.work.mkdir(parents=True, exist_ok=True)
        self.measure_timed()
        self.measure_late()
        self.measure_limits()
        return self

    @staticmethod
    def told(runs):
        found = sorted(r for r in runs if r is not None)
        if not found:
            return "not found"
        text = f"{statistics.median(found):g} (worst {found[-1]})"
        return text if len(found) == len(runs) else f"{text}, {len(found)} of {len(runs)} seeds"

    def section(self):
        out = [
            "## Time and computation", "",
            "Schedules to the first failure, default options: the median over the seeds, and the worst of them.", "",
            f"Programs whose bug needs a sleep or a time-out to end early ({len(self.seeds)} seeds). The version before issue 14 found none of them: it is what",
            "`--time-model virtual` does (3 seeds, 500 schedules).", "",
            "| program | default | `--time-model virtual` |", "|---|---|---|"
        ]
        out += [f"| {name} | {self.told(loose)} | {self.told(virtual)} |" for name, loose, virtual in self.timed]
        missed = [name for name, loose, _ in self.timed if None in loose]
        out += [
            "",
            f"- goal: each is found with every seed: {'met' if not missed else '**not met**: ' + ', '.join(missed)}",
            "",
            "A thread that has to be held back while another one computes for n turns of a loop. Before: n = 0 in run 8; n = 10^6 not in 500 runs.",
            "", "| n | schedules |", "|---|---|"
        ]
        out += [f"| {turns:,} | {self.told(runs)} |" for turns, runs in self.late]
        slow = [turns for turns, runs in self.late if None in runs or max(runs) > LATE_GOAL]
        out += [
            "",
            f"- goal: within {LATE_GOAL} runs for every n: {'met' if not slow else '**not met** with every seed for n = ' + ', '.join(map(str, slow))}",
            "",
            "`--time`: the real time of the whole command, with what is executed again after the search. Before: 51 s for 25 s.",
            "", "| program | asked for | took |", "|---|---|---|"
        ]
        out += [f"| {what} | {seconds} s | {took:.2f} s |" for what, seconds, took in self.limits]
        late = [f"{what} ({took / seconds:.2f}x)" for what, seconds, took in self.limits if took > seconds * (1 + KEPT)]
        out += [
            "",
            f"- goal: at most {KEPT:.0%} more than was asked for: {'met' if not late else '**not met**: ' + ', '.join(late)}"
        ]
        return "\n".join(out) + "\n"
