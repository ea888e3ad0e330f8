"""The programs of corpus/search and the two halves they are in. Schedules are counted in them: the search is tuned on one half and reported on the other.

The halves follow from the names: of the sorted names the first, third, ... are for tuning, the others are held out. First line of a program: `// expect: KIND`; the
lines in which it fails are marked `FAILS`. added/ was written after the split, for what the search does with hard programs: all of it is for tuning, so that no
program changes its half. goals/ is in neither half.
"""
import pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import corpus  # noqa: E402

HALVES = ("tuning", "held out")


class Program:
    def __init__(self, source, half=None):
        self.source, self.name, self.half = source, source.stem, half
        text = source.read_text()
        self.kind = re.match(r"// expect: (\w+)\n", text)[1]
        self.lines = [n for n, line in enumerate(text.splitlines(), 1) if "FAILS" in line.partition("//")[2]]

    def build(self, heddle, folder):
        """The executable in `folder`; raises with the compiler's words."""
        exe = pathlib.Path(folder) / self.name
        front = ["cc"] if self.source.suffix == ".c" else ["c++", "-std=c++20"]
        code, _, err = corpus.bounded([heddle, *front, "-g", "-O1", "-pthread", self.source, "-o", exe], folder, 300)
        if code != 0 or err.strip():
            raise RuntimeError(f"{self.source.name}: {err[-500:]}")
        return exe

    def is_bug(self, failure):
        """Whether a failure of `heddle hunt --json` is the one of this program."""
        return failure.get("kind") == self.kind and (self.kind in ("deadlock", "abort") or
                                                     failure.get("line") in self.lines)


def programs(half=None, names=()):
    """Those of one half, or all."""
    sources = sorted((f for f in HERE.glob("*.c*")), key=lambda f: f.stem)
    found = [Program(f, HALVES[i % 2]) for i, f in enumerate(sources)]
    found += [Program(f, "tuning") for f in sorted(HERE.glob("added/*.c*"))]
    return [p for p in found if half in (None, p.half) and (not names or p.name in names)]


def goal(name):
    return Program(next(HERE.glob(f"goals/{name}.c*")))
