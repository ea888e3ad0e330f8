#include "src/failure/message.h"

#include <csignal>
#include <cstring>

#include <fmt/core.h>

#include "src/failure/deadlock.h"
#include "src/show/kind_text.h"

namespace heddle {
namespace {

std::string signal_name(int number) {
  const char* abbreviation = ::sigabbrev_np(number);
  return abbreviation ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", number);
}

/// One line: control characters would break reports.
std::string one_line(std::string_view text) {
  std::string result(text.substr(0, text.find('\n')));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return result;
}

std::string or_else(std::string text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

/// What kind of address a fault hit: says more than its digits, and does not change from run to run.
AddressClass address_class(EvidenceReader& evidence, std::uint64_t address) {
  constexpr std::uint64_t kGuard = 1 << 20;
  const std::uint32_t index = evidence.failure().thread;
  if (evidence.is_thread(index)) {
    const HeddleThreadInfo& t = evidence.thread(index);
    if (t.stack_low && address < t.stack_low + 4096 && address + kGuard >= t.stack_low)
      return AddressClass::kStackOverflow;
  }
  if (address < 4096) return AddressClass::kNull;
  if (address < 65536) return AddressClass::kCloseToNull;
  if (address >> 47 != 0) return AddressClass::kInvalid;
  return AddressClass::kNotAllowed;
}

std::string quoted(std::string_view word, std::string_view text) { return fmt::format("{} `{}`", word, text); }

void describe_fault(FailureRecord& record, EvidenceReader& evidence, const Cause& cause, std::string_view what) {
  record.message = what;
  const int number = cause.signal;
  if (number) record.detail = fmt::format("signal: {}", signal_name(number));
  const bool has_address = cause.recorded && (cause.kind == HEDDLE_FAIL_SEGFAULT || cause.kind == HEDDLE_FAIL_BUS);
  if (!has_address) return;
  const std::uint64_t address = evidence.failure().fault_address;
  record.address = address_class(evidence, address);
  record.message = fmt::format("{}: {}", what, to_text(record.address));
  record.detail += fmt::format("{}address: {:#x}", record.detail.empty() ? "" : "\n", address);
}

void describe_exception(FailureRecord& record, const HeddleFailure& failure) {
  std::string mangled(text_of(failure.type));
  const std::string& what = record.said;
  if (mangled.empty()) {
    record.message = what.empty() ? "std::terminate was called" : fmt::format("std::terminate was called: {}", what);
    return;
  }
  // type_info::name() has no "_Z"; a leading '*' marks names that are unique by address.
  if (mangled.starts_with('*')) mangled.erase(0, 1);
  std::string type = mangled.starts_with("_Z") ? demangle(mangled) : demangle("_ZTS" + mangled);
  constexpr std::string_view kTypeinfo = "typeinfo name for ";
  if (type.starts_with(kTypeinfo)) type.erase(0, kTypeinfo.size());
  if (type.starts_with("_ZTS")) type = mangled;  // not a mangled name after all
  record.message = fmt::format("uncaught exception {}{}{}", type, what.empty() ? "" : ": ", what);
  record.subject = type;
  record.detail = fmt::format("type: {}", type);
}

/// "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x..." -> "heap-use-after-free"
std::string report_class(std::string_view line) {
  const auto at = line.find("Sanitizer: ");
  std::string_view rest =
      at == std::string_view::npos ? line : line.substr(at + std::string_view("Sanitizer: ").size());
  if (rest.starts_with("data race")) return "data race";
  constexpr std::string_view kAttempting = "attempting ";
  if (rest == "attempting free" || rest.starts_with("attempting free on address")) return "bad-free";
  if (rest.starts_with(kAttempting)) rest.remove_prefix(kAttempting.size());
  if (const auto error = rest.find("runtime error: "); error != std::string_view::npos) return "undefined behaviour";
  return std::string(rest.substr(0, rest.find_first_of(" (\n")));
}

}  // namespace

void describe(FailureRecord& record, EvidenceReader& evidence, const Cause& cause) {
  const HeddleFailure& failure = evidence.failure();
  if (cause.recorded) record.said = one_line(text_of(failure.message));
  const std::string& text = record.said;
  switch (cause.kind) {
    case HEDDLE_FAIL_ASSERTION:
      record.message = text.empty() ? "assertion failed" : quoted("assertion", text);
      break;
    case HEDDLE_FAIL_CHECK:
      record.message = text.empty() ? "check failed" : quoted("check", text);
      break;
    case HEDDLE_FAIL_ABORT:
      record.message = text.empty() ? "abort() was called" : fmt::format("abort() was called: {}", text);
      break;
    case HEDDLE_FAIL_SEGFAULT:
      describe_fault(record, evidence, cause, "segmentation fault");
      break;
    case HEDDLE_FAIL_BUS:
      describe_fault(record, evidence, cause, "bus error");
      break;
    case HEDDLE_FAIL_FPE:
      describe_fault(record, evidence, cause, "arithmetic error (such as a division by zero)");
      break;
    case HEDDLE_FAIL_ILL:
      describe_fault(record, evidence, cause, "illegal instruction");
      break;
    case HEDDLE_FAIL_EXCEPTION:
      describe_exception(record, failure);
      break;
    case HEDDLE_FAIL_DEADLOCK:
      record.message = deadlock_message(record.deadlock);
      break;
    case HEDDLE_FAIL_LIVELOCK:
      record.message = fmt::format("livelock: {}", or_else(text, "threads run but make no progress"));
      break;
    case HEDDLE_FAIL_HANG:
      record.message = fmt::format("hang: {}", or_else(text, "no scheduling point is reached any more"));
      break;
    case HEDDLE_FAIL_EXIT:
      record.message = fmt::format("exit status {}", cause.exit_status);
      record.subject = std::to_string(cause.exit_status);
      record.detail = fmt::format("status: {}", record.subject);
      break;
    case HEDDLE_FAIL_SANITIZER:
      record.message = or_else(text, "a sanitizer reported an error");
      record.subject = report_class(text);
      record.detail = fmt::format("report: {}", record.subject);
      break;
    case HEDDLE_FAIL_OUTPUT:
      record.message = or_else(text, "the output matches the pattern that means failure");
      break;
    case HEDDLE_FAIL_RACE:
      record.message = or_else(text, "data race");
      break;
    case HEDDLE_FAIL_SIGNALED:
      record.subject = signal_name(cause.signal);
      record.message = fmt::format("killed by {}", record.subject);
      record.detail = fmt::format("signal: {}", record.subject);
      break;
    case HEDDLE_FAIL_NONE:
    case HEDDLE_FAIL_COUNT:
      break;
  }
}

}  // namespace heddle
