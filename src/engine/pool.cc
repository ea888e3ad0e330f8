#include "src/engine/pool.h"

#include <csignal>

namespace heddle {
namespace {

class ExecutorHand final : public RunPool::Hand {
 public:
  explicit ExecutorHand(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}
  Result<RunOutcome> execute(std::uint64_t, RunRequest request) override { return executor_->execute(request); }

 private:
  std::unique_ptr<Executor> executor_;
};

}  // namespace

std::thread thread_without_signals(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

RunPool::MakeHand executors(WorkerOptions worker, std::shared_ptr<SiteCache> sites) {
  return [worker = std::move(worker), sites = std::move(sites)](
             unsigned, const std::atomic<bool>& stop) -> Result<std::unique_ptr<RunPool::Hand>> {
    WorkerOptions options = worker;
    options.stop = &stop;
    Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(options), sites);
    if (!executor) return std::unexpected(executor.error());
    return std::make_unique<ExecutorHand>(std::move(*executor));
  };
}

}  // namespace heddle
