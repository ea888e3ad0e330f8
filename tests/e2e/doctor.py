#!/usr/bin/env python3
"""heddle doctor: proves control where there is control, and says what is missing where something is.

    tests/e2e/doctor.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, shutil, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

PROVEN, NOT_PROVEN, USAGE = 0, 3, 2


class Tool:
    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work

    def __call__(self, *args, before=(), **env):
        return bounded([*before, self.heddle, "doctor", *args], self.work, 240, b"", dict(os.environ, **env))

    def json(self, **env):
        code, out, err = self("--json", **env)
        report = json.loads(out)
        assert report["proven"] == (code == PROVEN), (code, report)
        return report

    def copy(self, without):
        """This heddle, installed elsewhere with a part missing."""
        root = self.heddle.parent.parent
        shutil.copytree(root / "lib" / "heddle", self.work / "lib" / "heddle", ignore=shutil.ignore_patterns(without))
        (self.work / "bin").mkdir()
        shutil.copy(self.heddle, self.work / "bin" / "heddle")
        if (root / "include").exists():
            shutil.copytree(root / "include", self.work / "include")
        self.heddle = self.work / "bin" / "heddle"


def control_is_proven_here(h):
    code, out, err = h()
    assert code == PROVEN and out.startswith("control is proven on this machine: ") and not err, (code, out, err)
    for way in ("heddle cc on baton", "heddle cc on fibers", "unmodified binary on baton",
                "unmodified binary on fibers", "-fsanitize=thread objects on baton"):
        assert f"ok      {way}" in out, (way, out)
    assert "not ok" not in out and list(h.work.iterdir()) == [], out


def help_json_quiet_and_usage(h):
    code, out, _ = h("--help")
    assert code == 0 and "Example" in out and "Exit status" in out, out
    report = h.json()
    assert report["proven"] and len(report["canaries"]) >= 6 and all(c["verdict"] == "ok"
                                                                     for c in report["canaries"]), report
    assert {"system calls", "addresses", "compiler", "gdb"} <= {c["name"] for c in report["checks"]}, report
    code, out, _ = h("--quiet")
    assert code == PROVEN and out.count("\n") == 1, out
    code, _, err = h("--nope")
    assert code == USAGE and "--nope" in err, (code, err)


def a_missing_compiler(h):
    code, out, _ = h(HEDDLE_CLANG="/nonexistent/clang")
    assert code == NOT_PROVEN and out.startswith("control is not proven"), (code, out)
    assert "/nonexistent/clang is not there: heddle cc and heddle c++ will not work" in out and "install the package clang-19" in out, out
    assert "works here: unmodified binary on baton, unmodified binary on fibers" in out and "does not: heddle cc" in out, out


def another_compiler(h):
    other = h.work / "clang"
    other.write_text("#!/bin/sh\necho some other version 3.1\n")
    other.chmod(0o755)
    report = h.json(HEDDLE_CLANG=str(other))
    compiler = next(c for c in report["checks"] if c["name"] == "compiler")
    assert not report["proven"] and compiler[
        "verdict"] == "not ok" and "is not clang 19 (some other version 3.1)" in compiler["text"], report


def a_missing_plugin(h):
    h.copy("heddle-pass.so")
    code, out, _ = h()
    assert code == NOT_PROVEN and "missing: " in out and "heddle-pass.so" in out and "the canary cannot be built" in out, out


def a_missing_preload_build(h):
    h.copy("libheddle_preload.so")
    code, out, _ = h()
    assert code == NOT_PROVEN and "libheddle_preload.so" in out and "not ok  unmodified binary on baton" in out, out
    assert "ok      heddle cc on baton" in out, out


SANDBOX = """#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
/* sandbox NUMBER ARGUMENT COMMAND...: that system call with that first argument (-1: any) fails with EPERM. */
#include <stdlib.h>
int main(int argc, char** argv) {
  int number = atoi(argv[1]), argument = atoi(argv[2]);
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | (argument == -1 ? BPF_JGE : BPF_JEQ) | BPF_K, argument == -1 ? 0 : argument, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 100;
  execv(argv[3], argv + 3);
  return 101;
}
"""


def sandboxes(h):
    """A system call that control needs is not allowed: said in words."""
    (h.work / "sandbox.c").write_text(SANDBOX)
    code, _, err = bounded(["cc", "sandbox.c", "-o", "sandbox"], h.work, 60)
    assert code == 0, err
    for number, argument, words in ((157, 59, "cannot be trapped: what a program reads from outside"),  # prctl
                                    (135, -1, "randomisation cannot be switched off"),                  # personality
                                    (319, -1, "memfd_create does not work")):                           # memfd_create
        code, out, err = h(before=[h.work / "sandbox", str(number), str(argument)])
        assert code == NOT_PROVEN and words in out and "Operation not permitted" in out, (number, code, out, err)
    code, out, _ = h(before=[h.work / "sandbox", "310", "-1"])  # process_vm_readv: /proc/PID/mem does as well
    assert code == PROVEN, (code, out)
    code, out, _ = h(before=[h.work / "sandbox", "101", "-1"])  # ptrace: less, but control
    assert code == PROVEN and "less    hangs" in out and "ptrace is not allowed" in out, (code, out)


def a_user_without_privileges(h):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return
    h.copy("no such file")
    h.work.chmod(0o777)
    code, out, err = h(before=["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"])
    assert code == PROVEN and "as user 65534" in out, (code, out, err)


CASES = [control_is_proven_here, help_json_quiet_and_usage, a_missing_compiler, another_compiler, a_missing_plugin,
         a_missing_preload_build, sandboxes, a_user_without_privileges]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    return run(CASES, lambda folder, _: Tool(a.heddle, folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
