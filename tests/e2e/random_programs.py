"""Random small programs with locks of every kind, in one C file: the argument chooses one, its exit status is a hash of what it computed."""
import random

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t e0 = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c0 = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t r0 = PTHREAD_RWLOCK_INITIALIZER, r1 = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t o0 = PTHREAD_ONCE_INIT;
static sem_t s0, s1;
static atomic_uint a0, a1;      // neighbours
static unsigned g0, g1, R[4];   // by locks only
static unsigned char raw[16];   // racy
static __thread unsigned L;     // what this thread saw
static void see(unsigned v) { L = L * 7 + v + 1; }
static void first(void) { g1 = g1 * 3 + L + 5; }
"""


def operation(r, kind, who, depth):
    v, d = r.randint(0, 1), who + 1
    inside = operations(r, ("atomic", "sem", "mutex"), who, 1, depth +
                        1) if depth == 0 and r.random() < .35 else f"g{v} = g{v} * 3 + {d};"
    seen = f"see(g{v});"
    if kind == "atomic":
        return r.choice([f"see(a{v});", f"a{v} = {d};", f"a{v} += {d};", f"see(atomic_exchange(&a{v}, {d}));"])
    if kind == "mutex":
        return f"pthread_mutex_lock(&m{v}); {inside} {seen} pthread_mutex_unlock(&m{v});"
    if kind == "trylock":
        return f"if (!pthread_mutex_trylock(&m{v})) {{ {inside} pthread_mutex_unlock(&m{v}); }} else see(77);"
    if kind == "sem":
        return r.choice(
            [f"sem_wait(&s{v}); {inside} {seen} sem_post(&s{v});", f"sem_post(&s{v});", f"see(sem_trywait(&s{v}));"])
    if kind == "read":
        return f"pthread_rwlock_rdlock(&r{v}); {seen} pthread_rwlock_unlock(&r{v});"
    if kind == "write":
        return f"pthread_rwlock_wrlock(&r{v}); {inside} pthread_rwlock_unlock(&r{v});"
    if kind == "wait":
        return f"pthread_mutex_lock(&m0); if (g0 == 0) pthread_cond_wait(&c0, &m0); g0 = g0 * 3 + {d}; pthread_mutex_unlock(&m0);"
    if kind == "signal":
        how = r.choice(("signal", "broadcast"))
        return f"pthread_mutex_lock(&m0); g0 = g0 * 3 + {d}; pthread_mutex_unlock(&m0); pthread_cond_{how}(&c0);"
    if kind == "checked":
        return r.choice([
            f"see(pthread_mutex_lock(&e0)); {inside} {seen} see(pthread_mutex_unlock(&e0));",
            "see(pthread_mutex_unlock(&e0));", "see(pthread_mutex_trylock(&e0)); see(pthread_mutex_unlock(&e0));"
        ])
    if kind == "once":
        return f"see({d}); pthread_once(&o0, first); see(g1);"
    at = r.choice((0, 1, 2, 4))
    return r.choice([
        f"*(volatile unsigned*)(raw + {at}) = {d}u * 0x01010101u;", f"((volatile unsigned char*)raw)[{at + 1}] = {d};",
        f"see(((volatile unsigned char*)raw)[{at}]);"
    ])


KINDS = (("atomic", "mutex", "trylock"), ("sem", "atomic", "sem"), ("read", "write", "atomic"),
         ("wait", "signal", "mutex"), ("once", "atomic", "mutex"), ("raw", "raw", "mutex"), ("mutex", "sem", "write"))
CHECKED = (("checked", "atomic", "checked"), ("checked", "mutex", "atomic")
           )  # a mutex that may be unlocked by anyone, and refuses


def operations(r, kinds, who, most, depth=0):
    return " ".join(operation(r, r.choice(kinds), who, depth) for _ in range(r.randint(1, most)))


def program(number, kinds_of=KINDS):
    """Two threads, or three with less in each; main is one of them. How a thread is waited for varies."""
    r = random.Random(number)
    kinds, threads = kinds_of[number % len(kinds_of)], r.choice((1, 1, 2))
    text = "".join(
        f"static void* p{number}_{t}(void* p) {{ {operations(r, kinds, t, 2 if threads == 1 else 1)} R[{t}] = L; return p; }}\n"
        for t in range(threads))
    text += f"static void p{number}(void) {{ pthread_t t[2];\n"
    text += "".join(f"  pthread_create(&t[{t}], 0, p{number}_{t}, 0);\n" for t in range(threads))
    text += f"  {operations(r, kinds, 3, 2 if threads == 1 else 1)}\n"
    for t in range(threads):
        text += "  " + r.choice((f"pthread_join(t[{t}], 0);", f"pthread_join(t[{t}], 0);", f"pthread_join(t[{t}], 0);",
                                 f"pthread_detach(t[{t}]); see(a0);",
                                 f"if (pthread_tryjoin_np(t[{t}], 0)) {{ see(99); pthread_join(t[{t}], 0); }}")) + "\n"
    return text + "  R[3] = L;\n}\n"


def source(numbers, kinds_of=KINDS):
    text = HEAD + "".join(program(n, kinds_of) for n in numbers)
    text += "int main(int argc, char** argv) {\n  sem_init(&s0, 0, 1), sem_init(&s1, 0, 0);\n  switch (argc > 1 ? atoi(argv[1]) : -1) {\n"
    text += "".join(f"    case {n}: p{n}(); break;\n" for n in numbers)
    text += "  }\n  unsigned h = a0 * 7 + a1 * 31 + g0 * 131 + g1 * 523;\n  for (int i = 0; i < 4; i++) h = h * 1031 + R[i];\n"
    return text + "  for (int i = 0; i < 16; i++) h = h * 31 + raw[i];\n  h ^= h >> 13, h *= 2654435761u;\n  return 1 + (h >> 7) % 95;\n}\n"


def checked(numbers):
    return source(numbers, CHECKED)
