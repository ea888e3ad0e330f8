#!/usr/bin/env python3
"""The corpus keeps its word: truth files are valid, the bug is found, the fixed twin is silent.

    corpus/check.py --heddle build/bin/heddle [--jobs 2] [--schedules 300] [NAME ...]
    corpus/check.py --table > docs/corpus.md        the table for the documentation, from the truth files

For each program: it is built at -O1 with and without -DFIXED; the hunt that its truth recorded (`measured.witness`) finds the
symptom again, and its trace replays; a hunt as by default finds it in 2,000 schedules; the twin survives that many schedules under random, as many under pct
and as many under auto, with the race detector on, without failure or data race, and runs at every size that the truth names. Closing line: 'N passed, M failed'.
"""
import argparse, concurrent.futures, json, pathlib, sys, tempfile, time

import corpus

HEAD = """# What is in the corpus?

Programs of our own with a known bug, written after published descriptions: `corpus/NAME/NAME.c` or `.cc`; the fixed twin is the same
file with `-DFIXED`; `truth.json` beside it says everything that is known. This page is made by `corpus/check.py --table`.
How to add one: [howto/add-program.md](howto/add-program.md).

Sets: **T** Tinertia/Thrille, **C** CoopREP, **S** Symbiosis. *Points* is the length of a run in steps, *paper* the number that the paper has for its own program
(Tinertia: trace size; the others: accesses to shared data). *Minimal* is switches / preemptions of the shortest failing schedule, where it was argued; ✓: a schedule like that was executed. *Runs to failure*: median over
seeds of the first failing schedule of a hunt by random / pct, `-` when most hunts of 20,000 schedules or {limit} found nothing. *Alone*: failing runs without control.

| program | what | pattern | symptom | sets | threads | points | paper | minimal | random / pct | alone |
|---|---|---|---|---|---|---|---|---|---|---|
"""
FOOT = """
Where a program is in two papers it has one bug: `bbuf` fails by an assertion (Symbiosis describes it; Tinertia's seeded one was a deadlock), `pfscan` and `pbzip2` by a
segmentation fault. Tinertia describes the bug of pbzip2 only; all other seeds of its set are ours, so tables compare shape, not identity.
Measured on a shared machine; the counts of schedules do not depend on that, the rate of failures alone does.
"""


def number(value):
    return "-" if value is None else f"{value:g}"


def paper_points(t):
    first = next(iter(t["paper"].values()))
    size = first.get("points", first.get("accesses"))
    return size["medium"] if isinstance(size, dict) else size


def row(p):
    t, m = p.truth, p.truth["measured"]
    executed = all(m["fewest_seen"][k] == t["minimal"][k] for k in ("switches", "preemptions"))
    medians = [m["schedules"][s]["median"] for s in ("random", "pct")]
    return (
        f"| `{p.name}` | {t['program']} | {t['bug']['pattern']} | {t['symptom']['kind']} | {' '.join(s[0].upper() for s in t['sets'])} | {m['threads']} | {m['points']} | "
        f"{number(paper_points(t))} | {number(t['minimal']['switches'])} / {number(t['minimal']['preemptions'])}{' ✓' if executed else ''} | "
        f"{number(medians[0])} / {number(medians[1])} | {m['alone']['failed']} of {m['alone']['runs']} |")


def table(programs):
    limit = programs[0].truth["measured"]["limit"]
    return HEAD.replace("{limit}", limit) + "\n".join(map(row, programs)) + "\n" + FOOT


def check_bug(p, heddle, work):
    exe, trace = p.build(heddle, work), work / "bug.heddle"
    w = p.truth["measured"].get("witness")
    if not w:
        return "truth has no measured.witness: run corpus/measure.py"
    code, found, err = corpus.hunt(heddle,
                                   exe,
                                   p.args(),
                                   work,
                                   w["strategy"],
                                   runs=w["runs"] * 10 + 2000,
                                   seed=w["seed"],
                                   time="60s",
                                   trace=trace)
    failure = found.get("failure") or {}
    if code != corpus.FOUND or not p.is_symptom(failure):
        return f"hunt: status {code}, {failure.get('signature')} after {found.get('runs')} runs {err[-200:]}"
    if p.truth["symptom"]["kind"] in ("assertion", "segfault") and failure["line"] not in p.failing_lines():
        return f"failed in line {failure['line']}, marked are {p.failing_lines()}"
    code, out, err = corpus.bounded([heddle, "replay", "--json", "--times", 3, trace], work, 120)
    again = json.loads(out or "{}")
    if code != corpus.FOUND or again.get("diverged") or (again.get("failure") or
                                                         {}).get("signature") != failure["signature"]:
        return f"replay: status {code}, {again.get('divergence')} {err[-200:]}"
    code, found, err = corpus.hunt(heddle, exe, p.args(), work, runs=2000, seed=3, trace=trace)
    if code != corpus.FOUND or (found.get("failure") or {}).get("kind") != p.truth["symptom"]["kind"]:
        return f"not found by {found.get('strategy')}: status {code} after {found.get('runs')} runs, {(found.get('failure') or {}).get('signature')} {err[-200:]}"


def check_twin(p, heddle, work, schedules):
    exe = p.build(heddle, work, fixed=True)
    for strategy in ("random", "pct", "auto"):
        code, found, err = corpus.hunt(heddle,
                                       exe,
                                       p.args(),
                                       work,
                                       strategy,
                                       runs=schedules,
                                       seed=3,
                                       time="0",
                                       more=("--detector", "on"))
        if code != corpus.CLEAN or found.get("runs") != schedules or found.get("races"):
            return f"fixed twin, {strategy}: status {code} after {found.get('runs')} runs, {(found.get('failure') or {}).get('message')}, races {found.get('races')} {err[-200:]}"
    for size in set(p.truth["sizes"]) - {"default"}:
        code, found, err = corpus.hunt(heddle, exe, p.args(size), work, "random", runs=2, seed=3)
        if code != corpus.CLEAN:
            return f"fixed twin, size {size}: status {code}, {(found.get('failure') or {}).get('message')} {err[-200:]}"


def check(p, heddle, schedules):
    start = time.monotonic()
    why = "; ".join(p.problems())
    with tempfile.TemporaryDirectory(prefix="heddle-corpus-") as folder:
        try:
            why = why or check_bug(p, heddle, pathlib.Path(folder)) or check_twin(p, heddle, pathlib.Path(folder),
                                                                                  schedules)
        except (RuntimeError, ValueError) as e:
            why = str(e)
    return why, time.monotonic() - start


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", type=pathlib.Path, default=pathlib.Path("build/bin/heddle"))
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--schedules", type=int, default=300)
    ap.add_argument("--table", action="store_true")
    ap.add_argument("names", nargs="*", metavar="NAME")
    a = ap.parse_args()
    programs = corpus.programs(names=a.names)
    if a.table:
        print(table(programs), end="")
        return 0
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        results = [(p, pool.submit(check, p, a.heddle.resolve(), a.schedules)) for p in programs]
        for p, result in results:
            why, seconds = result.result()
            failed += bool(why)
            print(f"{'not ok' if why else 'ok    '} {p.name} {seconds:.1f} s{': ' + why if why else ''}", flush=True)
    page = corpus.HERE.parent / "docs/corpus.md"
    if not a.names and not failed and page.read_text() != table(programs):
        failed += 1
        print("not ok docs/corpus.md is older than the truth files: corpus/check.py --table > docs/corpus.md")
    print(f"{len(programs) + (not a.names) - failed} passed, {failed} failed")
    return failed > 0 or not programs


if __name__ == "__main__":
    sys.exit(main())
