#include "src/trace/old_words.h"

#include <optional>
#include <span>

namespace heddle::old_words {
namespace {

struct Word {
  std::string_view text;
  std::uint32_t value;
};

std::uint32_t value_of(std::span<const Word> words, std::string_view text) {
  for (const Word& word : words)
    if (word.text == text) return word.value;
  return 0;
}

constexpr Word kFailures[] = {{"assertion", HEDDLE_FAIL_ASSERTION},
                              {"abort", HEDDLE_FAIL_ABORT},
                              {"segfault", HEDDLE_FAIL_SEGFAULT},
                              {"bus", HEDDLE_FAIL_BUS},
                              {"fpe", HEDDLE_FAIL_FPE},
                              {"ill", HEDDLE_FAIL_ILL},
                              {"exception", HEDDLE_FAIL_EXCEPTION},
                              {"deadlock", HEDDLE_FAIL_DEADLOCK},
                              {"livelock", HEDDLE_FAIL_LIVELOCK},
                              {"hang", HEDDLE_FAIL_HANG},
                              {"exit", HEDDLE_FAIL_EXIT},
                              {"sanitizer", HEDDLE_FAIL_SANITIZER},
                              {"output", HEDDLE_FAIL_OUTPUT},
                              {"check", HEDDLE_FAIL_CHECK},
                              {"race", HEDDLE_FAIL_RACE},
                              {"signal", HEDDLE_FAIL_SIGNALED}};

/// A wait as edges called it, and as states did, around the name of the object.
struct Wait {
  WaitKind kind;
  std::string_view operation, before, behind;
};
constexpr Wait kWaits[] = {{WaitKind::kSignal, "wait", "waits for a signal on ", ""},
                           {WaitKind::kThread, "join", "waits for thread ", " to end"},
                           {WaitKind::kSemaphore, "sem wait", "waits for semaphore ", ""},
                           {WaitKind::kBarrier, "barrier", "waits for others at barrier ", ""},
                           {WaitKind::kOnce, "once", "waits for once ", ""},
                           {WaitKind::kWakeUp, "futex wait", "waits for a wake-up on ", ""},
                           {WaitKind::kSpinLock, "spin lock", "waits for spinlock ", ""},
                           {WaitKind::kLock, "lock", "waits for lock ", ""},
                           {WaitKind::kReadLock, "rdlock", "waits to read-lock ", ""},
                           {WaitKind::kWriteLock, "wrlock", "waits to write-lock ", ""},
                           {WaitKind::kSystemCall, "system call", "waits in ", ", which nobody ends"},
                           {WaitKind::kSignalHandler, "suspend", "waits for a signal handler", ""},
                           {WaitKind::kSleep, "sleep", "waits in sleep ", ""}};

constexpr Word kActivities[] = {{"running", static_cast<std::uint32_t>(Activity::kRunning)},
                                {"sleeps", static_cast<std::uint32_t>(Activity::kSleeping)},
                                {"in i/o", static_cast<std::uint32_t>(Activity::kOutside)},
                                {"finished", static_cast<std::uint32_t>(Activity::kFinished)},
                                {"ending", static_cast<std::uint32_t>(Activity::kEnding)},
                                {"not started yet", static_cast<std::uint32_t>(Activity::kNotStarted)}};

constexpr Word kOperations[] = {{"read", HEDDLE_EV_READ},
                                {"write", HEDDLE_EV_WRITE},
                                {"read range", HEDDLE_EV_READ_RANGE},
                                {"write range", HEDDLE_EV_WRITE_RANGE},
                                {"atomic load", HEDDLE_EV_ATOMIC_LOAD},
                                {"atomic store", HEDDLE_EV_ATOMIC_STORE},
                                {"atomic rmw", HEDDLE_EV_ATOMIC_RMW},
                                {"atomic cas", HEDDLE_EV_ATOMIC_CAS},
                                {"fence", HEDDLE_EV_FENCE},
                                {"create", HEDDLE_EV_THREAD_CREATE},
                                {"start", HEDDLE_EV_THREAD_START},
                                {"exit", HEDDLE_EV_THREAD_EXIT},
                                {"join", HEDDLE_EV_THREAD_JOIN},
                                {"detach", HEDDLE_EV_THREAD_DETACH},
                                {"cancel", HEDDLE_EV_THREAD_CANCEL},
                                {"lock", HEDDLE_EV_MUTEX_LOCK},
                                {"trylock", HEDDLE_EV_MUTEX_TRYLOCK},
                                {"unlock", HEDDLE_EV_MUTEX_UNLOCK},
                                {"rdlock", HEDDLE_EV_RW_RDLOCK},
                                {"wrlock", HEDDLE_EV_RW_WRLOCK},
                                {"rw trylock", HEDDLE_EV_RW_TRYLOCK},
                                {"rw unlock", HEDDLE_EV_RW_UNLOCK},
                                {"wait", HEDDLE_EV_COND_WAIT},
                                {"signal", HEDDLE_EV_COND_SIGNAL},
                                {"broadcast", HEDDLE_EV_COND_BROADCAST},
                                {"sem wait", HEDDLE_EV_SEM_WAIT},
                                {"sem trywait", HEDDLE_EV_SEM_TRYWAIT},
                                {"sem post", HEDDLE_EV_SEM_POST},
                                {"barrier arrive", HEDDLE_EV_BARRIER_ARRIVE},
                                {"barrier", HEDDLE_EV_BARRIER_LEAVE},
                                {"once", HEDDLE_EV_ONCE},
                                {"once done", HEDDLE_EV_ONCE_DONE},
                                {"spin lock", HEDDLE_EV_SPIN_LOCK},
                                {"spin trylock", HEDDLE_EV_SPIN_TRYLOCK},
                                {"spin unlock", HEDDLE_EV_SPIN_UNLOCK},
                                {"futex wait", HEDDLE_EV_FUTEX_WAIT},
                                {"futex wake", HEDDLE_EV_FUTEX_WAKE},
                                {"yield", HEDDLE_EV_YIELD},
                                {"i/o", HEDDLE_EV_IO_LEAVE},
                                {"fork", HEDDLE_EV_FORK},
                                {"process exit", HEDDLE_EV_EXIT},
                                {"spin budget", HEDDLE_EV_BUDGET},
                                {"suspend", HEDDLE_EV_SUSPEND},
                                {"system call", HEDDLE_EV_IO_CALL},
                                {"hand-over", HEDDLE_EV_HANDOVER},
                                {"heap", HEDDLE_EV_HEAP},
                                {"malloc", HEDDLE_EV_MALLOC},
                                {"free", HEDDLE_EV_FREE}};

/// What lies between the two; nothing: it does not begin and end with them.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view behind = {}) {
  if (text.size() < before.size() + behind.size() || !text.starts_with(before) || !text.ends_with(behind)) return {};
  return text.substr(before.size(), text.size() - before.size() - behind.size());
}

ThreadState waiting(std::string_view text) {
  ThreadState state;
  state.activity = Activity::kWaiting;
  if (const auto rest = between(text, "", ", with a timeout")) text = *rest, state.timed = true;
  for (const Wait& wait : kWaits) {
    std::string_view holder;
    std::string_view said = text;
    constexpr std::string_view kHeldBy = " held by ";
    if (const std::size_t held = text.rfind(kHeldBy); held != text.npos && wait.kind != WaitKind::kThread) {
      said = text.substr(0, held);
      holder = text.substr(held + kHeldBy.size());
    }
    const auto object = between(said, wait.before, wait.behind);
    if (!object) continue;
    state.wait = wait.kind;
    const bool unknown = *object == "?" || (wait.kind == WaitKind::kSystemCall && *object == "a system call");
    if (!unknown) state.object = *object;
    state.holder = wait.kind == WaitKind::kThread ? state.object : std::string(holder);
    return state;
  }
  return state;
}

ThreadState about_to(std::string_view what) {
  ThreadState state;
  state.activity = Activity::kAboutTo;
  if (const auto atomic = between(what, "do an ")) what = *atomic;
  std::size_t longest = 0;
  for (const Word& word : kOperations) {
    const bool fits = what == word.text || (what.starts_with(word.text) && what[word.text.size()] == ' ');
    if (fits && word.text.size() > longest) longest = word.text.size(), state.operation = word.value;
  }
  if (longest < what.size()) state.object = what.substr(longest == 0 ? 0 : longest + 1);
  return state;
}

/// "\ntest: Bank.Pays\n..." -> "Bank.Pays"
std::string line_of(std::string_view detail, std::string_view key) {
  const std::size_t at = detail.find(key);
  if (at == detail.npos) return {};
  detail.remove_prefix(at + key.size());
  return std::string(detail.substr(0, detail.find('\n')));
}

/// Behind "name: " in the first line.
std::string subject(std::string_view detail) {
  const std::string_view line = detail.substr(0, detail.find('\n'));
  const std::size_t colon = line.find(": ");
  return std::string(colon == line.npos ? line : line.substr(colon + 2));
}

AddressClass address(std::string_view message) {
  constexpr std::pair<std::string_view, AddressClass> kClasses[] = {
      {": stack overflow", AddressClass::kStackOverflow},
      {": null pointer", AddressClass::kNull},
      {": pointer close to null", AddressClass::kCloseToNull},
      {": not a valid address", AddressClass::kInvalid},
      {": address that is not mapped or not allowed", AddressClass::kNotAllowed}};
  for (const auto& [text, value] : kClasses)
    if (message.ends_with(text)) return value;
  return AddressClass::kNone;
}

std::string said(const FailureRecord& f) {
  const auto rest = [&](std::string_view before, std::string_view behind = {}) {
    return std::string(between(f.message, before, behind).value_or(""));
  };
  switch (f.kind) {
    case HEDDLE_FAIL_ASSERTION: {
      const std::string quoted = rest("assertion `", "`");
      return quoted.empty() ? rest("assertion `", "'") : quoted;
    }
    case HEDDLE_FAIL_CHECK:
      return rest("check `", "`");
    case HEDDLE_FAIL_ABORT:
      return rest("abort() was called: ");
    case HEDDLE_FAIL_EXCEPTION:
      return rest(f.subject.empty() ? "std::terminate was called: " : "uncaught exception " + f.subject + ": ");
    case HEDDLE_FAIL_LIVELOCK:
      return f.message == "livelock: threads run but make no progress" ? "" : rest("livelock: ");
    case HEDDLE_FAIL_HANG:
      return f.message == "hang: no scheduling point is reached any more" ? "" : rest("hang: ");
    case HEDDLE_FAIL_SANITIZER:
      return f.message == "a sanitizer reported an error" ? "" : f.message;
    case HEDDLE_FAIL_OUTPUT:
      return rest("the program wrote: ");
    case HEDDLE_FAIL_RACE:
      return f.message == "data race" ? "" : f.message;
    case HEDDLE_FAIL_EXIT:
      return f.test.empty() || f.message == "an expectation failed" ? "" : f.message;
    default:
      return "";
  }
}

}  // namespace

