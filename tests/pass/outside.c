// Values from outside come from the runtime.
// RUN: %cc -g -O2 -mrdrnd -mrdseed %s -o %t && %t 2>&1 | FileCheck %s && %off %t 2>&1 | count 0
#include <x86intrin.h>
#include <stdlib.h>
int main(void) {
  if (getenv("HEDDLE_TEST")) return 0;
// CHECK: hook INPUT {{.*}}:[[@LINE+1]] main [] rdtsc
  unsigned long long a = __rdtsc();
// CHECK: hook INPUT {{.*}} rdtsc
  unsigned aux = 1;
  unsigned long long b = __rdtscp(&aux);
// CHECK: hook INPUT {{.*}} rdtsc
  unsigned long long c = __builtin_readcyclecounter();
// CHECK: hook INPUT {{.*}} rdrand
// CHECK: hook INPUT {{.*}} rdrand
  unsigned r = 0;
  unsigned short s = 0;
  int ok = _rdrand32_step(&r) + _rdseed16_step(&s);
  return !(a > 1000 && b > a && c > b && c < 2000 && aux == 0 && r == 4 && s == 4 && ok == 2);
}
