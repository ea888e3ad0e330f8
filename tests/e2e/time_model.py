#!/usr/bin/env python3
"""Time is part of the schedule: sleeps and time-outs can end early, reports say which did, claims name the time model.

    tests/e2e/time_model.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

FOUND, CLEAN = 66, 0
PROGRAMS = HERE.parent / "programs"


class Tool:
    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work

    def __call__(self, *args):
        return bounded([self.heddle, *args], self.work, 120)

    def build(self, source, *compiler):
        exe = self.work / f"{source.stem}-{'-'.join(map(str, compiler)).replace('/', '_') or 'heddle'}"
        front = list(compiler) or [self.heddle, "cc"]
        code, _, err = bounded([*front, "-g", "-O1", "-pthread", source, "-o", exe], self.work, 120)
        assert code == 0, err
        return exe


def early_ends_are_found_named_and_replayed(h):
    for name in ("sleep_order.c", "timed_wait_ignored.c", "longer_sleep_first.c"):
        exe, trace, small = h.build(PROGRAMS / "fail" / name), h.work / "t.heddle", h.work / "s.heddle"
        code, out, err = h("hunt", "--seed", 2, "--runs", 300, "-o", trace, "--", exe)
        assert code == FOUND and "early" in out and "ended before thread 0" in out, (name, code, out, err)
        code, out, err = h("replay", "--json", "--times", 5, trace)
        assert code == FOUND and json.loads(out)["times_reproduced"] == 5, (name, code, out, err)
        code, out, err = h("simplify", "--json", trace, "-o", small)
        assert code == CLEAN and json.loads(out)["early_timeouts"], (name, code, out, err)
        code, out, err = h("show", small)
        assert "time-outs that ended early" in out, (name, out, err)


def virtual_time_never_ends_a_wait_early(h):
    exe = h.build(PROGRAMS / "fail" / "sleep_order.c")
    code, out, err = h("hunt", "--json", "--seed", 1, "--runs", 300, "--time-model", "virtual", "--", exe)
    answer = json.loads(out)
    assert code == CLEAN and answer["time_model"] == "virtual" and answer["runs"] == 300, (code, out, err)


def programs_of_gcc_too(h):
    exe = h.build(PROGRAMS / "fail" / "sleep_order.c", "gcc")
    code, out, err = h("hunt", "--seed", 1, "--runs", 500, "-o", h.work / "g.heddle", "--", exe)
    assert code == FOUND, (code, out, err)


def claims_name_the_time_model(h):
    fails, clean = h.build(PROGRAMS / "fail" / "sleep_order.c"), h.build(PROGRAMS / "success" / "timed_waits_checked.c")
    for strategy in ("dfs", "icb", "dpor"):
        code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "-o", h.work / "e.heddle", "--", fails)
        assert code == FOUND, (strategy, code, out, err)
        code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "--", clean)
        assert code == CLEAN and "executed" in out and "(--time-model loose)" in out, (strategy, code, out, err)
        code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "--time-model", "virtual", "--", clean)
        assert code == CLEAN and "(--time-model virtual)" in out, (strategy, code, out, err)
    code, out, err = h("hunt", "--strategy", "random", "--seed", 1, "--runs", 300, "--time-model", "virtual", "--",
                       clean)
    assert "hardly show others" not in out or "end only when no other thread can run" in out, out


def runs_and_schedules_add_up(h):
    source = h.work / "race.c"
    source.write_text("""#include <pthread.h>
static int x;
static void* f(void* u) { x++; return u; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); return 0; }
""")
    code, out, err = h("hunt", "--strategy", "dfs", "--seed", 1, "-o", h.work / "r.heddle", "--", h.build(source))
    runs, schedules, before = (re.search(pattern, out)
                               for pattern in (r"in (\d+) runs", r"all (\d+) schedules",
                                               r"(\d+) runs? came before all scheduling points"))
    assert runs and schedules and before and int(runs[1]) == int(schedules[1]) + int(before[1]), (code, out, err)


def time_outs_of_system_calls_and_timers_are_choices(h):
    for name, words in (("poll_timeout_ignored.c", "the poll() at poll_timeout_ignored.c:18 in main"),
                        ("select_timeout_ignored.c", "the select() at select_timeout_ignored.c:24 in main"),
                        ("epoll_timeout_ignored.c", "the epoll_wait() at epoll_timeout_ignored.c:22 in main"),
                        ("timerfd_too_soon.c", "the timer that was set at timerfd_too_soon.c:21 in main"),
                        ("timer_before_ready.c", "the timer that was set at timer_before_ready.c:29 in main")):
        exe, trace = h.build(PROGRAMS / "fail" / name), h.work / "t.heddle"
        code, out, err = h("hunt", "--seed", 3, "--runs", 1000, "-o", trace, "--", exe)
        assert code == FOUND and words in out and "early" in out, (name, code, out, err)
        code, out, err = h("replay", "--json", "--times", 5, trace)
        assert code == FOUND and json.loads(out)["times_reproduced"] == 5, (name, code, out, err)
        code, out, err = h("hunt", "--json", "--seed", 3, "--runs", 300, "--time-model", "virtual", "--", exe)
        assert code == CLEAN and json.loads(out)["runs"] == 300, (name, code, out, err)


def claims_about_system_calls_and_timers(h):
    """Each sentence about all schedules names the time model, and its numbers add up."""
    signals = h.work / "signals.c"
    signals.write_text("""#include <pthread.h>
