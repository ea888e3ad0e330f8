// expect: clean   A write barrier by page protection: the handler makes the page writable and the store is done again.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
static int* page;
static int faults;
static void on_fault(int signo, siginfo_t* info, void* context) {
  (void)signo, (void)context;
  if (info->si_addr != page) return;
  faults++;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
static void* writes(void* unused) {
  *page = 7;
  return unused;
}
int main(void) {
  page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_fault;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &a, 0);
  pthread_t t;
  pthread_create(&t, 0, writes, 0);
  pthread_join(t, 0);
  assert(*page == 7 && faults == 1);
  return 0;
}
