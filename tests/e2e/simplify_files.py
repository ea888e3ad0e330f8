#!/usr/bin/env python3
"""heddle simplify on programs whose own writes come back as their inputs: the result is an execution that can happen.

    tests/e2e/simplify_files.py --heddle build/bin/heddle

The programs are in simplify_files/. Each has a failure that needs a known number of switches and preemptions (icb executed all schedules
with fewer preemptions: none fails); an answer with fewer would be a schedule in which a thread reads what nobody has written yet.
Closing line: 'N passed, M failed'.
"""
import argparse, pathlib, re, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
import simplify  # noqa: E402
from simplify import COULD_NOT, FOUND, Heddle, check, hunted, law  # noqa: E402

PROGRAMS = HERE / "simplify_files"


def built(h, name):
    exe = h.work / name
    code, _, err = h.run("cc", "-g", "-pthread", PROGRAMS / f"{name}.c", "-o", exe)
    check(f"compile {name}", code == 0, err)
    return exe


def at_optimum(h, name, trace, found, preemptions, *more):
    out = law(h, name, trace, found, preemptions, *more)
    check(f"{name}: not fewer preemptions than it needs",
          out.get("after", {}).get("preemptions", -1) >= preemptions, out.get("after"))
    return out


def both(h, name, args, preemptions, notes):
    """With and without folders of their own, and with the trace's inputs."""
    exe, found = built(h, name), None
    for seed in (1, 2, 3):
        for how in ((), ("--cwd-copy",)):
            trace, label = h.work / "t.heddle", f"{name} seed {seed} {' '.join(how)}"
            if not check(f"{label}: found", found := hunted(h, exe, args, seed, trace, *how)):
                continue
            before = sorted((p.name, p.stat().st_mtime_ns) for p in h.work.iterdir() if p.name not in ("small.heddle",))
            out = at_optimum(h, label, trace, found, preemptions)
            check(f"{label}: inputs",
                  out.get("inputs") == "real" and all(any(n in note for note in out["notes"]) for n in notes),
                  out.get("notes"))
            after = sorted((p.name, p.stat().st_mtime_ns) for p in h.work.iterdir() if p.name not in ("small.heddle",))
            check(f"{label}: the folder is as before", before == after, (before, after))
    if not found:
        return
    at_optimum(h, f"{name}, recorded inputs", trace, found, preemptions, "--inputs", "recorded")
    at_optimum(h, f"{name}, --exact", trace, found, preemptions, "--exact")
    code, out, err = h.json("hunt", "--json", "--strategy", "random", "--seed", 1, "--runs", 20000, "--simplify", "-o",
                            h.work / "h.heddle", "--", exe, *args)
    said = (out.get("simplified") or {}).get("after", {})
    check(f"{name}: hunt --simplify", code == FOUND and said.get("preemptions") == preemptions, (code, said, err))


def outside(h):
    """The same program on a file that is not in its folder: executions could not begin equal, so the trace's inputs lead, in their order."""
    exe, trace = built(h, "half_written"), h.work / "t.heddle"
    with tempfile.TemporaryDirectory(prefix="heddle-elsewhere-") as elsewhere:
        file = pathlib.Path(elsewhere) / "log"
        found = hunted(h, exe, [file], 1, trace)
        if check("a file elsewhere: found", found):
            file.write_text("untouched")
            out = at_optimum(h, "a file elsewhere", trace, found, 1)
            check("a file elsewhere: recorded inputs, and said",
                  out.get("inputs") == "recorded" and any("outside" in n for n in out["notes"]), out.get("notes"))


def through_a_link(h):
    """The file's name is in the folder, the file is not."""
    exe, trace = built(h, "half_written"), h.work / "t.heddle"
    with tempfile.TemporaryDirectory(prefix="heddle-elsewhere-") as elsewhere:
        link = h.work / "link"
        link.symlink_to(pathlib.Path(elsewhere) / "log")
        found = hunted(h, exe, ["link"], 1, trace)
        if check("through a link: found", found):
            out = at_optimum(h, "through a link", trace, found, 1)
            check("through a link: recorded inputs, and said",
                  out.get("inputs") == "recorded" and any("outside" in n for n in out["notes"]), out.get("notes"))
        link.unlink()


def one_number(h):
    """A descriptor is not given twice."""
    exe, trace = built(h, "one_number"), h.work / "t.heddle"
    for seed in (1, 2, 3):
        if check(f"one_number seed {seed}: found", found := hunted(h, exe, [], seed, trace)):
            at_optimum(h, f"one_number seed {seed}", trace, found, 1)
            at_optimum(h, f"one_number seed {seed}, recorded inputs", trace, found, 1, "--inputs", "recorded")


