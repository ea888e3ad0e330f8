// 2026-11-19: behind a check of a record clone the code generator made a second copy of a short block with an interposed call, one for the slow
// hook and one for the fast one. The site of the call is its return address, so a replay, whose hooks need not be slow where the recording's were,
// was at another site: `heddle lift` of tests/programs/fail/quit_from_thread.c always diverged.
// RUN: %cc -g -O1 -S %s -o - | FileCheck %s
// RUN: %cc -g -O2 -S %s -o - | FileCheck %s
#include <pthread.h>
#include <unistd.h>
long count;
// CHECK-LABEL: quits.record:
// CHECK-COUNT-1: callq _exit
// CHECK-NOT: callq _exit
// CHECK-LABEL: .cfi_endproc
void* quits(void* status) { _exit((int)(long)status); }

// CHECK-LABEL: quits_behind_access.record:
// CHECK-COUNT-1: callq _exit
// CHECK-NOT: callq _exit
// CHECK-LABEL: .cfi_endproc
void quits_behind_access(long* p) {
  count++;
  if (*p) _exit(3);
}

// CHECK-LABEL: unlocks.record:
// CHECK-COUNT-1: callq pthread_mutex_unlock
// CHECK-NOT: callq pthread_mutex_unlock
// CHECK-LABEL: .cfi_endproc
void unlocks(pthread_mutex_t* m, long* p) {
  *p = 1;
  pthread_mutex_unlock(m);
}
