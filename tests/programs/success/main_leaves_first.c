// expect: clean   main ends before its threads: the last of them ends the process, as exit(0) does, with what atexit() and stdio have to do.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static pthread_t first;
static void said(void) { printf("%d in the end\n", count); }
static void* work(void* p) {
  if (p) pthread_join(*(pthread_t*)p, NULL);
  pthread_mutex_lock(&m);
  count++;
  pthread_mutex_unlock(&m);
  return NULL;
}
int main(void) {
  pthread_t t;
  atexit(said);
  pthread_create(&first, NULL, work, NULL);
  pthread_create(&t, NULL, work, &first);
  pthread_create(&t, NULL, work, NULL);
  pthread_exit(NULL);
}
