// Built by heddle c++: calls code of gcc's ThreadSanitizer (mixed_tsan.cc), which calls plain code, which calls back.
#include <thread>

void through_tsan(void (*)(int), int);
int shared_value;

[[gnu::noinline]] static void innermost(int who) { shared_value = who; }
[[gnu::noinline]] static void outermost(int who) { through_tsan(innermost, who); }

int main() {
  std::thread a(outermost, 1), b(outermost, 2);
  a.join();
  b.join();
}
