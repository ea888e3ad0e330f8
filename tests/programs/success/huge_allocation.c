// expect: clean   What no machine has is refused, not granted.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
int main(void) {
  volatile size_t most = (size_t)1 << 62;
  void* volatile p = malloc(most);  // volatile: an allocation that nobody uses may be left out
  assert(!p && errno == ENOMEM);
  p = calloc(most, 16);
  assert(!p && errno == ENOMEM);
  p = malloc(100);
  void* volatile q = realloc(p, most);
  assert(p && !q);
  free(p);
  return 0;
}