FailureKind failure_kind(std::string_view text) { return static_cast<FailureKind>(value_of(kFailures, text)); }

WaitKind wait_kind(std::string_view operation) {
  for (const Wait& wait : kWaits)
    if (wait.operation == operation) return wait.kind;
  return WaitKind::kUnknown;
}

std::uint32_t operation(std::string_view text) { return value_of(kOperations, text); }

TraceSource trace_source(std::string_view strategy) {
  if (strategy == "recorded") return TraceSource::kRecorded;
  return strategy == "lifted" ? TraceSource::kLifted : TraceSource::kHunted;
}

HeddlePointSet point_set(std::string_view points) {
  if (points == "sync") return HEDDLE_POINTS_SYNC;
  return points == "all" ? HEDDLE_POINTS_ALL : HEDDLE_POINTS_RACY;
}

NameOrigin name_origin(std::string_view name) {
  if (name.starts_with("libc's ")) return NameOrigin::kLibc;
  if (name == "inside heddle's runtime") return NameOrigin::kRuntime;
  constexpr std::string_view kClasses[] = {"mutex#", "rwlock#",   "cond#",  "semaphore#", "barrier#",
                                           "once#",  "spinlock#", "futex#", "object#"};
  for (const std::string_view start : kClasses)
    if (name.starts_with(start)) return NameOrigin::kNumber;
  return name.empty() ? NameOrigin::kNumber : NameOrigin::kProgram;
}

