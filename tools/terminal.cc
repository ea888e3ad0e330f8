#include "tools/terminal.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/json.h"
#include "tools/status.h"

namespace heddle {
namespace {

constexpr std::size_t kInputLimit = 64u << 20;
constexpr int kSilentPipeMs = 3000;

bool json_expected = false;
constexpr unsigned kPatience = 5;  // seconds
std::atomic<bool> interrupted{false}, impatient{false};
void on_signal(int) { interrupted.store(true); }
void on_outlasted(int number) {
  if (number == SIGALRM || interrupted.exchange(true))
    impatient.store(true);
  else
    alarm(kPatience);
}

void handle_interrupts(void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before;
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

// What is painted may come from a program all the same.
Painted painted(std::string_view text, const char* code, int fd) {
  if (!is_terminal(fd) || std::getenv("NO_COLOR")) return {neutral(text)};
  return {fmt::format("\033[{}m{}\033[0m", code, neutral(text))};
}

}  // namespace

void tell_error(std::string_view verb, const Error& error) {
  say(stderr, "heddle {}: {}\n", verb, error.message);
  if (!error.advice.empty()) say(stderr, "  {}\n", error.advice);
}

int report_error(std::string_view verb, const Error& error) {
  tell_error(verb, error);
  print_error_object(error.message);
  return kUsage;
}

void expect_json() { json_expected = true; }

void print_error_object(const std::string& message) {
  if (json_expected) print_json_error(message);
}

bool is_terminal(int fd) { return isatty(fd) == 1; }
Painted strong(std::string_view text, int fd) { return painted(text, "1", fd); }
Painted alarming(std::string_view text, int fd) { return painted(text, "1;31", fd); }

const std::atomic<bool>& catch_interrupts() {
  handle_interrupts(on_signal, SA_RESETHAND);  // the second one ends us; the program dies with us
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a limit of the file size (ulimit -f) is an error of write(), as a full disk is
  return interrupted;
}

const std::atomic<bool>& outlast_interrupts() {
  signal(SIGALRM, on_outlasted);
  handle_interrupts(on_outlasted, 0);
  if (interrupted) alarm(kPatience);  // it came before
  return impatient;
}

int written(const std::function<void()>& print) {
  // Whoever interrupts twice does not want to wait for a reader that does not read.
  if (pollfd out{STDOUT_FILENO, POLLOUT, 0}; impatient && poll(&out, 1, 0) == 0) return EINTR;
  int failed = 0;
  try {
    errno = 0;
    print();
    if (std::ferror(stdout)) failed = errno ? errno : EIO;
  } catch (const std::system_error& problem) {  // fmt::print, where a buffer was full
    failed = problem.code().value();
  }
  if (failed != EINTR && std::fflush(stdout) != 0 && failed == 0) failed = errno;
  if (failed == EINTR) __fpurge(stdout);  // else the end of the process would wait for that reader again
  return failed == EPIPE ? 0 : failed;
}

SplitArguments split_arguments(int argc, char** argv) {
  SplitArguments out;
  for (int i = 0; i < argc; i++) {
    if (!out.has_separator && std::strcmp(argv[i], "--") == 0)
      out.has_separator = true;
    else
      (out.has_separator ? out.program : out.own).push_back(argv[i]);
  }
  return out;
}

std::vector<std::string> current_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; entry++)
    if (std::strncmp(*entry, "HEDDLE_", 7) != 0) out.emplace_back(*entry);
  return out;
}

Result<std::optional<StandardInput>> read_standard_input() {
  struct stat info;
  if (fstat(0, &info) != 0 || is_terminal(0)) return std::nullopt;
  // A pipe that its other end holds open and never uses (some CI systems): no input, rather than no answer.
  pollfd ready{0, POLLIN, 0};
  if (!S_ISREG(info.st_mode) && poll(&ready, 1, kSilentPipeMs) == 0) {
    say(stderr, "heddle: no data on standard input; the program gets an empty one\n");
    return std::nullopt;
  }
  std::string bytes;
  char buffer[1 << 16];
  for (ssize_t n; (n = read(0, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno == EINTR && !interrupted) continue;
    if (n < 0) break;
    bytes.append(buffer, static_cast<std::size_t>(n));
    if (bytes.size() > kInputLimit)
      return error("the standard input has more than 64 MiB", "each run gets all of it: use a smaller input");
  }
  if (bytes.empty()) return std::nullopt;
  auto kept = standard_input_of(std::move(bytes));
  if (!kept) return std::unexpected(kept.error());
  return std::optional<StandardInput>(std::move(*kept));
}

}  // namespace heddle
