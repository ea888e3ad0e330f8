// expect: clean race
// Threads in code without hooks: long computations, calls back into hooked code, an exception through it, locks taken in there. Meanwhile the
// other thread works on memory that was theirs; what each saw of it is printed, and is the same in the replay of a recording.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <atomic>
#include <thread>

extern "C" long count_down(long n);
extern "C" long call_between(long n, long (*back)(void*), void* argument);
extern "C" void lock_inside(pthread_mutex_t* m, long n);
asm(R"(
.globl count_down, call_between, lock_inside
count_down:
1: dec %rdi
   jg 1b
   xor %eax, %eax
   ret
call_between:
   .cfi_startproc
   push %rbx
   .cfi_def_cfa_offset 16
   .cfi_offset %rbx, -16
   push %r12
   .cfi_def_cfa_offset 24
   .cfi_offset %r12, -24
   push %r13
   .cfi_def_cfa_offset 32
   .cfi_offset %r13, -32
   mov %rdi, %rbx
   mov %rsi, %r12
   mov %rdx, %r13
   call count_down
   mov %r13, %rdi
   call *%r12
   mov %rax, %r12
   mov %rbx, %rdi
   call count_down
   mov %r12, %rax
   pop %r13
   .cfi_def_cfa_offset 24
   pop %r12
   .cfi_def_cfa_offset 16
   pop %rbx
   .cfi_def_cfa_offset 8
   ret
   .cfi_endproc
lock_inside:
   push %rbx
   push %r12
   sub $8, %rsp
   mov %rdi, %rbx
   mov %rsi, %r12
   call pthread_mutex_lock@PLT
   mov %r12, %rdi
   call count_down
   mov %rbx, %rdi
   call pthread_mutex_unlock@PLT
   add $8, %rsp
   pop %r12
   pop %rbx
   ret
)");

constexpr int kRounds = 300;
static volatile long cells[2][8], both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<long> tickets;
static uint64_t seen[2];

static void note(int me, long value) { seen[me] = seen[me] * 1099511628211u + (uint64_t)value; }
static long step(void* p) {
  int me = (int)(intptr_t)p;
  both = both + 1;
  note(me, both);
  return cells[1 - me][3];
}
static long throws(void* p) { throw step(p); }

static void work(int me) {
  tickets++;
  while (tickets < 2) {
  }
  for (int i = 0; i < kRounds; i++) {
    void* p = (void*)(intptr_t)me;
    cells[me][i % 8] = cells[me][i % 8] + 1;
    count_down(1000 + 97 * (i % 13));
    note(me, cells[1 - me][i % 8]);
    cells[1 - me][(i + 1) % 8] = i;
    note(me, call_between(500 + 131 * (i % 7), step, p));
    note(me, tickets++);
    try {
      call_between(100, throws, p);
    } catch (long value) {
      note(me, value);
    }
    lock_inside(&lock, 300);
    if (i % 16 == me) note(me, call_between(200'000, step, p));
  }
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  printf("%016lx %016lx %ld\n", seen[0], seen[1], both);
}
