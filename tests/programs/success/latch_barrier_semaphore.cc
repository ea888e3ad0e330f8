// expect: clean
// hunt: --time-model virtual
// std::latch, std::barrier with a completion step and drop-outs, counting and binary semaphores with time-outs.
#include <barrier>
#include <cassert>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>
using namespace std::chrono_literals;

int main() {
  {
    std::latch ready(3), go(1);
    int slots[3] = {};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; i++)
      threads.emplace_back([&, i] {
        slots[i] = i + 1;
        ready.count_down();
        go.wait();
        assert(slots[(i + 1) % 3] != 0);
      });
    ready.wait();
    assert(slots[0] + slots[1] + slots[2] == 6 && ready.try_wait());
    go.arrive_and_wait();
  }
  {
    int phase = 0, sums[4] = {}, parts[3] = {};
    auto complete = [&]() noexcept {
      sums[phase] = parts[0] + parts[1] + parts[2];
      phase++;
    };
    std::barrier meeting(3, complete);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; i++)
      threads.emplace_back([&, i] {
        for (int round = 0; round < 3; round++) {
          parts[i] = round + i;
          if (i == 2 && round == 2) return meeting.arrive_and_drop();
          auto token = meeting.arrive();
          meeting.wait(std::move(token));
          assert(sums[round] == 3 * round + 3);
        }
      });
    threads.clear();
    assert(phase == 3);
  }
  {
    std::counting_semaphore<8> items(0);
    std::binary_semaphore turn(1);
    int sum = 0;
    std::jthread consumer([&] {
      for (int i = 0; i < 4; i++) {
        while (!items.try_acquire_for(1ms)) {
        }
        turn.acquire();
        sum++;
        turn.release();
      }
    });
    std::jthread producer([&] {
      items.release(2);
      std::this_thread::sleep_for(5ms);
      items.release();
      items.release();
    });
    std::jthread other([&] {
      if (turn.try_acquire_until(std::chrono::steady_clock::now() + 1s)) {
        sum += 10;
        turn.release();
      }
    });
    consumer.join();
    other.join();
    assert(sum == 14 && !items.try_acquire());
  }
}
