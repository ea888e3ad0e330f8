// A lost update of a number in a file that is mapped: another schedule leaves something else in the file. [write: and the file is changed by a
// call, twice: by a second mapping, fork: there is a child that has the mapping; then a replay cannot know what lies in the mapping]
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int* at;
static void* add(void* p) {
  for (int i = 0; i < 4; i++) {
    int seen = at[0];
    at[1 + *(int*)p * 4 + i] = seen;
    at[0] = seen + 1;
  }
  return 0;
}
int main(int argc, char** argv) {
  const char* also = argc > 1 ? argv[1] : "";
  pthread_t t[2];
  int id[2] = {0, 1};
  int f = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (ftruncate(f, 10000)) return 1;
  at = mmap(0, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  if (!strcmp(also, "write")) pwrite(f, "behind", 6, 5000);
  if (!strcmp(also, "twice")) strcpy((char*)mmap(0, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0) + 5000, "behind");
  if (!strcmp(also, "fork")) {
    pid_t child = fork();
    if (!child) strcpy((char*)at + 5000, "behind"), _exit(0);
    waitpid(child, 0, 0);
  }
  for (int i = 0; i < 2; i++) pthread_create(t + i, 0, add, id + i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  if (*also) return 0;
  assert(at[0] == 8);
  return 0;
}
