"""What each strategy finds in the corpus: hunts of at most 2,000 schedules, the schedules to the first failure, and executions per second."""
import json, math, pathlib, statistics, sys

from . import engine
from .engine_programs import POINTS
from .processors import each_on_a_processor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "corpus"))
import corpus  # noqa: E402

RUNS, SECONDS = 2000, 30
RANDOMISED = ("random", "pct", "pos", "surw", "racedirected", "rff", "icb")
ONCE = ("dfs", "dpor")  # they do not depend on the seed
NEVER = math.inf


def trial(heddle, exe, p, strategy, seed):
    """Schedules to the first failure; NEVER: none failed. None: there is no answer."""
    code, found, err = corpus.hunt(heddle,
                                   exe,
                                   p.args(),
                                   exe.parent,
                                   strategy,
                                   runs=RUNS,
                                   seed=seed,
                                   time=f"{SECONDS}s",
                                   trace=exe.parent / f"{p.name}-{strategy}-{seed}.heddle",
                                   more=("--workers", 1))
    (exe.parent / f"{p.name}-{strategy}-{seed}.heddle").unlink(missing_ok=True)
    if code not in (corpus.FOUND, corpus.CLEAN):
        print(f"  {p.name} {strategy} seed {seed}: status {code} {err[-200:]}", flush=True)
        return None
    return found["runs"] if code == corpus.FOUND else NEVER


def trials(heddle, exe, p, strategy, seeds):
    """Schedules of each, as far as the median is still open: most that find nothing end it."""
    out = []
    for seed in seeds:
        out.append((seed, trial(heddle, exe, p, strategy, seed)))
        if 2 * sum(schedules == NEVER for _, schedules in out) > len(seeds):
            break
    return out


def median(values):
    """The lower one of two in the middle: a number of schedules, not a mean of 3 and never."""
    return sorted(values)[(len(values) - 1) // 2] if values else NEVER


class Strategies:
    def __init__(self, heddle, work, quick):
        self.heddle, self.work, self.quick = heddle, work, quick
        self.trials = 2 if quick else 20
        self.results, self.speeds, self.missing = {}, {}, []  # {program: {strategy: [schedules]}}

    def measure(self, names=(), strategies=("auto", *RANDOMISED, *ONCE), seeds=None):
        self.work.mkdir(parents=True, exist_ok=True)
        jobs = []
        for p in corpus.programs(names=names):
            exe = p.build(self.heddle, self.work)
            for strategy in strategies:
                jobs.append((p, exe, strategy, range(1, 1 + (1 if strategy in ONCE else seeds or self.trials))))
        for (p, _, strategy, _), answers in each_on_a_processor(lambda j: trials(self.heddle, j[1], j[0], j[2], j[3]),
                                                                jobs):
            for seed, schedules in answers:
                if schedules is None:
                    self.missing.append(f"- {p.name}, {strategy}, seed {seed}: no answer")
                else:
                    self.results.setdefault(p.name, {}).setdefault(strategy, []).append(schedules)
        (self.work / "strategies.json").write_text(json.dumps(self.results))

    def measure_speed(self, strategies=("auto", *RANDOMISED, *ONCE)):
        b = engine.Bench(self.heddle, self.work, self.quick)
        exe = b.build("points", POINTS)
        for _ in range(b.repeats()):
            for strategy in strategies:  # in turn: the machine is not always equally fast
                r = b.hunt(exe,
                           "--runs",
                           200 if self.quick or strategy == "dpor" else 2000,
                           "--strategy",
                           strategy,
                           "--workers",
                           1,
                           backend="fibers")
                self.speeds[strategy] = max(self.speeds.get(strategy, 0), r["runs"] / r["seconds"])

    def best(self, rows):
        """(strategy, median) of the best single one."""
        return min(((s, median(v)) for s, v in rows.items() if s != "auto"), key=lambda x: x[1], default=("", NEVER))

    def ratios(self):
        """{program: auto's median against the best one's}, where there is one."""
        return {
            name: median(rows["auto"]) / best
            for name, rows in self.results.items() if "auto" in rows and (best := self.best(rows)[1]) < NEVER
        }

    def goals(self):
        ratios = self.ratios()
        if not ratios:
            return
        anybody = [n for n, rows in self.results.items() if any(min(v) < NEVER for s, v in rows.items() if s != "auto")]
        lost = [n for n in anybody if min(self.results[n]["auto"]) == NEVER]
        weaker = [n for n in anybody if sum(v == NEVER for v in self.results[n]["auto"])]
        slow = sorted((n for n, r in ratios.items() if r > 2), key=lambda n: -ratios[n])
        yield f"- `auto` finds what any single strategy finds: {len(anybody) - len(lost)} of {len(anybody)} programs, {'met' if not lost else '**not met**: ' + ', '.join(lost)}"
        if weaker:
            yield f"- not in every hunt: {', '.join(weaker)}"
        yield (
            f"- its median is at most twice that of the best single strategy for {len(ratios) - len(slow)} of {len(ratios)} programs, "
            f"{'met' if not slow else '**not met**: ' + ', '.join(f'{n} {ratios[n]:.1f}x' for n in slow)}")
        yield f"- over all programs the median of these ratios is {statistics.median(ratios.values()):.1f}, the worst {max(ratios.values()):.1f}"
        for strategy in RANDOMISED:
            single = {
                n: median(rows[strategy]) / self.best(rows)[1]
                for n, rows in self.results.items() if strategy in rows and self.best(rows)[1] < NEVER
            }
            never, worst = sum(r == NEVER for r in single.values()), max((r for r in single.values() if r < NEVER),
                                                                         default=NEVER)
            yield (
                f"  - for comparison, `{strategy}` alone: at most twice the best for {sum(r <= 2 for r in single.values())}, at worst {worst:.0f}x"
                f"{f', and {never} not found by most hunts' if never else ''}")

    def section(self):
        shown = ("auto", *RANDOMISED, *ONCE)
        lines = [
            "## Strategies", "",
            f"Hunts of at most {RUNS:,} schedules (or {SECONDS} s) in the corpus, one worker: the median of the schedules to the first failure, over {self.trials} seeds; in parentheses how many hunts "
            "found a failure, when not all did; `-`: most found nothing (the hunts after the one that settled this are left out). `dfs` and `dpor` do not depend on the seed: one hunt each. "
            "Schedules are counted, not seconds: the load of the machine plays no part but in the last line, executions per second of a program with four threads and 500 points (the race detector as by default).",
            "", f"| program | {' | '.join(shown)} | best single, auto against it |", "|---|" + "---|" * (len(shown) + 1)
        ]
        ratios = self.ratios()
        for name, rows in self.results.items():
            best = self.best(rows)
            ratio = f"{best[0]}, {ratios[name]:.1f}x" if name in ratios and ratios[name] < NEVER else "nobody" if best[
                1] == NEVER else f"{best[0]}, auto never"
            lines.append(f"| {name} | {' | '.join(cell(rows.get(s, [])) for s in shown)} | {ratio} |")
        if self.speeds:
            lines.append(
                f"| executions per second | {' | '.join(f'{self.speeds[s]:.0f}' if s in self.speeds else '' for s in shown)} | |"
            )
        return "\n".join([*lines, "", "### Goals, and whether they are met", *self.goals(), *self.missing]) + "\n"


def cell(values):
    if not values:
        return ""
    found, middle = sum(v < NEVER for v in values), median(values)
    return "-" if middle == NEVER else f"{middle}" if found == len(values) else f"{middle} ({found})"
