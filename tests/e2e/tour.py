#!/usr/bin/env python3
"""The commands of README.md and docs/tour.md, with their output: the pages show what the tool prints.

    tests/e2e/tour.py --heddle build/bin/heddle

Each page is executed in a folder of its own. Its lines must appear in this order; "..." skips some. Times, the folder and
the length of a recording may differ. So may what only the parallel run decides ("1680283 votes"), but it is then the same
in every later command. Prints a line per command.
"""
import argparse, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"README.md": 5, "docs/tour.md": 20}  # and the least number of commands that each has


def commands(page):
    """[(command, [lines shown])] of all code blocks, in order."""
    for block in re.findall(r"^```\w*\n(.*?)^```$", page, re.S | re.M):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield command, shown


def normal(line, folder):
    line = line.replace(str(folder), "/tmp/tour")
    line = re.sub(r"\brecorded [\d,]+ steps", "recorded 1 steps", line)
    return re.sub(r"\d+\.\d+ s\b", "0.0 s", line).rstrip()


def as_this_run_decided(shown, printed, decided):
    """The lines of the page, with the number of votes that this tour recorded in place of the page's."""
    for line in shown:
        if re.fullmatch(r"\d+ votes", line) and line not in decided:
            decided[line] = next((p for p in printed if re.fullmatch(r"\d+ votes", p)), line)
    return [decided.get(line, line) for line in shown]


def missing(shown, printed):
    """The first line of the page that the output lacks; None: all are there, in order."""
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


def without_the_schedule(lines):
    """Code that heddle did not compile, and calls of locks, are identified by the build-id: in another folder, another run
    fails first."""
    return [re.sub(r"\d+ switch(es)?, \d+ preemptions?", "N switches", re.sub(r"run \d+, seed", "run N, seed", line))
            for line in lines]


def tour(heddle, page, folder):
    """Executes the commands of a page in `folder`; the number of those whose output differs."""
    failed, decided = 0, {}
    for command, shown in commands((ROOT / page).read_text()):
        if command.startswith("cp "):
            for source in (ROOT / "examples").glob("*.c"):
                shutil.copy(source, folder)
            continue
        run = subprocess.run(command.replace("heddle ", f"{heddle} ", 1),
                             shell=True,
                             cwd=folder,
                             text=True,
                             timeout=120,
                             stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        printed = [normal(line, folder) for line in run.stdout.split("\n")]
        shown = [normal(line, "/tmp/tour") for line in shown]
        if "-gcc" in command or "-tsan" in command or "transfer" in command:
            printed, shown = without_the_schedule(printed), without_the_schedule(shown)
        lacking = missing(as_this_run_decided(shown, printed, decided), printed)
        failed += lacking is not None
        print(f"{'ok    ' if lacking is None else 'not ok'} {page}: {command}" +
              (f": no line {lacking!r} in\n{run.stdout}" if lacking is not None else ""))
    return failed


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", default=ROOT / "build/bin/heddle", type=pathlib.Path)
    heddle = ap.parse_args().heddle.resolve()
    failed = 0
    for page, least in PAGES.items():
        assert len(list(commands((ROOT / page).read_text()))) >= least, f"{page} has lost its commands"
        with tempfile.TemporaryDirectory(prefix="heddle-tour-") as folder:
            failed += tour(heddle, page, pathlib.Path(folder).resolve())
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
