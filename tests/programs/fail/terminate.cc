// expect: exception   A joinable std::thread is destroyed.
// alone: SIGABRT
#include <thread>
int main() {
  std::thread t([] {});
}
