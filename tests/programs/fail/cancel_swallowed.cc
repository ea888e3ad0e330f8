// expect: abort   catch (...) swallows the cancellation: libc ends the program.
// alone: SIGABRT
#include <pthread.h>
#include <unistd.h>
static void* swallows(void*) {
  try {
    for (;;) sleep(1000);
  } catch (...) {
  }
  return nullptr;
}
int main() {
  pthread_t t;
  pthread_create(&t, nullptr, swallows, nullptr);
  pthread_cancel(t);
  pthread_join(t, nullptr);
}
