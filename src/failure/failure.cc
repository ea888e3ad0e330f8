#include "src/failure/failure.h"

#include <cstring>
#include <filesystem>

#include <sys/wait.h>

#include "src/failure/deadlock.h"
#include "src/failure/evidence.h"
#include "src/failure/failing_frame.h"
#include "src/failure/message.h"
#include "src/failure/thread_state.h"
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

void place_failure(FailureRecord& record, EvidenceReader& evidence, const Cause& cause) {
  if (!record.deadlock.empty()) {
    record.thread = record.deadlock.front().thread;
    return place(record, record.deadlock.front().wait_site);
  }
  const std::uint32_t index = evidence.failure().thread;
  if (!cause.recorded || !evidence.is_thread(index)) return;
  record.thread = evidence.name(index);
  if (const Frame* frame = frame_of_cause(evidence.stack(index), record.kind)) place(record, *frame);
  if (cause.kind == HEDDLE_FAIL_ASSERTION || cause.kind == HEDDLE_FAIL_CHECK)
    place_assertion(record, evidence.failure());
}

std::vector<ThreadAtFailure> live_threads(EvidenceReader& evidence) {
  std::vector<ThreadAtFailure> threads;
  for (std::size_t i = 0; i < evidence.thread_count(); ++i)
    if (evidence.is_live(i))
      threads.push_back({evidence.name(static_cast<std::uint32_t>(i)), state_text(evidence, i), evidence.stack(i)});
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
  record.kind = kind_text(cause.kind);
  if (cause.recorded) record.threads = live_threads(evidence);  // else the process is gone and the table is history
  if (cause.kind == HEDDLE_FAIL_DEADLOCK) {
    record.deadlock = deadlock_edges(evidence);
    record.notes = deadlock_notes(evidence);
  }
  place_failure(record, evidence, cause);
  describe(record, evidence, cause);
  record.signature = signature(record);
  return record;
}

}  // namespace heddle
