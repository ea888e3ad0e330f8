// expect: clean
// hunt: --points all
// What libc does NOT look at may be written meanwhile: bytes behind the end of a string, behind the first difference, behind what
// was received. And what goes through a pipe is ordered by it, however the buffers are reused.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[64] = "abc";           // [4...] belongs to the other thread
static char counted[8] = {'a', 'b', 'c', 'd', 0, 0, 0, 0};
static char shared[64];                 // handed to and fro by the pipes
static int forth[2], back[2], sockets[2];
static volatile long sink;

static void* other(void* unused) {
  for (int i = 0; i < 8; i++) {
    memset(text + 4, 'x' + i % 2, 32);
    counted[5] = (char)i;
    char order;
    if (read(forth[0], &order, 1) != 1) abort();
    strcpy(shared, "from the other");
    if (write(back[1], "x", 1) != 1) abort();
  }
  char name[4];
  if (recv(sockets[1], name, sizeof name, 0) != 2) abort();
  sink += name[0];
  return unused;
}

int main() {
  if (pipe(forth) || pipe(back) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 1;
  pthread_t t;
  pthread_create(&t, NULL, other, NULL);
  char mine[64];
  for (int i = 0; i < 8; i++) {
    sink += (long)strlen(text) + strcmp(text, "abc") + strcmp(text, "abd") + strncmp(text, "abcdef", 6);
    sink += strchr(text, 'b') != NULL;
    sink += memchr(text, 'c', sizeof text) != NULL;
    sink += snprintf(mine, sizeof mine, "%s %.*s %-5s|", text, 4, counted, "x");
    strncpy(mine, text, sizeof mine);
    char* copy = strdup(text);
    strcat(strcpy(mine, copy), text);
    free(copy);
    snprintf(shared, sizeof shared, "turn %d", i);
    struct iovec v[2] = {{shared, 1}, {NULL, 0}};
    if (writev(forth[1], v, 2) != 1) abort();
    if (read(back[0], shared + 20, 8) != 1) abort();
    sink += (long)strlen(shared);
  }
  if (send(sockets[0], "hi", 2, 0) != 2) abort();
  pthread_join(t, NULL);
  return strcmp(shared, "from the other") ? 1 : 0;
}
