// Speaks the region protocol (abi/region.h) like the runtime does, without any control: a fixture for tests of the engine.
// argv[1] says what each run does; see child().
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/events.h"
#include "abi/region.h"

static struct HeddleRegion* region;

static void futex(uint32_t* word, int op, uint32_t value) { syscall(SYS_futex, word, op, value, NULL, NULL, 0); }
static void ring_bell(void) {
  __atomic_fetch_add(&region->host_bell, 1, __ATOMIC_SEQ_CST);
  futex(&region->host_bell, FUTEX_WAKE, 1);
}
static void* area(enum HeddleAreaId id) { return (char*)region + region->area[id].offset; }

static void emit(uint64_t number) {
  uint64_t capacity = region->area[HEDDLE_AREA_EVENTS].size / sizeof(struct HeddleEvent);
  while (region->ring_head - __atomic_load_n(&region->ring_tail, __ATOMIC_ACQUIRE) == capacity) {
    uint32_t seen = __atomic_load_n(&region->ring_tail_futex, __ATOMIC_ACQUIRE);
    ring_bell();
    if (region->ring_head - __atomic_load_n(&region->ring_tail, __ATOMIC_ACQUIRE) == capacity)
      futex(&region->ring_tail_futex, FUTEX_WAIT, seen);
  }
  struct HeddleEvent* event = (struct HeddleEvent*)area(HEDDLE_AREA_EVENTS) + region->ring_head % capacity;
  memset(event, 0, sizeof *event);
  event->value = number;
  event->kind = HEDDLE_EV_YIELD;
  event->flags = HEDDLE_EF_POINT;
  __atomic_store_n(&region->ring_head, region->ring_head + 1, __ATOMIC_RELEASE);
  region->result.event_count++;
  region->result.progress++;
}

static void start_threads_table(void) {
  struct HeddleThreadInfo* main_thread = area(HEDDLE_AREA_THREADS);
  memset(main_thread, 0, sizeof *main_thread);
  main_thread->state = HEDDLE_T_RUNNING;
  main_thread->tid = (int)syscall(SYS_gettid);
  region->result.thread_count = 1;
}

static void stop_for_inspection(uint32_t generation) {
  region->result.failure.kind = HEDDLE_FAIL_ABORT;
  strcpy(region->result.failure.message, "as asked");
  if (!region->run.inspect) return;
  __atomic_store_n(&region->result.awaiting_host, 1, __ATOMIC_RELEASE);
  ring_bell();
  for (uint32_t seen; (seen = __atomic_load_n(&region->child_go, __ATOMIC_ACQUIRE)) != generation;)
    futex(&region->child_go, FUTEX_WAIT, seen);
}

static int child(const char* what, uint32_t generation) {
  start_threads_table();
  if (!strcmp(what, "ok")) return 0;
  if (!strcmp(what, "exit3")) return 3;
  if (!strcmp(what, "exit-seed")) return (int)region->run.seed;
  if (!strcmp(what, "events"))
    for (uint64_t i = 0; i < region->run.seed; i++) emit(i);
  if (!strcmp(what, "cat"))
    for (int c; (c = getchar()) != EOF;) putchar(c);
  if (!strcmp(what, "print"))
    for (uint64_t i = 0; i < region->run.seed; i++) putchar("0123456789\n"[i % 11]);
  if (!strcmp(what, "abort")) stop_for_inspection(generation), abort();
  if (!strcmp(what, "hang"))
    for (;;) pause();
  if (!strcmp(what, "slow"))
    for (;;) region->result.progress++, usleep(1000);
  if (!strcmp(what, "lies")) {  // counters that a corrupted program could leave
    region->result.thread_count = region->result.object_count = region->result.pc_count = region->result.race_count =
        ~0u;
    region->result.choice_count = region->result.stack_words = ~0ull;
    region->result.note_bytes = region->result.input_bytes = ~0ull >> 40;
    region->ring_head = ~0ull / 2;
    memset(region->area, 0xff, sizeof region->area);
    return 1;
  }
  if (!strcmp(what, "kill-all")) kill(0, SIGKILL), pause();
  if (!strcmp(what, "daemon")) {
    if (fork() == 0) {
      setsid();
      if (fork() == 0)
        for (;;) pause();
      _exit(0);
    }
    wait(NULL);
  }
  if (!strcmp(what, "address")) printf("%p %d\n", (void*)&generation, getpid() == getsid(0));
  if (!strcmp(what, "descriptors"))
    for (int fd = 0; fd < 1000; fd++)
      if (fcntl(fd, F_GETFD) >= 0) printf("%d ", fd);
  if (!strcmp(what, "file")) {
    int there = access("mark", F_OK) == 0;
    FILE* f = fopen("mark", "w");
    if (f) fclose(f);
    printf("%d\n", there);
  }
  return 0;
}

static int listen_and_connect(void) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(47001), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM, 0), peer = socket(AF_INET, SOCK_STREAM, 0);
  return bind(fd, (struct sockaddr*)&here, sizeof here) || listen(fd, 1) ||
         connect(peer, (struct sockaddr*)&here, sizeof here);
}

int main(int argc, char** argv) {
  const char* number = getenv(HEDDLE_REGION_ENV);
  const char* what = argc > 1 ? argv[1] : "ok";
  if (!number || !strcmp(what, "not-instrumented")) return 7;
  if (!strcmp(what, "never-ready"))
    for (;;) pause();
  if (!strcmp(what, "listen") && listen_and_connect())
    return 10;  // in the server: it holds the port as long as it lives
  int fd = atoi(number);
  struct HeddleRegion first;
  if (pread(fd, &first, sizeof first, 0) != sizeof first || first.magic != HEDDLE_REGION_MAGIC) return 8;
  region = mmap(NULL, first.total_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (region == MAP_FAILED) return 9;
  close(fd);
  region->server_pid = getpid();
  __atomic_store_n(&region->server_state, HEDDLE_SERVER_READY, __ATOMIC_RELEASE);
  ring_bell();
  for (uint32_t done = 0;;) {
    uint32_t go;
    while ((go = __atomic_load_n(&region->server_go, __ATOMIC_ACQUIRE)) == done)
      futex(&region->server_go, FUTEX_WAIT, done);
    if (go == ~0u) return 0;
    memset(&region->result, 0, sizeof region->result);
    region->ring_head = region->ring_tail = 0;
    pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      region->result.child_pid = getpid();
      exit(child(what, go));
    }
    int status;
    waitpid(pid, &status, 0);
    region->result.wait_status = status;
    region->result.ended = 1;
    __atomic_store_n(&region->server_done, done = go, __ATOMIC_RELEASE);
    ring_bell();
  }
}
