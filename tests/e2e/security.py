#!/usr/bin/env python3
"""What a trace may do, what it contains, and what set-user-ID programs obey (docs/security.md).

    tests/e2e/security.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, ctypes, json, os, pathlib, pty, re, shutil, signal, stat, subprocess, sys, tempfile, time

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
        assert code == USAGE and "was not executed" in err and str(
            exe) in err and "--trust" in err and "-- PROG" in err, (code, err)
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


LOADS = r"""
#include <dlfcn.h>
#include <stdlib.h>
int main(void) {
  void* library = dlopen("./plugin.so", RTLD_NOW);
  if (!library) return 3;
  ((void (*)(void))dlsym(library, "hello"))();
  abort();
}
"""


def no_code_comes_out_of_a_foreign_trace(h):
    """A library that the program loads is an input like any other file: a trace could bring its own."""
    (h.work / "plugin.c").write_text('#include <unistd.h>\nvoid hello(void) { (void)!write(1, "loaded", 6); }\n')
    subprocess.run(["clang-19", "-shared", "-fPIC", "plugin.c", "-o", "plugin.so"], cwd=h.work, check=True)
    exe = h.build(LOADS, "loads")
    assert h("hunt", "--seed", "1", "-o", "t.heddle", "--", exe)[0] == FOUND
    (h.work / "plugin.so").unlink()
    other = {"XDG_STATE_HOME": str(h.work / "other")}
    code, out, err = h("replay", "t.heddle", "--", exe, **other)
    assert code == 3 and "loaded" not in out and "--trust" in out + err, (code, out, err)
    assert h("replay", "--trust", "t.heddle", **other)[0] == FOUND
    assert h("replay", "t.heddle", "--", exe)[0] == FOUND  # our own


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
    exe = h.build('#include <unistd.h>\n#include <signal.h>\nint main(void) { write(1, "x", 1); pause(); return 0; }',
                  "waits")
    heddle = subprocess.Popen([h.exe, "record", "-o", "raw.heddle", "--", exe],
                              cwd=h.work,
                              env=dict(os.environ, HOME=str(h.home), XDG_STATE_HOME=str(h.work / "state")),
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
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


def source_of_a_foreign_trace_is_not_quoted(h):
    exe, trace = h.hunted()
    other = {"XDG_STATE_HOME": str(h.work / "other")}
    line = next(text.strip() for text in RACY.splitlines() if text.strip().startswith("counter = "))
    assert line in h("show", trace)[1]
    code, out, err = h("show", trace, **other)
    assert code == CLEAN and line not in out and "--source DIR" in err, (out, err)
    assert "--source" not in h("show", "-q", trace, **other)[2]
    code, out, err = h("show", "--source", h.work, trace, **other)
    assert code == CLEAN and line in out and "--source" not in err, (out, err)
    assert h("show", "--source", h.home, trace, **other)[1].count(line) == 0
    for given, quoted in (((), False), (("--source", h.work), True)):
        code, page, _ = h("show", "--format", "html", *given, trace, **other)
        assert code == CLEAN and (line in page) == quoted, given


def nothing_that_a_terminal_obeys(h):
    """Names, messages and output of a program: no escape sequence, no C1, no bidi control in any words of ours."""
    evil = "\\033]0;gotcha\\007\\302\\233" + "31m\\342\\200\\256"
    exe = h.build(f"""#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <assert.h>
