"""heddle in gdb: a recorded run, replayed. Threads move only as recorded; `heddle help` lists the commands.

Started by `heddle replay --gdb`, which says in HEDDLE_GDB_SESSION where the session's folder is. The program is controlled by
the runtime in it; this file only reads and writes HeddleDebugger (abi/region.h) and keeps a breakpoint on the function that the
runtime calls when it has something to say. Going back is running again: equal schedule, equal inputs, equal state.
"""
import itertools, json, os, re, shlex

import gdb

STOP_STEP, STOP_FAILURE, STOP_DIVERGENCE, STOP_EXIT = 1, 2, 3, 4
# Kinds of failure that come as a signal.
FATAL = {
    "SIGABRT": {"assertion", "abort", "exception", "check", "sanitizer"},
    "SIGSEGV": {"segfault"},
    "SIGBUS": {"bus"},
    "SIGFPE": {"fpe"},
    "SIGILL": {"ill"},
    "SIGTRAP": {"ill"}
}
DIVERGENCES = {
    1: "the thread that the schedule names cannot run here",
    2: "another event happened",
    3: "the schedule is at its end: here the recorded run was cut off",
    4: "the program asked for another input than it was recorded with",
    5: "the program wrote something else than it was recorded with"
}
RUNTIME = re.compile(r"(^|/)runtime/(\w+/)?\w+\.(cc|c|S|h)$")
LIBRARY = re.compile(r"^(/usr/(include|lib)/|\.\./|\./|.*/include/c\+\+/)")

HELP = """heddle: this program is a recorded run. Threads move only as recorded, whatever you do; use gdb as always
(break, watch, next, step, backtrace, print, thread apply all bt), and these:

  heddle where         the step, its thread and operation, and what comes next
  heddle next-switch   on to where another thread goes on
  heddle to-failure    on to the failure
  heddle goto N        to step N (as numbered by heddle show --events and the page), also back
  heddle back [N]      N steps back (default 1), by running again
  heddle help          this

A step is a scheduling point: an operation on a lock, a thread, an atomic, or a racy variable. The program stops before it executes the
step. goto, back, next-switch and to-failure ignore your breakpoints; continue does not. Do not call functions of the program
(`print f(x)`): their operations are not in the recording."""


def say(text):
    gdb.write(text + "\n")


class Session:
    """The recorded run, and the memory of the one that runs now."""

    def __init__(self, folder):
        with open(os.path.join(folder, "session.json")) as file:
            self.__dict__.update(json.load(file))
        self.offsets = None  # of lines in steps_file
        self.failed = False  # this run is at its failure, or left its schedule
        self.stopped = 0     # why it stopped, if for a reason of ours
        self.recovers = False  # it stopped for a fault that is not the program's: on with it
        self.quiet = False   # a command of ours drives: it says itself where it went
        self.ends = list(itertools.accumulate(s[1] for s in self.schedule))

    def number(self, name, size=8, offset=0):
        memory = gdb.selected_inferior().read_memory(self.address[name] + offset, size)
        return int.from_bytes(bytes(memory), "little")

    def text(self, name):
        memory = bytes(gdb.selected_inferior().read_memory(self.address[name], self.address[name + "_size"]))
        return memory.split(b"\0")[0].decode(errors="replace")

    def write(self, name, value):
        gdb.selected_inferior().write_memory(self.address[name], value.to_bytes(8, "little"))

    def alive(self):
        return gdb.selected_inferior().pid != 0

    def step(self):
        """Steps chosen so far; None: no run, or it has not begun."""
        try:
            return self.number("steps") if self.alive() else None
        except gdb.MemoryError:
            return None

    def segment(self, step):
        """Index of the segment that step (from 1) is in; None behind the end."""
        low, high = 0, len(self.ends)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.ends[middle] < step else (low, middle)
        return low if low < len(self.ends) and step > 0 else None

    def thread_of(self, step):
        segment = self.segment(step)
        return self.label(self.schedule[segment][0]) if segment is not None else "?"

    def label(self, index):
        if index >= len(self.threads):
            return f"?{index}"
        name, what = self.threads[index]
        return f"{name} {what}".rstrip()

    def operation(self, step):
        """What the trace says about a step: "lock m  queue.c:18 in take"."""
        if self.offsets is None:
            self.offsets, at = [], 0
            with open(self.steps_file, "rb") as file:
                for line in file:
                    self.offsets.append(at)
                    at += len(line)
        if not 0 < step <= len(self.offsets):
            return ""
        with open(self.steps_file, "rb") as file:
            file.seek(self.offsets[step - 1])
            return file.readline().decode(errors="replace").rstrip("\n")

    def position(self):
        step = self.step()
        if step is None:
            return "the program does not run: run, or heddle goto N"
        if step == 0:
            return f"step 0 of {self.steps}: before the first"
        return f"step {step} of {self.steps}: thread {self.thread_of(step)}, {self.operation(step) or 'no description'}"

    def name_threads(self):
        """gdb's threads get the names of the recording."""
        try:
            count = min(self.number("thread_count", 4), 4096)
            tids = {
                self.number("threads", 4, i * self.address["thread_size"] + self.address["thread_tid"]): i
                for i in range(count)
            }
        except gdb.MemoryError:
            return
        for thread in gdb.selected_inferior().threads():
            index = tids.get(thread.ptid[1])
            if index is not None and thread.name != self.label(index):
                thread.name = self.label(index)


