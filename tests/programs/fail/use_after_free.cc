// expect: sanitizer   The pointer is read under the lock and used behind it, when it may be freed.
// record: none, two threads may meet at a lock inside AddressSanitizer (one recording in some thirty)
// tsan: none, not with AddressSanitizer
// cflags: -fsanitize=address
#include <mutex>
#include <thread>
std::mutex m;
int* shared = new int(5);
int sink;
int main() {
  std::thread owner([] {
    std::lock_guard lock(m);
    delete shared;
    shared = nullptr;
  });
  std::thread user([] {
    int* mine;
    {
      std::lock_guard lock(m);
      mine = shared;
    }
    if (mine) sink = *mine;
  });
  owner.join();
  user.join();
}
