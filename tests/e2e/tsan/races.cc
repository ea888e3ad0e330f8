// One race per value of KIND; with FIXED the same accesses under a mutex.
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

static std::mutex lock;
struct Guard {
#ifdef FIXED
  Guard() { lock.lock(); }
  ~Guard() { lock.unlock(); }
#else
  Guard() {}
  ~Guard() {}
#endif
};

struct Block {
  char bytes[72];
};
struct [[gnu::packed]] Odd {
  char before;
  long value;
};
__extension__ typedef unsigned __int128 u128;
struct Base {
  virtual ~Base() { __asm__ volatile("" ::: "memory"); }
  virtual void go() {}
};
struct Derived : Base {
  void go() override {}
};

char byte;
short two;
int word;
long eight;
u128 wide;
Odd odd;
volatile int watched;
Block one, other;
alignas(Derived) char room[sizeof(Derived)];
Base* object;

[[gnu::noinline]] static void touch(int who) {
  Guard hold;
  switch (KIND) {
    case 1: byte = static_cast<char>(who); break;
    case 2: two = static_cast<short>(who); break;
    case 3: word = who; break;
    case 4: eight = who; break;
    case 5: wide = static_cast<u128>(who); break;
    case 6: odd.value = who; break;
    case 7: watched = who; break;
    case 8: one = other; break;
    case 9: memset(one.bytes, who, static_cast<size_t>(60 + who)); break;
    case 10:
      if (who == 1) {
        object->go();
      } else {
        new (room) Derived;  // its constructors write the pointer to the table
      }
      break;
  }
}

int main() {
  object = new (room) Base;
  std::thread a(touch, 1), b(touch, 2);
  a.join();
  b.join();
}
