// A record clone is made of the optimised function: accesses of one block that lie together have one check, a loop counts its hooks once a turn, and the dispatcher
// goes there for recordings. Sites with numbers do not depend on it.
// RUN: %cc -g -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cc -g -O2 -S -emit-llvm %s -o - | opt -passes=verify -disable-output
// RUN: %cc -g -O0 -S -emit-llvm %s -o - | opt -passes=verify -disable-output
// RUN: %cc -g -O2 -shared -fPIC %s -o %t.2.so && %sites %t.2.so > %t.2 && %cc -g -O0 -shared -fPIC %s -o %t.0.so && %sites %t.0.so > %t.0 && diff %t.2 %t.0
// CHECK-LABEL: define {{.*}} void @swap(
// CHECK: and i32 {{.*}}, 4
// CHECK: musttail call void @swap.record(
struct Pair {
  long a, b;
};

// CHECK-LABEL: define internal {{.*}} @swap.record(
// CHECK: load i64, ptr @__heddle_hot_offset
// Both reads have one hook, both writes another: between them others can come.
// CHECK-COUNT-2: call preserve_mostcc void @__heddle_record(
// CHECK-NOT: call {{.*}} @__heddle_{{record|read|write}}
// CHECK: ret void
void swap(struct Pair* p) {
  long a = p->a;
  p->a = p->b;
  p->b = a;
}

// With one hook for both accesses a recording could not lose an update.
// CHECK-LABEL: define internal {{.*}} @bump.record(
// CHECK-COUNT-2: call preserve_mostcc void @__heddle_record(
// CHECK: ret void
void bump(long* count) { ++*count; }

// Two variables that are only written share one.
// CHECK-LABEL: define internal {{.*}} @clear.record(
// CHECK-COUNT-1: call preserve_mostcc void @__heddle_record(
// CHECK-NOT: call {{.*}} @__heddle_record(
// CHECK: ret void
void clear(struct Pair* p) { p->a = p->b = 0; }

// CHECK-LABEL: define internal {{.*}} @sum.record(
// CHECK-COUNT-1: call preserve_mostcc void @__heddle_record_poll(
// CHECK: ret i64
struct Node {
  long value;
  struct Node* next;
};
long sum(const struct Node* n) {
  long s = 0;
  for (; n; n = n->next) s += n->value;
  return s;
}
