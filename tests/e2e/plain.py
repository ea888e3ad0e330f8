#!/usr/bin/env python3
"""Unmodified binaries: programs that heddle cc never saw, under hunt and replay.

    tests/e2e/plain.py --heddle build/bin/heddle [--laws build/tests/heddle_laws] [NAME ...]      the special cases and the laws
    tests/e2e/plain.py --heddle build/bin/heddle --programs --compiler gcc --level O2 [--backend fibers] [--every 3] [FILE ...]
                                                                                                  tests/programs
Closing line: 'N passed, M failed'.
"""
import argparse, concurrent.futures, json, os, pathlib, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from programs import PROGRAMS, Case, bounded, check_fail, hunt, survivors  # noqa: E402
from report import Report  # noqa: E402

FOUND, CLEAN, USAGE = 66, 0, 2
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}

# What needs points between synchronisation calls, or the compiler: not for unmodified binaries.
NEEDS_HOOKS = {
    "forked_at_mark.c": "heddle_init_done()",
    "infinite_loop.c": "its livelock is a hang here",
    "lost_signal.c": "a racy access",
    "lost_update.c": "a racy access",
    "second_write.c": "a racy access",
    "use_after_free.cc": "a racy access",
    "out_of_memory.cc": "g++ -O2 makes an endless loop of it",
    "spin_on_flag.c": "spins",
    "barrier_rounds.c": "spins",
    "cancel_async.c": "spins",
    "cancel_kinds.cc": "spins",
    "signals_to_waiters.c": "spins",
    "timers.c": "spins",
    "atomic_wait.cc": "links libatomic in the order of clang",
    "buffer_in_read.c": "spins",
    "printed_in_place.c": "spins",
    "handler_between_atomics.c": "atomics",
    "handler_between_volatiles.c": "plain accesses",
    "handler_in_computation.c": "plain accesses",
    "cpu_timer_ends_loop.c": "spins",
    "signal_ends_atomic_loop.c": "spins",
    "timer_ends_loops.c": "spins",
    "random_choice.cc": "a racy access",
    "waiting_loops.c": "spins",
    "late_after_computation.c": "a racy access",
    "timed_semaphore.cc": "atomics",
}

TWO_LOCKS = """#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* other(void* unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
  return 0;
}
"""


class Tool:
    def __init__(self, heddle, laws, work):
        self.heddle, self.laws, self.work = heddle, laws, work

    def __call__(self, *args, timeout=60, **env):
        return bounded([self.heddle, *args], self.work, timeout, b"", dict(os.environ, **env))

    def build(self, source, name, *flags, compiler="gcc"):
        path = self.work / f"{name}{'.cc' if compiler.startswith(('g++', 'clang++')) else '.c'}"
        path.write_text(source)
        code, _, err = bounded([compiler, "-w", path, "-pthread", *flags, "-o", self.work / name], self.work, 120)
        assert code == 0, err
        return self.work / name

    def script(self, name, text):
        path = self.work / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def finds(self, *command, kind="deadlock", trace="t.heddle", **env):
        """The failure that a hunt finds; it is replayed too."""
        code, out, err = self("hunt", "--json", "--seed", 1, "--runs", 2000, "-o", trace, "--", *command, **env)
        assert code == FOUND, (code, out[-600:], err[-300:])
        found = json.loads(out)
        assert found["failure"]["kind"] == kind, found["failure"]
        code, out, err = self("replay", "--json", "--times", 3, trace, **env)
        assert code == FOUND and json.loads(out)["times_reproduced"] == 3, (code, out[-600:], err[-300:])
        return found

    def refuses(self, *command, words):
        code, out, err = self("hunt", "--", *command)
        assert code == USAGE and not out and all(w in err for w in words), (code, out, err)


def is_said_first(h):
    exe = h.build(TWO_LOCKS, "locks", "-g")
    code, out, err = h("hunt", "--seed", 1, "-o", "t.heddle", "--", "./locks")
    assert code == FOUND and err.startswith("hunting ./locks: not built by heddle cc"), err
    assert out.startswith("FAILED  deadlock") and "locks.c:4" in out or "locks.c:5" in out, out
    assert "note: locks was not built by heddle cc" in out, out
    found = h.finds(exe)
    assert any("not built by heddle cc" in note for note in found["notes"]), found["notes"]


