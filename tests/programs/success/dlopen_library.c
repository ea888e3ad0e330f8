// expect: clean
// record: none, dlsym() takes the lock of the loader inside libc, where nobody sees it
// cflags: -rdynamic -ldl
// runs: 20
// Functions found by dlsym in the program itself and in libraries loaded while threads run; constructors, destructors, dlclose.
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int calls;
int exported(int x) {
  pthread_mutex_lock(&mutex);
  calls += x;
  pthread_mutex_unlock(&mutex);
  return x * 2;
}
static void* loads(void* unused) {
  for (int i = 0; i < 3; i++) {
    void* math = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    double (*floor_of)(double) = (double (*)(double))dlsym(math, "floor");
    assert(floor_of(2.5) == 2.0);
    int (*found)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "exported");
    assert(found && found(i) == 2 * i);
    Dl_info info;
    assert(dladdr((void*)found, &info));
    dlclose(math);
    assert(!dlopen("no-such-library.so", RTLD_NOW) && dlerror());
  }
  return unused;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, loads, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  assert(calls == 9);
  return 0;
}