void __assert_fail(const char*, const char*, unsigned, const char*) __attribute__((noreturn));
static int x;
static void* add(void* p) {{ pthread_setname_np(pthread_self(), "{evil[:12]}"); x++; return p; }}
int main(int n, char** v) {{
  pthread_t t; pthread_create(&t, 0, add, 0); x++; pthread_join(t, 0);
  puts("{evil}"); fflush(stdout);
  if (x != 2) __assert_fail("{evil}", "{evil}.c", 3, "{evil}");
}}
""", "evil")
    argument = "a\033]0;b\007\u009b\u202e"
    said = []
    code, out, err = h("hunt", "--seed", "1", "--runs", "2000", "-o", "e.heddle", "--sarif", "e.sarif", "--junit",
                       "e.xml", "--", exe, argument)
    assert code == FOUND, (code, out, err)
    said += [out, err, (h.work / "e.sarif").read_text(), (h.work / "e.xml").read_text()]
    for args in (("show", "e.heddle"), ("show", "--full", "e.heddle"), ("show", "--events", "e.heddle"),
                 ("show", "--json", "e.heddle"), ("show", "--format", "html", "e.heddle"),
                 ("replay", "--json", "e.heddle"), ("simplify", "-o", "s.heddle", "e.heddle"),
                 ("hunt", "--json", "--seed", "1", "-o", "j.heddle", "--", exe, argument)):
        code, out, err = h(*args)
        assert code in (CLEAN, FOUND), (args, code, out, err)
        said += [out, err]
    said.append("\n".join(line for line in h("replay", "e.heddle")[2].split("\n")
                          if not line.startswith("evil: ")))  # which is the program's own
    said.append(h("replay", "e.heddle", "--", exe, argument + "x")[2])
    said.append(h("hunt", "--", argument)[2])
    for text in said:
        bad = [
            c for c in text
            if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or ord(c) in (0x61c, *range(0x200e, 0x2010),
                                                                                        *range(0x2028, 0x202f),
                                                                                        *range(0x2066, 0x206a))
        ]
        assert not bad, (bad[:5], text[:2000])


SECRETS = {"SECRET_TOKEN": "hunter2-very-secret", "ASKED_FOR": "a-known-value"}
ASKS = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int x;
static void* add(void* p) { x++; return p; }
int main(%s) {
  const char* asked = getenv("ASKED_FOR");
  assert(asked && !strcmp(asked, "a-known-value"));
  %s
  pthread_t t; pthread_create(&t, 0, add, 0); x++; pthread_join(t, 0);
  assert(x == 2);
}
"""


