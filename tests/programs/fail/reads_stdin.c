// expect: assertion   What was read comes from the trace.
// stdin: hello
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[100] = "";
  if (!fgets(line, sizeof line, stdin)) return 0;
  assert(strncmp(line, "hello", 5));
  return 0;
}
