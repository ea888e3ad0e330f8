#include "src/trace/kinds.h"

#include <cstddef>

namespace heddle {
namespace {

constexpr std::string_view kFailureKinds[] = {
#define HEDDLE_X(name, token) token,
    HEDDLE_FAILURE_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

constexpr std::string_view kWaits[] = {"unknown", "lock",       "rdlock",      "wrlock",  "spin lock",
                                       "wait",    "futex wait", "sem wait",    "barrier", "once",
                                       "join",    "sleep",      "system call", "suspend"};
static_assert(std::size(kWaits) == static_cast<std::size_t>(WaitKind::kCount));

constexpr std::string_view kActivities[] = {"unknown", "running",  "waits",  "about to",       "sleeps",
                                            "in i/o",  "finished", "ending", "not started yet"};
static_assert(std::size(kActivities) == static_cast<std::size_t>(Activity::kCount));

constexpr std::string_view kSources[] = {"hunted", "recorded", "lifted"};
static_assert(std::size(kSources) == static_cast<std::size_t>(TraceSource::kCount));

constexpr std::string_view kPointSets[] = {"sync", "racy", "all"};

}  // namespace

std::string_view token(FailureKind kind) { return kFailureKinds[kind < HEDDLE_FAIL_COUNT ? kind : HEDDLE_FAIL_NONE]; }
std::string_view token(WaitKind kind) { return kWaits[static_cast<std::size_t>(kind)]; }
std::string_view token(Activity activity) { return kActivities[static_cast<std::size_t>(activity)]; }

std::string_view token(EventClass event_class) {
  switch (event_class) {
    case HEDDLE_C_READ:
      return "read";
    case HEDDLE_C_WRITE:
      return "write";
    case HEDDLE_C_ATOMIC:
      return "atomic";
    case HEDDLE_C_ACQUIRE:
    case HEDDLE_C_TRY_ACQUIRE:
    case HEDDLE_C_SHARED_ACQUIRE:
    case HEDDLE_C_TRY_EITHER:
      return "acquire";
    case HEDDLE_C_RELEASE:
      return "release";
    case HEDDLE_C_WAIT:
    case HEDDLE_C_SIGNAL:
    case HEDDLE_C_AWAIT:
    case HEDDLE_C_TRY_AWAIT:
    case HEDDLE_C_SUSPEND:
      return "signal";
    case HEDDLE_C_CREATE:
    case HEDDLE_C_START:
    case HEDDLE_C_END:
    case HEDDLE_C_JOIN:
    case HEDDLE_C_DETACH:
    case HEDDLE_C_PROCESS:
      return "thread";
    default:
      return "other";
  }
}

bool acquires(EventClass event_class) {
  return event_class == HEDDLE_C_ACQUIRE || event_class == HEDDLE_C_TRY_ACQUIRE ||
         event_class == HEDDLE_C_SHARED_ACQUIRE || event_class == HEDDLE_C_TRY_EITHER;
}

std::string_view token(TraceSource source) { return kSources[static_cast<std::size_t>(source)]; }
std::string_view token(HeddlePointSet points) {
  return kPointSets[points < std::size(kPointSets) ? points : HEDDLE_POINTS_RACY];
}

std::optional<HeddlePointSet> point_set_named(std::string_view token) {
  for (std::size_t i = 0; i < std::size(kPointSets); ++i)
    if (kPointSets[i] == token) return static_cast<HeddlePointSet>(i);
  return std::nullopt;
}

std::string_view access_token(std::uint32_t event_kind) {
  switch (event_kind) {
    case HEDDLE_EV_READ:
    case HEDDLE_EV_READ_RANGE:
      return "read";
    case HEDDLE_EV_WRITE:
    case HEDDLE_EV_WRITE_RANGE:
      return "write";
    case HEDDLE_EV_ATOMIC_LOAD:
      return "atomic load";
    case HEDDLE_EV_ATOMIC_STORE:
      return "atomic store";
    case HEDDLE_EV_ATOMIC_RMW:
      return "atomic rmw";
    case HEDDLE_EV_ATOMIC_CAS:
      return "atomic cas";
    case HEDDLE_EV_FREE:
      return "free";
    default:
      return "access";
  }
}

WaitKind wait_kind(std::uint32_t event_kind) {
  switch (event_kind) {
    case HEDDLE_EV_MUTEX_LOCK:
      return WaitKind::kLock;
    case HEDDLE_EV_RW_RDLOCK:
      return WaitKind::kReadLock;
    case HEDDLE_EV_RW_WRLOCK:
      return WaitKind::kWriteLock;
    case HEDDLE_EV_SPIN_LOCK:
      return WaitKind::kSpinLock;
    case HEDDLE_EV_COND_WAKE:
      return WaitKind::kSignal;
    case HEDDLE_EV_FUTEX_WOKEN:
      return WaitKind::kWakeUp;
    case HEDDLE_EV_SEM_WAIT:
      return WaitKind::kSemaphore;
    case HEDDLE_EV_BARRIER_LEAVE:
      return WaitKind::kBarrier;
    case HEDDLE_EV_ONCE:
      return WaitKind::kOnce;
    case HEDDLE_EV_THREAD_JOIN:
      return WaitKind::kThread;
    case HEDDLE_EV_SLEEP:
      return WaitKind::kSleep;
    case HEDDLE_EV_IO_RETURN:
      return WaitKind::kSystemCall;
    case HEDDLE_EV_SUSPEND:
      return WaitKind::kSignalHandler;
    default:
      return WaitKind::kUnknown;
  }
}

}  // namespace heddle
