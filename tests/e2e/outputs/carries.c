// carries CALL [abort]: one bit of $PATH leaves the program by CALL. A replay takes PATH from the shell, so another PATH of the same length
// is a program that does all the same, but for what it carries out.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <spawn.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char** environ;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* lock(void* p) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return p;
}
static int other;  // the bit
static char text[64];

static int file(void) { return open("carried", O_RDWR | O_CREAT | O_TRUNC, 0600); }

static void bytes(const char* call) {
  int n = (int)strlen(text), s[2], p[2];
  struct iovec v[2] = {{"v=", 2}, {text, (size_t)n}};
  struct msghdr h = {.msg_iov = v, .msg_iovlen = 2};
  if (pipe(p) || socketpair(AF_UNIX, SOCK_DGRAM, 0, s)) abort();
  if (!strcmp(call, "write")) write(p[1], text, n);
  if (!strcmp(call, "printf")) printf("%s", text), fflush(stdout);
  if (!strcmp(call, "pwrite64")) pwrite(file(), text, n, 3);
  if (!strcmp(call, "writev")) writev(1, v, 2);
  if (!strcmp(call, "pwritev")) pwritev(file(), v, 2, 1);
  if (!strcmp(call, "pwritev2")) pwritev2(file(), v, 2, 1, 0);
  if (!strcmp(call, "sendto")) send(s[0], text, n, 0);
  if (!strcmp(call, "sendmsg")) sendmsg(s[0], &h, 0);
  if (!strcmp(call, "vmsplice")) vmsplice(p[1], v, 2, 0);
  if (!strcmp(call, "sendmmsg")) {
    struct mmsghdr two[2] = {{h, 0}, {h, 0}};
    sendmmsg(s[0], two, 2, 0);
  }
  if (!strcmp(call, "control")) {
    union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.head), &p[other], sizeof(int));
    h.msg_control = &control, h.msg_controllen = sizeof control;
    sendmsg(s[0], &h, 0);
  }
}

static void messages(const char* call) {
  struct { long type; char text[64]; } message = {1, ""};
  memcpy(message.text, text, sizeof text);
  if (!strcmp(call, "msgsnd")) {
    int q = msgget(IPC_PRIVATE, 0600);
    msgsnd(q, &message, sizeof text, 0);
    msgctl(q, IPC_RMID, 0);
  }
  if (!strcmp(call, "mq_timedsend")) {
    char name[40];
    snprintf(name, sizeof name, "/heddle-carries-%d", getpid());
    mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, 0);
    mq_unlink(name);
    mq_send(q, text, sizeof text, 0);
  }
  if (!strcmp(call, "semop")) {
    int q = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf up = {0, (short)(1 + other), 0};
    semop(q, &up, 1);
    semctl(q, 0, IPC_RMID);
  }
}

static void places(const char* call) {
  int f = file(), p[2];
  if (pipe(p)) abort();
  write(f, "0123456789", 10);
  off_t at = other;
  if (!strcmp(call, "lseek")) lseek(f, other, SEEK_SET);
  if (!strcmp(call, "sendfile")) sendfile(p[1], f, &at, 4);
  if (!strcmp(call, "splice")) splice(f, &at, p[1], 0, 4, 0);
  if (!strcmp(call, "tee")) write(p[1], "123456", 6), tee(p[0], p[1], 2 + other, SPLICE_F_NONBLOCK);
  if (!strcmp(call, "copy_file_range")) copy_file_range(f, &at, open("carried2", O_RDWR | O_CREAT, 0600), 0, 4, 0);
  if (!strcmp(call, "descriptor")) write(other ? p[1] : f, "same", 4);
  if (!strcmp(call, "ftruncate")) ftruncate(f, 5 + other);
  if (!strcmp(call, "fcntl")) {
    struct flock region = {.l_type = F_WRLCK, .l_start = other, .l_len = 1};
    fcntl(f, F_SETLK, &region);
  }
  if (!strcmp(call, "ioctl")) ioctl(p[0], FIONBIO, &other);
  if (!strcmp(call, "dup2")) dup2(p[other], 100);
  if (!strcmp(call, "fsetxattr")) fsetxattr(f, "user.carried", text, strlen(text), 0);
}

