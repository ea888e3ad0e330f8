// expect: clean race 25
// tsan: none, calls of libc have no hooks
// runs: 4
// What libc does to memory for the program is an access of the program: each buffer here has a race that only that shows.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kCases = 26 };
static char data[kCases][64], other[kCases][64];
static int fd[2], pair[2];
static FILE* file;
static volatile unsigned long sink;

static void touch(int i) { data[i][1] = 'x'; }  // a plain write in the other thread

static void use(int i) {
  char* d = data[i];
  struct iovec v[2] = {{other[i], 1}, {d, 8}};
  struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
  switch (i) {
    case 0: sink += strlen(d); break;
    case 1: strcpy(d, "hello"); break;
    case 2: strncpy(d, "hi", 8); break;
    case 3: strcat(d, "zz"); break;
    case 4: sink += strcmp(d, "aaaa") == 0; break;
    case 5: sink += strchr(d, 'q') != 0; break;
    case 6: { char* copy = strdup(d); sink += copy[0]; free(copy); break; }
    case 7: snprintf(d, 8, "%d", 123456); break;
    case 8: sprintf(d, "%s", "abcdef"); break;
    case 9: snprintf(other[i], 32, "<%s>", d); break;
    case 10: sink += memchr(d, 'q', 8) != 0; break;
    case 11: sink += memcmp(d, other[i], 8); break;
    case 12: if (write(fd[1], d, 8) != 8) abort(); break;
    case 13: if (read(fd[0], d, 4) != 4) abort(); break;
    case 14: if (send(pair[0], d, 8, 0) != 8) abort(); break;
    case 15: if (recv(pair[1], d, 4, 0) != 4) abort(); break;
    case 16: if (fread(d, 2, 4, file) != 4) abort(); break;
    case 17: if (pread(fileno(file), d, 8, 0) != 8) abort(); break;
    case 18: if (writev(fd[1], v, 2) != 9) abort(); break;
    case 19: if (readv(fd[0], v, 2) != 9) abort(); break;
    case 20: if (sendmsg(pair[0], &m, 0) != 9) abort(); break;
    case 21: if (recvmsg(pair[1], &m, 0) != 9) abort(); break;
    case 22: sink += strncasecmp(d, "AAAA", 3); break;
    case 23: sink += strnlen(d, 8); break;
    case 24: sink += strstr(d, "nothing") != 0; break;
    case 25: stpcpy(d, "hello"); break;
  }
}

static void* toucher(void* unused) {
  for (int i = 0; i < kCases; i++) touch(i);
  return unused;
}
static void* user(void* unused) {
  for (int i = 0; i < kCases; i++) use(i);
  return unused;
}

int main() {
  file = tmpfile();
  if (!file || pipe(fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  if (fwrite("0123456789abcdef", 1, 16, file) != 16) return 1;
  rewind(file);
  // Enough bytes for everyone who reads.
  if (write(fd[1], "aaaaaaaaaaaaaaaa", 16) != 16 || write(pair[0], "aaaaaaaaaaaaaaaa", 16) != 16) return 1;
  for (int i = 0; i < kCases; i++) memcpy(data[i], "aaaa", 5);
  pthread_t a, b;
  pthread_create(&a, NULL, toucher, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
