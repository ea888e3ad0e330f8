"""What it costs to point heddle at a program, beside what the others cost: time, memory, log, on two processors."""
import dataclasses, os, random, shlex, statistics, subprocess
from typing import Callable, Optional

from . import measure
from .subjects import Builder, CONNECTIONS

IDLE_AT_MOST, RECORD_AT_MOST, SLOW, LIMIT = 1.3, 3.0, 3.0, 120  # the second: of a computation
TURNS, TURNS_OF_REAL = 15, 45  # a server and its client share two processors: their times vary most, and goals are about them
HELGRIND_SHARE = 20  # of a server's requests: all of them would take minutes
NATIVE, TSAN, HELGRIND, IDLE, RECORD, CONTROLLED = "clang -O2", "ThreadSanitizer", "Helgrind", "heddle cc, idle", "heddle record", "heddle hunt --runs 1"


@dataclasses.dataclass
class Mode:
    name: str
    variant: str
    before: list                # words before the program's own
    ours: bool = False          # heddle starts the program, and its client
    log: bool = False


@dataclasses.dataclass
class Row:
    times: tuple = ()
    kilobytes: int = 0
    log: Optional[int] = None
    why: str = ""               # there is no figure

    @property
    def seconds(self):
        return min(self.times, default=None)

    @property
    def median(self):
        return statistics.median(self.times) if self.times else None


def helgrind():
    # memcached sets its limit of open files to its connections; valgrind lets it if that is the limit, less 12 of its own.
    limit = CONNECTIONS + 12
    return Mode(HELGRIND, "stripped", ["prlimit", f"--nofile={limit}:{limit}", "valgrind", "--tool=helgrind", "-q"])


def modes(heddle):
    return [
        Mode(NATIVE, "clang", []),
        Mode(TSAN, "tsan", []),
        helgrind(),
        Mode(IDLE, "heddle", []),
        Mode(RECORD, "heddle", [heddle, "record", "--quiet", "-o", "log.heddle"], True, True),
        Mode(CONTROLLED, "heddle",
             [heddle, "hunt", "--seed", 1, "--runs", 1, "--workers", 1, "--time", 0, "-o", "hunt.heddle"], True)
    ]


def has_client_option(heddle, verb):
    return "--with" in subprocess.run([str(heddle), verb, "--help"], stdout=subprocess.PIPE, text=True).stdout


def once(subject, mode):
    """A Row of one execution."""
    exe, log, seconds = subject.executables[mode.variant], subject.folder / "log.heddle", subject.folder / "seconds"
    for old in (log, seconds):
        old.unlink(missing_ok=True)
    share = HELGRIND_SHARE if mode.name == HELGRIND and subject.divisible else 1
    command, beside = list(mode.before), subject.client(share) if subject.client else None
    if mode.ours:
        if subject.client:
            command += ["--with", shlex.join(str(w) for w in [*beside[:-1], seconds])]
        command, beside = [*command, "--"], None
    # Reports cost ThreadSanitizer time that is not its hooks'.
    env = dict(os.environ, TSAN_OPTIONS="report_bugs=0:exitcode=0")
    sample = measure.run([*command, *subject.command(exe)], subject.folder, exe if mode.ours else None, beside, env,
                         LIMIT)
    if sample.status is None:
        return Row(why=f"more than {LIMIT} s")
    if sample.status != 0:
        return Row(why=f"status {sample.status}: {' '.join(sample.said.split())[-160:]}")
    took = share * float(seconds.read_text()) if subject.client else sample.seconds
    return Row((took,), sample.kilobytes, log.stat().st_size if mode.log else None)


def measure_subject(subject, heddle, repeats, say):
    """{mode name: Row}: the times of some repeats in turn, in an order that changes, the most memory; what is slow is run once."""
    rows = {mode.name: None for mode in modes(heddle)}
    for turn in range(repeats):
        for mode in random.Random(turn).sample(modes(heddle), len(rows)):
            best = rows.get(mode.name)
            if best and (best.seconds is None or best.seconds > SLOW):
                continue
            if mode.ours and subject.client and not has_client_option(heddle, mode.before[1]):
                rows[mode.name] = Row(why=f"heddle {mode.before[1]} has no --with")
                continue
            row = once(subject, mode)
            say(f"  {subject.name:<10} {mode.name:<22} {f'{row.seconds:.2f} s' if row.seconds else row.why}")
            if best and row.seconds:
                row = Row((*best.times, *row.times), max(best.kilobytes, row.kilobytes),
                          row.log if row.log else best.log)
            rows[mode.name] = row
    return rows