session = Session(os.environ["HEDDLE_GDB_SESSION"])


# Frames of the runtime are not the program's.
def file_of(frame):
    try:
        table = frame.find_sal().symtab
    except gdb.error:
        return ""
    return table.filename if table else ""


def is_runtime(frame):
    name = frame.name() or ""
    return name.startswith(("heddle::rt::", "heddle_", "__heddle")) or is_runtime_file(file_of(frame))


def is_users(frame):
    file = file_of(frame)
    return bool(file) and not LIBRARY.match(file) and not is_runtime(frame) and frame.type() != gdb.SIGTRAMP_FRAME


def show_frame():
    """Selects the innermost frame of the program's own code; a thread that just starts has none."""
    try:
        frame = gdb.newest_frame()
        while frame is not None and not is_users(frame):
            frame = frame.older()
        if frame is not None:
            frame.select()
            gdb.execute("frame")
    except gdb.error:  # a stack that cannot be unwound: gdb has said so
        pass


class Frames:
    """Backtraces without the runtime's frames; `backtrace -no-filters` has them."""

    def __init__(self):
        self.name, self.priority, self.enabled = "heddle", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        hidden, inner = False, None
        for decorator in frames:
            frame = decorator.inferior_frame()
            # A system call that the runtime took over: the signal is ours too. And the jump between the clones of a function.
            signal = hidden and frame.type() == gdb.SIGTRAMP_FRAME
            jump = inner is not None and frame.name() == inner and not file_of(frame)
            hidden = is_runtime(frame) or signal or jump
            inner = frame.name()
            if not hidden:
                yield decorator


def runtime_folder():
    """Where heddle's runtime was compiled; empty as long as it is not loaded. A folder of the program's may have the same name."""
    symbol = gdb.lookup_global_symbol("heddle_debugger_stop")
    file = symbol.symtab.filename if symbol else ""
    return file[:file.rfind("runtime/")] + "runtime" if "runtime/" in file else ""


def is_runtime_file(path):
    folder = runtime_folder() if RUNTIME.search(path) else ""
    return bool(folder) and path.startswith(folder + "/")


def in_program(place):
    """A location of a breakpoint that somebody may want: not in the runtime, not the jump between the clones of a function."""
    return bool(
        place.source) and not is_runtime_file(place.source[0]) and not (place.function or "").startswith("heddle::rt::")


def leave_runtime():
    """`break f` finds every f, also the runtime's, and three of each of the program's."""
    for point in gdb.breakpoints():
        places = point.locations if point.type == gdb.BP_BREAKPOINT and point.visible else []
        if any(map(in_program, places)):
            for place in places:
                if place.enabled and not in_program(place):
                    place.enabled = False


def skip_runtime(_event=None):
    """`step` does not go into hooks and what stands for libc's functions, as it does not go into libc. The runtime of a plain program is loaded
    later: again at each library until it is there."""
    folder = runtime_folder()
    waits = skip_runtime in LATER
    if folder and waits:
        gdb.events.new_objfile.disconnect(LATER.pop())
    if not folder and not waits:
        gdb.events.new_objfile.connect(skip_runtime)
        LATER.append(skip_runtime)
    for pattern in (f"{folder}/*.*", f"{folder}/*/*.*") if folder else ():
        gdb.execute(f"skip -gfi {shlex.quote(pattern)}", to_string=True)