def stored(h, trace):
    """All that the trace stores, unpacked (docs/trace-format.md)."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    data, at, out = (h.work / trace).read_bytes(), 32, b""
    while at < len(data):
        codec, size, raw = data[at + 5], int.from_bytes(data[at + 8:at + 12],
                                                        "little"), int.from_bytes(data[at + 12:at + 16], "little")
        payload = data[at + 40:at + 40 + size]
        if codec == 1:
            unpacked = ctypes.create_string_buffer(raw)
            assert zstd.ZSTD_decompress(unpacked, ctypes.c_size_t(raw), payload, ctypes.c_size_t(size)) == raw
            payload = unpacked.raw
        out += payload
        at += 40 + (size + 7 & ~7)
    assert b"ASKED_FOR=" in out
    return out.decode(errors="replace")


def a_trace_holds_only_variables_that_were_asked_for(h):
    exe = h.build(ASKS % ("void", ""), "asks")
    code, out, err = h("hunt", "--seed", "1", "--runs", "2000", "-o", "t.heddle", "--", exe, **SECRETS)
    assert code == FOUND and "assertion `x == 2`" in out, (code, out, err)
    environment = stored(h, "t.heddle")
    assert "ASKED_FOR=a-known-value" in environment and "hunter2" not in environment, environment
    assert "SECRET_TOKEN=" + "x" * len(SECRETS["SECRET_TOKEN"]) in environment, environment
    assert h("replay", "--times", "5", "t.heddle")[0] == FOUND
    assert "whole environment" not in h("show", "t.heddle")[1]
    code, out, err = h("record", "-o", "r.heddle", "--", exe, **SECRETS)
    assert code in (0, 134), (code, err)
    environment = stored(h, "r.heddle")
    assert "ASKED_FOR=a-known-value" in environment and "hunter2" not in environment, environment
    assert h("replay", "r.heddle")[0] in (CLEAN, FOUND)


def an_environment_that_is_walked_is_stored(h):
    """By hand, by the third argument of main, or by another process: all of it, and that is said."""
    walk = 'extern char** environ; for (char** e = environ; *e; e++) if (!strncmp(*e, "SECRET_TOKEN=", 13)) puts(*e);'
    argument = 'for (char** e = envp; *e; e++) if (!strncmp(*e, "SECRET_TOKEN=", 13)) puts(*e);'
    for name, parameters, code_ in (("walks", "void", walk), ("takes", "int n, char** v, char** envp", argument),
                                    ("starts", "void", 'if (system("true")) return 3;')):
        exe = h.build(ASKS % (parameters, code_), name)
        code, out, err = h("hunt", "--seed", "1", "--runs", "2000", "-o", "t.heddle", "--", exe, **SECRETS)
        assert code == FOUND and "assertion `x == 2`" in out, (name, code, out, err)
        assert "hunter2" in stored(h, "t.heddle"), name
        assert h("replay", "t.heddle")[0] == FOUND, name
        assert "whole environment" in h("show", "t.heddle")[1], name


def what_is_left_out_is_proven_by_execution(h):
    """A plain program without debug information takes the environment by its stack: only an execution shows that it needs it."""
    source = ASKS % (
        "int n, char** v, char** envp",
        'int ok = 0; for (char** e = envp; *e; e++) ok |= !strcmp(*e, "SECRET_TOKEN=hunter2-very-secret"); puts(ok ? "yes" : "no"); if (!ok) return 9;'
    )
    path = h.work / "plain.c"
    path.write_text(source)
    subprocess.run([h.exe, "cc", "-O1", "-pthread", path, "-o", h.work / "plain"], check=True)
    code, out, err = h("hunt", "--seed", "1", "--runs", "2000", "-o", "t.heddle", "--", h.work / "plain", **SECRETS)
    assert code == FOUND and "assertion" in out and "ONCE" not in out, (code, out, err)
    assert "hunter2" in stored(h, "t.heddle") and "the program behaved differently" in h("show", "t.heddle")[1]
    assert h("replay", "t.heddle")[0] == FOUND


def with_other_rights(h, exe, name, bits=0o6755, capabilities=False):
    """A copy of the program that belongs to nobody and takes his rights, or has a capability."""
    copy = h.work / name
    shutil.copy(exe, copy)
    if capabilities:
        os.setxattr(copy, "security.capability",
                    bytes.fromhex("0100000200040000000000000000000000000000"))  # cap_net_bind_service+ep
    else:
        os.chown(copy, 65534, 65534)
        copy.chmod(bits)
    return copy


def programs_with_other_rights_are_refused(h):
    assert os.geteuid() == 0, "this test needs root: it makes set-user-ID files that belong to somebody else"
    h.work.chmod(0o755)
    exe, trace = h.hunted()
    plain = h.work / "plain"
    subprocess.run(["gcc", "-g", "-pthread", h.work / "racy.c", "-o", plain], check=True)
    cases = [
        with_other_rights(h, exe, "user", 0o4755),
        with_other_rights(h, exe, "group", 0o2755),
        with_other_rights(h, exe, "capable", capabilities=True),
        with_other_rights(h, plain, "plain_user", 0o4755),
        with_other_rights(h, plain, "plain_capable", capabilities=True)
    ]
    for program in cases:
        for args, status in ((("hunt", "--runs", "5", "--"), USAGE), (("record", "-o", "r.heddle", "--"), 125)):
            code, out, err = h(*args, program)
            assert code == status and "other rights" in err and f"cp {program} copy" in err, (program, args, code, err)
            assert not (h.work / "r.heddle").exists()
    for verb in (("replay",), ("replay", "--gdb"), ("simplify", "-o", "s.heddle")):
        code, out, err = h(*verb, trace, "--", cases[0])
        assert code == USAGE and "other rights" in err, (verb, code, err)
    # a trace that names it: the file at its path got the bit later
    os.chown(exe, 65534, 65534)
    exe.chmod(0o4755)
    for verb in ("replay", "simplify"):
        code, out, err = h(verb, trace)
        assert code == USAGE and "other rights" in err, (verb, code, err)
    # behind a script or launcher
    marker = h.work / "ran"
    mark = h.build(
        f"#include <fcntl.h>\n#include <pthread.h>\nstatic void* f(void* p) {{ return p; }}\nint main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return open(\"{marker}\", O_CREAT | O_WRONLY, 0644) < 0; }}",
        "mark")
    os.chmod(h.work, 0o777)
    own, capable = with_other_rights(h, mark, "mark_user", 0o4755), with_other_rights(h,
                                                                                      mark,
                                                                                      "mark_capable",
                                                                                      capabilities=True)
    for started in (own, capable):
        for name, text in (("script", f"#!/bin/sh\n{started}\n"), ("last", f"#!/bin/sh\nexec {started}\n"),
                           ("bash", f"#!/bin/bash\ntrue\n{started} x\n")):
            script = h.work / name
            script.write_text(text)
            script.chmod(0o755)
            for args, status in ((("hunt", "--runs", "5", "--"), USAGE), (("record", "-o", "r.heddle", "--"), 125)):
                code, out, err = h(*args, script)
                assert code == status and "other rights" in err and str(started) in err, (name, args, code, err)
                assert not marker.exists(), (name, args)
        for launcher in (("env",), ("timeout", "20"), ("nice",), ("sh", "-c", f"{started}; true")):
            code, out, err = h("hunt", "--runs", "5", "--", *launcher, *([started] if launcher[0] != "sh" else []))
            assert code == USAGE and "other rights" in err and not marker.exists(), (launcher, code, err)
    # one that does not carry the runtime is the script's business; what is meant comes behind it
    other = with_other_rights(h, "/bin/true", "true_user", 0o4755)
    script.write_text(f"#!/bin/sh\n{other}\n{mark}\n")
    code, out, err = h("hunt", "--runs", "5", "--", script)
    assert code == CLEAN, (code, out, err)
    script.write_text(f"#!/bin/sh\n{other}\n")
    code, out, err = h("hunt", "--runs", "5", "--", script)
    assert code == USAGE and "other rights" in err and str(other) in err, (code, err)


def with_other_rights_the_runtime_stays_idle(h):
    """It looks at nothing that its user supplies: not at the region's descriptor, not at the variables."""
    assert os.geteuid() == 0, "this test needs root"
    h.work.chmod(0o777)
    exe = h.build(
        """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(void) {
  char maps[1 << 16] = {0};
  FILE* f = fopen("/proc/self/maps", "r");
  size_t n = f ? fread(maps, 1, sizeof maps - 1, f) : 0;
  printf("secure %lu region %d hidden %d\\n", getauxval(AT_SECURE), n && strstr(maps, "heddle-region") != NULL, getenv("HEDDLE_REGION") == NULL);
}
""", "idle")
    secure = with_other_rights(h, exe, "secure", 0o4755)
    seen = {}
    for program in (exe, secure):
        region = os.memfd_create("heddle-region", 0)
        os.ftruncate(region, 1 << 20)
        header = (HERE.parents[1] / "abi/region.h").read_text()
        magic = int(re.search(r"#define HEDDLE_REGION_MAGIC (0x[0-9a-fA-F]+)", header)[1], 16)
        version = int(re.search(r"#define HEDDLE_REGION_VERSION (\d+)", header)[1])
        os.pwrite(
            region,
            magic.to_bytes(8, "little") + version.to_bytes(4, "little") + (4096).to_bytes(4, "little") +
            (1 << 20).to_bytes(8, "little"), 0)
        os.set_inheritable(region, True)
        before = os.pread(region, 1 << 20, 0)
        try:
            done = subprocess.run([program],
                                  env={
                                      **os.environ, "HEDDLE_REGION": str(region),
                                      "HEDDLE_OPTIONS": "help=1"
                                  },
                                  pass_fds=[region],
                                  capture_output=True,
                                  text=True,
                                  timeout=5)
            seen[program] = (done.stdout, os.pread(region, 1 << 20, 0) == before)
        except subprocess.TimeoutExpired:
            seen[program] = ("waits for a host", False)  # it took the region: this test sees what it looks for
        os.close(region)
    assert seen[secure] == ("secure 1 region 0 hidden 0\n", True), seen
    assert seen[exe] != ("secure 0 region 0 hidden 0\n", True), seen