// Stores: all of them into a mapping of 40 pages, which is left in one of these ways.
static void mappings(const char* call) {
  static const char* const kWays[] = {"mapped", "msync", "munmap", "mremap", "mapped_over", "half_unmapped", "mapped_exec"};
  int way = -1;
  for (int i = 0; i < 7; i++)
    if (!strcmp(call, kWays[i])) way = i;
  if (way < 0) return;
  int f = file();
  enum { kBytes = 40 * 4096 };
  ftruncate(f, kBytes - 100);
  char* at = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
  if (at == MAP_FAILED) abort();
  close(f);
  strcpy(at + 9 * 4096 + 5, text);
  if (way == 1) msync(at, kBytes, MS_SYNC), memset(at, 0, kBytes);
  if (way == 2) munmap(at, kBytes);
  if (way == 3) mremap(at, kBytes, 2 * kBytes, MREMAP_MAYMOVE);
  if (way == 4) mmap(at, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (way == 5) munmap(at, 4 * 4096), munmap(at + 20 * 4096, 20 * 4096);
  if (way == 6) execl("/bin/true", "true", (char*)0);
}

static void names(const char* call) {
  char name[80];
  snprintf(name, sizeof name, "dir-%s", text);
  if (!strcmp(call, "mkdir")) mkdir(name, 0700);
  if (!strcmp(call, "unlink")) unlink(name);
  if (!strcmp(call, "symlink")) symlink(name, "link");
  if (!strcmp(call, "openat")) open(name, O_RDONLY);
  int s = socket(AF_UNIX, SOCK_STREAM, 0), in = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_un where = {AF_UNIX, ""};
  strcpy(where.sun_path, name);
  struct sockaddr_in to = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, ""};
  to.sin_port = htons((uint16_t)(9 + other));
  if (!strcmp(call, "connect")) connect(s, (struct sockaddr*)&where, sizeof where);
  if (!strcmp(call, "address")) sendto(in, "x", 1, 0, (struct sockaddr*)&to, sizeof to);
  int value = 1 + other;
  if (!strcmp(call, "setsockopt")) setsockopt(s, SOL_SOCKET, SO_PRIORITY, &value, sizeof value);
}

static void processes(const char* call) {
  pid_t child;
  if (!strcmp(call, "kill") && !(child = fork())) pause();
  if (!strcmp(call, "kill")) kill(child, other ? SIGKILL : SIGTERM), waitpid(child, 0, 0);
  if (!strcmp(call, "process_vm_writev")) {
    static char there[64];
    int p[2];
    if (pipe(p)) abort();
    if (!(child = fork())) _exit(read(p[0], there, 1) < 0);
    struct iovec from = {text, sizeof text}, to = {there, sizeof there};
    process_vm_writev(child, &from, 1, &to, 1, 0);
    write(p[1], "", 1);
    waitpid(child, 0, 0);
  }
  char* arguments[] = {"true", text, 0};
  if (!strcmp(call, "execve")) execv("/bin/true", arguments);
  if (!strcmp(call, "execveat")) fexecve(open("/bin/true", O_RDONLY), arguments, environ);
  if (!strcmp(call, "exec_fails")) execv(text, arguments);
  char line[80];
  snprintf(line, sizeof line, ": %s", text);
  if (!strcmp(call, "system")) system(line);
  if (!strcmp(call, "popen")) pclose(popen(line, "r"));
  if (!strcmp(call, "posix_spawn") && !posix_spawn(&child, "/bin/true", 0, 0, arguments, environ)) waitpid(child, 0, 0);
}

int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, 0, lock, 0);
  pthread_join(t, 0);
  signal(SIGPIPE, SIG_IGN);
  const char* path = getenv("PATH");
  const char* call = argv[1];
  other = path && strncmp(path, "/usr", 4) != 0;
  snprintf(text, sizeof text, "carried out: %s", other ? "that" : "this");
  bytes(call), messages(call), places(call), mappings(call), names(call), processes(call);
  if (argc > 2) abort();
  return !strcmp(call, "exit") ? 3 + other : 0;
}