LATER = []  # what waits for libraries


class StopPoint(gdb.Breakpoint):
    """On the function that the runtime calls to stop."""

    def __init__(self):
        super().__init__("heddle_debugger_stop", internal=True)
        self.silent = True
        self.reason = 0

    def stop(self):
        self.reason = session.number("reason", 4)
        if self.reason == STOP_EXIT:  # an ordinary end is gdb's to tell
            return bool(session.failure) and session.failure["kind"] in ("exit", "output") and not session.failed
        return not (self.reason == STOP_FAILURE and session.failed)


def show_failure():
    """The answer first. Nothing is claimed that did not happen: a run that was interfered with can fail in another way."""
    f, number = session.failure, session.number("failure_kind", 4)  # 0: the signal is not yet handled, or it exits
    kind = session.failure_kinds[number] if number < len(session.failure_kinds) else "?"
    if f and (number == 0 or kind == f["kind"]) and (session.step() or 0) >= session.steps:
        say(f"FAILED  {f['message']}   {f['place']}{', thread ' + f['thread'] if f['thread'] else ''}")
        for line in f["waits"]:
            say("  " + line)
        return
    said = session.text("failure_message")
    say(f"FAILED, but not as recorded: {kind}{': ' + said if said else ''}   at step {session.step()}")
    say(f"  the recorded run: {f['message'] if f else 'no failure'}")


def show_divergence():
    reason, step = session.number("divergence_reason", 4), session.number("divergence_step")
    if reason == 3 and session.failure and step >= session.steps:
        say(f"FAILED  {session.failure['message']}   {session.failure['place']}")
    say(f"the replay ends at step {step}: {DIVERGENCES.get(reason, 'it left its schedule')}")
    if step + 1 <= session.steps:
        say(f"  expected  {session.thread_of(step + 1)} {session.operation(step + 1)}")


def show_stop():
    """What the runtime, or a signal at the end of the schedule, stopped for."""
    if session.stopped == STOP_DIVERGENCE:
        show_divergence()
    elif session.stopped in (STOP_FAILURE, STOP_EXIT):
        show_failure()
    elif session.stopped == STOP_STEP:
        say(session.position())
    if session.stopped:
        show_frame()


def recovers(event):
    """A fault that the runtime provokes and handles itself: it looks at memory that may not be there."""
    return (isinstance(event, gdb.SignalEvent) and event.stop_signal in ("SIGSEGV", "SIGBUS")
            and (gdb.newest_frame().name() or "").startswith(("heddle_copy", "heddle_load")))


def on_stop(event):
    session.stopped, session.recovers = 0, False
    if not session.alive():
        return
    session.name_threads()
    if recovers(event):
        session.recovers = True
        if not session.quiet:
            gdb.post_event(go_on)
        return
    if isinstance(event, gdb.SignalEvent):
        at_end = session.failure and (session.step() or 0) >= session.steps
        if at_end and not session.failed and session.failure["kind"] in FATAL.get(event.stop_signal, ()):
            session.stopped = STOP_FAILURE
    elif isinstance(event, gdb.BreakpointEvent) and stop_point in event.breakpoints:
        session.stopped = stop_point.reason
    session.failed = session.failed or session.stopped in (STOP_FAILURE, STOP_DIVERGENCE, STOP_EXIT)
    if not session.quiet:  # a command of ours says it when it is through: what is written now would be lost
        show_stop()


def on_exit(_):
    session.failed, session.stopped = False, 0


class Undisturbed:
    """While a command of ours drives: no breakpoints of the user's, no questions, no chatter."""

    def __enter__(self):
        self.points = [b for b in gdb.breakpoints() if b.enabled and b.visible]
        for b in self.points:
            b.enabled = False
        self.confirm = gdb.parameter("confirm")
        gdb.execute("set confirm off")
        session.quiet = True

    def __exit__(self, *_):
        session.quiet = False
        gdb.execute(f"set confirm {'on' if self.confirm else 'off'}")
        for b in self.points:
            if b.is_valid():
                b.enabled = True


