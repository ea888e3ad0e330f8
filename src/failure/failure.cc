#include "src/failure/failure.h"

#include <cstring>
#include <filesystem>

#include <fmt/core.h>
#include <sys/wait.h>

#include "src/failure/deadlock.h"
#include "src/failure/evidence.h"
#include "src/failure/failing_frame.h"
#include "src/failure/message.h"
#include "src/program/function_name.h"

namespace heddle {
namespace {

HeddleFailureKind kind_of_signal(int number) {
  switch (number) {
    case SIGABRT:
      return HEDDLE_FAIL_ABORT;
    case SIGSEGV:
      return HEDDLE_FAIL_SEGFAULT;
    case SIGBUS:
      return HEDDLE_FAIL_BUS;
    case SIGFPE:
      return HEDDLE_FAIL_FPE;
    case SIGILL:
      return HEDDLE_FAIL_ILL;
    default:
      return HEDDLE_FAIL_SIGNALED;
  }
}

/// What happened, from the child's own record, or from how it ended if it left none.
Cause cause_of(const HeddleResult& result, int wait_status) {
  const HeddleFailure& failure = result.failure;
  Cause cause;
  cause.signal = static_cast<int>(failure.signal);
  cause.exit_status = failure.exit_status;
  if (failure.kind != HEDDLE_FAIL_NONE && failure.kind < HEDDLE_FAIL_COUNT) {
    cause.kind = static_cast<HeddleFailureKind>(failure.kind);
    cause.recorded = true;
    return cause;
  }
  const bool reaped = wait_status != -1;
  if (reaped && WIFSIGNALED(wait_status)) {
    cause.signal = WTERMSIG(wait_status);
    cause.kind = kind_of_signal(cause.signal);
    return cause;
  }
  if (reaped && WIFEXITED(wait_status))
    cause.exit_status = WEXITSTATUS(wait_status);
  else
    cause.exit_status = result.exit_called ? result.exit_status & 0xff : 0;
  cause.kind = cause.exit_status ? HEDDLE_FAIL_EXIT : HEDDLE_FAIL_NONE;
  return cause;
}

/// An abort says how, not why: the stack tells an assertion or an exception that reached std::terminate.
void refine_abort(Cause& cause, const Stack& stack) {
  if (cause.kind != HEDDLE_FAIL_ABORT) return;
  if (holds_assertion(stack))
    cause.kind = HEDDLE_FAIL_ASSERTION;
  else if (holds_terminate(stack))
    cause.kind = HEDDLE_FAIL_EXCEPTION;
}

/// "queue.c:9 in push"
std::string place_text(const Frame& frame) {
  const std::string file = std::filesystem::path(frame.file).filename().string();
  if (file.empty()) return frame.function.empty() ? frame.module : frame.function;
  return fmt::format("{}:{}{}", file, frame.line, frame.function.empty() ? "" : " in " + frame.function);
}

void place(FailureRecord& record, const Frame& frame) {
  record.function = frame.function;
  record.file = frame.file;
  record.line = frame.line;
}

/// The assertion's own file and line, spelled as the debug info spells them where that is the same file.
void place_assertion(FailureRecord& record, const HeddleFailure& failure) {
  const std::filesystem::path file = text_of(failure.file);
  if (file.empty()) return;
  if (file.filename() != std::filesystem::path(record.file).filename()) record.file = file.string();
  if (failure.line) record.line = failure.line;
  if (record.function.empty()) record.function = without_parameters(text_of(failure.function));
}

/// libc notices a double free late: when a thread ends it gives its cache back. That thread's own free() is the place
/// then.
void place_double_free(FailureRecord& record, EvidenceReader& evidence) {
  const HeddleDoubleFree& twice = evidence.raw().result->double_free;
  if (!twice.second_pc || !evidence.is_thread(twice.first_thread) || !evidence.is_thread(twice.second_thread)) return;
  const Stack first = evidence.call(twice.first_pc), second = evidence.call(twice.second_pc);
  const Frame *before = user_frame(first), *again = user_frame(second);
  if (!before || !again) return;
  record.notes.push_back(fmt::format("a block was freed twice: at {}, thread {}; then at {}, thread {}",
                                     place_text(*before), evidence.name(twice.first_thread), place_text(*again),
                                     evidence.name(twice.second_thread)));
  const std::uint32_t index = evidence.failure().thread;
  const Frame* own = user_frame(evidence.stack(index));
  if (own && !own->system) return;
  const Frame* here = index == twice.second_thread ? again : index == twice.first_thread ? before : nullptr;
  if (!here || here->system) return;
  place(record, *here);
  record.notes.push_back(fmt::format("libc noticed it when thread {} ended", evidence.name(index)));
}

void place_failure(FailureRecord& record, EvidenceReader& evidence, const Cause& cause) {
  if (!record.deadlock.empty()) {
    record.thread = record.deadlock.front().thread;
    return place(record, record.deadlock.front().wait_site);
  }
  const std::uint32_t index = evidence.failure().thread;
  if (!cause.recorded || !evidence.is_thread(index)) return;
  record.thread = evidence.name(index);
  if (const Frame* frame = frame_of_cause(evidence.stack(index), record.kind)) place(record, *frame);
  if (cause.kind == HEDDLE_FAIL_ABORT) place_double_free(record, evidence);
  if (cause.kind == HEDDLE_FAIL_ASSERTION || cause.kind == HEDDLE_FAIL_CHECK)
    place_assertion(record, evidence.failure());
}

/// A thread can also fail while libc ends it: it counts as finished by then.
std::vector<ThreadAtFailure> threads_at_failure(EvidenceReader& evidence) {
  std::vector<ThreadAtFailure> threads;
  for (std::size_t i = 0; i < evidence.thread_count(); ++i) {
    const bool ends = !evidence.is_live(i) && evidence.failure().has_regs && evidence.failure().thread == i;
    if (!ends && !evidence.is_live(i)) continue;
    const ThreadState state = ends ? ThreadState{.activity = Activity::kEnding} : thread_state(evidence, i);
    threads.push_back({evidence.name(static_cast<std::uint32_t>(i)), state, evidence.stack(i)});
  }
  return threads;
}

}  // namespace

std::optional<FailureRecord> classify(const RunEvidence& raw, int wait_status) {
  if (!raw.result) return std::nullopt;
  Cause cause = cause_of(*raw.result, wait_status);
  if (cause.kind == HEDDLE_FAIL_NONE) return std::nullopt;
  EvidenceReader evidence(raw);
  if (cause.recorded && evidence.is_thread(evidence.failure().thread))
    refine_abort(cause, evidence.stack(evidence.failure().thread));

  FailureRecord record;
  record.kind = cause.kind;
  if (cause.recorded)
    record.threads = threads_at_failure(evidence);  // else the process is gone and the table is history
  if (cause.kind == HEDDLE_FAIL_DEADLOCK) {
    record.deadlock = deadlock_edges(evidence);
    record.notes = deadlock_notes(evidence);
  }
  place_failure(record, evidence, cause);
  describe(record, evidence, cause);
  record.signature = signature(record);
  if (evidence.memory_denied())
    record.notes.emplace_back(
        "stacks are missing: process_vm_readv and /proc/PID/mem are denied here (seccomp, yama); see heddle doctor");
  return record;
}

}  // namespace heddle
