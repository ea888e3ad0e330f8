// expect: clean race
// Strings are compared, copied and printed while another thread rewrites them. What each call saw is printed, and is the same in the
// replay of a recording.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
static char a[200], b[200], swapped[200];
static int stop;
static FILE* nowhere;
static void* rewrites(void* p) {
  for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
    for (int k = 0; k < 100; k++) a[k] = (char)('a' + (i + (unsigned)k / 30) % 4);
    for (int k = 0; k < 100; k++) b[k] = (char)('a' + (i / 2 + (unsigned)k / 30) % 4);
    a[100 - i % 7] = b[100 - i % 5] = 0;
  }
  return p;
}
static void* looks(void* p) {
  unsigned long seen = (unsigned long)p;
  for (int i = 0; i < 400; i++) {
    long one = 0;
    switch (i % 9) {
      case 0: one = memcmp(a, b, 100); break;
      case 1: one = strcmp(a, b); break;
      case 2: one = strncmp(a, b, 60); break;
      case 3: one = strcasecmp(a, b); break;
      case 4: one = strcoll(a, b); break;
      case 5: {
        char* copy = strdup(a);
        for (char* c = copy; *c; c++) one = one * 31 + *c;
        free(copy);
        break;
      }
      case 6: swab(a, swapped, 100), one = swapped[31] * 256 + swapped[62]; break;
      case 7: setenv("SEEN", a, 1), one = getenv("SEEN")[40]; break;
      default: fputs(b, nowhere), fwrite(a, 1, 90, nowhere); break;
    }
    seen = seen * 1099511628211u + (unsigned long)(one > 0 ? one : one < 0 ? 7 : 0);
  }
  return (void*)seen;
}
int main(void) {
  pthread_t w, t[2];
  void* seen[2];
  nowhere = fopen("/dev/null", "w");
  pthread_create(&w, 0, rewrites, 0);
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, looks, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], &seen[i]);
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(w, 0);
  fclose(nowhere);
  printf("%lx %lx\n", (unsigned long)seen[0], (unsigned long)seen[1]);
  return 0;
}