def gone(h):
    """What it needed from outside is not there any more: the failure does not come back by itself."""
    exe, trace, needed = built(h, "half_written"), h.work / "t.heddle", h.work / "needed"
    needed.write_text("")
    found = hunted(h, exe, ["log.tmp", needed], 1, trace)
    needed.unlink()
    if check("an input that is gone: found", found):
        out = at_optimum(h, "an input that is gone", trace, found, 1)
        check("an input that is gone: recorded inputs, and said",
              out.get("inputs") == "recorded" and any("inputs of the trace" in n for n in out["notes"]),
              out.get("notes"))
        code, _, err = h.json("simplify", "--json", "--inputs", "real", trace, "-o", h.work / "none.heddle")
        check("an input that is gone: real inputs cannot", code == COULD_NOT and "did not fail" in err and
              not (h.work / "none.heddle").exists(), (code, err))


def cost(size):
    return size.get("switches", -1), size.get("preemptions", -1)


def writers_one_after_the_other(h, trace):
    """Has the second writer begun its first write only when the first had done its last?"""
    _, text, _ = h.run("show", "--events", "--full", trace)
    threads = re.findall(r"^ *\d+ \* (0\.\d) +(?:system call|i/o done|i/o) .*write", text, re.M)
    turns = [t for i, t in enumerate(threads) if i == 0 or t != threads[i - 1]]
    return len(turns) <= 2


def could_not_happen(h):
    """A pipe whose writers are out when they write: fed in another order, only what their interleaving gives may fail."""
    exe, trace, small, both_out, asked = built(
        h, "two_writers"), h.work / "t.heddle", h.work / "small.heddle", h.work / "out.heddle", 0
    for seed in range(1, 9):
        if not check(f"two writers, seed {seed}: found", found := hunted(h, exe, [], seed, trace, "--workers", 1)):
            continue
        for how in ("--inputs", "recorded"), ():
            label = f"two writers, seed {seed} {' '.join(how)}"
            law(h, label, trace, found, None, *how)
            check(f"{label}: it can happen", small.exists() and not writers_one_after_the_other(h, small))
        # Few switches, but both writers out at once: of these the returns alone say nothing about the order of what was written.
        if h.run("simplify", "--inputs", "real", trace, "-o", both_out)[0] == 0:
            code, _, err = h.run("simplify", "--inputs", "recorded", both_out, "-o", small)
            asked += check(f"two writers, seed {seed}, both out: it can happen", code == 0 and
                           not writers_one_after_the_other(h, small), (code, err))
    check("two writers: some were out at once", asked >= 2, asked)


def up_to_chance(h):
    """Programs that ask for what is another thing each time: the same answer all the same, never costlier, and minimal."""
    for name in "two_writers", "random_path", "children":
        exe, trace, small, twice = built(h, name), h.work / "t.heddle", h.work / "small.heddle", h.work / "twice.heddle"
        for seed, strategy in (1, "random"), (2, "pos"), (3, "racedirected"), (4, "random"):
            label = f"{name}, {strategy} seed {seed}"
            if not check(f"{label}: found", found := hunted(h, exe, [], seed, trace, "--workers", 1,
                                                            strategy=strategy)):
                continue
            out = law(h, label, trace, found)
            if name != "two_writers":
                check(f"{label}: the trace's inputs, and said",
                      out.get("inputs") == "recorded" and any("inputs of the trace" in n for n in out["notes"]),
                      out.get("notes"))
            others = [h.json("simplify", "--json", trace, "-o", twice)[1] for _ in range(2)]
            check(f"{label}: the same answer",
                  all(o.get(k) == out.get(k) for o in others for k in ("after", "executions", "inputs")),
                  [(o.get("after"), o.get("executions")) for o in [out, *others]])
            again = h.json("simplify", "--json", small, "-o", twice)[1]
            check(f"{label}: simplified again, nothing is left to do",
                  cost(again.get("after", {})) == cost(out.get("after", {})), (again.get("after"), out.get("after")))
            code, real, err = h.json("simplify", "--json", "--inputs", "real", trace, "-o", twice)
            check(f"{label}: with real inputs not costlier, or it cannot", code == COULD_NOT or
                  cost(real.get("after", {})) <= cost(real.get("before", {})), (code, real.get("after"), err))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", default=HERE.parents[1] / "build/bin/heddle", type=pathlib.Path)
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-simplify-files-") as folder:
        h = Heddle(a.heddle.resolve(), pathlib.Path(folder))
        both(h, "file_counter", [], 1, ["copy"])
        both(h, "half_written", ["log.tmp"], 1, ["copy"])
        both(h, "inner_pipe", [], 1, [])
        both(h, "log_beside", [], 1, ["copy"])
        outside(h)
        through_a_link(h)
        one_number(h)
        gone(h)
        could_not_happen(h)
        up_to_chance(h)
    print(f"{simplify.passed} passed, {simplify.failed} failed")
    return simplify.failed > 0


if __name__ == "__main__":
    sys.exit(main())
