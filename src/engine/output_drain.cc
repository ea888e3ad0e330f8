#include "src/engine/output_drain.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/show/words.h"

namespace heddle {
namespace {

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // heddle's own stdout is gone: the run goes on
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

}  // namespace

Result<std::unique_ptr<OutputDrain>> OutputDrain::create(OutputMode mode, StandardStreams inherited) {
  std::unique_ptr<OutputDrain> drain(new OutputDrain);
  drain->mode_ = mode;
  drain->inherited_ = inherited;
  drain->quit_fd_ = eventfd(0, EFD_CLOEXEC);
  int count = mode == OutputMode::kCapture ? 1 : mode == OutputMode::kTee ? 2 : 0;
  for (int i = 0; i < count; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);  // best effort: fewer wake-ups
    int forward = mode == OutputMode::kTee ? (i == 0 ? inherited.out : inherited.err) : -1;
    drain->pipes_[i] = {ends[0], ends[1], forward, forward >= 0 && isatty(forward) == 1};
  }
  if (drain->quit_fd_ < 0) return error(fmt::format("cannot make an eventfd: {}", std::strerror(errno)));
  return drain;
}

OutputDrain::~OutputDrain() {
  if (thread_.joinable()) {
    std::uint64_t one = 1;
    write_all(quit_fd_, reinterpret_cast<const char*>(&one), sizeof one);
    thread_.join();
  }
  for (Pipe& pipe : pipes_)
    for (int fd : {pipe.reader, pipe.writer})
      if (fd >= 0) close(fd);
  for (int fd : {pid_fd_, quit_fd_})
    if (fd >= 0) close(fd);
}

StandardStreams OutputDrain::streams() const {
  switch (mode_) {
    case OutputMode::kCapture:
      return {-1, pipes_[0].writer, pipes_[0].writer};
    case OutputMode::kTee:
      return {-1, pipes_[0].writer, pipes_[1].writer};
    case OutputMode::kInherit:
      break;
  }
  return {-1, inherited_.out, inherited_.err};
}

void OutputDrain::started(pid_t pid, std::function<void()> on_exit) {
  for (Pipe& pipe : pipes_) {
    if (pipe.writer >= 0) close(pipe.writer);
    pipe.writer = -1;
  }
  on_exit_ = std::move(on_exit);
  pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  // Signals are for the tool's main thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { drain_loop(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void OutputDrain::empty(const Pipe& pipe) {
  static thread_local std::array<char, 1 << 16> buffer;
  std::lock_guard lock(mutex_);
  for (;;) {
    ssize_t n = read(pipe.reader, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    received_.fetch_add(static_cast<std::uint64_t>(n), std::memory_order_relaxed);
    const bool hide = pipe.terminal && is_binary({buffer.data(), static_cast<std::size_t>(n)});
    if (hide) captured_.hidden += static_cast<std::uint64_t>(n);
    if (pipe.forward >= 0 && !hide) write_all(pipe.forward, buffer.data(), static_cast<std::size_t>(n));
    std::size_t keep = std::min(kOutputLimit - captured_.text.size(), static_cast<std::size_t>(n));
    captured_.text.append(buffer.data(), keep);
    captured_.dropped += static_cast<std::size_t>(n) - keep;
  }
}

void OutputDrain::drain_loop() {
  pollfd set[4] = {
      {quit_fd_, POLLIN, 0}, {pid_fd_, POLLIN, 0}, {pipes_[0].reader, POLLIN, 0}, {pipes_[1].reader, POLLIN, 0}};
  for (;;) {
    if (poll(set, 4, -1) < 0 && errno != EINTR) return;
    if (set[0].revents) return;
    for (int i = 0; i < 2; i++) {
      if (!set[2 + i].revents) continue;
      empty(pipes_[i]);
      if (set[2 + i].revents & (POLLHUP | POLLERR)) set[2 + i].fd = -1;  // all writers have ended
    }
    if (set[1].revents) {
      set[1].fd = -1;
      exited_.store(true, std::memory_order_release);
      on_exit_();
    }
  }
}

CapturedOutput OutputDrain::take() {
  for (const Pipe& pipe : pipes_)
    if (pipe.reader >= 0) empty(pipe);
  std::lock_guard lock(mutex_);
  return std::exchange(captured_, {});
}

}  // namespace heddle
