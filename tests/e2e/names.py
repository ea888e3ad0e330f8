#!/usr/bin/env python3
"""A report names the user's own place: where a failure is, who called a wrapped lock, what a lock and a racy variable are called.

    tests/e2e/names.py --heddle build/bin/heddle [NAME ...]          closing line: 'N passed, M failed'
"""
import argparse, json, os, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cases import run  # noqa: E402
from programs import bounded  # noqa: E402

FOUND, CLEAN = 66, 0


class Tool:
    def __init__(self, exe, work):
        self.exe, self.work = exe, work

    def __call__(self, *args, before=(), timeout=120, **env):
        return bounded([*before, self.exe, *args], self.work, timeout, b"", dict(os.environ, **env))

    def build(self, source, name, *flags, verb="cc", ending="c"):
        path = self.work / f"{name}.{ending}"
        path.write_text(source)
        code, _, err = self(verb, "-g", "-pthread", *(flags or ("-O1",)), path, "-o", self.work / name)
        assert code == 0, err
        return f"./{name}"

    def hunt(self, exe, *options, before=()):
        """The failure that a hunt finds, what it says, and the trace."""
        trace = self.work / f"{exe[2:]}.heddle"
        arguments = ("hunt", "--seed", "1", "--runs", "300", *options, "-o", trace, "--", exe)
        code, said, err = self(*arguments, before=before)
        assert code == FOUND, (code, said, err)
        code, shown, err = self("show", "--json", trace)
        assert code == 0, err
        return json.loads(shown), said, trace

    def place_of(self, shown):
        f = shown["failure"]
        return f"{pathlib.Path(f['file']).name}:{f['line']} in {f['function']}, thread {f['thread']}"


def line_of(source, mark):
    return next(i for i, line in enumerate(source.splitlines(), 1) if mark in line)


# libc notices this one when a thread ends and gives its cache back: nothing of the program is on its stack then.
DOUBLE_FREE = """#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *shared;
static void release(void) {
  void *p;
  pthread_mutex_lock(&m);
  p = shared;
  pthread_mutex_unlock(&m);
  if (!p) return;
  free(p);  // twice
  pthread_mutex_lock(&m);
  shared = NULL;
  pthread_mutex_unlock(&m);
}
static void *work(void *unused) { release(); return unused; }
int main(void) {
  pthread_t a, b;
  shared = malloc(40);
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


def a_double_free_has_the_place_of_the_free(h):
    exe = h.build(DOUBLE_FREE, "double")
    shown, said, trace = h.hunt(exe)
    failure, line = shown["failure"], line_of(DOUBLE_FREE, "// twice")
    assert re.fullmatch(rf"double.c:{line} in release, thread 0\.[12]", h.place_of(shown)), failure
    assert failure["signature"].startswith("abort|release"), failure
    assert "double free" in failure["message"], failure
    assert any(note.count(f"double.c:{line} in release") == 2 for note in failure["notes"]), failure["notes"]
    assert f"double.c:{line} in release" in said.splitlines()[0], said
    code, out, err = h("replay", trace)
    assert code == FOUND and f"double.c:{line} in release" in out + err, (code, out, err)
    assert "heddle_raw" not in json.dumps(failure) and "heddle::rt" not in json.dumps(failure), failure
    sarif = h.work / "double.sarif"
    code, out, err = h("hunt", "--seed", "1", "--runs", "300", "--sarif", sarif, "-o", h.work / "again.heddle", "--",
                       exe)
    result = json.loads(sarif.read_text())["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert result["region"]["startLine"] == line and result["artifactLocation"]["uri"].endswith("double.c"), result


ABORTS = {
    "in_tcache": ("void *volatile p = malloc(40); free(p); free(p);", "free(): double free detected", ("-O1", )),
    "smashed": ("char room[8]; strcpy(room, text); __asm__ volatile(\"\" ::\"r\"(room) : \"memory\");",
                "stack smashing detected", ("-O1", "-fstack-protector-all")),
    "fortified": ("static char room[8]; strcpy(room, text);", "buffer overflow detected", ("-O2",
                                                                                           "-D_FORTIFY_SOURCE=2")),
}


def an_abort_of_libc_says_why_and_where(h):
    for name, (statement, words, flags) in ABORTS.items():
        source = f"""#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static const char *volatile text = "a text that is longer than the room";
