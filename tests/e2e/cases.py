"""Test cases that are functions: each gets a tool in a folder of its own, and fails by an exception."""
import pathlib, tempfile, time

from programs import survivors
from report import Report


def run(cases, make_tool, names=(), ways=("",)):
    """Those of `names`, or all, once in each way; `make_tool(folder, way)`. Returns the status to exit with."""
    report = Report()
    unknown = set(names) - {case.__name__ for case in cases}
    for name in sorted(unknown):
        report.line(name, "there is no such case")
    for case in (c for c in cases if not names or c.__name__ in names):
        for way in ways:
            start, why = time.monotonic(), None
            with tempfile.TemporaryDirectory(prefix="heddle-case-") as folder:
                try:
                    case(make_tool(pathlib.Path(folder), way))
                except Exception as problem:  # an assertion, a time-out, output that is no JSON
                    why = f"{type(problem).__name__} {problem}"[:2000]
                left = survivors(folder)
                if left and why is None:
                    why = f"left running {left}"
            report.line(f"{case.__name__}{' ' + way if way else ''} {time.monotonic() - start:.1f} s", why)
    return report.close()