#include <signal.h>
static sigset_t set;
static void* f(void* u) { int s; sigwait(&set, &s); return u; }
int main(void) { sigemptyset(&set); sigaddset(&set, SIGUSR1); pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_t t; pthread_create(&t, 0, f, 0); pthread_kill(t, SIGUSR1); pthread_join(t, 0); return 0; }
""")
    timer = h.work / "timer.c"
    timer.write_text("""#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>
static void* f(void* u) { return u; }
int main(void) { int fd = timerfd_create(CLOCK_MONOTONIC, 0); struct itimerspec t = {.it_value = {0, 1000000}}; uint64_t n;
  pthread_t a; pthread_create(&a, 0, f, 0); timerfd_settime(fd, 0, &t, 0); (void)!read(fd, &n, 8); pthread_join(a, 0); return 0; }
""")
    poll = h.work / "poll.c"
    poll.write_text("""#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void* f(void* u) { (void)!write(ends[1], "x", 1); return u; }
int main(void) { if (pipe(ends)) return 1; pthread_t a; pthread_create(&a, 0, f, 0); struct pollfd p = {ends[0], POLLIN, 0};
  poll(&p, 1, 10); pthread_join(a, 0); return 0; }
""")
    for source, timed in (signals, False), (timer, True), (poll, True):
        exe = h.build(source)
        for strategy in ("icb", "dfs", "dpor"):
            code, out, err = h("hunt", "--strategy", strategy, "--seed", 1, "--", exe)
            assert code == CLEAN and "executed" in out, (source, strategy, code, out, err)
            assert ("timers were not varied" in out and "(--time-model loose)" in out) == timed, (source, strategy, out)
            runs, schedules, before = (re.search(pattern, out)
                                       for pattern in (r"in (\d+) runs?", r"(\d+|only) schedules?",
                                                       r"(\d+) runs? came before all scheduling points"))
            executed = 1 if schedules[1] == "only" else int(schedules[1])
            assert runs and int(runs[1]) == executed + (int(before[1]) if before else 0), (source, strategy, out)
        code, out, err = h("hunt", "--strategy", "auto", "--seed", 1, "--runs", 100, "--", exe)
        assert code == CLEAN and "all schedules" not in out, (source, out)


def what_cannot_be_repeated_is_named(h):
    source = h.work / "popen.c"
    source.write_text("""#include <stdio.h>
int main(void) { char line[9]; FILE* f = popen("echo x", "r"); int ok = f && fgets(line, 9, f); if (f) pclose(f); return !ok; }
""")
    code, out, err = h("hunt", "--json", "--seed", 1, "--runs", 5, "--", h.build(source))
    notes = [note for note in json.loads(out)["notes"] if "equal seeds may give different answers" in note]
    assert code == CLEAN and len(notes) == len(set(notes)) and any("clone" in n or "fork" in n
                                                                   for n in notes), (code, out, err)
    exe = h.build(PROGRAMS / "success" / "poll_timeout_checked.c")
    code, out, err = h("hunt", "--json", "--seed", 1, "--runs", 20, "--", exe)
    assert code == CLEAN and not json.loads(out)["notes"], (code, out, err)


CASES = [early_ends_are_found_named_and_replayed, virtual_time_never_ends_a_wait_early, programs_of_gcc_too,
         claims_name_the_time_model, runs_and_schedules_add_up, time_outs_of_system_calls_and_timers_are_choices,
         claims_about_system_calls_and_timers, what_cannot_be_repeated_is_named]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    heddle = pathlib.Path(args.heddle).resolve()
    return run(CASES, lambda work, _: Tool(heddle, work), args.names)


if __name__ == "__main__":
    sys.exit(main())
