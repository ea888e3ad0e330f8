#!/usr/bin/env python3
"""The contract of the command line beyond acceptance: help, usage errors, seeds, interrupts, the pasted replay line.

    tests/e2e/command_line.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import bounded

FAIL = HERE.parent / "programs" / "fail"
FOUND, CLEAN, USAGE, INTERRUPTED = 66, 0, 2, 130


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def __call__(self, *args, stdin=b"", timeout=60, **env):
        return bounded([self.exe, *args], self.work, timeout, stdin, dict(os.environ, **env))

    def build(self, source, name, *flags):
        path = self.work / f"{name}.c"
        path.write_text(source)
        code, _, err = self("cc", "-g", "-O1", "-pthread", *flags, path, "-o", self.work / name)
        assert code == 0, err
        return self.work / name


RACY = (FAIL / "lost_update.c").read_text()


def help_and_version(h):
    code, out, _ = h("--version")
    assert code == 0 and out.startswith("heddle "), out
    code, out, _ = h("--help")
    assert code == 0 and "heddle hunt -- " in out and "record" not in out, out
    for verb in ("hunt", "replay", "show"):
        code, out, err = h(verb, "--help")
        assert code == 0 and "Example" in out and "--json" in out or verb == "show", (verb, out, err)


def usage_errors(h):
    exe = h.build(RACY, "racy")
    plain = h.work / "plain"
    subprocess.run(["cc", "-pthread", h.work / "racy.c", "-o", plain], check=True)
    (h.work / "text").write_text("hello")
    for args, word in [((), "Usage"), (("hnt",), "did you mean hunt"), (("record",), "not in this version"), (("hunt",), "--"),
                       (("hunt", "--"), "--"), (("hunt", exe), "hunt"), (("hunt", "--strategy", "nope", "--", exe), "random, pct"),
                       (("hunt", "--points", "nope", "--", exe), "sync, racy, all"), (("hunt", "--time", "soon", "--", exe), "30s"),
                       (("hunt", "--seed", "x", "--", exe), "seed"), (("hunt", "--fail-on-exit", "x", "--", exe), "1,3"),
                       (("hunt", "--fail-on-output", "(", "--", exe), "regular expression"), (("hunt", "--", plain), "heddle cc"),
                       (("hunt", "--", "racy"), "did you mean ./racy"), (("hunt", "--", h.work), ""), (("hunt", "--", h.work / "text"), ""),
                       (("replay",), "TRACE"), (("replay", h.work / "text"), ""), (("replay", h.work), "")]:
        code, out, err = h(*args)
        assert code == USAGE and word in err and not out, (args, code, out, err)
    code, _, err = h("hunt", "--", exe, HEDDLE_OPTIONS="nope=1")
    assert code == USAGE and "nope" in err, (code, err)
    code, out, _ = h("hunt", "--", exe, HEDDLE_OPTIONS="help=1")
    assert code == 0 and "backend" in out and "baton|fibers" in out, (code, out)


def pasted_replay_line_works(h):
    folder = h.work / "a b"
    folder.mkdir()
    exe = h.build(RACY, "a b/it's")
    code, out, err = bounded([h.exe, "hunt", "--seed", "3", "--", "./it's"], folder, 60)
    assert code == FOUND and out.startswith("FAILED  assertion"), (code, out, err)
    line = out.split("replay it:")[1].splitlines()[0].strip()
    assert line.startswith("heddle replay "), line
    path = f"{h.exe.parent}:{os.environ['PATH']}"
    p = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, env=dict(os.environ, PATH=path))
    assert p.returncode == FOUND and "reproduced: assertion" in p.stderr, (line, p)


def same_seed_same_hunt_whatever_the_workers(h):
    exe = h.build(RACY.replace("return 0;\n}", "return 0;\n}"), "seeded")
    seen = set()
    for workers in (1, 2, 4):
        code, out, err = h("hunt", "--json", "--seed", "11", "--strategy", "random", "--workers", workers, "-o", "w.heddle", "--", exe)
        found = json.loads(out)
        assert code == FOUND, (code, err)
        seen.add((found["runs"], found["failure"]["signature"], found["switches"], json.dumps(found["races"])))
    assert len(seen) == 1, seen


def standard_input_reaches_every_run_and_the_replay(h):
    exe = h.build('#include <stdio.h>\n#include <string.h>\nint main(void) { char b[64] = ""; fgets(b, sizeof b, stdin);'
                  ' printf("got %s", b); return strcmp(b, "bad\\n") == 0 ? 5 : 0; }', "reader")
    code, out, err = h("hunt", "--runs", "5", "--", exe, stdin=b"good\n")
    assert code == CLEAN, (out, err)
    code, out, err = h("hunt", "--json", "-o", "in.heddle", "--", exe, stdin=b"bad\n")
    assert code == FOUND and json.loads(out)["failure"]["kind"] == "exit" and json.loads(out)["runs"] == 1, (out, err)
    code, out, err = h("replay", "in.heddle", stdin=b"other\n")
    assert code == FOUND and out == "got bad\n", (code, out, err)


def exit_statuses_that_count(h):
    exe = h.build("int main(void) { return 3; }", "three")
    for flag, status in [("any", FOUND), ("none", CLEAN), ("3,4", FOUND), ("4", CLEAN)]:
        code, out, err = h("hunt", "--runs", "3", "--fail-on-exit", flag, "-o", "x.heddle", "--", exe)
        assert code == status, (flag, code, out, err)
    code, out, err = h("hunt", "--runs", "3", "--fail-on-exit", "3", "-o", "x.heddle", "--", exe)
    code, out, err = h("replay", "--times", "3", "x.heddle")
    assert code == FOUND and "3 of 3 replays" in err, (code, err)


def each_run_starts_in_a_fresh_folder(h):
    exe = h.build('#include <stdio.h>\n#include <unistd.h>\nint main(void) { if (access("mark", F_OK) == 0) return 1;'
                  ' FILE* f = fopen("mark", "w"); fclose(f); return 0; }', "marks")
    folder = h.work / "cwd"
    folder.mkdir()
    code, out, err = bounded([h.exe, "hunt", "--runs", "5", "--cwd-copy", "--", exe], folder, 60)
    assert code == CLEAN and not list(folder.iterdir()), (code, out, err)
    code, out, err = bounded([h.exe, "hunt", "--runs", "5", "--workers", "1", "--", exe], folder, 60)
    assert code == FOUND, (code, out, err)


def replay_wants_the_same_program(h):
    exe = h.build(RACY, "moved")
    code, out, err = h("hunt", "--seed", "1", "-o", "m.heddle", "--", exe)
    assert code == FOUND, err
    shutil.move(exe, h.work / "elsewhere")
    code, _, err = h("replay", "m.heddle")
    assert code == USAGE and "-- PROG" in err, (code, err)
    code, _, err = h("replay", "m.heddle", "--", "./elsewhere")
    assert code == FOUND, (code, err)
    h.build(RACY.replace("int seen", "long seen"), "moved")
    code, _, err = h("replay", "m.heddle")
    assert code == USAGE and "rebuilt" in err and "build-id" in err, (code, err)


def path_and_ld_variables_of_a_trace_are_not_applied(h):
    exe = h.build('#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf("%s %s\\n", getenv("MINE"), getenv("LD_X") ? "LD" : "no");'
                  ' return 1; }', "env")
    code, _, err = h("hunt", "-o", "e.heddle", "--", exe, MINE="recorded", LD_X="evil")
    assert code == FOUND, err
    code, out, err = h("replay", "e.heddle", MINE="current")
    assert code == FOUND and out == "recorded no\n", (code, out, err)


def interrupt_ends_everything(h):
    exe = h.build('#include <stdio.h>\n#include <unistd.h>\nint main(void) { return 0; }', "forever_heddle_test")
    p = subprocess.Popen([h.exe, "hunt", "--json", "--runs", "100000000", "--time", "0", "--", exe], cwd=h.work, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    found = json.loads(out)
    assert p.returncode == INTERRUPTED and found["interrupted"] and found["runs"] > 0, (p.returncode, out, err)
    left = subprocess.run(["pgrep", "-f", "forever_heddle_tes[t]"], capture_output=True, text=True).stdout
    assert not left, left


def nothing_outlives_a_killed_heddle(h):
    exe = h.build('#include <unistd.h>\nint main(void) { for (;;) pause(); }', "pausing_heddle_test")
    p = subprocess.Popen([h.exe, "hunt", "--", exe], cwd=h.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(1)
    p.kill()
    p.wait()
    deadline = time.time() + 5
    while (left := subprocess.run(["pgrep", "-f", "pausing_heddle_tes[t]"], capture_output=True, text=True).stdout) and time.time() < deadline:
        time.sleep(0.05)
    assert not left, left


def a_full_disk_is_an_error(h):
    exe = h.build(RACY, "full")
    code, _, err = h("hunt", "--seed", "1", "-o", "/dev/full", "--", exe)
    assert code == USAGE and err.strip(), (code, err)
    code, _, err = h("hunt", "--seed", "1", "-o", "/nonexistent/t.heddle", "--", exe)
    assert code == USAGE and "/nonexistent" in err, (code, err)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    tests = {f.__name__: f for f in globals().values() if callable(f) and getattr(f, "__module__", "") == "__main__"
             and f.__name__ not in ("main", "Tool")}
    failed = 0
    chosen = a.names or list(tests)
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="heddle-cli-") as work:
            try:
                tests[name](Tool(pathlib.Path(a.heddle).resolve(), pathlib.Path(work)))
                print("ok    ", name, flush=True)
            except (AssertionError, ValueError, KeyError) as why:
                failed += 1
                print("not ok", name + ":", str(why)[:600], flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