def what_a_killed_heddle_left_is_removed_by_the_next(h):
    temporary = h.work / "tmp"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)}
    # It waits for a writer outside, which nobody can call a deadlock at once.
    exe = h.build(
        '#include <fcntl.h>\n#include <sys/stat.h>\nint main(void) { mkfifo("fifo", 0600); return open("fifo", O_RDONLY); }',
        "waits")
    folder = h.work / "folder"
    folder.mkdir()
    (folder / "secret").write_text("data")
    heddle = subprocess.Popen([h.exe, "hunt", "--cwd-copy", "--workers", "1", "--", exe],
                              cwd=folder,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              env=dict(os.environ, HOME=str(h.home), TMPDIR=str(temporary)))
    limit = time.monotonic() + 60
    while not any((f / "secret").exists() for f in temporary.iterdir()):
        assert time.monotonic() < limit and heddle.poll() is None, "no copy of the folder was made"
        time.sleep(0.01)
    assert stat.S_IMODE(next(temporary.iterdir()).stat().st_mode) == 0o700
    assert h("show", HERE.parent / "data/traces/v1-sample.heddle", **env)[0] == CLEAN
    assert list(temporary.iterdir()), "it is in use"
    heddle.kill()
    heddle.wait()
    assert h("show", HERE.parent / "data/traces/v1-sample.heddle", **env)[0] == CLEAN
    assert list(temporary.iterdir()) == [], list(temporary.iterdir())


