#!/usr/bin/env python3
"""What dpor leaves out does not fail: its outcomes are those of dfs, in random programs and in programs that were once missed.

    tests/e2e/dpor.py --heddle build/bin/heddle [--first 0] [--programs 70]

Closing line: 'N passed, M failed'.
"""
import argparse, json, os, pathlib, random, shutil, subprocess, sys, tempfile

import random_programs
from report import Report

HERE = pathlib.Path(__file__).resolve().parent
MOST_SCHEDULES = 6000  # of dfs: a program with more is not compared
HOLES = ("semaphore", "rwlock", "once", "lost", "detached", "keep", "range", "wide", "tryjoin", "robust", "race",
         "yields", "refused")
report = Report()


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work, self.env = exe, work, dict(os.environ, HEDDLE_OPTIONS="backend=fibers")

    def build(self, source, name, *compiler):
        exe = self.work / name
        subprocess.run([*(compiler or (self.exe, "cc")), "-g", "-O1", "-w", "-pthread", source, "-o", exe],
                       check=True,
                       timeout=300)
        return exe

    def hunt(self, strategy, runs, *command, options=("--keep-going",)):
        """(signatures of the failures, what is said about completeness, the answer)"""
        p = subprocess.run([
            self.exe, "hunt", "--json", "--strategy", strategy, "--seed", "1", "--runs",
            str(runs), "--time", "0", *options, "-o", self.work / "t.heddle", "--", *map(str, command)
        ],
                           cwd=self.work,
                           env=self.env,
                           stdin=subprocess.DEVNULL,
                           capture_output=True,
                           timeout=900)
        out = json.loads(p.stdout)
        for trace in self.work.glob("t*.heddle"):
            trace.unlink()
        return {f["failure"]["signature"] for f in out.get("failures", [])}, out.get("complete", ""), out


def holes(tool):
    exe = tool.build(HERE / "strategies/holes.c", "holes")
    for name in HOLES:
        wanted, complete, out = tool.hunt("dfs", 3000, exe, name)
        found, said, dpor = tool.hunt("dpor", 3000, exe, name)
        good = wanted and complete and said and found == wanted and dpor["runs"] <= out["runs"]
        report.line(f"{name}: {len(wanted)} failures; dfs {out['runs']} schedules, dpor {dpor['runs']}",
                    None if good else f"dfs {wanted} {complete!r}, dpor {found} {said!r}")
    found, said, out = tool.hunt("dpor", 3000, exe, "neighbours")
    report.line(
        f"neighbouring atomics are independent: {out['runs']} schedules",
        None if not found and said and out["runs"] <= 12 and out["coverage"]["classes"] == 6 else str(
            (found, said, out.get("runs"), out.get("coverage"))))


def not_claimed(tool):
    """Accesses that are no points are not ordered by a schedule: nobody says that all their orders were executed."""
    exe = tool.build(HERE / "strategies/holes.c", "holes")
    found, said, out = tool.hunt("dpor", 3000, exe, "race", options=("--keep-going", "--points", "sync"))
    report.line("races where no thread can be switched",
                None if "data race" in said and "at least one of each class" not in said else said)
    found, said, out = tool.hunt("dpor", 3000, exe, "freed")
    report.line("free() is no place where a thread can be switched",
                None if "data race" in said and "at least one of each class" not in said else said)
    for strategy in ("dfs", "icb", "dpor"):
        for name, why in (("random", "random bytes"), ("device", "random bytes")):
            found, said, out = tool.hunt(strategy, 3000, exe, name)
            report.line(
                f"{strategy}: {why}",
                None if not found and why in said and not said.startswith("all") and "each class" not in said else said)
        found, said, out = tool.hunt(strategy, 3000, exe, "calm")
        report.line(f"{strategy}: a file, the heap and output are the same in each run", None if not found and
                    (said.startswith("all") or "each class" in said) else said)
        found, said, out = tool.hunt(strategy, 3000, exe, "patient", 3)
        report.line(f"{strategy}: three yields are tried without giving way", None if found else said)
        found, said, out = tool.hunt(strategy, 3000, exe, "patient", 4)
        report.line(f"{strategy}: that a thread was made to give way is said",
                    None if not found and "none fails" in said and "made to give way" in said else said)
        found, said, out = tool.hunt(strategy, 3000, exe, "patient", 1)
        report.line(f"{strategy}: and only then", None if found and said and "give way" not in said else said)
    waits = tool.build(HERE / "strategies/waits.c", "waits")
    for strategy in ("dfs", "icb", "dpor"):
        for name in ("timer", "signal"):
            found, said, out = tool.hunt(strategy, 3000, waits, name)
            report.line(f"{strategy}: who waits for a {name} neither yields nor spins",
                        None if not found and said and "give way" not in said else f"{found} {said!r}")
    plain = tool.build(HERE / "strategies/holes.c", "plain", "cc")
    found, said, out = tool.hunt("dpor", 3000, plain, "race")
    report.line("a plain program",
                None if "not instrumented" in said and "at least one of each class" not in said else said)
    found, said, out = tool.hunt("dfs", 300, exe, "late", options=())
    words = subprocess.run([tool.exe, "hunt", "--strategy", "dfs", "--runs", "300", "--time", "0", "--", exe, "late"],
                           cwd=tool.work,
                           env=tool.env,
                           stdin=subprocess.DEVNULL,
                           capture_output=True,
                           text=True,
                           timeout=300).stdout
    good = not found and not said and out["coverage"].get(
        "schedules_waiting", 0) > 0 and "wait to be executed" in words and "more runs" not in words
    report.line("an enumeration cut short is no sample", None if good else f"{words} {out.get('coverage')}")


