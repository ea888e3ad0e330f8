// expect: check   A condition of the user's own, from <heddle/check.h>.
#include <heddle/check.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int open_files;
static void* use(void* unused) {
  pthread_mutex_lock(&m);
  open_files++;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  heddle_check(open_files == 1);
  open_files--;
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  heddle_init_done();
  pthread_t a, b;
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, use, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
