#!/usr/bin/env python3
"""A replay compares all that leaves the program: who writes something else, or writes it elsewhere, has diverged.

    outputs.py --heddle build/bin/heddle [--backend baton|fibers] [CALL ...]

carries.c carries one bit of PATH out, by each kind of call. PATH is what a replay takes from the shell, so with another PATH the same schedule
writes something else. Hunted and recorded; replayed with the same PATH (reproduced) and with another one (diverged, and the call is named).
"""
import argparse, json, os, pathlib, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
HERE_PATH, OTHER_PATH = "/usr/bin:/bin", "/bin:/usr/bin"
BYTES = [
    "write", "printf", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg", "vmsplice",
    "control", "msgsnd", "mq_timedsend", "semop", "lseek", "sendfile", "splice", "tee", "copy_file_range", "descriptor",
    "ftruncate", "fcntl", "ioctl", "dup2", "fsetxattr", "mkdir", "unlink", "symlink", "openat", "connect", "address",
    "setsockopt", "kill", "process_vm_writev", "exec_fails", "system", "popen", "posix_spawn", "mapped", "msync",
    "munmap", "mremap", "mapped_over", "half_unmapped"
]
NAMES = {
    "printf": "write",
    "control": "sendmsg",
    "descriptor": "write",
    "address": "sendto",
    "exec_fails": "execve",
    "semop": "semtimedop",
    "system": "execve",
    "popen": "execve",
    "posix_spawn": "execve",
    "mapped": "end of the process: shared mapping",
    "mapped_exec": "execve: shared mapping",
    "mapped_over": "mmap: shared mapping",
    "half_unmapped": "end of the process: shared mapping"
}
failures = 0


def check(name, ok, detail=""):
    global failures
    failures += not ok
    print(("ok     " if ok else "FAILED ") + name + ("" if ok else f": {str(detail)[:1500]}"), flush=True)


class World:
    def __init__(self, heddle, backend, work):
        self.heddle, self.work, self.backend = heddle, work, backend
        self.exe = work / "carries"

    def call(self, *arguments, path=HERE_PATH):
        if arguments[0] in ("hunt", "record", "simplify"):
            (self.work / arguments[arguments.index("-o") + 1]).unlink(missing_ok=True)
        env = {"HOME": os.environ.get("HOME", "/root"), "PATH": path, "HEDDLE_OPTIONS": f"backend={self.backend}"}
        return subprocess.run([self.heddle, *arguments],
                              cwd=self.work,
                              stdin=subprocess.DEVNULL,
                              capture_output=True,
                              timeout=120,
                              env=env)

    def build(self, source, name):
        subprocess.run([self.heddle, "cc", "-w", "-O1", "-g", "-pthread", source, "-o", self.work / name], check=True)

    def hunted(self, *arguments):
        done = self.call("hunt", "--runs", "1", "--seed", "1", "-o", "t.heddle", "--json", "--", *arguments)
        return done.returncode == 66, done

    def recorded(self, *arguments):
        done = self.call("record", "-o", "t.heddle", "--", *arguments)
        return (self.work / "t.heddle").exists(), done

    def replay(self, path):
        done = self.call("replay", "--json", "t.heddle", path=path)
        try:
            return done.returncode, json.loads(done.stdout), done
        except ValueError:
            return done.returncode, {}, done

    def compared(self, call, how, *arguments):
        made, done = getattr(self, how)("./carries", call, *arguments)
        status, same, one = self.replay(HERE_PATH)
        check(f"{call}, {how}: the same PATH is the same run", made and same.get("reproduced"), (done, status, one))
        status, other, two = self.replay(OTHER_PATH)
        said = other.get("divergence") or {}
        reason, text = said.get("reason", ""), said.get("expected", {}).get("text", "")
        check(f"{call}, {how}: another PATH has diverged, and the call is named", status == 3 and
              reason == "the program wrote something else" and NAMES.get(call, call) in text, (status, two))
        return said


def messages(w):
    said = w.compared("writev", "hunted", "abort")
    check(
        "the step, the place and both texts are said", said and
        '   writev of 19 bytes: "v=carried out: this"' in said["expected"]["text"] and said["step"] > 0 and
        said["actual"]["text"].endswith('writev of 19 bytes: "v=carried out: that"') and
        said["expected"]["kind"] == "system call", said)


def status_is_compared(w):
    w.recorded("./carries", "exit")
    status, same, _ = w.replay(HERE_PATH)
    other, said, done = w.replay(OTHER_PATH)
    check(
        "the exit status is compared", status == 66 and same["reproduced"] and other == 3 and
        "exit status 3" in str(said) and "exit status 4" in str(said), (status, done))


