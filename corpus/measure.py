#!/usr/bin/env python3
"""Measures how hard each bug is, and writes it into `measured` of its truth file, with the date.

    corpus/measure.py --heddle build/bin/heddle [--trials 5] [--limit 20s] [--shortest SECONDS] [NAME ...]
    corpus/measure.py --heddle build/bin/heddle --trials 0 --shortest 30 NAME      only looks for shorter failing schedules

Schedules to the first failure by random and pct, for `--trials` seeds of at most 20,000 schedules or `--limit`; threads and points of a
run; how often the program fails alone in 20 runs; the witness: the cheapest hunt that found the symptom, which check.py repeats. New signatures of the same kind
are added to the symptom: look at what changed before you commit it. `--shortest`: hunts by pct with as many change points as the minimum has preemptions,
until that long has passed or the argued minimum was executed; the shortest failing schedule goes into `fewest_seen`.
"""
import argparse, datetime, json, pathlib, statistics, sys, tempfile, time

import corpus

RUNS, ALONE = 20000, 20


def trials(p, heddle, exe, work, strategy, a):
    results = []
    for seed in range(1, a.trials + 1):
        code, found, err = corpus.hunt(heddle,
                                       exe,
                                       p.args(),
                                       work,
                                       strategy,
                                       runs=RUNS,
                                       seed=seed,
                                       time=a.limit,
                                       trace=work / "t.heddle")
        failure = found.get("failure") or {}
        if code not in (corpus.FOUND, corpus.CLEAN) or (failure and failure.get("kind") != p.truth["symptom"]["kind"]):
            raise RuntimeError(
                f"{p.name} {strategy} seed {seed}: status {code} {failure.get('signature')} {err[-300:]}")
        results.append({"seed": seed, "strategy": strategy, **found})
    return results


def median_runs(results):
    """None: most hunts found nothing."""
    runs = sorted(r["runs"] if r["found"] else 10**9 for r in results)
    middle = runs[(len(runs) - 1) // 2]
    return None if middle == 10**9 else middle


def alone(p, exe, work):
    return sum(corpus.bounded([exe, *p.args()], work, 2)[0] != 0 for _ in range(ALONE))


def better(one, other):
    """Of two {switches, preemptions} the one with fewer preemptions, then fewer switches; either may be None."""
    return min((x for x in (one, other) if x), key=lambda x: (x["preemptions"], x["switches"]), default=None)


def shortest(p, heddle, seconds):
    """Looks for failing schedules with few preemptions; the best goes into the truth."""
    goal, seen, end = p.truth["minimal"], p.truth["measured"].get("fewest_seen"), time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="heddle-corpus-") as folder:
        work = pathlib.Path(folder)
        exe, seed = p.build(heddle, work), 100
        while time.monotonic() < end and not (seen and all(seen[k] == goal[k] for k in ("switches", "preemptions"))):
            seed += 1
            depth = 1 + (seed % 4 if goal["preemptions"] is None else goal["preemptions"])
            _, found, _ = corpus.hunt(heddle,
                                      exe,
                                      p.args(),
                                      work,
                                      "pct",
                                      runs=2000,
                                      seed=seed,
                                      time="4s",
                                      trace=work / "t.heddle",
                                      more=("--depth", depth))
            if found.get("found") and p.is_symptom(found["failure"]):
                seen = better(seen, {k: found[k] for k in ("switches", "preemptions")})
    p.truth["measured"]["fewest_seen"] = seen
    write(p)
    return seen


def write(p):
    (p.folder / "truth.json").write_text(json.dumps(p.truth, indent=2, ensure_ascii=False) + "\n")


def measure(p, heddle, a):
    with tempfile.TemporaryDirectory(prefix="heddle-corpus-") as folder:
        work = pathlib.Path(folder)
        exe = p.build(heddle, work)
        hunts = {s: trials(p, heddle, exe, work, s, a) for s in ("random", "pct")}
        found = [r for results in hunts.values() for r in results if r["found"]]
        if not found:
            raise RuntimeError(f"{p.name}: not found")
        _, twin, _ = corpus.hunt(heddle, p.build(heddle, work, fixed=True), p.args(), work, "random", runs=1, seed=1)
        cheapest = min(found, key=lambda r: (r["runs"], r["strategy"]))
        signatures = p.truth["symptom"]["signatures"]
        signatures += sorted({r["failure"]["signature"] for r in found} - set(signatures))
        fewest = min(found, key=lambda r: (r["preemptions"], r["switches"]))
        p.truth["measured"] = {
            "date": datetime.date.today().isoformat(),
            "limit": a.limit,
            "threads": max(r["threads"] for r in found),
            "points": round(statistics.median(r["steps"] for r in found)),
            "points_fixed": twin.get("steps"),
            "schedules": {
                s: {
                    "median": median_runs(r),
                    "found": sum(x["found"] for x in r),
                    "trials": len(r)
                }
                for s, r in hunts.items()
            },
            "fewest_seen": {
                "switches": fewest["switches"],
                "preemptions": fewest["preemptions"]
            },
            "races": sorted({x["variable"]
                             for r in found for x in r["races"] if x.get("variable")})[:8],
            "alone": {
                "failed": alone(p, exe, work),
                "runs": ALONE
            },
            "witness": {k: cheapest[k]
                        for k in ("strategy", "seed", "runs")}
        }
    write(p)
    return p.truth["measured"]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", type=pathlib.Path, default=pathlib.Path("build/bin/heddle"))
    ap.add_argument("--trials", type=int, default=5)
    ap.add_argument("--limit", default="20s")
    ap.add_argument("--shortest", type=float, default=0)
    ap.add_argument("names", nargs="*", metavar="NAME")
    a = ap.parse_args()
    failed = 0
    for p in corpus.programs(names=a.names):
        try:
            if a.trials:
                print(p.name, json.dumps(measure(p, a.heddle.resolve(), a)["schedules"]), flush=True)
            if a.shortest:
                print(p.name,
                      "shortest",
                      json.dumps(shortest(p, a.heddle.resolve(), a.shortest)),
                      "argued",
                      json.dumps(p.truth["minimal"]),
                      flush=True)
        except RuntimeError as e:
            failed += 1
            print("not ok", e, flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
