// expect: deadlock   Two threads join each other.
#include <pthread.h>
#include <semaphore.h>
static pthread_t a, b;
static sem_t go;
static void* joins(void* other) {
  sem_wait(&go);
  pthread_join(*(pthread_t*)other, nullptr);
  return nullptr;
}
int main() {
  sem_init(&go, 0, 0);
  pthread_create(&a, nullptr, joins, &b);
  pthread_create(&b, nullptr, joins, &a);
  sem_post(&go);
  sem_post(&go);
  pthread_exit(nullptr);
}
