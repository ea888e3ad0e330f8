// expect: clean   On the end that reads, vmsplice() brings something in.
// cflags: -D_GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
  int p[2];
  char in[] = "hello world!!!!", out[sizeof in] = "", again[sizeof in] = "";
  if (pipe(p)) return 0;
  struct iovec to = {out, sizeof out}, from = {in, sizeof in};
  assert(write(p[1], in, sizeof in) == sizeof in);
  assert(vmsplice(p[0], &to, 1, 0) == sizeof in && memcmp(in, out, sizeof in) == 0);
  assert(vmsplice(p[1], &from, 1, 0) == sizeof in && read(p[0], again, sizeof in) == sizeof in);
  printf("%s %s\n", out, again);
  return 0;
}
