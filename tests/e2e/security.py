#!/usr/bin/env python3
"""What a trace may do, what it contains, and what set-user-ID programs obey (docs/security.md).

    tests/e2e/security.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, shutil, signal, stat, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import bounded

FAIL = HERE.parent / "programs" / "fail"
FOUND, CLEAN, USAGE = 66, 0, 2
RACY = (FAIL / "lost_update.c").read_text()


class Tool:
    """heddle in a folder of its own, with a home of its own."""

    def __init__(self, exe, work):
        self.exe, self.work, self.home = exe, work, work / "home"
        self.home.mkdir()
        self.key = self.home / ".local/state/heddle/key"

    def __call__(self, *args, stdin=b"", timeout=60, **env):
        own = {k: v for k, v in os.environ.items() if k != "XDG_STATE_HOME"}
        own.update(HOME=str(self.home))
        own.update(env)
        return bounded([self.exe, *args], self.work, timeout, stdin, own)

    def build(self, source, name, *flags):
        path = self.work / f"{name}.c"
        path.write_text(source)
        code, _, err = self("cc", "-g", "-O1", "-pthread", *flags, path, "-o", self.work / name)
        assert code == 0, err
        return self.work / name

    def hunted(self, name="racy", **env):
        exe = self.build(RACY, name)
        code, out, err = self("hunt", "--seed", "1", "-o", f"{name}.heddle", "--", exe, **env)
        assert code == FOUND, (code, out, err)
        return exe, f"{name}.heddle"


def own_traces_are_executed_without_a_question(h):
    exe, trace = h.hunted()
    assert stat.S_IMODE(h.key.stat().st_mode) == 0o600 and h.key.stat().st_size == 32
    assert h("replay", trace)[0] == FOUND
    assert h("simplify", trace, "-o", "simple.heddle")[0] == CLEAN
    assert h("replay", "simple.heddle")[0] == FOUND
    assert h("record", "-o", "recorded.heddle", "--", exe)[0] in (0, 134)
    assert h("replay", "recorded.heddle")[0] in (CLEAN, FOUND)
    shutil.copy(h.work / trace, h.work / "copy.heddle")
    assert h("replay", "copy.heddle")[0] == FOUND  # where it lies does not matter


def foreign_traces_are_shown_but_not_executed(h):
    exe, trace = h.hunted()
    other = {"XDG_STATE_HOME": str(h.work / "other")}
    for verb, answer in (("replay", FOUND), ("simplify", CLEAN)):
        code, out, err = h(verb, trace, **other)
        assert code == USAGE and "was not executed" in err and str(exe) in err and "--trust" in err and "-- PROG" in err, (code, err)
        assert h(verb, "--trust", trace, **other)[0] == answer
        assert h(verb, trace, "--", exe, **other)[0] == answer
    code, _, err = h("replay", "--gdb", trace, **other)
    assert code == USAGE and "was not executed" in err, (code, err)
    code, out, _ = h("show", trace, **other)
    assert code == CLEAN and "counter" in out, out
    code, out, err = h("replay", "--json", trace, **other)
    assert code == USAGE and "was not executed" in json.loads(out)["error"], out


def an_old_trace_is_foreign(h):
    _, trace = h.hunted()
    data = (h.work / trace).read_bytes()
    (h.work / "old.heddle").write_bytes(data[:-72])  # without the seal: block header and 32 bytes
    code, _, err = h("replay", "old.heddle")
    assert code == USAGE and "carries no seal" in err, (code, err)
    assert h("replay", "--trust", "old.heddle")[0] == FOUND
    code, _, err = h("replay", HERE.parent / "data/traces/v1-sample.heddle")
    assert code == USAGE and "was not executed" in err, (code, err)


def every_byte_that_is_read_is_sealed(h):
    """Whatever is changed in a genuine trace, with right checksums: not executed."""
    _, trace = h.hunted()
    data = (h.work / trace).read_bytes()
    at, sections = 32, 0
    while at < len(data):
        stored = int.from_bytes(data[at + 8:at + 12], "little")
        size = 40 + (stored + 7 & ~7)
        if data[at + 4] == 16:  # the seal itself
            changed = data[:at + 40] + bytes([data[at + 40] ^ 1]) + data[at + 41:]
        else:  # an intact block that is there twice: an input given twice, say
            changed = data[:at] + data[at:at + size] + data[at:]
        (h.work / "changed.heddle").write_bytes(changed)
        code, _, err = h("replay", "changed.heddle")
        assert code == USAGE and "was not executed" in err, (data[at + 4], code, err)
        at, sections = at + size, sections + 1
    assert sections > 8, sections


def arguments_behind_the_program_are_those_of_the_trace(h):
    exe = h.build(RACY, "racy")
    assert h("hunt", "--seed", "1", "-o", "t.heddle", "--", exe, "a b", "c")[0] == FOUND
    other = {"XDG_STATE_HOME": str(h.work / "other")}
    assert h("replay", "t.heddle", "--", exe, "a b", "c", **other)[0] == FOUND
    assert h("replay", "t.heddle", "--", exe, **other)[0] == FOUND
    code, _, err = h("replay", "t.heddle", "--", exe, "x", **other)
    assert code == USAGE and "'a b' c" in err, (code, err)


def without_a_key_hunts_work_and_say_so(h):
    blocked = h.work / "file"
    blocked.write_text("")
    exe, trace = h.hunted(XDG_STATE_HOME=str(blocked))
    code, _, err = h("hunt", "--seed", "1", "-o", trace, "--", exe, XDG_STATE_HOME=str(blocked))
    assert code == FOUND and "not sealed" in err and "--trust" in err, (code, err)
    assert h("replay", trace, XDG_STATE_HOME=str(blocked))[0] == USAGE
    assert h("replay", "--trust", trace, XDG_STATE_HOME=str(blocked))[0] == FOUND
    assert h("hunt", "--simplify", "--seed", "1", "-o", trace, "--", exe, XDG_STATE_HOME=str(blocked))[0] == FOUND


def a_key_that_others_can_read_proves_nothing(h):
    exe, trace = h.hunted()
    h.key.chmod(0o644)
    code, _, err = h("replay", trace)
    assert code == USAGE and "0600" in err, (code, err)
    code, _, err = h("hunt", "--seed", "1", "-o", "u.heddle", "--", exe)
    assert code == FOUND and "not sealed" in err, (code, err)
    h.key.chmod(0o600)
    assert h("replay", trace)[0] == FOUND


def a_raw_recording_is_own_where_it_was_made(h):
    """heddle is killed: what it leaves is replayed here, and not from a copy."""
    exe = h.build('#include <unistd.h>\n#include <signal.h>\nint main(void) { write(1, "x", 1); pause(); return 0; }', "waits")
    heddle = subprocess.Popen([h.exe, "record", "-o", "raw.heddle", "--", exe], cwd=h.work, env=dict(os.environ, HOME=str(h.home), XDG_STATE_HOME=str(h.work / "state")),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert heddle.stdout.read(1) == b"x"
    heddle.kill()
    heddle.wait()
    state = {"XDG_STATE_HOME": str(h.work / "state")}
    assert stat.S_IMODE((h.work / "raw.heddle").stat().st_mode) == 0o600
    code, _, err = h("replay", "raw.heddle", **state)
    assert code == 3 and "inconclusive" in err, (code, err)  # how it ended is lost
    subprocess.run(["cp", "--sparse=always", "raw.heddle", "copy.heddle"], cwd=h.work, check=True)
    code, _, err = h("replay", "copy.heddle", **state)
    assert code == USAGE and "was not executed" in err and str(exe) in err, (code, err)
    assert h("replay", "--trust", "copy.heddle", **state)[0] == 3


def traces_are_private(h):
    os.umask(0o022)
    exe, trace = h.hunted()
    (h.work / "wide.heddle").write_text("")
    (h.work / "wide.heddle").chmod(0o666)
    assert h("record", "-o", "wide.heddle", "--", exe)[0] in (0, 134)
    for name in (trace, "wide.heddle"):
        assert stat.S_IMODE((h.work / name).stat().st_mode) == 0o600, name
    assert h("show", "--format", "html", "-o", "page.html", trace)[0] == CLEAN
    assert stat.S_IMODE((h.work / "page.html").stat().st_mode) == 0o644  # asked for, to be handed on


CASES = [own_traces_are_executed_without_a_question, foreign_traces_are_shown_but_not_executed, an_old_trace_is_foreign,
         every_byte_that_is_read_is_sealed, arguments_behind_the_program_are_those_of_the_trace, without_a_key_hunts_work_and_say_so,
         a_key_that_others_can_read_proves_nothing, a_raw_recording_is_own_where_it_was_made, traces_are_private]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    failed = ran = 0
    for case in CASES:
        if arguments.names and case.__name__ not in arguments.names:
            continue
        ran += 1
        with tempfile.TemporaryDirectory(prefix="heddle-e2e-") as folder:
            try:
                case(Tool(os.path.abspath(arguments.heddle), pathlib.Path(folder)))
            except Exception as problem:
                failed += 1
                print(f"FAILED {case.__name__}: {type(problem).__name__} {problem}")
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
