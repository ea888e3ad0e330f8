"""The programs of corpus/ and what is known about them. For tests and benchmarks:

    import corpus
    for p in corpus.programs():                   # or corpus.programs(sets=["tinertia"]), corpus.program("bbuf")
        exe = p.build(heddle, folder)             # fixed=True: the twin without the bug; level="O0"; defines=[...]
        code, found, err = corpus.hunt(heddle, exe, p.args("paper"), strategy="pct", runs=2000, seed=7, cwd=folder)
        p.guilty_lines(), p.failing_lines(), p.truth["bug"]["variables"]

The schema of truth.json is in docs/howto/add-program.md; `Program.problems()` checks it.
"""
import json, os, pathlib, re, signal, subprocess

HERE = pathlib.Path(__file__).resolve().parent
FOUND, CLEAN = 66, 0
SETS = ("tinertia", "cooprep", "symbiosis")
PATTERNS = ("atomicity violation", "multi-variable atomicity violation", "order violation", "deadlock", "lost wake-up",
            "wrong lock")
KINDS = ("assertion", "abort", "segfault", "exception", "deadlock", "livelock", "exit", "check")
FIELDS = {
    "sets": list,
    "program": str,
    "bug": dict,
    "symptom": dict,
    "minimal": dict,
    "sizes": dict,
    "paper": dict,
    "measured": dict
}
BUG_FIELDS = {"pattern": str, "variables": list, "guilty": list, "story": str, "fix": str}
SYMPTOM_FIELDS = {"kind": str, "functions": list, "signatures": list}


class Program:
    def __init__(self, folder):
        self.folder, self.name = folder, folder.name
        self.source = next(iter(sorted(folder.glob(f"{folder.name}.c*"))))
        self.truth = json.loads((folder / "truth.json").read_text())

    def args(self, size="default"):
        return [str(a) for a in self.truth["sizes"][size]["args"]]

    def build(self, heddle, folder, fixed=False, level="O1", defines=(), extra=()):
        """The executable in `folder`; raises with the compiler's words."""
        exe = pathlib.Path(folder) / (self.name + ("-fixed" if fixed else ""))
        front = ["cc"] if self.source.suffix == ".c" else ["c++", "-std=c++20"]
        flags = ["-g", f"-{level}", "-pthread", *(f"-D{d}" for d in defines), *(["-DFIXED"] if fixed else []), *extra]
        code, _, err = bounded([heddle, *front, *flags, self.source, "-o", exe, "-lm"], folder, 300)
        if code != 0 or err.strip():
            raise RuntimeError(f"{self.source.name}: {err[-500:]}")
        return exe

    def markers(self):
        """{name: [line numbers]} of `// BUG:name`; failing lines have the name 'FAILS'."""
        found = {}
        for number, line in enumerate(self.source.read_text().splitlines(), 1):
            comment = line.partition("//")[2]
            for name in re.findall(r"BUG:(\w+)", comment) + re.findall(r"\bFAILS\b", comment):
                found.setdefault(name, []).append(number)
        return found

    def guilty_lines(self):
        lines = self.markers()
        return sorted(n for name in self.truth["bug"]["guilty"] for n in lines[name])

    def failing_lines(self):
        return self.markers().get("FAILS", [])

    def is_symptom(self, failure):
        """Whether a failure of `heddle hunt --json` is the one that the truth tells of."""
        symptom = self.truth["symptom"]
        return failure.get("kind") == symptom["kind"] and failure.get("signature") in symptom["signatures"]

    def problems(self):
        """What is wrong with truth.json, as a list of sentences."""
        t, wrong = self.truth, []
        for fields, part, where in ((FIELDS, t, "truth"), (BUG_FIELDS, t.get("bug", {}), "bug"),
                                    (SYMPTOM_FIELDS, t.get("symptom", {}), "symptom")):
            wrong += [f"{where} has no {name}" for name, kind in fields.items() if not isinstance(part.get(name), kind)]
            wrong += [f"{where}.{name} is not in the schema" for name in part if name not in fields]
        if wrong:
            return wrong
        marked = set(self.markers()) - {"FAILS"}
        wrong += [f"set {s} is unknown"
                  for s in t["sets"] if s not in SETS] + [f"paper {s} is unknown" for s in t["paper"] if s not in SETS]
        wrong += [f"marker BUG:{name} is not in the source" for name in set(t["bug"]["guilty"]) - marked]
        wrong += [f"marker BUG:{name} is not in the truth" for name in marked - set(t["bug"]["guilty"])]
        text = self.source.read_text()
        wrong += [
            f"variable {v} is not in the source" for v in t["bug"]["variables"]
            if re.split(r"[.>\[]+", v)[-1].rstrip("]-") not in text
        ]
        wrong += [
            f"function {f} is not in the source" for f in t["symptom"]["functions"] if not re.search(rf"\b{f}\b", text)
        ]
        if not self.failing_lines():
            wrong.append("no line is marked FAILS")
        if t["bug"]["pattern"] not in PATTERNS:
            wrong.append(f"pattern {t['bug']['pattern']} is unknown")
        if t["symptom"]["kind"] not in KINDS:
            wrong.append(f"kind {t['symptom']['kind']} is unknown")
        wrong += [
            f"signature {s} is of another kind" for s in t["symptom"]["signatures"]
            if s.split("|")[0] != t["symptom"]["kind"]
        ]
        wrong += [f"sizes has no {s}" for s in ("default", "paper") if s not in t["sizes"]]
        for name in ("switches", "preemptions"):
            if not isinstance(t["minimal"].get(name),
                              (int, type(None))) or name not in t["minimal"] or not t["minimal"].get("how"):
                wrong.append(f"minimal.{name} must be a number or null, with a word on how")
        seen = t["measured"].get("fewest_seen", {})
        if seen and t["minimal"]["preemptions"] is not None and seen["preemptions"] < t["minimal"]["preemptions"]:
            wrong.append(
                f"a failing schedule with {seen['preemptions']} preemptions was seen, fewer than the minimum that is argued for"
            )
        if "FIXED" not in text:
            wrong.append("the source has no twin (FIXED)")
        return wrong


def programs(sets=(), names=()):
    """All of them by name, or those that are in one of `sets` or one of `names`."""
    everything = [Program(f.parent) for f in sorted(HERE.glob("*/truth.json"))]
    return [p for p in everything if (not sets or set(sets) & set(p.truth["sets"])) and (not names or p.name in names)]


def program(name):
    return Program(HERE / name)


def bounded(argv, cwd, timeout, env=None):
    """(status, stdout, stderr); a time-out kills the process group and gives status None."""
    p = subprocess.Popen([str(a) for a in argv],
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE,
                         cwd=cwd,
                         start_new_session=True,
                         env=env)
    try:
        out, err = p.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        return None, "", f"no answer in {timeout} s"
    return p.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def hunt(heddle,
         exe,
         args,
         cwd,
         strategy=None,
         runs=2000,
         seed=1,
         time="60s",
         trace="/dev/null",
         more=(),
         backend="fibers"):
    """(status, the JSON object or {}, stderr) of one hunt."""
    env = dict(os.environ, HEDDLE_OPTIONS=f"backend={backend}")
    how = [] if strategy is None else ["--strategy", strategy]
    code, out, err = bounded([
        heddle, "hunt", "--json", "--runs", runs, "--time", time, "--seed", seed, *how, *more, "-o", trace, "--", exe,
        *args
    ], cwd, 600, env)
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, {}, err
