#!/usr/bin/env python3
"""What a trace contains follows `detail`: bytes of ranges, results of calls, branches.

    tests/e2e/detail.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

FOUND = 66

SOURCE = r"""
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int outside(int);
static char source[8] = "abcdefg", target[64], got[8], large[9000];
static int shared;
static void* work(void* a) { shared = outside(4); return a; }
int main(void) {
  pthread_t t;
  int pipes[2];
  memcpy(target, source, atoi("7"));
  strcpy(target + 16, source + 3);
  memset(large, 'x', sizeof large);
  assert(pipe(pipes) == 0 && write(pipes[1], "ping", 4) == 4);
  assert(read(pipes[0], got, sizeof got) == 4);
  pthread_create(&t, 0, work, 0);
  if (shared) shared = 8;
  pthread_join(t, 0);
  assert(outside(shared) == 8);
}
"""
OUTSIDE = "int outside(int x) { return x - 1; }\n"


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work
        (work / "outside.c").write_text(OUTSIDE)
        (work / "program.c").write_text(SOURCE)

    def __call__(self, *args, **env):
        return bounded([self.exe, *args], self.work, 120, b"", dict(os.environ, **env))

    def trace(self, detail):
        """The events of a failing run of the program, one line each, and what --json says of the trace."""
        if not (self.work / "program").exists():
            assert bounded(["clang", "-g", "-O1", "-c", "outside.c"], self.work, 60)[0] == 0
            code, _, err = self("cc", "-g", "-O1", "-fheddle-calls", "-pthread", "program.c", "outside.o", "-o", "program")
            assert code == 0, err
        options = f"detail={detail}" if detail else ""
        code, said, err = self("hunt", "--seed", "1", "--runs", "200", "-o", "t.heddle", "--", "./program", HEDDLE_OPTIONS=options)
        assert code == FOUND, (code, said, err)
        code, events, err = self("show", "--events", "t.heddle")
        assert code == 0, err
        code, shown, err = self("show", "--json", "t.heddle")
        assert code == 0, err
        assert self("replay", "t.heddle")[0] == FOUND
        return events.decode() if isinstance(events, bytes) else events, json.loads(shown)


def ranges_have_their_bytes(tool):
    events, _ = tool.trace("accesses")
    # The column cuts what is longer.
    for expected in (r'read range source\[\] 7 bytes "abc', r'write range target\[\] 7 bytes "abc', r'write range target\[\] 5 bytes "def',
                     r'write range got\[\] 4 bytes "ping"', r'write range large\[\] 9,000 bytes "x'):
        assert re.search(expected, events), (expected, events)


def without_values_they_have_none(tool):
    events, _ = tool.trace("points+calls")
    assert '"abcdefg"' not in events and "read range" not in events, events


def results_of_calls_are_events(tool):
    events, _ = tool.trace("calls")
    results = re.findall(r"call = (-?\d+) .*program\.c:\d+", events)
    assert "3" in results, events
    assert not re.search(r"\bcall = ", tool.trace("branches")[0])


def branches_tell_where_they_go(tool):
    events, _ = tool.trace("values+branches")
    assert re.search(r"branch to [01] .*program\.c:\d+ main", events), events
    assert "branch to" not in tool.trace("accesses")[0]


def a_trace_says_what_it_contains(tool):
    for detail, expected in (("points", ["points", "stacks"]), ("branches+calls", ["points", "accesses", "values", "branches", "calls", "stacks"]),
                             ("values+calls", ["points", "accesses", "values", "calls"])):
        _, shown = tool.trace(detail)
        assert contains(shown) == expected, (detail, contains(shown))


def contains(shown):
    """The list, wherever it stands."""
    if isinstance(shown, dict):
        if isinstance(shown.get("contains"), list):
            return shown["contains"]
        for value in shown.values():
            if (found := contains(value)) is not None:
                return found
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    cases = [
        ranges_have_their_bytes, without_values_they_have_none, results_of_calls_are_events, branches_tell_where_they_go,
        a_trace_says_what_it_contains
    ]
    return run(cases, lambda folder, _: Tool(pathlib.Path(a.heddle).resolve(), folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
