#include "src/hunt/changing_input.h"

#include <sys/syscall.h>

#include <cstring>
#include <optional>

#include "abi/inputs.h"
#include "abi/region.h"

namespace heddle {
namespace {

struct Record {
  HeddleInput head;
  std::string_view data;
};

std::optional<Record> take(std::string_view& inputs) {
  Record out;
  if (inputs.size() < sizeof out.head) return std::nullopt;
  std::memcpy(&out.head, inputs.data(), sizeof out.head);
  inputs.remove_prefix(sizeof out.head);
  const std::size_t padded = (static_cast<std::size_t>(out.head.size) + 7) / 8 * 8;
  if (inputs.size() < padded) return std::nullopt;
  out.data = inputs.substr(0, out.head.size);
  inputs.remove_prefix(padded);
  return out;
}

bool is_random(const HeddleInput& input) {
  if (input.kind == HEDDLE_IN_RANDOM) return true;
  return input.kind == HEDDLE_IN_SYSCALL && (input.number == SYS_getrandom || (input.flags & HEDDLE_INPUT_RANDOM));
}

bool is_read(const HeddleInput& input) {
  if (input.kind != HEDDLE_IN_SYSCALL) return is_random(input);
  switch (input.number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_getrandom:
      return true;
    default:
      return false;
  }
}

std::optional<Record> next_read(std::string_view& inputs) {
  while (std::optional<Record> record = take(inputs))
    if (is_read(record->head)) return record;
  return std::nullopt;
}

}  // namespace

bool asks_for_random(std::string_view inputs) {
  while (std::optional<Record> record = take(inputs))
    if (is_random(record->head)) return true;
  return false;
}

// What its threads send each other, to handlers, is no input.
bool got_signals(std::string_view inputs) {
  while (std::optional<Record> record = take(inputs)) {
    const HeddleInput& input = record->head;
    if (input.kind == HEDDLE_IN_SIGNAL) return true;
    if (input.kind == HEDDLE_IN_SYSCALL &&
        (input.number == SYS_rt_sigtimedwait || input.number == SYS_rt_sigsuspend || input.number == SYS_pause))
      return true;
  }
  return false;
}

bool asked_for_ids(std::string_view inputs) {
  while (std::optional<Record> record = take(inputs))
    if (record->head.kind == HEDDLE_IN_SYSCALL &&
        (record->head.number == SYS_getpid || record->head.number == SYS_getppid || record->head.number == SYS_gettid))
      return true;
  return false;
}

bool read_the_same(std::string_view inputs, std::string_view again) {
  for (;;) {
    const std::optional<Record> one = next_read(inputs), other = next_read(again);
    if (!one || !other) return !one && !other;
    if (one->head.thread != other->head.thread || one->head.number != other->head.number ||
        one->head.result != other->head.result || one->data != other->data)
      return false;
  }
}

}  // namespace heddle
