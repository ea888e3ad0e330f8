// Many requests at once: threads that execute what a plan says, and absorb what came of it in the order of the plan, so
// that the result does not depend on how many threads there are, nor on how fast each of them is.
//
//   Pool<Request, Outcome> pool(options, make_hand);
//   pool.run(plan, absorb);
//
// plan(i) says what the i-th request is: a request, End (nothing from i on), or Wait (asked again when all runs before i
// are absorbed). absorb(i, outcome) is called for i = 0, 1, 2, ... Both are called by one thread at a time, never beside
// each other, and may share data without a lock. Whatever a plan uses of outcomes that were absorbed without a Wait
// depends on the speed of the threads: who wants equal results waits first (the hunt, at the end of its epochs).
//
// Who executes is a Hand: made on its thread when that gets its first request, destroyed on it (a Worker must not change
// threads). What needs the executor right behind a run, or takes long, belongs into execute().
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "src/engine/check.h"
#include "src/engine/execute.h"
#include "src/result/result.h"

namespace heddle {

enum class PoolEnd { kPlanned, kInterrupted, kOutOfTime };  // why a pool came to its end; kPlanned: the plan's

struct PoolOptions {
  using Clock = std::chrono::steady_clock;
  unsigned workers = 1;
  const std::atomic<bool>* stop = nullptr;  // the user's; null: nobody can stop it
  /// Called now and then on the calling thread, while others work, beside plan() and absorb(): for progress. Returns
  /// when the time is up (none: never). Null: no limit.
  std::function<std::optional<Clock::time_point>()> watch;
};

/// A new thread of `work` that gets no signals: those are for the thread that waits.
std::thread thread_without_signals(std::function<void()> work);

template <typename Request, typename Outcome>
class Pool {
 public:
  struct Wait {};
  struct End {};
  using Planned = std::variant<Request, Wait, End>;
  class Hand {
   public:
    virtual ~Hand() = default;
    virtual Outcome execute(std::uint64_t i, Request request) = 0;
  };
  /// `stop`: set when the pool is over before its plan; what the hand does then has to end soon.
  using MakeHand = std::function<Result<std::unique_ptr<Hand>>(unsigned worker, const std::atomic<bool>& stop)>;

  Pool(PoolOptions options, MakeHand make) : options_(std::move(options)), make_(std::move(make)) {}

  /// Once. All outcomes of what was begun are absorbed, whatever ended it. Errors: a hand could not be made. What a
  /// callback throws is thrown here.
  Result<PoolEnd> run(std::function<Planned(std::uint64_t i)> plan,
                      std::function<void(std::uint64_t i, Outcome outcome)> absorb);

 private:
  struct Turn {
    std::uint64_t i;
    Request request;
  };
  void work(unsigned worker);
  std::optional<Turn> take(std::unique_lock<std::mutex>& lock);
  void ask();
  void finish(std::uint64_t i, Outcome outcome);
  void watch(std::unique_lock<std::mutex>& lock);
  bool broken() const { return stop_ || error_ || bug_; }
  bool over() const { return broken() || (ended_ && in_flight_ == 0); }

  const PoolOptions options_;
  const MakeHand make_;
  std::function<Planned(std::uint64_t)> plan_;
  std::function<void(std::uint64_t, Outcome)> absorb_;

  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::optional<Request> next_;         // planned ahead, for a thread that was asleep
  std::uint64_t begun_ = 0;             // runs; the next one has this number
  std::uint64_t absorbed_ = 0;
  std::map<std::uint64_t, Outcome> done_;  // behind one that is not done
  std::uint64_t in_flight_ = 0;
  unsigned asleep_ = 0;
  bool waits_ = false;  // the plan does, for `begun_` outcomes
  bool ended_ = false;  // the plan is
  PoolEnd why_ = PoolEnd::kPlanned;
  std::optional<Error> error_;
  std::exception_ptr bug_;
};

/// Hands that execute requests, an Executor each.
using RunPool = Pool<RunRequest, Result<RunOutcome>>;
RunPool::MakeHand executors(WorkerOptions worker, std::shared_ptr<SiteCache> sites);

template <typename Request, typename Outcome>
Result<PoolEnd> Pool<Request, Outcome>::run(std::function<Planned(std::uint64_t)> plan,
                                            std::function<void(std::uint64_t, Outcome)> absorb) {
  plan_ = std::move(plan);
  absorb_ = std::move(absorb);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, options_.workers); i++)
    threads.push_back(thread_without_signals([this, i] { work(i); }));
  {
    std::unique_lock lock(mutex_);
    watch(lock);
  }
  for (std::thread& thread : threads) thread.join();
  if (bug_) std::rethrow_exception(bug_);
  if (error_) return std::unexpected(*error_);
  return why_;
}