def places_come_from_return_addresses(h):
    h.build(TWO_LOCKS, "locks", "-g", "-O2")
    h.finds("./locks")
    code, out, err = h("show", "--format", "json", "t.heddle")
    assert code == 0 and json.loads(out)["events"] >= 4, err
    code, out, _ = h("show", "t.heddle")
    assert "locks.c" in out and "pthread_mutex_lock(&a);" in out and "held by 0, taken at locks.c:13" in out.replace(
        "\n      ", " "), out


def stripped_and_at_fixed_addresses(h):
    h.finds(h.build(TWO_LOCKS, "stripped", "-O2", "-s"))
    h.finds(h.build(TWO_LOCKS, "fixed", "-O2", "-no-pie", "-fno-pie"))
    h.finds(h.build(TWO_LOCKS, "now", "-O2", "-Wl,-z,now", "-fno-asynchronous-unwind-tables"))


def without_a_build_id_the_file_is_its_identity(h):
    exe = h.build(TWO_LOCKS, "nameless", "-Wl,--build-id=none")
    h.finds(exe)
    h.build(TWO_LOCKS + "int more;", "nameless", "-Wl,--build-id=none")
    code, _, err = h("replay", "t.heddle")
    assert code == USAGE and "was rebuilt" in err and "file:" in err, (code, err)


def the_program_sees_its_own_environment(h):
    other = h.build("int marker(void) { return 7; }", "libother.so", "-shared", "-fPIC")
    exe = h.build("""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int marker(void) __attribute__((weak));
extern char** environ;
int main(void) {
  const char* preload = getenv("LD_PRELOAD");
  int ours = 0;
  for (char** e = environ; *e; e++) ours += !strncmp(*e, "HEDDLE_", 7) || strstr(*e, "libheddle") != 0;
  printf("[%s] %d %d\\n", preload ? preload : "", ours, marker ? marker() : 0);
  fflush(stdout);
  system("echo \\"child [$LD_PRELOAD]\\"");
  abort();
}
""", "prints")
    for env, want in (({}, "[] 0 0\nchild []\n"), ({"LD_PRELOAD": str(other)}, f"[{other}] 0 7\nchild [{other}]\n")):
        h.finds(exe, kind="abort", **env)
        code, out, err = h("replay", "t.heddle", **env)
        assert code == FOUND and out == want.split("child")[0], (code, out, want, err)


def wrapper_scripts_and_launchers(h):
    exe = h.build(TWO_LOCKS, "locks", "-g")
    h.finds(h.script("exec.sh", f"#!/bin/sh\nbase=$(dirname $0)\nls $base | sed -n 1p >/dev/null\nexec {exe} \"$@\"\n"))
    h.finds(h.script("child.sh", f"#!/usr/bin/env bash\ncat /dev/null\n{exe}\nexit $?\n"))
    for launcher in (("env", "A=1"), ("sh", "-c"), ("timeout", "100"), ("nice", "-n", "1")):
        h.finds(*launcher, exe)
    instrumented = h.work / "instrumented"
    code, _, err = h("cc", "-g", "-pthread", h.work / "locks.c", "-o", instrumented)
    assert code == 0, err
    found = h.finds(h.script("own.sh", f"#!/bin/bash\nexec {instrumented}\n"))
    assert not any("not built" in note for note in found["notes"]), found["notes"]
    (h.work / "thread.cc").write_text(
        "#include <thread>\nint n;\nint main() {\n  std::thread t([] { n++; });\n  n++;\n  t.join();\n  return n != 2;\n}\n"
    )
    code, _, err = h("c++", "-g", "-pthread", h.work / "thread.cc", "-o", h.work / "thread")
    assert code == 0, err
    found = h.finds("env", "A=1", h.work / "thread", kind="exit")  # a data race: only hooks see it
    assert not any("not built" in note for note in found["notes"]), found["notes"]
    nothing = h.script("nothing.sh", "#!/bin/sh\necho hello\n")
    h.refuses(nothing, words=["started no program that heddle can control", "hello"])
    h.refuses("env", "true", words=["started no program that heddle can control"])


