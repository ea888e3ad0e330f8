// expect: clean   What libc and the kernel say of threads, asked by themselves and by others: ids, names, stacks, scheduling, affinity.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
enum { kThreads = 3 };
static pthread_barrier_t all;
static pid_t ids[kThreads];
static void* work(void* p) {
  int me = (int)(intptr_t)p, policy;
  ids[me] = gettid();
  assert(pthread_setname_np(pthread_self(), "itself") == 0);
  pthread_attr_t a;
  void* low;
  size_t size;
  assert(pthread_getattr_np(pthread_self(), &a) == 0);
  assert(pthread_attr_getstack(&a, &low, &size) == 0 && (char*)&a > (char*)low && (char*)&a < (char*)low + size);
  pthread_attr_destroy(&a);
  struct sched_param q;
  assert(pthread_getschedparam(pthread_self(), &policy, &q) == 0 && policy == SCHED_OTHER);
  assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &q) == 0);
  cpu_set_t set;
  assert(sched_getaffinity(gettid(), sizeof set, &set) == 0 && sched_setaffinity(gettid(), sizeof set, &set) == 0);
  errno = 0;
  getpriority(PRIO_PROCESS, (id_t)gettid());
  assert(errno == 0 || errno == ESRCH);
  pthread_barrier_wait(&all);
  pthread_barrier_wait(&all);
  char name[16], small[4];
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "by main") == 0);
  assert(pthread_getname_np(pthread_self(), small, sizeof small) == ERANGE);
  return 0;
}
int main(void) {
  pthread_t t[kThreads];
  pthread_barrier_init(&all, 0, kThreads + 1);
  for (int i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, (void*)(intptr_t)i);
  pthread_barrier_wait(&all);
  for (int i = 0; i < kThreads; i++) {
    struct sched_param q;
    int policy;
    cpu_set_t set;
    char name[16];
    assert(pthread_getname_np(t[i], name, sizeof name) == 0 && strcmp(name, "itself") == 0);
    assert(ids[i] != getpid() && ids[i] != ids[(i + 1) % kThreads]);
    assert(pthread_setname_np(t[i], "by main") == 0 && pthread_setname_np(t[i], "a name that is too long") == ERANGE);
    assert(pthread_getschedparam(t[i], &policy, &q) == 0 && pthread_setschedparam(t[i], policy, &q) == 0);
    assert(pthread_getaffinity_np(t[i], sizeof set, &set) == 0 && pthread_setaffinity_np(t[i], sizeof set, &set) == 0);
  }
  pthread_barrier_wait(&all);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  return 0;
}
