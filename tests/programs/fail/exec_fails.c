// expect: exit   The status of what the program became is the status of the run.
#include <unistd.h>
int main(void) {
  execl("/bin/sh", "sh", "-c", "exit 3", (char*)0);
  return 9;
}
