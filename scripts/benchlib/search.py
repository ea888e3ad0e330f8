"""Schedules to the first failure in the programs of corpus/search, for each half by itself: the search is tuned on one and reported on the other."""
import importlib.util, json, math, pathlib, sys

from .processors import each_on_a_processor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Not by its name: tests/e2e has programs.py as well, which those of other parts import.
_spec = importlib.util.spec_from_file_location("search_programs", ROOT / "corpus/search/programs.py")
search = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = search
_spec.loader.exec_module(search)
corpus = search.corpus

RUNS, SECONDS = 2000, 30
SHOWN = ("auto", "random", "pct", "pos", "surw", "racedirected", "rff")
GOAL = 6


def schedules(heddle, exe, strategy, seed, runs=RUNS, seconds=SECONDS):
    """To the first failure; `runs` when there was none, which is then a lower bound. And the strategy that found it."""
    code, found, err = corpus.hunt(heddle,
                                   exe, (),
                                   exe.parent,
                                   strategy,
                                   runs=runs,
                                   seed=seed,
                                   time=f"{seconds}s",
                                   more=("--workers", 1))
    if code not in (corpus.FOUND, corpus.CLEAN):
        print(f"  {exe.name} {strategy} seed {seed}: status {code} {err[-200:]}", flush=True)
    return found["runs"] if code == corpus.FOUND else runs


def median(values):
    return sorted(values)[(len(values) - 1) // 2]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


class Search:
    def __init__(self, heddle, work, quick, seeds=20, strategies=SHOWN, half=None, names=()):
        self.heddle, self.work = heddle, work
        self.seeds, self.strategies = range(1, 1 + (2 if quick else seeds)), ("auto",) if quick else strategies
        self.programs = search.programs(half, names)
        self.results = {}  # {(program, strategy): [schedules by seed]}

    def measure(self):
        self.work.mkdir(parents=True, exist_ok=True)
        jobs = [(p, p.build(self.heddle, self.work), s) for p in self.programs for s in self.strategies]
        for (p, _, s), found in each_on_a_processor(
                lambda j: [schedules(self.heddle, j[1], j[2], seed) for seed in self.seeds], jobs):
            self.results[p.name, s] = found
        (self.work / "search.json").write_text(json.dumps({f"{p} {s}": found
                                                           for (p, s), found in self.results.items()}))
        return self

    def of_half(self, half, strategy):
        """(geometric mean of the medians, of the means) over its programs."""
        found = [self.results[p.name, strategy] for p in self.programs if p.half == half]
        return geometric_mean([median(v) for v in found]), geometric_mean([sum(v) / len(v) for v in found])

    def table(self, half):
        yield f"| {half} | {' | '.join(self.strategies)} |"
        yield "|---|" + "---|" * len(self.strategies)
        for p in self.programs:
            if p.half == half:
                yield f"| {p.name} | " + " | ".join(cell(self.results[p.name, s]) for s in self.strategies) + " |"
        for what, i in (("geometric mean of the medians", 0), ("geometric mean of the means", 1)):
            yield f"| **{what}** | " + " | ".join(f"{self.of_half(half, s)[i]:.1f}" for s in self.strategies) + " |"

    def section(self):
        halves = [h for h in search.HALVES if any(p.half == h for p in self.programs)]
        lines = [
            "## Search", "",
            f"Schedules to the first failure in the programs of `corpus/search` (median over {len(self.seeds)} seeds, and the mean; at most {RUNS:,}), one worker. "
            "Parameters of the search are chosen on the half `tuning`; the claim is about the other half. A hunt that found nothing counts as its budget.",
            ""
        ]
        for half in halves:
            lines += [*self.table(half), ""]
        if "held out" in halves:
            mean = self.of_half("held out", "auto")[0]
            lines.append(
                f"- goal: the geometric mean of `auto`'s medians is below {GOAL} in the half held out: {mean:.1f}, {'met' if mean < GOAL else '**not met**'}"
            )
        return "\n".join(lines) + "\n"


def cell(values):
    missed = sum(v >= RUNS for v in values)
    return f"{median(values)}, {sum(values) / len(values):.1f}{f' ({len(values) - missed} found)' if missed else ''}"
