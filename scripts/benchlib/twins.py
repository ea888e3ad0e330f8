"""The fixed twins of the corpus stay silent: 10,000 schedules each with `auto`."""
import pathlib, sys

from .processors import each_on_a_processor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "corpus"))
import corpus  # noqa: E402

RUNS, SECONDS = 10_000, 500


def silent(heddle, exe, p, runs):
    """(runs, races, what was said) of one hunt; nothing was said: None."""
    trace = exe.parent / f"{p.name}-twin.heddle"
    code, found, err = corpus.hunt(heddle,
                                   exe,
                                   p.args(),
                                   exe.parent,
                                   "auto",
                                   runs=runs,
                                   seed=1,
                                   time=f"{SECONDS}s",
                                   trace=trace,
                                   more=("--workers", 1))
    said = None if code == corpus.CLEAN else f"status {code}: {(found.get('failure') or {}).get('message') or err[-200:]}"
    return found.get("runs", 0), len(found.get("races", [])), said


class Twins:
    def __init__(self, heddle, work, quick):
        self.heddle, self.work, self.runs, self.rows = heddle, work, 100 if quick else RUNS, []

    def measure(self, names=()):
        self.work.mkdir(parents=True, exist_ok=True)
        jobs = [(p, p.build(self.heddle, self.work, fixed=True)) for p in corpus.programs(names=names)]
        for (p, _), row in each_on_a_processor(lambda j: silent(self.heddle, j[1], j[0], self.runs), jobs):
            print(f"  {p.name}: {row}", flush=True)
            self.rows.append((p.name, *row))
        return self

    def section(self):
        loud = [f"- {name}: {said}" for name, _, _, said in self.rows if said]
        short = [
            f"- {name}: {runs:,} schedules in {SECONDS} s" for name, runs, _, said in self.rows
            if not said and runs < self.runs
        ]
        racy = [f"{name} ({races})" for name, _, races, _ in self.rows if races]
        return "\n".join([
            "## Fixed twins", "",
            f"Each program of the corpus without its bug, hunted by `auto` for {self.runs:,} schedules, seed 1: a failure would be a false alarm, or a bug of the twin.",
            "",
            f"- silent: {len(self.rows) - len(loud) - len(short)} of {len(self.rows)}, {'met' if not loud and not short else '**not met**'}",
            *loud, *short, f"- twins with data races: {', '.join(racy) or 'none'}"
        ]) + "\n"
