// load PORT REQUESTS FILE: two connections to a memcached on this machine, each sets and gets its own keys, 16 requests
// under way at a time. Writes the seconds from the first request to the last answer into FILE. Any wrong answer:
// status 1.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kBatch = 16, kKeys = 1000, kValue = 100 };

static int port, requests, failed;
static char value[kValue + 1];

static int connect_in_time(void) {
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  for (int tries = 0; tries < 6000; tries++) {  // a minute: the server may still be starting
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr*)&to, sizeof to) == 0) return fd;
    close(fd);
    usleep(10000);
  }
  return -1;
}

/// Sends a batch and reads until the answer has come; what came back must be `answer`.
static int ask(int fd, const char* text, const char* answer) {
  static _Thread_local char got[1 << 16];
  size_t size = strlen(text), want = strlen(answer), have = 0;
  if (write(fd, text, size) != (ssize_t)size) return 0;
  while (have < want) {
    ssize_t n = read(fd, got + have, want - have);
    if (n <= 0) return 0;
    have += (size_t)n;
  }
  return memcmp(got, answer, want) == 0;
}

static void* talk(void* number) {
  static _Thread_local char text[1 << 16], answer[1 << 16];
  int fd = ((int*)number)[0], who = ((int*)number)[1];
  for (int i = 0; i < requests / 2; i += kBatch) {
    char *t = text, *a = answer;
    for (int k = 0; k < kBatch; k++) {
      int key = (i + k / 2) % kKeys;
      if (k % 2 == 0) {
        t += sprintf(t, "set key%d_%d 0 0 %d\r\n%s\r\n", who, key, kValue, value);
        a += sprintf(a, "STORED\r\n");
      } else {
        t += sprintf(t, "get key%d_%d\r\n", who, key);
        a += sprintf(a, "VALUE key%d_%d 0 %d\r\n%s\r\nEND\r\n", who, key, kValue, value);
      }
    }
    if (!ask(fd, text, answer)) failed = 1;
    if (failed) break;
  }
  close(fd);
  return 0;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  port = atoi(words[1]);
  requests = atoi(words[2]);
  memset(value, 'v', kValue);
  int who[2][2] = {{connect_in_time(), 0}, {connect_in_time(), 1}};
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, talk, who[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  FILE* out = fopen(words[3], "w");
  if (failed || !out) return 1;
  fprintf(out, "%f\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
  return fclose(out);
}