def instrumented_library_in_a_plain_host(h):
    (h.work / "counter.c").write_text("""#include <assert.h>
static int counter;
void count(void) { counter = counter + 1; }
void check(void) { assert(counter == 2); }
""")
    code, _, err = h("cc", "-g", "-O1", "-shared", "-fPIC", h.work / "counter.c", "-o", h.work / "libcounter.so")
    assert code == 0, err
    threads = """#include <pthread.h>
#include <dlfcn.h>
%s
static void* counts(void* unused) { count(); return unused; }
int main(void) {
  %s
  pthread_t a, b;
  pthread_create(&a, 0, counts, 0);
  pthread_create(&b, 0, counts, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  check();
  return 0;
}
"""
    linked = h.build(threads % ("void count(void), check(void);", ""), "host",
                     "-Wl,--unresolved-symbols=ignore-in-shared-libs", str(h.work / "libcounter.so"),
                     f"-Wl,-rpath,{h.work}")
    found = h.finds(linked, kind="assertion")
    assert found["races"] and "1 of its libraries was" in " ".join(found["notes"]), (found["races"], found["notes"])
    load = f'void* l = dlopen("{h.work}/libcounter.so", RTLD_NOW); count = dlsym(l, "count"); check = dlsym(l, "check");'
    h.finds(h.build(threads % ("static void (*count)(void), (*check)(void);", load), "loader"), kind="assertion")


def dlopen_and_other_processes(h):
    plugin = TWO_LOCKS.replace("int main(void)", "int run(void)")
    h.build(plugin, "libplugin.so", "-shared", "-fPIC")
    h.finds(h.build(f"""#include <dlfcn.h>
int main(void) {{ return ((int (*)(void))dlsym(dlopen("{h.work}/libplugin.so", RTLD_NOW), "run"))(); }}
""", "loads"))
    h.finds(h.build(TWO_LOCKS.replace("int main(void) {", """#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  pid_t child = fork();
  if (!child) execlp("true", "true", (char*)0);
  waitpid(child, 0, 0);"""), "forks"))


def a_cpp_library_in_a_c_host(h):
    """libstdc++ comes with it, later: what stands for its functions finds them there."""
    h.build("""#include <future>
#include <random>
#include <stdexcept>
extern "C" int plug() {
  std::random_device device;
  int sum = device() != 0 && 0;
  try { throw std::runtime_error("x"); } catch (std::exception&) { sum += 1; }
  std::promise<int> p;
  p.set_exception(std::make_exception_ptr(7));
  try { p.get_future().get(); } catch (int n) { sum += n; }
  std::promise<int> at_exit;
  std::thread t([&] { at_exit.set_value_at_thread_exit(10); });
  sum += at_exit.get_future().get();
  t.join();
  return sum;
}
""", "libplug.so", "-shared", "-fPIC", compiler="g++")
    host = f"""#include <dlfcn.h>
#include <stdio.h>
int main(void) {{ printf("%d\\n", ((int (*)(void))dlsym(dlopen("{h.work}/libplug.so", RTLD_NOW), "plug"))()); }}
"""
    plain, own = h.build(host, "c_host"), h.work / "own_host"
    code, _, err = h("cc", "-g", h.work / "c_host.c", "-o", own)
    assert code == 0, err
    for exe in (plain, own):
        code, out, err = bounded([exe], h.work, 60)
        assert code == 0 and out == "18\n", (exe, code, out, err)
        code, out, err = h("record", "--quiet", "-o", "r.heddle", "--", exe)
        assert code == 0 and out == "18\n", (exe, code, out, err)
        code, out, err = h("replay", "--quiet", "r.heddle")
        assert code == 0 and out.startswith("18\n"), (exe, code, out, err)
        code, out, err = h("hunt", "--quiet", "--runs", 20, "-o", "h.heddle", "--", exe)
        assert code == CLEAN, (exe, code, out, err)


def a_failure_in_a_library_that_is_loaded(h):
    """A replay loads it from the recording: the place of the failure has its name all the same."""
    h.build("void crash(void) { *(volatile int*)8 = 1; }", "libcrash.so", "-g", "-shared", "-fPIC")
    exe = h.build(f"""#include <dlfcn.h>
int main(void) {{ ((void (*)(void))dlsym(dlopen("{h.work}/libcrash.so", RTLD_NOW), "crash"))(); }}
""", "crashes", "-g")
    found = h.finds(exe, kind="segfault")
    assert found["failure"]["signature"] == "segfault|crash|main", found["failure"]