def go_on():
    session.recovers = True
    while session.recovers and session.alive():
        session.recovers = False
        gdb.execute("continue", to_string=session.quiet)


def clones_that_run(function):
    """Of those that the compiler made of a function: with hooks, and for recordings. A run executes one of them."""
    found = []
    for name in (f"{function}.heddle", f"{function}.record"):
        try:
            gdb.decode_line(name)
            found.append(name)
        except gdb.error:
            pass
    return found or [function]


def clone_that_runs(function):
    """Of a program that is alive."""
    HEDDLE_ACTIVE_RECORD = 4
    found = clones_that_run(function)
    try:
        records = int(gdb.parse_and_eval("*(int*)&__heddle_active")) & HEDDLE_ACTIVE_RECORD
    except gdb.error:
        records = 0
    return found[-1 if records else 0]


def way_out():
    """Where the selected thread is back in the program, when it stands in an operation of the runtime; None: elsewhere, or unknown."""
    frame = gdb.newest_frame()
    if not is_runtime(frame):
        return None
    while frame is not None and not is_users(frame):
        frame = frame.older()
    if frame is not None:
        return f"*{frame.pc():#x}"
    function = (gdb.selected_thread().name or "").partition(" ")[2]  # it is about to start
    try:
        address = gdb.parse_and_eval(f"&'{clone_that_runs(function)}'") if function else None
    except gdb.error:
        return None
    return f"*{int(address):#x}" if address is not None else None


def leave_operation():
    """Before next and step: they are meant for the program. Others may take their recorded turns meanwhile."""
    if session.alive() and session.failed:
        raise gdb.GdbError("this is where the recorded run ended; heddle back and heddle goto N go back")
    place = way_out() if session.alive() else None
    if place is None:
        return
    thread = gdb.selected_thread()
    point = gdb.Breakpoint(place, internal=True)
    point.thread, point.silent = thread.num, True
    try:
        session.quiet = True
        go_on()
        arrived = session.alive() and not session.stopped and point.is_valid() and point.hit_count > 0
    finally:
        session.quiet = False
        if point.is_valid():
            point.delete()
    if not arrived:
        show_stop()
        raise gdb.GdbError(
            "stopped before the thread was back in the program" if session.alive() else "the program has ended")


def run_again(step):
    """From the beginning to `step`; 0: to main."""
    session.failed = False
    if step == 0:
        for clone in clones_that_run("main"):
            gdb.Breakpoint(clone, internal=True, temporary=True).silent = True
    gdb.execute(f"set environment HEDDLE_GDB_STOP_AT {step}")
    try:
        gdb.execute("run", to_string=True)
    finally:
        gdb.execute("unset environment HEDDLE_GDB_STOP_AT")


def go_to(step):
    if not 0 <= step <= session.steps:
        raise gdb.GdbError(f"the recorded run has steps 1 to {session.steps}")
    now = session.step()
    with Undisturbed():
        if now is None or step <= now or session.failed:
            run_again(step)
        else:
            session.write("stop_at", step)
            go_on()
    if not session.alive():
        raise gdb.GdbError(f"the program ended before step {step}")
    if step == 0:
        session.stopped = STOP_STEP
    show_stop()


def to_failure():
    if not session.failure:
        raise gdb.GdbError("the recorded run did not fail")
    if session.failed:
        raise gdb.GdbError("this is the failure; heddle back and heddle goto N go back")
    with Undisturbed():
        if not session.alive():
            run_again(session.steps)
        session.write("stop_at", 0)
        while session.alive() and not session.failed:
            go_on()
    show_stop()


def to_next_switch():
    now = session.step()
    if now is None:
        raise gdb.GdbError("the program does not run: run, or heddle goto N")
    segment = session.segment(now + 1 if now == 0 else now)
    if segment is None or segment + 1 >= len(session.schedule):
        raise gdb.GdbError("no switch any more: heddle to-failure" if session.failure else "no switch any more")
    go_to(session.ends[segment] + 1)


