// expect: clean
// Destructors of keys that set their key again, thread_local objects that use other thread_locals and locks in their destructors,
// nested static locals, call_once with exceptions.
#include <pthread.h>
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

pthread_key_t key;
std::atomic<int> runs, destroyed;
std::mutex lock;
int total;
void again(void* value) {
  runs++;
  long n = (long)value;
  if (n > 1) pthread_setspecific(key, (void*)(n - 1));
}
struct Inner {
  std::string text = "inner";
  ~Inner() {
    destroyed++;
    std::lock_guard hold(lock);
    total += (int)text.size();
  }
};
struct Outer {
  Outer();
  ~Outer();
};
thread_local Inner inner;
thread_local Outer outer;
Outer::Outer() { inner.text += "!"; }
Outer::~Outer() { inner.text += "?"; }

int made;
struct Deep {
  int n;
  explicit Deep(int n) : n(n) { made++; }
};
Deep& leaf() {
  static Deep d(1);
  return d;
}
Deep& middle() {
  static Deep d(leaf().n + 1);
  return d;
}
Deep& top() {
  static Deep d(middle().n + leaf().n);
  return d;
}
std::once_flag once;
int tries;
void may_throw() {
  if (tries++ < 2) throw 1;
}
void work() {
  pthread_setspecific(key, (void*)3);
  (void)&outer;
  assert(top().n == 3);
  for (;;) {
    try {
      std::call_once(once, may_throw);
      break;
    } catch (int) {
    }
  }
  assert(tries == 3);
}
int main() {
  pthread_key_create(&key, again);
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(runs == 9 && made == 3 && tries == 3 && destroyed == 3);
  pthread_key_delete(key);
}
