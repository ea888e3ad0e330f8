#include <stdexcept>
extern "C" void plain_call(void (*)(int), int);
extern int shared_value;
static int sides[8];

[[gnu::noinline]] static void gives_up(int n) {
  if (n) throw std::runtime_error("left");
}

[[gnu::noinline]] void through_tsan(void (*callback)(int), int who) {
  try {
    gives_up(who);
  } catch (const std::exception&) {
    sides[who] = shared_value;
  }
  plain_call(callback, who);
  sides[who]++;
}
