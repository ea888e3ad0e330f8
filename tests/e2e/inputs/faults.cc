// One hostile thing per argument.
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>
extern char** environ;
static sigjmp_buf jb;
static void jump(int) { siglongjmp(jb, 1); }
static void segv(int, siginfo_t* i, void*) { siglongjmp(jb, 2); }
int main(int argc, char** argv) {
  std::string w = argv[1];
  if (w == "closeall") {
    close_range(3, ~0u, 0);
    for (int i = 0; i < 1024; i++) close(i);
    int fd = open("in.txt", 0);
    char b[4];
    read(fd, b, 4);
    return b[0] == 'o' ? 17 : 1;
  }
  if (w == "exec") {
    printf("before\n");
    fflush(stdout);
    execl("/nonexistent", "x", (char*)0);
    printf("%s\n", strerror(errno));
    fflush(stdout);
    execl("/bin/echo", "echo", "from exec", (char*)0);
  }
  if (w == "threadexit") {
    std::thread t([] {
      printf("in thread\n");
      fflush(stdout);
      _exit(9);
    });
    pause();
  }
  if (w == "segv") {
    struct sigaction sa{};
    sa.sa_sigaction = segv;
    sa.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &sa, 0);
    for (int i = 0; i < 3; i++)
      if (sigsetjmp(jb, 1) == 0) {
        *(volatile int*)8 = 1;
      } else
        printf("recovered\n");
  }
  if (w == "longjmp") {
    signal(SIGUSR1, jump);
    for (int i = 0; i < 3; i++)
      if (sigsetjmp(jb, 1) == 0) {
        raise(SIGUSR1);
        printf("not here\n");
      } else
        printf("jumped\n");
  }
  if (w == "oom") {
    rlimit r{200u << 20, 200u << 20};
    setrlimit(RLIMIT_AS, &r);
    long got = 0;
    std::vector<void*> v;
    while (void* p = malloc(1 << 20)) {
      got++;
      v.push_back(p);
    }
    int e = errno;
    for (void* p : v) free(p);
    printf("got %d, %s\n", got > 10, strerror(e));
    getrlimit(RLIMIT_AS, &r);
    printf("%lu\n", r.rlim_cur);
  }
  if (w == "spawn") {
    char* a[] = {(char*)"sh", (char*)"-c", (char*)"echo x >> spawned; exit 4", 0};
    pid_t p;
    printf("spawn %d\n", posix_spawn(&p, "/bin/sh", 0, 0, a, environ));
    int s;
    waitpid(p, &s, 0);
    printf("status %d\n", WEXITSTATUS(s));
    printf("bad spawn %s\n", strerror(posix_spawn(&p, "/nonexistent", 0, 0, a, environ)));
  }
  if (w == "daemon") {
    if (fork()) {
      return 3;
    }
    setsid();
    FILE* f = fopen("daemoned", "a");
    fprintf(f, "d");
    fclose(f);
    _exit(0);
  }
  if (w == "uring") {
    errno = 0;
    long r = syscall(SYS_io_uring_setup, 4, 0);
    printf("%ld %s\n", r, strerror(errno));
  }
  if (w == "misc") {
    setlocale(LC_ALL, "C.UTF-8");
    passwd* p = getpwuid(0);
    printf("%s\n", p ? p->pw_name : "?");
    char n[16];
    prctl(PR_SET_NAME, "hi");
    prctl(PR_GET_NAME, n);
    printf("%s\n", n);
    printf("%s\n", getenv("HOME"));
    char path[200] = {};
    readlink("/proc/self/exe", path, 199);
    printf("%s\n", path);
    FILE* f = tmpfile();
    fprintf(f, "abc");
    rewind(f);
    printf("%c\n", fgetc(f));
  }
  if (w == "many") {
    std::vector<std::thread> v;
    int sum = 0;
    for (int i = 0; i < 200; i++) v.emplace_back([&] { __atomic_add_fetch(&sum, gettid() > 0, 5); });
    for (auto& t : v) t.join();
    printf("%d\n", sum);
  }
  if (w == "big") {
    std::string s(1 << 20, 'y');
    for (int i = 0; i < 200; i++) fwrite(s.data(), 1, s.size(), stdout);
  }
  if (w == "abort") abort();
  if (w == "cancel") {
    static int p[2];
    pipe(p);
    pthread_t t;
    pthread_create(
        &t, 0,
        [](void*) -> void* {
          struct G {
            ~G() { printf("destructor\n"); }
          } g;
          char c;
          printf("reading\n");
          fflush(stdout);
          read(p[0], &c, 1);
          printf("not here\n");
          return 0;
        },
        0);
    usleep(1000);
    for (int i = 0; i < 100; i++) sched_yield();
    struct timespec ts{0, 50000000};
    poll(0, 0, 1);
    fd_set s;
    FD_ZERO(&s);
    FD_SET(p[0], &s);
    timeval tv{0, 100000};
    select(p[0] + 1, &s, 0, 0, &tv);
    pthread_cancel(t);
    void* r;
    pthread_join(t, &r);
    printf("cancelled %d\n", r == PTHREAD_CANCELED);
  }
  if (w == "bt") {
    struct sigaction sa{};
    static int depth;
    sa.sa_handler = [](int) {
      void* b[40];
      depth = backtrace(b, 40);
      char** s = backtrace_symbols(b, depth);
      for (int i = 0; i < depth; i++)
        if (strstr(s[i], "main")) printf("main found\n");
    };
    sa.sa_flags = 0;
    sigaction(SIGUSR1, &sa, 0);
    raise(SIGUSR1);
    printf("depth %d\n", depth > 3);
  }
  return 0;
}
