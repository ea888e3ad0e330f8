// expect: exception   A virtual call from a base constructor, while a thread waits.
// alone: SIGABRT
#include <thread>
struct Base {
  Base() { call(); }
  void call() { pure(); }
  virtual void pure() = 0;
};
struct Derived : Base {
  void pure() override {}
};
int main() {
  std::thread t([] { Derived d; });
  t.join();
}
