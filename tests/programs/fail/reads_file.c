// expect: assertion   The file is gone when the replay runs.
// remove: input.txt
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char line[100];
static void* reads(void* unused) {
  FILE* f = fopen("input.txt", "r");
  if (f && fgets(line, sizeof line, f)) fclose(f);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, reads, 0);
  pthread_join(t, 0);
  assert(strncmp(line, "made", 4));
  return 0;
}
