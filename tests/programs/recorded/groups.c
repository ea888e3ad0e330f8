// expect: clean race   cflags: -O2
// Two threads move values between places of one table without a lock: several accesses to different places, unaligned ones and small copies among them, are told
// of by one hook, in loops, branches and recursion. What comes of it is printed, and is the same in the replay of a recording.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { kPlaces = 1 << 10, kRounds = 8000 };
struct Place {
  uint32_t a, b;
  uint64_t c;
  char text[24];
};
static struct Place table[kPlaces];
static char bytes[1 << 12];
static atomic_int started;

static __attribute__((noinline)) void swap(struct Place* x, struct Place* y) {
  uint32_t a = x->a;
  x->a = y->a + 1;
  y->a = a ^ x->b;
  if (a & 1) {
    uint64_t c = x->c;
    x->c = y->c + a;
    y->c = c;
  } else {
    y->b += x->b + 3;
  }
  char text[24];
  memcpy(text, x->text, sizeof text);
  memcpy(x->text, y->text, sizeof text);
  memcpy(y->text, text, sizeof text);
  y->text[a % 24]++;
}

static __attribute__((noinline)) uint64_t fold(unsigned from, unsigned to) {
  if (to - from == 1) return table[from].a += from;
  unsigned middle = (from + to) / 2;
  uint64_t left = fold(from, middle);
  table[middle].c += left;
  return left + fold(middle, to) + table[from].b;
}

static __attribute__((noinline)) void unaligned(unsigned x) {
  uint64_t word;
  memcpy(&word, bytes + x % 4000, sizeof word);
  word = word * 31 + x;
  memcpy(bytes + (x >> 7) % 4000, &word, sizeof word);
}

static void* work(void* seed) {
  uint32_t x = (uint32_t)(long)seed;
  started++;
  while (started < 2) {
  }
  for (int i = 0; i < kRounds; i++) {
    x = x * 1664525u + 1013904223u;
    swap(&table[x >> 20 & 15], &table[x >> 24 & 15]);
    unaligned(x >> 3);
    if (i % 64 == 0) fold(0, 32);
  }
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void*)(i * 77 + 1));
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  uint64_t sum = 0;
  for (int i = 0; i < kPlaces; i++) {
    sum = sum * 31 + table[i].a + table[i].b * 7ull + table[i].c;
    for (int k = 0; k < 24; k++) sum = sum * 31 + (unsigned char)table[i].text[k];
  }
  for (unsigned i = 0; i < sizeof bytes; i++) sum = sum * 31 + (unsigned char)bytes[i];
  printf("%016lx\n", sum);
  return 0;
}