std::uint32_t unreplayable(const std::vector<std::string>& notes) {
  std::uint32_t reasons = 0;
  for (const std::string_view note : notes) {
    if (!note.contains("the run cannot be replayed")) continue;
    reasons |= note.starts_with("a mapped file") ? HEDDLE_UNREPLAYABLE_MAPPING : HEDDLE_UNREPLAYABLE_INPUTS;
  }
  return reasons;
}

ThreadState thread_state(std::string_view text) {
  ThreadState state;
  state.activity = static_cast<Activity>(value_of(kActivities, text));
  if (state.activity != Activity::kUnknown) return state;
  if (const auto call = between(text, "in i/o: ")) {
    state.activity = Activity::kOutside;
    state.object = *call;
    return state;
  }
  if (const auto what = between(text, "about to ")) return about_to(*what);
  return text.starts_with("waits ") ? waiting(text) : state;
}

void complete(FailureRecord& f) {
  switch (f.kind) {
    case HEDDLE_FAIL_EXCEPTION:
    case HEDDLE_FAIL_EXIT:
    case HEDDLE_FAIL_SANITIZER:
    case HEDDLE_FAIL_SIGNALED:
    case HEDDLE_FAIL_OUTPUT:
      f.subject = subject(f.detail);
      break;
    case HEDDLE_FAIL_SEGFAULT:
    case HEDDLE_FAIL_BUS:
      f.address = address(f.message);
      break;
    default:
      break;
  }
  if (f.kind == HEDDLE_FAIL_EXIT) {
    f.test = line_of(f.detail, "\ntest: ");
    f.expectation = line_of(f.detail, "\nexpectation: ");
    f.expectation_place = line_of(f.detail, "\nplace: ");
  }
  f.said = said(f);
}

}  // namespace heddle::old_words