def where():
    say(session.position())
    now = session.step()
    segment = session.segment(max(1, now)) if now is not None else None
    if segment is None:
        return
    if session.failed:
        say("  this is where the recorded run ended")
    elif segment + 1 < len(session.schedule):
        step = session.ends[segment] + 1
        say(f"  next switch at step {step}: to thread {session.thread_of(step)}")
    else:
        say("  no switch any more" + (f"; then it fails: {session.failure['message']}" if session.failure else ""))


def number_of(text, default=None):
    if not text and default is not None:
        return default
    try:
        return int(text, 0)
    except ValueError:
        raise gdb.GdbError(f"'{text}' is no number of a step") from None


def back(text):
    now = session.step()
    # A run that has ended is behind its last step.
    now = session.steps + 1 if now is None else now
    go_to(max(0, now - number_of(text, 1)))


class Prefix(gdb.Command):
    __doc__ = HELP

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)

    def invoke(self, argument, from_tty):
        if argument.strip():
            raise gdb.GdbError(
                f"there is no `heddle {argument.strip()}`: heddle back [N] and heddle goto N go back, heddle help lists all"
            )
        say(HELP)


def command(name, text, act, takes_argument=False):
    def invoke(self, argument, from_tty):
        self.dont_repeat() if not takes_argument else None
        if argument.strip() and not takes_argument:
            raise gdb.GdbError(f"heddle {name} takes no argument")
        act(argument.strip()) if takes_argument else act()

    body = {
        "__doc__": text,
        "invoke": invoke,
        "__init__": lambda self: gdb.Command.__init__(self, f"heddle {name}", gdb.COMMAND_RUNNING)
    }
    type(name, (gdb.Command,), body)()


REVERSE = {
    "reverse-continue": "heddle back [N] goes N steps back (a step is a scheduling point), heddle goto 1 to the beginning",
    "reverse-step": "heddle back goes one step back (a step is a scheduling point)",
    "reverse-stepi": "heddle back goes one step back (a step is a scheduling point)",
    "reverse-next": "heddle back goes one step back (a step is a scheduling point)",
    "reverse-nexti": "heddle back goes one step back (a step is a scheduling point)",
    "reverse-finish": "heddle back [N] goes N steps back; heddle where says which step this is"
}


class Reverse(gdb.Command):
    """Replaces gdb's own, which would answer that the target cannot do it: a replay goes back by running again."""

    def __init__(self, name, advice):
        self.name, self.advice = name, advice
        super().__init__(name, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        raise gdb.GdbError(f"a replay goes back by running again, not by {self.name}: {self.advice}")


def set_up():
    wrapper = " ".join(map(shlex.quote, (session.heddle, "replay", "--start-under-gdb", session.trace))) + " --"
    os.environ["SHELL"] = "/bin/sh"
    for line in (f"set exec-wrapper {wrapper}", "set startup-with-shell on", "set disable-randomization on",
                 "set breakpoint pending on", "set print thread-events off", "handle SIGSYS nostop noprint pass"):
        gdb.execute(line, to_string=True)
    for name in ("next", "step"):
        gdb.execute(f"define hook-{name}\nheddle leave-operation\nend")


Prefix()
for reverse, advice in REVERSE.items():
    Reverse(reverse, advice)
command("where", "The current step, its thread and operation, and what comes next.", where)
command("next-switch", "On to where another thread goes on.", to_next_switch)
command("to-failure", "On to the failure of the recorded run.", to_failure)
command("goto", "To step N, forward or back: heddle goto N.", lambda text: go_to(number_of(text)), True)
command("back", "N steps back (default 1), by running again: heddle back [N].", back, True)
command("leave-operation", "Lets the thread finish the operation that it stands in; next and step do it by themselves.",
        leave_operation)
command("help", "What there is.", lambda: say(HELP))
set_up()
Frames()
stop_point = StopPoint()
skip_runtime()
gdb.events.stop.connect(on_stop)
gdb.events.exited.connect(on_exit)
gdb.events.before_prompt.connect(leave_runtime)
if session.failure:
    say(f"recorded: {session.failure['message']}   {session.failure['place']}, {session.steps} steps, {len(session.schedule) - 1} switches"
        )
else:
    say(f"recorded: no failure, {session.steps} steps, {len(session.schedule) - 1} switches")
say("threads move only as recorded; `heddle help` for more")
go_to(0)
