// expect: segfault   Endless recursion in main.
// laws: 30 schedules, each overflows a stack of 8 MiB
// alone: SIGSEGV
static int deep(volatile int n) {
  volatile int pad[100];
  pad[n % 100] = n;
  return deep(n + 1) + pad[n % 100];
}
int main(void) { return deep(0); }