def bytes_of(count):
    return f"{count} B" if count < 10_000 else f"{count / 1e3:.0f} kB" if count < 10_000_000 else f"{count / 1e6:.0f} MB"


def ratio(rows, a, b, of="seconds"):
    """How many times as long `a` takes as `b`; None: one of them has no figure."""
    times = [getattr(rows[name], of) for name in (a, b)]
    return times[0] / times[1] if all(times) else None


def table(rows):
    lines = [
        "| | time | median | against clang | against ThreadSanitizer | memory | log |", "|---|---|---|---|---|---|---|"
    ]
    for name, row in rows.items():
        if row.seconds is None:
            lines.append(f"| {name} | {row.why.replace('|', '/')} | | | | | |")
            continue
        ratios = [f"{r:.2f}x" if (r := ratio(rows, name, other)) else "" for other in (NATIVE, TSAN)]
        lines.append(
            f"| {name} | {row.seconds:.2f} s | {row.median:.2f} s | {ratios[0]} | {ratios[1]} | {bytes_of(row.kilobytes * 1024)} | "
            f"{bytes_of(row.log) if row.log is not None else ''} |")
    return lines


def turn_by_turn(rows, a, b):
    """The geometric mean of their ratios in the same turn: this machine is at times half as fast as at others, for both."""
    pairs = list(zip(rows[a].times, rows[b].times))
    return statistics.geometric_mean(x / y for x, y in pairs) if pairs else None


def goal(words, name, rows, ours, other, most):
    """Met: by the least times, and turn by turn."""
    least, turns = ratio(rows, ours, other), turn_by_turn(rows, ours, other)
    if least is None:
        return f"- {words}, {name}: no figure"
    met = "met" if max(least, turns) <= most else "**not met**"
    return f"- {words}, {name}: {least:.2f}x, turn by turn {turns:.2f}x: {met} (medians: {ratio(rows, ours, other, 'median'):.2f}x)"


def goals(results):
    for name, (subject, rows) in results.items():
        if subject.real:
            yield goal(f"idle at most {IDLE_AT_MOST}x of clang", name, rows, IDLE, NATIVE, IDLE_AT_MOST)
        yield goal("record not slower than ThreadSanitizer", name, rows, RECORD, TSAN, 1.0)
        if name == "xz":
            yield goal(f"record at most {RECORD_AT_MOST:.0f}x of clang", name, rows, RECORD, NATIVE, RECORD_AT_MOST)


def losses(results):
    """Where somebody else is faster than we are."""
    for name, (_, rows) in results.items():
        for ours, other in ((IDLE, NATIVE), (RECORD, TSAN), (RECORD, HELGRIND), (CONTROLLED, TSAN), (CONTROLLED,
                                                                                                     HELGRIND)):
            value = ratio(rows, ours, other)
            if value and value > (1.05 if ours == IDLE else 1.0):
                yield f"- {name}: {ours} takes {value:.2f} times as long as {other}"


class Reach:
    def __init__(self, heddle, work, quick):
        self.builder, self.heddle, self.quick = Builder(heddle, work, quick), heddle, quick
        self.results, self.missing = {}, []

    def measure(self, names=()):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
        say = lambda line: print(line, flush=True)
        for name, build in self.builder.subjects():
            if names and name not in names:
                continue
            try:
                subject = build()
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                self.missing.append(f"- {name} could not be built: {' '.join(str(error).split())[-300:]}")
                say(self.missing[-1])
                continue
            self.results[name] = (subject,
                                  measure_subject(subject, self.heddle,
                                                  1 if self.quick else TURNS_OF_REAL if subject.real else TURNS, say))

    def section(self):
        lines = [
            "## Reach", "",
            f"On two processors. Least time of {TURNS} turns ({TURNS_OF_REAL} of real programs), and their median; what takes more than {SLOW:.0f} s is run once. Ratios are of the least, since noise only adds; those of the goals also turn by turn (geometric mean). Most memory of the program's process (with heddle the mapped log is in it), "
            "size of the finished trace. ThreadSanitizer is clang 19's, with its reports switched off; Helgrind is Debian's valgrind, "
            f"with one part in {HELGRIND_SHARE} of memcached's requests, and its time multiplied. "
            "`heddle record` is the whole command, from start to finished trace; so is `heddle hunt --runs 1`, with the race detector.",
            ""
        ]
        for name, (subject, rows) in self.results.items():
            lines += [f"### {name}", f"{subject.what[0].upper()}{subject.what[1:]}.", "", *table(rows), ""]
        lost = list(losses(self.results))
        return "\n".join([*lines, *self.missing, "### Goals, and whether they are met", *goals(self.results), "",
                          "### Where we lose", *(lost or ["Nowhere in this table."])]) + "\n"
