// A record is written to a file in two parts; the reader must come between them. A second argument: only if that file exists.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int file;
static void put(const char* byte, off_t where) {
  pthread_mutex_lock(&m);
  (void)!pwrite(file, byte, 1, where);
  pthread_mutex_unlock(&m);
}
static void* writes(void* unused) {
  put("A", 0);
  put("B", 1);
  return unused;
}
static void* reads(void* unused) {
  char both[2];
  pthread_mutex_lock(&m);
  long n = pread(file, both, 2, 0);
  pthread_mutex_unlock(&m);
  assert(n != 1);
  return unused;
}
int main(int argc, char** argv) {
  if (argc > 2 && access(argv[2], R_OK)) return 0;
  file = open(argc > 1 ? argv[1] : "log.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
  pthread_t a, b;
  pthread_create(&a, 0, writes, 0);
  pthread_create(&b, 0, reads, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
