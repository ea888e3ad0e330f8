// expect: assertion   Two clients of a loopback server: who is first decides.
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static struct sockaddr_in at;
static void* sends(void* byte) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (!connect(s, (struct sockaddr*)&at, sizeof at)) (void)!send(s, byte, 1, 0);
  close(s);
  return 0;
}
int main(void) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t size = sizeof at;
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(s, (struct sockaddr*)&at, sizeof at) || listen(s, 5) || getsockname(s, (struct sockaddr*)&at, &size)) return 0;
  pthread_t a, b;
  char got[2] = "??";
  pthread_create(&a, 0, sends, "a");
  pthread_create(&b, 0, sends, "b");
  for (int i = 0; i < 2; i++) {
    int c = accept(s, 0, 0);
    (void)!recv(c, &got[i], 1, 0);
    close(c);
  }
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(got[0] != 'b');
  return 0;
}