def yielding(numbers):
    """Two threads of a few atomic operations and loops that yield, or only look, until they give up; the exit status is a hash of what was seen."""
    text = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_uint a0, a1, a2;
static unsigned R[2];
static __thread unsigned L;
static void see(unsigned v) { L = L * 7 + v + 1; }
"""
    for n in numbers:
        r = random.Random(n)
        for t in range(2):
            def others(least):
                return " ".join(
                    r.choice((f"a{v} = {t + 1};", f"see(a{v});", f"see(a{v}++);", "sched_yield();"))
                    for v in r.choices((1, 2), k=r.randint(least, 2)))

            waits = r.choice((f"for (int i = 0; i < {r.randint(3, 4)} && !a0; i++) sched_yield();", ) * 3 +
                             ("for (int i = 0; i < 27 && !a0; i++);", )) + " see(a0);"
            body = [others(0), waits] if t == 0 else [others(1), "a0 = 1;", others(0)]
            text += f"static void* p{n}_{t}(void* p) {{ {' '.join(body)} R[{t}] = L; return p; }}\n"
    text += "int main(int argc, char** argv) {\n  pthread_t t;\n  switch (atoi(argv[1])) {\n"
    text += "".join(f"    case {n}: pthread_create(&t, 0, p{n}_0, 0), p{n}_1(0); break;\n" for n in numbers)
    return text + "  }\n  pthread_join(t, 0);\n  return 1 + (R[0] * 1031 + R[1] * 31 + a0 + a1 * 3 + a2 * 7) % 95;\n}\n"


def random_ones(tool, numbers, kind, program, least):
    source = tool.work / f"{kind}.c"
    source.write_text(program(numbers))
    exe = tool.build(source, kind)
    compared = outcomes = schedules = instead = 0
    for number in numbers:
        wanted, complete, out = tool.hunt("dfs", MOST_SCHEDULES, exe, number)
        if not complete:
            continue
        found, said, dpor = tool.hunt("dpor", MOST_SCHEDULES, exe, number)
        compared, outcomes, schedules, instead = compared + 1, outcomes + len(
            wanted), schedules + out["runs"], instead + dpor["runs"]
        if found != wanted or not said:
            report.line(
                f"{kind} program {number}",
                f"dpor {dpor['runs']} schedules, {said!r}: lacks {wanted - found}, dfs lacks {found - wanted}, {out['runs']} schedules"
            )
    print(f"{compared} {kind} programs, {outcomes} outcomes: dfs {schedules} schedules, dpor {instead}")
    report.line(f"enough {kind} programs are small enough",
                None if compared * 2 >= len(numbers) and outcomes > least * compared else str((compared, outcomes)))
    report.line("and dpor needs fewer schedules", None if instead * 4 < schedules else str((instead, schedules)))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", required=True)
    ap.add_argument("--first", type=int, default=0)
    ap.add_argument("--programs", type=int, default=70)
    args = ap.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-dpor-"))
    tool = Tool(pathlib.Path(args.heddle).resolve(), work)
    try:
        if args.first == 0:
            holes(tool)
            not_claimed(tool)
        random_ones(tool, range(args.first, args.first + args.programs), "random", random_programs.source, 2)
        random_ones(tool, range(args.first, args.first + args.programs // 3), "checked", random_programs.checked, 1.5)
        random_ones(tool, range(args.first, args.first + args.programs // 3), "yielding", yielding, 1.5)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return report.close()


sys.exit(main())