def a_hunt_keeps_the_traces_of_earlier_ones(h):
    exe = h.build(RACY, "racy")
    hunt = ("hunt", "--seed", "1", "--", exe)
    code, out, _ = h(*hunt)
    assert code == FOUND and "racy-1.heddle" in out and "kept" not in out, out
    first = (h.work / "racy-1.heddle").read_bytes()
    code, out, _ = h(*hunt)
    assert code == FOUND and "heddle replay racy-1.2.heddle" in out and "racy-1.heddle already exists and is kept" in out, out
    code, out, _ = h("hunt", "--json", "--simplify", "--seed", "1", "--", exe)
    assert code == FOUND and json.loads(out)["trace"] == "racy-1.3.heddle" and (h.work /
                                                                                "racy-1.3-full.heddle").exists(), out
    assert (h.work / "racy-1.heddle").read_bytes() == first
    assert h("replay", "racy-1.2.heddle")[0] == FOUND
    code, out, _ = h("hunt", "--seed", "1", "-o", "racy-1.heddle", "--", exe)  # named: replaced
    assert code == FOUND and "kept" not in out and not (h.work / "racy-1.4.heddle").exists(), out
    fine = h.build("int main(void) { return 0; }", "fine")
    assert h("record", "--", fine)[0] == 0 and h("record", "--", fine)[0] == 0
    assert (h.work / "fine.heddle").exists() and (h.work / "fine.2.heddle").exists()


def binary_output_stays_off_the_terminal(h):
    exe = h.build(
        '#include <unistd.h>\nint main(void) { write(1, "text\\n", 5); char b[64] = {0, 1, 2, 27, 99}; write(1, b, 64); return 7; }',
        "binary")
    assert h("hunt", "--seed", "1", "-o", "b.heddle", "--junit", "b.xml", "--", exe)[0] == FOUND
    assert "bytes of binary data" in h("show",
                                       "b.heddle")[1] and "bytes of binary data" in (h.work / "b.xml").read_text()
    raw = subprocess.run([h.exe, "replay", "b.heddle"],
                         cwd=h.work,
                         env=dict(os.environ, HOME=str(h.home)),
                         stdin=subprocess.DEVNULL,
                         capture_output=True)
    assert raw.returncode == FOUND and raw.stdout.startswith(b"text\n\0\1\2") and len(raw.stdout) == 69, raw
    ours, theirs = pty.openpty()
    shown = subprocess.Popen([h.exe, "replay", "b.heddle"],
                             cwd=h.work,
                             env=dict(os.environ, HOME=str(h.home)),
                             stdin=subprocess.DEVNULL,
                             stdout=theirs,
                             stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        text += part
        if not part:
            break
    os.close(ours)
    assert shown.wait() == FOUND and b"\0" not in text and b"not written to the terminal" in text, text


def a_quiet_replay_says_nothing(h):
    _, trace = h.hunted()
    code, out, err = h("replay", "-q", trace)
    own = [line for line in err.splitlines() if not line.startswith("racy: ")]  # the program's
    assert (code, out, own) == (FOUND, "", []), (code, out, err)
    data = (h.work / trace).read_bytes()
    (h.work / "cut.heddle").write_bytes(data[:len(data) * 3 // 4])
    code, out, err = h("replay", "-q", "--trust", "cut.heddle")
    assert "damaged" not in err, err


CASES = [
    own_traces_are_executed_without_a_question, no_code_comes_out_of_a_foreign_trace,
    foreign_traces_are_shown_but_not_executed, an_old_trace_is_foreign, every_byte_that_is_read_is_sealed,
    arguments_behind_the_program_are_those_of_the_trace, without_a_key_hunts_work_and_say_so,
    a_key_that_others_can_read_proves_nothing, a_raw_recording_is_own_where_it_was_made, traces_are_private,
    source_of_a_foreign_trace_is_not_quoted, nothing_that_a_terminal_obeys,
    a_trace_holds_only_variables_that_were_asked_for, an_environment_that_is_walked_is_stored,
    what_is_left_out_is_proven_by_execution, programs_with_other_rights_are_refused,
    with_other_rights_the_runtime_stays_idle, what_a_killed_heddle_left_is_removed_by_the_next,
    a_hunt_keeps_the_traces_of_earlier_ones, binary_output_stays_off_the_terminal, a_quiet_replay_says_nothing
]


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
