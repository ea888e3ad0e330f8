// A server on port 7411 without SO_REUSEADDR, a thread per connection; each "+" adds one to a total without a lock. After SIGTERM it
// checks the total. HOW: 0 as said, 1 with a lock, 2 ignores SIGTERM, 3 ends on its own at once,
// 4 with a lock, and another total is wanted, 5 has no handler.
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static int total, sent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_term(int signal) { stop = signal; }

static void* serve(void* connection) {
  int fd = (int)(long)connection;
  char c;
  for (int i = 0; i < 3 && read(fd, &c, 1) == 1; i++) {
    __atomic_fetch_add(&sent, 1, __ATOMIC_SEQ_CST);
    if (HOW) pthread_mutex_lock(&lock);
    int seen = total;
    total = seen + 1;
    if (HOW) pthread_mutex_unlock(&lock);
    if (write(fd, "k", 1) != 1) break;
  }
  close(fd);  // before the client does: the port stays in TIME_WAIT
  return 0;
}

int main(void) {
  if (HOW == 3) return 0;
  struct sigaction action = {.sa_handler = HOW == 2 ? SIG_IGN : HOW == 5 ? SIG_DFL : on_term};
  sigaction(SIGTERM, &action, 0);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7411), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (struct sockaddr*)&at, sizeof at) || listen(listener, 8)) return 7;
  pthread_t threads[16];
  int count = 0;
  while (!stop) {
    int fd = accept(listener, 0, 0);
    if (fd >= 0) pthread_create(&threads[count++], 0, serve, (void*)(long)fd);
  }
  while (count) pthread_join(threads[--count], 0);
  assert(total == sent + (HOW == 4));
  return 0;
}
