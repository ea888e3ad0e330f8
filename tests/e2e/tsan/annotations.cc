// Order that only an annotation tells: the flag is relaxed. HOW: 0 none (a race), 1 happens-before, 2 release and acquire, 3 a lock of
// our own, 4 a benign race, 5 writes not looked at, 6 reads not looked at, 7 a reader lock that does not order writers (a race).
#include <atomic>
#include <cassert>
#include <thread>

extern "C" {
void AnnotateHappensBefore(const char*, int, const volatile void*);
void AnnotateHappensAfter(const char*, int, const volatile void*);
void AnnotateBenignRaceSized(const char*, int, const volatile void*, unsigned long, const char*);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void __tsan_acquire(void*);
void __tsan_release(void*);
void __tsan_mutex_create(void*, unsigned);
void __tsan_mutex_destroy(void*, unsigned);
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);
}

static std::atomic<int> flag, held;
static int data;

static void lock(unsigned flags) {
  __tsan_mutex_pre_lock(&held, flags);
  while (held.exchange(1, std::memory_order_relaxed)) std::this_thread::yield();
  __tsan_mutex_post_lock(&held, flags, 0);
}
static void unlock(unsigned flags) {
  __tsan_mutex_pre_unlock(&held, flags);
  held.store(0, std::memory_order_relaxed);
  __tsan_mutex_post_unlock(&held, flags);
}

static void gives() {
  constexpr unsigned kRead = HOW == 7 ? 8 : 0;
  if (HOW == 3 || HOW == 7) lock(kRead);
  if (HOW == 5) AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  data = 1;
  if (HOW == 5) AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  if (HOW == 1) AnnotateHappensBefore(__FILE__, __LINE__, &flag);
  if (HOW == 2) __tsan_release(&flag);
  if (HOW == 3 || HOW == 7) unlock(kRead);
  flag.store(1, std::memory_order_relaxed);
}
static void takes() {
  constexpr unsigned kRead = HOW == 7 ? 8 : 0;
  while (!flag.load(std::memory_order_relaxed)) std::this_thread::yield();
  if (HOW == 3 || HOW == 7) lock(kRead);
  if (HOW == 1) AnnotateHappensAfter(__FILE__, __LINE__, &flag);
  if (HOW == 2) __tsan_acquire(&flag);
  if (HOW == 6) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  int seen = data;
  if (HOW == 6) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  if (HOW == 3 || HOW == 7) unlock(kRead);
  assert(seen == 1);
}

int main() {
  __tsan_mutex_create(&held, 0);
  if (HOW == 4) AnnotateBenignRaceSized(__FILE__, __LINE__, &data, sizeof data, "wanted");
  std::thread a(gives), b(takes);
  a.join();
  b.join();
  __tsan_mutex_destroy(&held, 0);
}