def lines(path):
    return path.read_text().count("\n") if path.exists() else 0


def exec_is_not_repeated(w):
    w.build(HERE / "outputs" / "replaced.c", "replaced")
    effect = w.work / "effect"
    for how in ("execve", "execveat", "execvp"):
        effect.unlink(missing_ok=True)
        w.recorded("./replaced", how, "echo done >> effect")
        status, said, done = w.replay(HERE_PATH)
        check(f"{how}, recorded: the replay ends at the exec", status == 0 and said["reproduced"] and
              lines(effect) == 1, (status, lines(effect), done))
        words = w.call("replay", "t.heddle").stderr.decode()
        check(f"{how}: the replay says so", "up to the exec" in words and lines(effect) == 1, words)
        effect.unlink(missing_ok=True)
        hunted = w.call("hunt", "--runs", "1", "--seed", "1", "--fail-on-exit", "4", "-o", "t.heddle", "--json", "--",
                        "./replaced", how, "echo done >> effect; exit 4")
        again = json.loads(hunted.stdout)
        check(f"{how}, hunted: executed once, and so it is said", hunted.returncode == 3 and lines(effect) == 1 and
              "exec" in str(again), (lines(effect), hunted))
        status, said, done = w.replay(HERE_PATH)
        check(f"{how}, hunted: the replay is inconclusive, and does nothing", status == 3 and not said["diverged"] and
              lines(effect) == 1, (status, lines(effect), done))
    for how in ("system", "popen", "posix_spawn", "fork"):
        effect.unlink(missing_ok=True)
        w.recorded("./replaced", how, "echo done >> effect")
        status, said, done = w.replay(HERE_PATH)
        check(f"{how}, recorded: a replay starts no child", status == 0 and said["reproduced"] and lines(effect) == 1,
              (status, lines(effect), done))


def simplified(w):
    w.build(HERE / "outputs" / "prints_and_fails.c", "prints_and_fails")
    hunted = w.call("hunt", "--seed", "1", "--runs", "2000", "-o", "t.heddle", "--", "./prints_and_fails")
    for inputs in ("recorded", "real"):
        done = w.call("simplify", "--inputs", inputs, "-o", "s.heddle", "t.heddle")
        replayed = w.call("replay", "--json", "s.heddle")
        check(f"simplified with {inputs} inputs: its own output is compared", hunted.returncode == 66 and
              replayed.returncode == 66, (hunted, done, replayed))


def mapped(w):
    w.build(HERE / "outputs" / "maps_and_fails.c", "maps_and_fails")
    for seed in ("1", "2", "3"):
        hunted = w.call("hunt", "--seed", seed, "--runs", "2000", "-o", "t.heddle", "--", "./maps_and_fails")
        replayed = w.call("replay", "--json", "t.heddle")
        check(f"a file that is mapped, seed {seed}: hunted and replayed", hunted.returncode == 66 and
              replayed.returncode == 66, (hunted, replayed))
        for inputs in ("recorded", "real"):
            done = w.call("simplify", "--inputs", inputs, "-o", "s.heddle", "t.heddle")
            replayed = w.call("replay", "--json", "s.heddle")
            check(f"... simplified with {inputs} inputs", done.returncode == 0 and replayed.returncode == 66,
                  (done, replayed))
    for _ in range(10):
        made, done = w.recorded("./maps_and_fails")
        replayed = w.call("replay", "--json", "t.heddle")
        if not made or not json.loads(replayed.stdout)["reproduced"]:
            break
    check("... recorded ten times", made and json.loads(replayed.stdout)["reproduced"], (done, replayed))
    for also in ("write", "twice", "fork"):
        made, done = w.recorded("./maps_and_fails", also)
        status, said, _ = w.replay(HERE_PATH)
        check(f"... {also}: what others write into it is no divergence, and is said not to be compared",
              made and said.get("reproduced") and b"is not compared in a replay" in done.stderr, (done, status, said))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--heddle", required=True)
    ap.add_argument("--backend", default="fibers")
    ap.add_argument("calls", nargs="*")
    a = ap.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="heddle-outputs-"))
    try:
        w = World(os.path.abspath(a.heddle), a.backend, work)
        w.build(HERE / "outputs" / "carries.c", "carries")
        for call in a.calls or BYTES:
            w.compared(call, "hunted", "abort")
            w.compared(call, "recorded")
        if not a.calls:
            for call in ("execve", "execveat", "mapped_exec"):
                w.compared(call, "recorded")
            messages(w)
            status_is_compared(w)
            exec_is_not_repeated(w)
            simplified(w)
            mapped(w)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("all hold" if not failures else f"{failures} do not hold")
    return failures > 0


sys.exit(main())
