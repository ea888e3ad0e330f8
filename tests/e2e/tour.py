#!/usr/bin/env python3
"""The tour of README.md, command by command, with its output: what the page shows is what the tool prints.

    tests/e2e/tour.py --heddle build/bin/heddle

Lines of the page must come in this order; "..." skips some. Times, the folder and the length of a recording may differ; what only the
parallel run decides ("1680283 votes") may too, but is then the same in every later command. Prints a line per command.
"""
import argparse, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands(page):
    """[(command, [lines shown])] of the section "Five minutes", up to "Your own program"."""
    section = page.split("## Five minutes")[1].split("**Your own program.**")[0]
    for block in re.findall(r"^```\w*\n(.*?)^```$", section, re.S | re.M):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield command, shown


def normal(line, folder):
    line = line.replace(str(folder), "/tmp/tour")
    line = re.sub(r"\brecorded [\d,]+ steps", "recorded 1 steps", line)
    return re.sub(r"\d+\.\d+ s\b", "0.0 s", line).rstrip()


def as_this_run_decided(shown, printed, decided):
    """The lines of the page with the number of votes that this tour recorded in the place of the page's."""
    for line in shown:
        if re.fullmatch(r"\d+ votes", line) and line not in decided:
            decided[line] = next((p for p in printed if re.fullmatch(r"\d+ votes", p)), line)
    return [decided.get(line, line) for line in shown]


def missing(shown, printed):
    """The first line of the page that the output lacks; None: all there, in order."""
    at, anywhere = 0, False
    for line in shown:
        if line == "...":
            anywhere = True
            continue
        found = next((i for i in range(at, len(printed)) if printed[i] == line), None)
        if found is None or (found != at and not anywhere):
            return line
        at, anywhere = found + 1, False
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", default=ROOT / "build/bin/heddle", type=pathlib.Path)
    heddle = ap.parse_args().heddle.resolve()
    steps, failed, decided = list(commands((ROOT / "README.md").read_text())), 0, {}
    assert len(steps) >= 20, "the tour is gone"
    with tempfile.TemporaryDirectory(prefix="heddle-tour-") as folder:
        for command, shown in steps:
            if command.startswith("cp "):
                for source in (ROOT / "examples").glob("*.c"):
                    shutil.copy(source, folder)
                continue
            run = subprocess.run(command.replace("heddle ", f"{heddle} ", 1), shell=True, cwd=folder, text=True, timeout=120, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed = [normal(line, pathlib.Path(folder).resolve()) for line in run.stdout.split("\n")]
            shown = [normal(line, "/tmp/tour") for line in shown]
            if "-gcc" in command or "-tsan" in command or "transfer" in command:
                # Code that heddle did not compile, and calls of locks, are known by the build-id: which run fails first is another one in another folder.
                printed, shown = ([re.sub(r"\d+ switch(es)?, \d+ preemptions?", "N switches", re.sub(r"run \d+, seed", "run N, seed", line)) for line in lines]
                                  for lines in (printed, shown))
            lacking = missing(as_this_run_decided(shown, printed, decided), printed)
            failed += lacking is not None
            print(f"{'not ok' if lacking is not None else 'ok    '} {command}" + (f": no line {lacking!r} in\n{run.stdout}" if lacking is not None else ""))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
