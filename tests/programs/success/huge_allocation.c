// expect: clean   What no machine has is refused, not granted.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
int main(void) {
  volatile size_t most = (size_t)1 << 62;
  assert(!malloc(most) && errno == ENOMEM);
  assert(!calloc(most, 16) && errno == ENOMEM);
  void* p = malloc(100);
  assert(p && !realloc(p, most));
  free(p);
  return 0;
}
