// expect: clean race
// What pthread_create() and pthread_join() write is looked at by another thread meanwhile.
#include <pthread.h>

#include <atomic>
#include <cstdio>

alignas(64) void* volatile result[8];
alignas(64) volatile pthread_t handle[8];
alignas(64) std::atomic<int> stop{0};

void* give(void* what) { return what; }

void* look(void*) {
  unsigned long changes = 0, of_handle = 0;
  for (void* last = nullptr; !stop;) {
    void* const now = result[0];
    if (now != last) changes = changes * 31 + (unsigned long)now;
    of_handle += handle[0] != 0;
    last = now;
  }
  std::printf("%lx %lu\n", changes, of_handle);
  return nullptr;
}

int main() {
  pthread_t looker;
  pthread_create(&looker, nullptr, look, nullptr);
  for (long i = 1; i <= 40; i++) {
    pthread_create((pthread_t*)&handle[0], nullptr, give, (void*)i);
    pthread_join(handle[0], (void**)&result[0]);
    handle[0] = 0;
  }
  stop = 1;
  pthread_join(looker, nullptr);
}
