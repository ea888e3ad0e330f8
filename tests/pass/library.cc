// Calls of libc functions: what they read is hooked before them, what they filled after them, also where they may throw.
// RUN: %c++ -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %c++ -g -O1 %s -o %t.1 && %t.1 2>&1 | FileCheck %s
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
char text[64] = "text", to[64];
int zero;
struct Guard {
  ~Guard() { asm volatile("" ::: "memory"); }
};
// The call of read() is an invoke here.
__attribute__((noinline)) long fill(int fd) {
  Guard guard;
// CHECK: hook WRITE_RANGE {{.*}}:[[@LINE+1]] {{.*}} [to[]] length=5
  return read(fd, to, 5);
}
int main() {
  int fd = open("/dev/zero", O_RDONLY);
  fill(fd);
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+2]] main [to[]] length=0
// CHECK-NEXT: hook WRITE size=4
  zero = (int)read(-1, to, 5);
// CHECK-NEXT: hook READ_RANGE {{.*}}:[[@LINE+2]] main [text[]] string limit=-1 stops=0
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+1]] main [to[]] copy limit=-1 appended=0
  strcpy(to, text);
// CHECK-NEXT: hook READ_RANGE {{.*}}:[[@LINE+1]] main [text[]] string limit=-1 stops=78
  char* x = strchr(text, 'x');
// CHECK-NEXT: hook READ_RANGE {{.*}}:[[@LINE+2]] main [text[]] string limit=-1 stops=0
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+1]] main [to[]] length=8
  snprintf(to, 8, "%d %s %.3s|%5d", 1234567, text, x, 1);
// CHECK-NOT: hook
  return 0;
}
