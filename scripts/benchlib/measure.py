"""One execution of a command: how long it took, how much memory the program itself had at most, how it ended."""
import dataclasses, glob, os, pathlib, signal, subprocess, time

POLL = 0.02


@dataclasses.dataclass
class Sample:
    seconds: float
    kilobytes: int
    status: int       # None: it took too long
    said: str


def descendants(pid):
    """`pid` and its children's children, without those that are gone meanwhile."""
    found, todo = [], [pid]
    while todo:
        pid = todo.pop()
        found.append(pid)
        for children in glob.glob(f"/proc/{pid}/task/*/children"):
            try:
                todo += map(int, pathlib.Path(children).read_text().split())
            except OSError:
                pass
    return found


def peak(pid, program):
    """The most memory so far (VmHWM; the usage that wait4 gives has Python's in it) of `pid`, or of what below it executes `program`."""
    most = 0
    for each in descendants(pid) if program else [pid]:
        try:
            if not program or os.readlink(f"/proc/{each}/exe") == str(program):
                status = pathlib.Path(f"/proc/{each}/status").read_text()
                most = max(most, int(status.split("VmHWM:")[1].split()[0]))
        except (OSError, IndexError):
            pass
    return most


def run(command, folder, program=None, beside=None, env=None, limit=300):
    """`program`: whose memory counts, where `command` only starts it; a path without links. `beside`: a command to run while this one runs; when it ends, this
    one is sent SIGTERM."""
    start, most, client = time.perf_counter(), 0, None
    out = open(folder / "said", "wb")
    p = subprocess.Popen([str(c) for c in command],
                         cwd=folder,
                         stdin=subprocess.DEVNULL,
                         stdout=out,
                         stderr=out,
                         env=env,
                         start_new_session=True)
    if beside:
        client = subprocess.Popen([str(c) for c in beside],
                                  cwd=folder,
                                  stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL)
    told = False
    try:
        while True:
            pid, status = os.waitpid(p.pid, os.WNOHANG)
            if pid:
                break
            most = max(most, peak(p.pid, program))
            if client and client.poll() is not None and not told:
                told = True
                os.kill(p.pid, signal.SIGTERM)
            if time.perf_counter() - start > limit:
                return Sample(limit, most, None, "took too long")
            time.sleep(POLL)
        p.returncode = os.waitstatus_to_exitcode(status)
    finally:
        for left in filter(None, (client, p)):
            if left.returncode is None and left.poll() is None:
                (os.killpg if left is p else os.kill)(left.pid, signal.SIGKILL)
                left.wait()
        out.close()
    wrong = client is not None and client.returncode != 0
    said = (folder / "said").read_text(errors="replace")[-300:] + ("; the client failed" if wrong else "")
    return Sample(time.perf_counter() - start, most, 1 if wrong else p.returncode, said)