def sanitized_by_gcc(h):
    h.finds(h.build(TWO_LOCKS, "asan", "-fsanitize=address", "-g"))
    h.finds(h.build("#include <stdlib.h>\nint main(void) { char* p = malloc(1); free(p); return *p; }", "uaf",
                    "-fsanitize=address", "-g"),
            kind="sanitizer")
    h.refuses(h.build(TWO_LOCKS, "tsan", "-fsanitize=thread"), words=["-fsanitize=thread", "heddle cc"])
    h.refuses(h.build(TWO_LOCKS, "clang_asan", "-fsanitize=address", compiler="clang-19"),
              words=["contains a sanitizer's runtime"])


def constructors_threads_and_exits(h):
    """C++ constructors of the executable run under control, and so do threads that outlive main."""
    h.finds(
        h.build(
            TWO_LOCKS.replace("int main(void)", "__attribute__((constructor)) void early(void)").replace(
                "return 0;", "") + "int main(void) { return 0; }", "early"))
    h.finds(h.build(TWO_LOCKS.replace("int main(void)", "static void late(void)").replace("return 0;", "") +
                    "#include <stdlib.h>\nint main(void) { atexit(late); return 0; }", "late"))


def refusals(h):
    h.refuses(h.build(TWO_LOCKS, "static", "-static"), words=["statically linked", "link it dynamically"])
    h.refuses(h.build(TWO_LOCKS, "static_pie", "-static-pie"), words=["statically linked"])
    setuid = h.build(TWO_LOCKS, "setuid")
    setuid.chmod(0o4755)
    h.refuses(setuid, words=["set-user-ID", "other rights", "cp "])
    musl = h.build(TWO_LOCKS, "musl", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
    h.refuses(musl, words=["/lib/ld-musl-x86_64.so.1", "glibc"])
    arm = bytearray(h.build(TWO_LOCKS, "arm").read_bytes())
    for machine, name, word in ((183, "arm", "64-bit ARM"), (3, "i386", "32-bit x86")):
        arm[18:20] = machine.to_bytes(2, "little")
        (h.work / name).write_bytes(arm)
        (h.work / name).chmod(0o755)
        h.refuses(h.work / name, words=[word, "x86-64 programs only"])
    h.refuses(h.build("int main(void) {\n#pragma omp parallel\n  ;\n return 0; }", "openmp", "-fopenmp"),
              words=["OpenMP", "libgomp"])


def spins_are_named(h):
    exe = h.build("""#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void* sets(void* unused) { flag = 1; return unused; }
static void await_flag(void) {
  while (!flag) {}
}
static void* waits(void* unused) { await_flag(); return unused; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, sets, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
""", "spins", "-g", "-O1", "-fno-inline")
    for backend in ("baton", "fibers"):
        code, out, err = h("hunt", "--seed", 1, "--hang-timeout", "1s", "--", exe, HEDDLE_OPTIONS=f"backend={backend}")
        assert code == USAGE and not out, (code, out, err)
        for words in ("spins in await_flag (spins.c:6)", "without a synchronisation call", "build it with heddle cc"):
            assert words in err, (words, err)
    # Nobody else could run: that is the program's own hang.
    alone = h.build("int main(void) { for (volatile int i = 0;; i++) {} }", "loops", "-g")
    code, out, _ = h("hunt", "--seed", 1, "--hang-timeout", "1s", "--", alone)
    assert code == FOUND and "FAILED  hang" in out, (code, out)


def a_spin_in_a_plain_library_is_no_hang_of_the_program(h):
    library, source, exe = h.work / "libwaits.so", h.work / "waiter.c", h.work / "waiter"
    (h.work / "waits.c").write_text("volatile int go; void await_go(void) { while (!go) {} }")
    source.write_text("""#include <pthread.h>
extern volatile int go;
void await_go(void);
static void* sets(void* unused) { go = 1; return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, sets, 0);
  await_go();
  return pthread_join(t, 0);
}
""")
    code, _, err = bounded(["gcc", "-O2", "-shared", "-fPIC", h.work / "waits.c", "-o", library], h.work, 60)
    assert code == 0, err
    code, _, err = bounded([h.heddle, "cc", "-g", source, "-o", exe, "-L", h.work, "-lwaits", f"-Wl,-rpath,{h.work}"],
                           h.work, 60)
    assert code == 0, err
    code, out, err = h("hunt", "--seed", 1, "--hang-timeout", "1s", "--", exe)
    assert code == USAGE and not out and "spins in await_go" in err and "build it with heddle cc" in err, (code, out,
                                                                                                           err)


def laws_hold(h):
    """200 schedules each: a replay makes the same events; what observes changes nothing."""
    if not h.laws:
        return
    for name in ("fail/two_locks.c", "success/cxx20.cc", "success/c11_all.c", "success/pools.cc",
                 "fail/rwlock_deadlock.c"):
        path = PROGRAMS / name
        case, exe = Case(path), h.work / path.stem
        build_plain(case, exe, "gcc", "O2")
        code, out, err = bounded([
            h.laws, "--schedules", 100, "--preload", h.heddle.parent.parent / "lib/heddle/libheddle_preload.so", "--",
            exe
        ], h.work, 400)
        assert code == 0 and out.count("ok    ") == 6, (name, code, out, err[-300:])


CASES = [
    is_said_first, places_come_from_return_addresses, stripped_and_at_fixed_addresses,
    without_a_build_id_the_file_is_its_identity, the_program_sees_its_own_environment, wrapper_scripts_and_launchers,
    instrumented_library_in_a_plain_host, dlopen_and_other_processes, a_cpp_library_in_a_c_host,
    a_failure_in_a_library_that_is_loaded, sanitized_by_gcc, constructors_threads_and_exits, refusals, spins_are_named,
    a_spin_in_a_plain_library_is_no_hang_of_the_program, laws_hold
]


def run_special(heddle, laws, case):
    with tempfile.TemporaryDirectory(prefix="heddle-plain-") as folder:
        work = pathlib.Path(folder)
        try:
            case(Tool(heddle, laws, work))
        except AssertionError as e:
            return f"{e}"[:1500]
        left = survivors(work)
        return f"left running: {left}" if left else None


def build_plain(case, exe, compiler, level):
    c, cxx = COMPILERS[compiler]
    front = [c] if case.path.suffix == ".c" else [cxx, "-std=c++20"]
    include = HERE.parent.parent / "include"
    code, _, err = bounded(
        [*front, "-w", "-g", f"-{level}", "-pthread", "-I", include, *case.cflags, case.path, "-o", exe], exe.parent,
        120)
    assert code == 0, f"{compiler}: {err[-300:]}"


def run_program(path, heddle, compiler, level, backend):
    case = Case(path)
    env, other = (dict(os.environ, HEDDLE_OPTIONS=":".join(filter(None, [f"backend={b}", case.options])))
                  for b in (backend, "baton" if backend == "fibers" else "fibers"))
    with tempfile.TemporaryDirectory(prefix="heddle-plain-") as folder:
        work = pathlib.Path(folder)
        try:
            build_plain(case, work / path.stem, compiler, level)
        except AssertionError as e:
            return f"{e}"
        if case.remove:
            (work / case.remove).write_text("made for the hunt\n")
        if case.kind != "clean":
            why = check_fail(case, heddle, work, work / path.stem, 3, env, other)
        else:
            code, found, err = hunt(case, heddle, work, work / path.stem, env)
            why = None if found and code == CLEAN else f"hunt: status {code}, {found and found.get('failure')} {err[-300:]}"
        left = survivors(work)
        return why or (f"left running: {left}" if left else None)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--laws", type=lambda p: pathlib.Path(p).resolve())
    ap.add_argument("--programs", action="store_true")
    ap.add_argument("--compiler", choices=COMPILERS, default="gcc")
    ap.add_argument("--level", default="O2")
    ap.add_argument("--backend", default="fibers")
    ap.add_argument("--every", type=int, default=1, help="each n-th program")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    if a.programs:
        every = sorted(p for d in ("fail", "success") for p in (PROGRAMS / d).iterdir()
                       if p.suffix in (".c", ".cc") and p.name not in NEEDS_HOOKS)
        files = [pathlib.Path(n).resolve() for n in a.names] or every[::a.every]
        jobs = [(f"{f.parent.name}/{f.name} {a.compiler} -{a.level} {a.backend}", run_program, f, a.heddle, a.compiler,
                 a.level, a.backend) for f in files]
    else:
        jobs = [(case.__name__, run_special, a.heddle, a.laws, case) for case in CASES
                if not a.names or case.__name__ in a.names]
    report = Report()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, *_), result in [(job, pool.submit(*job[1:])) for job in jobs]:
            report.line(name, result.result())
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
