// expect: clean   posix_spawn, system and popen from two threads.
// laws: 20 schedules, each starts three programs
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
extern char** environ;
static void* spawns(void* unused) {
  char* argv[] = {"sh", "-c", "exit 5", 0};
  pid_t pid;
  int status = 0;
  assert(posix_spawn(&pid, "/bin/sh", 0, 0, argv, environ) == 0);
  assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, spawns, 0);
  assert(WEXITSTATUS(system("exit 4")) == 4);
  FILE* f = popen("echo hello", "r");
  char line[20] = "";
  assert(f && fgets(line, sizeof line, f) && !strcmp(line, "hello\n"));
  assert(pclose(f) == 0);
  pthread_join(t, 0);
  return 0;
}
