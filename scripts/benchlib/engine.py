"""What the engine does on one core: executions per second, a decision, a switch, an idle program, a long trace."""
import json, os, statistics, subprocess, sys, time

from .engine_programs import CPU, FLOOR, LOCKS, LONG, POINTS, STAY, SWITCH


class Bench:
    def __init__(self, heddle, work, quick):
        self.heddle, self.work, self.quick, self.rows = heddle, work, quick, []

    def source(self, name, text):
        path = self.work / f"{name}.c"
        path.write_text(text)
        return path

    def build(self, name, text, *flags, front=None):
        exe = self.work / (name if front is None else f"{name}.{front[0]}")
        command = [*(front or [self.heddle, "cc"]), "-g", "-O2", "-pthread", *flags, self.source(name, text), "-o", exe]
        subprocess.run([str(c) for c in command], check=True)
        return exe

    def hunt(self, exe, *flags, args=(), backend="baton", options=""):
        env = dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}:coverage=0{options}")
        p = subprocess.run(
            [str(x) for x in (self.heddle, "hunt", "--json", "--seed", 1, "--time", "120s", *flags, "--", exe, *args)],
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env)
        if p.returncode not in (0, 66):
            sys.exit(f"bench: {flags} {exe}: status {p.returncode} {p.stderr}")
        return json.loads(p.stdout)

    def row(self, what, value, wanted=""):
        self.rows.append((what, value, wanted))
        print(f"{what:<72} {value:>16}   {wanted}", flush=True)

    def repeats(self):
        return 1 if self.quick else 3


def native_seconds(command, repeats):
    best = 1e9
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best


MODES = [("baton, pct", "baton", "pct", "off", 1, ">= 1,000/s on an idle core"),
         ("baton, random walk", "baton", "random", "off", 1, ""), ("fibers, pct", "fibers", "pct", "off", 1, ""),
         ("fibers, random walk", "fibers", "random", "off", 1, ">= 1,500/s on an idle core"),
         ("fibers, random walk, detector on", "fibers", "random", "on", 1, ""),
         ("fibers, random walk, one worker per core", "fibers", "random", "off", os.cpu_count(), ""),
         ("defaults: auto, one worker per core", "fibers", "auto", "auto", os.cpu_count(),
          ">= 2,500/s on two idle cores")]


def throughput(b):
    """Rounds of some 500 executions of each, in turn, and the best of each: the machine's speed changes from one second to the next."""
    exe, floor = b.build("points", POINTS), b.build("floor", FLOOR, front=["clang-19"])
    steps = b.hunt(exe, "--runs", 2, "--workers", 1)["steps"]
    rates = {}
    for _ in range(1 if b.quick else 12):
        rates.setdefault("floor", []).append(float(subprocess.check_output([str(floor)])))
        for name, backend, strategy, detector, workers, _ in MODES:
            r = b.hunt(exe,
                       "--runs",
                       300 if b.quick else 500,
                       "--strategy",
                       strategy,
                       "--detector",
                       detector,
                       "--workers",
                       workers,
                       backend=backend)
            rates.setdefault(name, []).append(r["runs"] / r["seconds"])
    told = lambda name: f"{max(rates[name]):.0f}/s, median {statistics.median(rates[name]):.0f}/s"
    b.row("floor: fork + 4 threads, no control", told("floor"))
    b.row("4-thread program: scheduling points per run", str(steps))
    for name, *_, wanted in MODES:
        b.row(f"executions: {name}", told(name), wanted)


def per_point(b, exe, strategy, backend, small, big, *args):
    """Seconds per scheduling point: the difference of a long and a short run."""
    best = 1e9
    for _ in range(2 if b.quick else 30 if backend ==
                   "fibers" else 5):  # the least of many: a switch is a difference of two of these
        seconds = [
            b.hunt(exe,
                   "--runs",
                   1,
                   "--workers",
                   1,
                   "--detector",
                   "off",
                   "--strategy",
                   strategy,
                   "--max-steps",
                   100_000_000,
                   args=(n, *args),
                   backend=backend)["seconds"] for n in (small, big)
        ]
        best = min(best, (seconds[1] - seconds[0]) / (big - small))
    return best


def decisions(b):
    stay = per_point(b, b.build("stay", STAY), "pct", "fibers", 200_000, 8_000_000)
    b.row("a scheduling point at which the thread stays: hook, decision, hashes (an acquire fence)",
          f"{stay * 1e9:.1f} ns", "<= 10 ns")
    exe = b.build("switch", SWITCH)
    for backend, small, big, wanted in (("fibers", 200_000, 4_000_000, "<= 60 ns"), ("baton", 20_000, 200_000, "")):
        # A random walk over n threads switches at (n-1)/n of its points: the difference of two walks is switches only.
        two, eight = (per_point(b, exe, "random", backend, small, big, n) for n in (2, 8))
        b.row(f"a point of a random walk, {backend}, two threads (half of them switch)", f"{two * 1e9:.1f} ns")
        b.row(f"a switch, {backend}", f"{(eight - two) / (7 / 8 - 1 / 2) * 1e9:.1f} ns", wanted)


def alone(b):
    """Built by heddle cc, nobody listening: alternating runs, least time of each (the machine's noise only adds)."""
    for name, text in [("CPU-bound (heap sort)", CPU), ("lock-heavy", LOCKS)]:
        plain, ours = b.build("alone", text, front=["clang-19"]), b.build("alone", text)
        pairs = [(native_seconds([plain], 1), native_seconds([ours], 1)) for _ in range(3 if b.quick else 20)]
        a, o = min(p[0] for p in pairs), min(p[1] for p in pairs)
        b.row(f"uncontrolled, {name}: heddle cc / clang", f"{o / a:.2f}x", "<= 1.3x")


def traces(b):
    exe = b.build("long", LONG)
    count = 100_000 if b.quick else 10_000_000
    trace = b.work / "long.heddle"
    start = time.perf_counter()
    b.hunt(exe,
           "--runs",
           1,
           "--workers",
           1,
           "--detector",
           "off",
           "--strategy",
           "random",
           "-o",
           trace,
           args=(count, ),
           backend="fibers",
           options=":detail=accesses")
    written = time.perf_counter() - start
    start = time.perf_counter()
    shown = json.loads(subprocess.check_output([str(b.heddle), "show", "--format", "json", str(trace)]))
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    subprocess.run([str(b.heddle), "show", str(trace)], stdout=subprocess.DEVNULL, check=True)
    text = time.perf_counter() - start
    start = time.perf_counter()
    subprocess.run([str(b.heddle), "show", "--step",
                    str(shown["steps"] // 2), "--thread", "0.1",
                    str(trace)],
                   stdout=subprocess.DEVNULL,
                   check=True)
    around = time.perf_counter() - start
    b.row(f"trace of {shown['events'] / 1e6:.1f} million events: size per event",
          f"{trace.stat().st_size / shown['events']:.2f} bytes")
    b.row("  hunt, re-execute and write", f"{written:.1f} s")
    b.row("  open and show as JSON", f"{seconds:.1f} s")
    b.row("  open and show as text", f"{text:.1f} s")
    b.row("  open, check and show the events of a thread around a step", f"{1000 * around:.0f} ms")


PARTS = {"throughput": throughput, "decisions": decisions, "alone": alone, "traces": traces}


def section(b):
    """For the page: what was measured."""
    lines = ["## The engine", "", "| what | measured | wanted |", "|---|---|---|"]
    return "\n".join(lines + [f"| {what.strip()} | {value} | {wanted} |" for what, value, wanted in b.rows]) + "\n"
