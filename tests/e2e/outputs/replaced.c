// replaced HOW COMMAND: the shell runs COMMAND, in this process or in a child of it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* lock(void* p) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return p;
}

int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, 0, lock, 0);
  pthread_join(t, 0);
  if (argc < 3) return 9;
  char* arguments[] = {"sh", "-c", argv[2], 0};
  pid_t child = 0;
  if (!strcmp(argv[1], "execve")) execv("/bin/sh", arguments);
  if (!strcmp(argv[1], "execvp")) execvp("sh", arguments);
  if (!strcmp(argv[1], "execveat")) fexecve(open("/bin/sh", O_RDONLY), arguments, environ);
  if (!strcmp(argv[1], "system")) return system(argv[2]);
  if (!strcmp(argv[1], "popen")) return pclose(popen(argv[2], "w"));
  if (!strcmp(argv[1], "posix_spawn")) posix_spawn(&child, "/bin/sh", 0, 0, arguments, environ);
  if (!strcmp(argv[1], "fork") && !(child = fork())) execv("/bin/sh", arguments);
  if (child > 0) waitpid(child, 0, 0);
  return 0;
}
