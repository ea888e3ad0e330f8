"""SQLite's threadtest4: threads with connections of their own that write to databases they share; file locks."""
from real import Program


def right(folder, output):
    return "errors" if output and "Total 0 errors" not in output else None


PROGRAM = Program(
    package="sqlite3",
    needs=["tcl"],
    build="./configure --disable-tcl --disable-readline --disable-shared && make sqlite3.lo && "
    "$CC -g -O2 -I. test/threadtest4.c sqlite3.o -o threadtest4 -lpthread -ldl -lm",
    made="threadtest4",
    command=["{program}", "--multithread", "2"],
    right=right,
    # It gives up with status 1 where another thread holds a schema or VACUUMs: 10 of 60 runs as clang builds it. Any other end is a failure,
    # and so is what it counts as an error itself.
    attempts=8,
    hunt=("--fail-on-exit", ",".join(map(str, range(2, 256))), "--fail-on-output", "Total [1-9][0-9]* errors"))
