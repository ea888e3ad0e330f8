// What cannot be shared has no hooks: locals that stay here, constants, byval copies. What may be shared has.
// RUN: %cc -O1 -g -fheddle-stats -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %cc -O0 -g -fheddle-stats -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %cc -O2 -g -shared -fPIC %s -o %t.so && %sites %t.so | FileCheck %s
// STATS: accesses 3 hooked, {{[1-9][0-9]*}} skipped
// STATS: atomics 0 hooked, 1 skipped
// CHECK-NOT: local
// CHECK-NOT: table
static const int table[4] = {1, 2, 3, 4};
void escape(int*);
__attribute__((disable_sanitizer_instrumentation)) int ignored(int* p) { return *p; }
__attribute__((annotate("heddle-ignore"))) int also_ignored(int* p) { return *p; }
int f(int i, int* p) {
  int local[4] = {0};
  local[i] = table[i];
  _Atomic int local_atomic = 0;
  local_atomic++;
// CHECK-DAG: WRITE 4 0 {{.*}}:[[@LINE+1]]:{{.*}} f [shared]
  int shared = i;
  escape(&shared);
// CHECK-DAG: READ 4 0 {{.*}}:[[@LINE+2]]:{{.*}} f [shared]
// CHECK-DAG: READ 4 0 {{.*}}:[[@LINE+1]]:{{.*}} f [*p]
  return local[i + 1] + shared + *p;
}
