// Which loops wait for others and which compute: flags of the branches that close them (abi/site.h), line by line.
// RUN: %cc -g -O1 -S -emit-llvm %s -o %t.ll && FileCheck %s < %t.ll
volatile int flag;
long counter, bound;
int table[8];
int unknown(void);
static int is_set(void) { return flag; }
struct node { struct node* next; };

// Only reads: idle (8) and waiting (128).
void idle(void) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 140, i32 {{[1-9][0-9]*}} }
  while (!flag) __builtin_ia32_pause();
}
// Writes, but nothing that decides about its end.
void counts(void) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 132, i32 {{[1-9][0-9]*}} }
  while (!flag) counter++;
}
// The inner loop ends by itself, the outer one does not.
void backs_off(void) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 132, i32 {{[1-9][0-9]*}} }
  while (!flag)
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 516, i32 {{[1-9][0-9]*}} }
    for (int i = 0; i < 50; i++) __builtin_ia32_pause();
}
// Reads a bound that others may write, and counts towards it; nothing else happens in it (4096).
void sums(void) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 4612, i32 {{[1-9][0-9]*}} }
  for (long i = 0; i < bound; i++) counter += table[i & 7];
}
void follows(struct node* n) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 4612, i32 {{[1-9][0-9]*}} }
  while (n->next) n = n->next;
}
// May change what it reads, or end by itself: nothing is claimed.
void calls(void) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 4, i32 {{[1-9][0-9]*}} }
  while (!flag) unknown();
}
void asks(void) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 4, i32 {{[1-9][0-9]*}} }
  while (!is_set()) counter++;
}
void writes_anywhere(int* p) {
// CHECK-DAG: i32 [[@LINE+1]], i16 {{[0-9]+}}, i8 10, i8 0, i32 4, i32 {{[1-9][0-9]*}} }
  while (!counter) *p = 1;
}
