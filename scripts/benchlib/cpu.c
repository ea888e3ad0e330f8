// CPU-bound: two threads, each sorts a heap of its own again and again. Memory accesses of one thread only, no
// synchronisation.
#include <pthread.h>
#include <stdlib.h>

enum { kCount = 1 << 15 };

static int rounds;

static void sift(unsigned* heap, int n, int i) {
  for (int child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && heap[child + 1] > heap[child]) child++;
    if (heap[i] >= heap[child]) return;
    unsigned t = heap[i];
    heap[i] = heap[child];
    heap[child] = t;
  }
}

static void* sort(void* seed) {
  unsigned x = 1 + (unsigned)(long)seed, sum = 0;
  unsigned* heap = malloc(kCount * sizeof *heap);
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < kCount; i++) heap[i] = x = x * 1664525u + 1013904223u;
    for (int i = kCount / 2 - 1; i >= 0; i--) sift(heap, kCount, i);
    for (int n = kCount - 1; n > 0; n--) {
      unsigned t = heap[0];
      heap[0] = heap[n];
      heap[n] = t;
      sift(heap, n, 0);
    }
    sum += heap[7];
  }
  free(heap);
  return (void*)(long)sum;
}

int main(int count, char** words) {
  rounds = count > 1 ? atoi(words[1]) : 1;
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, sort, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