// Looks at the user's flag and the time. A flag rings no bell.
template <typename Request, typename Outcome>
void Pool<Request, Outcome>::watch(std::unique_lock<std::mutex>& lock) {
  using Clock = PoolOptions::Clock;
  using std::chrono::milliseconds;
  constexpr milliseconds kTick{50};
  std::optional<Clock::time_point> end;
  const auto ask = [&] {
    if (!options_.watch) return;
    lock.unlock();
    end = options_.watch();
    lock.lock();
  };
  for (ask(); !over(); ask()) {
    milliseconds tick = kTick;
    if (end) tick = std::clamp(std::chrono::ceil<milliseconds>(*end - Clock::now()), milliseconds(1), kTick);
    changed_.wait_for(lock, tick, [&] { return over(); });
    if (over()) break;
    if (options_.stop && options_.stop->load(std::memory_order_relaxed))
      why_ = PoolEnd::kInterrupted;
    else if (end && Clock::now() >= *end)
      why_ = PoolEnd::kOutOfTime;
    stop_ = why_ != PoolEnd::kPlanned;
  }
  changed_.notify_all();
}

template <typename Request, typename Outcome>
void Pool<Request, Outcome>::work(unsigned worker) {
  try {
    std::unique_ptr<Hand> hand;
    std::unique_lock lock(mutex_);
    while (std::optional<Turn> turn = take(lock)) {
      lock.unlock();
      if (!hand) {
        Result<std::unique_ptr<Hand>> made = make_(worker, stop_);
        if (!made) {
          lock.lock();
          error_ = made.error();
          in_flight_--;
          break;
        }
        hand = std::move(*made);
      }
      Outcome outcome = hand->execute(turn->i, std::move(turn->request));
      lock.lock();
      finish(turn->i, std::move(outcome));
    }
    changed_.notify_all();
    lock.unlock();
  } catch (...) {
    std::lock_guard lock(mutex_);
    bug_ = std::current_exception();
    changed_.notify_all();
  }
}

template <typename Request, typename Outcome>
auto Pool<Request, Outcome>::take(std::unique_lock<std::mutex>& lock) -> std::optional<Turn> {
  for (;;) {
    ask();
    if (broken() || (ended_ && !next_)) return std::nullopt;
    if (next_) break;
    asleep_++;
    changed_.wait(lock, [&] { return broken() || next_ || ended_; });
    asleep_--;
  }
  Turn turn{begun_++, std::move(*next_)};
  next_.reset();
  in_flight_++;
  // Others are woken only if there is something for them: a wake-up costs as much as a short run's bookkeeping.
  if (asleep_ > 0) ask();
  if (asleep_ > 0 && next_) changed_.notify_one();
  return turn;
}

/// Fills `next_`, unless the plan is over or waits.
template <typename Request, typename Outcome>
void Pool<Request, Outcome>::ask() {
  if (broken() || ended_ || next_ || (waits_ && absorbed_ < begun_)) return;
  Planned planned = plan_(begun_);
  ended_ = std::holds_alternative<End>(planned);
  waits_ = std::holds_alternative<Wait>(planned);
  HEDDLE_CHECK(!waits_ || absorbed_ < begun_);  // else it would wait for ever
  if (Request* request = std::get_if<Request>(&planned)) next_ = std::move(*request);
  if (ended_) changed_.notify_all();
}

template <typename Request, typename Outcome>
void Pool<Request, Outcome>::finish(std::uint64_t i, Outcome outcome) {
  in_flight_--;
  done_.emplace(i, std::move(outcome));
  for (auto first = done_.begin(); first != done_.end() && first->first == absorbed_; first = done_.begin()) {
    auto node = done_.extract(first);
    absorb_(absorbed_++, std::move(node.mapped()));
  }
}

}  // namespace heddle
