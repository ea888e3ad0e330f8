// Files, directories, time, randomness, ids, children, redirection: everything it prints must come back from a
// recording.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>
int main(int argc, char** argv) {
  std::string d = argv[1];
  {
    std::ifstream f(d + "/a.txt");
    std::string l;
    while (std::getline(f, l)) std::cout << "ifstream " << l << "\n";
  }
  {
    FILE* f = fopen((d + "/a.txt").c_str(), "r");
    char b[100];
    while (f && fgets(b, 100, f)) printf("stdio %s", b);
    if (f)
      fclose(f);
    else
      perror("fopen");
  }
  {
    int fd = open((d + "/b.bin").c_str(), O_RDONLY);
    struct stat st;
    fstat(fd, &st);
    char* p = (char*)mmap(0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    unsigned h = 0;
    for (int i = 0; i < st.st_size; i++) h = h * 31 + p[i];
    printf("mmap %ld %u\n", (long)st.st_size, h);
    munmap(p, st.st_size);
    char x[10], y[10];
    iovec v[2] = {{x, 10}, {y, 10}};
    lseek(fd, 5, SEEK_SET);
    long n = readv(fd, v, 2);
    printf("readv %ld %u %u\n", n, (unsigned char)x[0], (unsigned char)y[9]);
    close(fd);
  }
  {
    char b[100];
    while (fgets(b, 100, stdin)) printf("stdin %s", b);
  }
  {
    unsigned char r[8];
    getrandom(r, 8, 0);
    printf("getrandom %02x%02x%02x\n", r[0], r[1], r[2]);
  }
  {
    std::random_device rd;
    printf("random_device %u %u\n", rd(), rd());
    printf("arc4 %u\n", arc4random());
  }
  {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    printf("mono %ld.%09ld\n", t.tv_sec, t.tv_nsec);
    printf("time %ld\n", time(0));
    std::this_thread::sleep_for(std::chrono::hours(5));
    printf("time %ld\n", time(0));
    timeval v;
    gettimeofday(&v, 0);
    printf("tod %ld\n", v.tv_sec);
    printf("clock %ld\n", clock());
    sleep(100);
    usleep(5);
    printf("now %ld\n", (long)std::chrono::system_clock::now().time_since_epoch().count());
    tms m;
    printf("times %ld\n", times(&m));
  }
  {
    DIR* x = opendir(d.c_str());
    while (dirent* e = readdir(x))
      if (e->d_name[0] != '.') printf("dir %s\n", e->d_name);
    closedir(x);
  }
  {
    char b[200];
    long n = readlink((d + "/link").c_str(), b, 200);
    printf("readlink %.*s\n", (int)n, b);
    struct stat st;
    printf("stat %d %ld\n", stat((d + "/a.txt").c_str(), &st), (long)st.st_mtim.tv_nsec);
    printf("access %d\n", access((d + "/a.txt").c_str(), R_OK));
    printf("cwd %s\n", getcwd(b, 200));
    utsname u;
    uname(&u);
    printf("uname %s\n", u.release);
    rusage ru;
    getrusage(RUSAGE_SELF, &ru);
    printf("ru %ld\n", ru.ru_maxrss);
    printf("pid %d %d %d\n", getpid(), getppid(), gettid());
    printf("cpus %u %ld\n", std::thread::hardware_concurrency(), sysconf(_SC_NPROCESSORS_ONLN));
    struct statvfs sv;
    statvfs("/", &sv);
    printf("free %lu\n", sv.f_bfree);
  }
  {
    FILE* f = fopen((d + "/out.txt").c_str(), "a");
    fprintf(f, "appended\n");
    fclose(f);
    unlink((d + "/victim").c_str());
    mkdir((d + "/newdir").c_str(), 0700);
    rename((d + "/r1").c_str(), (d + "/r2").c_str());
  }
  {
    FILE* p = popen(("cat " + d + "/a.txt; echo run >> " + d + "/popened").c_str(), "r");
    char b[100];
    while (fgets(b, 100, p)) printf("popen %s", b);
    printf("pclose %d\n", pclose(p));
  }
  printf("system %d\n", system(("echo ran >> " + d + "/systemed; exit 3").c_str()));
  fflush(stdout);
  {
    pid_t c = fork();
    if (c == 0) {
      FILE* f = fopen((d + "/forked").c_str(), "a");
      fprintf(f, "x");
      fclose(f);
      _exit(7);
    }
    int s;
    printf("wait %d", waitpid(c, &s, 0) == c);
    printf(" %d\n", WEXITSTATUS(s));
  }
  {
    pid_t c = vfork();
    if (c == 0) {
      execl("/bin/true", "true", (char*)0);
      _exit(7);
    }
    int s;
    printf("vwait %d", waitpid(c, &s, 0) == c);
    printf(" %d\n", WEXITSTATUS(s));
  }
  {
    time_t t = time(0);
    struct tm tm;
    localtime_r(&t, &tm);
    char b[50];
    strftime(b, 50, "%F %T", &tm);
    printf("local %s\n", b);
  }
  errno = 0;
  long r = read(99, 0, 5);
  printf("bad %ld %s\n", r, strerror(errno));
  r = open("/nonexistent", 0);
  printf("bad %ld %s\n", r, strerror(errno));
  int pf = open((d + "/b.bin").c_str(), 0);
  r = read(pf, (void*)8, 5);
  printf("efault %ld %s\n", r, strerror(errno));
  r = syscall(35, 8, 0);
  printf("efault %ld %s\n", r, strerror(errno));
  int save = dup(1);
  int nul = open((d + "/redirected").c_str(), O_CREAT | O_WRONLY, 0600);
  fflush(stdout);
  dup2(nul, 1);
  printf("NOT ON STDOUT\n");
  fflush(stdout);
  dup2(save, 1);
  printf("back on stdout\n");
  return 5;
}
