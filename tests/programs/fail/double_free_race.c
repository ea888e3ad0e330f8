// expect: abort   Two threads look at a pointer before either has cleared it, and both free what it points to.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* block;
static void* drops(void* unused) {
  pthread_mutex_lock(&lock);
  char* mine = block;
  pthread_mutex_unlock(&lock);
  if (mine) {
    free(mine);
    pthread_mutex_lock(&lock);
    block = NULL;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  block = malloc(2000);
  pthread_create(&a, NULL, drops, NULL);
  pthread_create(&b, NULL, drops, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