__attribute__((noinline)) static void fails(void) {{ {statement} }}
static void *work(void *unused) {{ fails(); return unused; }}
int main(void) {{ pthread_t a; pthread_create(&a, 0, work, 0); pthread_join(a, 0); return 0; }}
"""
        shown, said, _ = h.hunt(h.build(source, name, *flags))
        assert h.place_of(shown) == f"{name}.c:5 in fails, thread 0.1", shown["failure"]
        assert words in shown["failure"]["message"] and words in said, (said, shown["failure"]["message"])
        assert shown["failure"]["signature"] == "abort|fails|work", shown["failure"]["signature"]


SANITIZED = """#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *work(void *unused) {
  %s
  return unused;
}
int main(void) {
  pthread_t a;
  shared = malloc(40);
  pthread_create(&a, 0, work, 0);
  pthread_join(a, 0);
  return 0;
}
"""


def the_sanitizer_decides_what_is_wrong(h):
    for name, statement, report in (("twice", "free(shared); free(shared);",
                                     "double-free"), ("after", "free(shared); shared[3] = 1;", "heap-use-after-free"),
                                    ("beyond", "shared[10] = 1;",
                                     "heap-buffer-overflow"), ("inside", "free(shared + 1);", "bad-free")):
        shown, said, _ = h.hunt(h.build(SANITIZED % statement, name, "-O1", "-fsanitize=address"))
        failure = shown["failure"]
        assert failure["kind"] == "sanitizer" and failure["detail"].startswith(f"report: {report}"), failure
        assert h.place_of(shown) == f"{name}.c:5 in work, thread 0.1", failure
        assert failure["signature"] == f"sanitizer|{report}|work", failure["signature"]
        assert "__sanitizer" not in said and "interceptor" not in said, said


# Denies one system call to the command behind it.
SANDBOX = """#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(argv[1]), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
  (void)argc;
  execv(argv[2], argv + 2);
  return 98;
}
"""
PROCESS_VM_READV = "310"


def stacks_are_there_where_process_vm_readv_is_denied(h):
    h.build(SANDBOX, "sandbox")
    exe = h.build(DOUBLE_FREE.replace("free(p);  // twice", "abort();  // here"), "denied")
    line = line_of(DOUBLE_FREE, "// twice")
    shown, said, _ = h.hunt(exe, before=(h.work / "sandbox", PROCESS_VM_READV))
    assert re.fullmatch(rf"denied.c:{line} in release, thread 0\.[12]", h.place_of(shown)), shown["failure"]
    assert shown["failure"]["signature"] == "abort|release|work", shown["failure"]
    for thread in shown["failure"]["threads"]:
        assert any(f["function"] in ("main", "work", "release") for f in thread["stack"]), thread
    assert "heddle_raw" not in json.dumps(shown["failure"]), shown["failure"]


# As xz does it: nobody locks but through these.
WRAPPED = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
typedef pthread_mutex_t my_mutex;
static inline void my_lock(my_mutex *mutex) {
  int error = pthread_mutex_lock(mutex);
  assert(error == 0);
  (void)error;
}
static inline void my_unlock(my_mutex *mutex) {
  int error = pthread_mutex_unlock(mutex);
  assert(error == 0);
  (void)error;
}
struct account {
  long balance;
  my_mutex lock;
};
struct bank {
  struct account *from, *to;
};
static void pay(struct account *giver, struct account *taker) {
  my_lock(&giver->lock);  // first
  my_lock(&taker->lock);  // second
  giver->balance--;
  taker->balance++;
  my_unlock(&taker->lock);
  my_unlock(&giver->lock);
}
static void *there(void *bank) { pay(((struct bank *)bank)->from, ((struct bank *)bank)->to); return 0; }
static void *back(void *bank) { pay(((struct bank *)bank)->to, ((struct bank *)bank)->from); return 0; }
int main(void) {
  struct bank *bank = malloc(sizeof *bank);
  pthread_t a, b;
  bank->from = calloc(1, sizeof *bank->from);
  bank->to = calloc(1, sizeof *bank->to);
  pthread_mutex_init(&bank->from->lock, 0);
  pthread_mutex_init(&bank->to->lock, 0);
  pthread_create(&a, 0, there, bank);
  pthread_create(&b, 0, back, bank);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


def the_caller_of_a_wrapper_is_named(h):
    first, second = line_of(WRAPPED, "// first"), line_of(WRAPPED, "// second")
    for level in ("-O0", "-O2"):
        exe = h.build(WRAPPED, "wrapped" + level[2:], level)
        shown, said, trace = h.hunt(exe)
        failure = shown["failure"]
        assert failure["kind"] == "deadlock" and failure["function"] == "pay" and failure["line"] == second, failure
        assert [(e["wait_site"]["line"], e["hold_site"]["line"])
                for e in failure["deadlock"][:2]] == [(second, first)] * 2, failure["deadlock"]
        assert failure["signature"] == "deadlock|lock pay|lock pay", failure["signature"]
        names = sorted(e["object"] for e in failure["deadlock"][:2])
        # Each lock is named as the statement does that used it first. Both threads hold their giver's, so one has that name; the other one was
        # first used as a giver's too, or as the taker's by the thread that had run into it before: the schedule says which.
        assert names in (["giver->lock", "giver->lock#2"], ["giver->lock", "taker->lock"]), names
        code, text, _ = h("show", trace)
        assert f"{second}   my_lock(&taker->lock);" in text and "error = pthread_mutex_lock" not in text, text
        assert "mutex#" not in text and "mutex#" not in said and "my_lock  " not in said, (text, said)
        code, more, _ = h("show", "--json", "--wrappers", "^pay$", trace)  # for this view only
        assert json.loads(more)["failure"]["function"] in (
            "there", "back") and json.loads(more)["failure"]["signature"] == failure["signature"], more
        assert h("show", "--wrappers", "(", trace)[0] == 2
        code, out, err = h("simplify", trace, "-o", h.work / "less.heddle")
        assert code == 0 and "pthread_mutex_lock(mutex)" not in out, (code, out, err)
        assert h("replay", trace)[0] == FOUND


CLASSES = """#include <mutex>
#include <thread>
class Mutex {  // as leveldb has it
 public:
  void Lock() { mu_.lock(); }
  void Unlock() { mu_.unlock(); }
 private:
  std::mutex mu_;
};
class MutexLock {
 public:
  explicit MutexLock(Mutex* mu) : mu_(mu) { mu_->Lock(); }
  ~MutexLock() { mu_->Unlock(); }
 private:
  Mutex* const mu_;
};
struct Table {
  Mutex names, values;
  void rename() {
    MutexLock first(&names);
    MutexLock second(&values);  // rename
  }
  void change() {
    MutexLock first(&values);
    MutexLock second(&names);  // change
  }
};
int main() {
  Table* table = new Table;
  std::thread a([=] { table->rename(); }), b([=] { table->change(); });
  a.join();
  b.join();
}
"""


def guards_and_classes_are_wrappers_too(h):
    exe = h.build(CLASSES, "classes", "-O1", verb="c++", ending="cc")
    shown, said, _ = h.hunt(exe)
    edges = {e["wait_site"]["line"]: e["object"] for e in shown["failure"]["deadlock"][:2]}
    assert edges == {
        line_of(CLASSES, "// rename"): "Table::values",
        line_of(CLASSES, "// change"): "Table::names.mu_"
    }, shown["failure"]["deadlock"]


RACY = """#include <assert.h>
#include <pthread.h>
static int filled, other;
static void *put(void *unused) {
  filled = 1;
  filled = 2;
  other = 1;
  return unused;
}
static void *take(void *unused) {
  int seen = filled;
  other = 2;
  assert(filled == seen);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, put, 0);
  pthread_create(&b, 0, take, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


def races_are_one_entry_per_variable_and_the_one_of_the_failure_is_beside_it(h):
    shown, said, trace = h.hunt(h.build(RACY, "racy"))
    lines = said.splitlines()
    beside = next(i for i, line in enumerate(lines) if line.startswith("  data race on filled: "))
    assert beside < next(i for i, line in enumerate(lines) if "trace " in line), said
    assert sum(line.startswith("    filled: ")
               for line in lines) == 1 and sum(bool(re.match(r" {12}(read|write) ", line)) for line in lines) >= 1, said
    text = h("show", trace)[1]
    assert text.splitlines()[1].startswith("  data race on filled: "), text
    assert len(re.findall(r"^  on filled", text, re.M)) == 1 and "which the failing statement uses" in text, text


def a_call_that_nobody_ends_is_named(h):
    programs = HERE.parent / "programs" / "fail"
    for name, waits in (("waits_in_pause", ("pause() 8 pauses", "poll() 12 polls")), ("waits_in_sigwait",
                                                                                      ("sigwait() 27 main", )),
                        ("waits_in_sigsuspend", ("sigsuspend() 23 main", )), ("nobody_writes", ("read() 7 reads", ))):
        shown, said, trace = h.hunt(h.build((programs / f"{name}.c").read_text(), name))
        edges = {
            f"{e['object']} {e['wait_site']['line']} {e['wait_site']['function']}"
            for e in shown["failure"]["deadlock"] if e["operation"] == "system call"
        }
        assert edges == set(waits), (name, edges)
        states = h("show", trace)[1]
        for wait in waits:
            call, line, _ = wait.split()
            assert f"waits in {call}, which nobody ends" in said and f"system call {call} at {name}.c:{line}" in said and f"in i/o: {call}" in states, (
                name, said, states)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--heddle", default="build/bin/heddle")
    ap.add_argument("names", nargs="*")
    a = ap.parse_args()
    cases = [
        f for f in globals().values() if getattr(f, "__module__", "") == "__main__" and f not in (main, Tool, line_of)
    ]
    return run(cases, lambda folder, _: Tool(pathlib.Path(a.heddle).resolve(), folder), a.names)


if __name__ == "__main__":
    sys.exit(main())
