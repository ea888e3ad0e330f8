// The four disciplines, each as its table, and the choice of one for a run. What the members mean is in
// control/discipline.h.
#include <execinfo.h>
#include <sys/syscall.h>

#include "abi/hooks.h"
#include "abi/record_hooks.h"
#include "runtime/control/control.h"
#include "runtime/control/discipline.h"
#include "runtime/control/expiry.h"
#include "runtime/control/fail.h"
#include "runtime/hooks/access.h"
#include "runtime/hooks/code_sites.h"
#include "runtime/io/buffers.h"
#include "runtime/control/io.h"
#include "runtime/io/stream.h"
#include "runtime/parallel/free_steps.h"
#include "runtime/parallel/owners.h"
#include "runtime/parallel/terms.h"
#include "runtime/parallel/waiters.h"
#include "runtime/control/strategy.h"
#include "runtime/sync/heap.h"
#include "runtime/sync/libc_lock.h"
#include "runtime/sync/mutex.h"
#include "runtime/real/next.h"
#include "runtime/sync/threads.h"

namespace heddle::rt {
namespace {

void nothing() {}
void nothing_for(Thread&) {}

// libc loads and links the unwinder when a thread is unwound for the first time, under locks of its own: in a
// recording it must not matter whose turn that is. Only now it is known what is to be told of hooks.
void model_run_starts(Thread& main) {
  look_up_all();
  void* here;
  backtrace(&here, 1);
  record_hooks_new_thread(main);
}

void recorded_run_starts(Thread& main) {
  every_access_slow = 1;
  model_run_starts(main);
}

// In the order of a recording, what comes from outside has its place among the steps of all threads; what would have
// a place of its own there, as under control, is the kernel's.
void inputs_as_recorded() {
  timers_are_real();
  waits_leave_control();
  kernel_keeps_signals();
  signals_at_opportunities();
  mappings_are_steps();
}

void inputs_of_recording() {
  inputs_as_recorded();
  random_is_real();
}

constexpr Discipline kControlled = {
    .start = nothing,
    .first_thread = nothing_for,
    .run_starts = nothing_for,
    .thread_made = [](Thread& t) { t.sync.cancel_seen = 1; },
    .thread_runs = nothing_for,
    .os_thread_made = set_os_thread,
    .await_ended = nothing,
    .finish = controlled_finish,
    .stay_inside = nothing,
    .fork = nothing,

    .turn = controlled_turn,
    .leave = controlled_leave,
    .enter = controlled_enter,
    .before_choice = nullptr,
    .chosen = nothing_for,
    .watch = watch_hooks,
    .word_taken = controlled_word_changed,
    .word_freed = controlled_word_changed,
    .released = nothing_for,
    .yielded = nothing,

    .now = virtual_now,
    .read_clock = controlled_clock,
    .cpu_time = controlled_cpu_time,
    .may_expire_early = may_expire_early,
    .step_tick = kStepTick,
    .compared_object = ~0u,

    .record_clones = 0,
    .code_site = known_code_site,
    .budget_spent = controlled_budget_spent,
    .patience_spent = controlled_patience_spent,
    .count_hook = [](Thread&) { return false; },
    .branch = nullptr,  // hooks have it inline
    .branch_told = controlled_branch_told,
    .atomic = controlled_atomic,
    .fence = controlled_fence,
    .read_string = controlled_read_string,
    .read_prefix = controlled_read_prefix,

    .own = [](Thread&, uint64_t, uint64_t, bool) {},
    .begin_owning = [](Thread&, const void*, size_t, bool) {},
    .end_owning = nothing_for,
    .others_run = [] { return false; },

    .mutex_lock = modelled_mutex_lock,
    .mutex_trylock = modelled_mutex_trylock,
    .mutex_unlock = modelled_mutex_unlock,
    .lock_libc = [](void*, void*) { return false; },
    .try_lock_libc = [](void*, void*) { return true; },
    .unlock_libc = [](void*) {},
    .stream_taken = observe_stream_taken,
    .stream_given = observe_stream_given,
    .duplicate = [](const char*, size_t, char**) { return false; },
    .snapshot = [](const void*, size_t) -> char* { return nullptr; },
    .print = [](int, const char*, va_list, int*) { return false; },
    .lock_for_path = [](const char*) -> void* { return nullptr; },
    .flush = [](FILE*) {},
    .wake_natively = [](long, long, long, long, long, long) {},

    .allocate = [](size_t, size_t, bool, void*, void**) { return false; },
    .take_back = model_take_back,
    .freed = remember_freed,

    .choose_inputs = nothing,
    .cancelled_outside = [](Thread&) { return false; },
    .step_of_call = controlled_step_of_call,
    .shared_write = [](const Call&) {},
    .own_buffers = [](const Call&) {},
    .goes_out_beside_others = [](const Call&) { return false; },
    .land = LandingPlace::just_enter,
    .libc_futex = [](Call&, long*) { return false; },
    .before_feeding = [](const Call&) {},
    .await_recorded_end = [](const Thread&) {},
    .has_room = [](uint64_t) { return true; },
    .step_of_exec = [](const Call&) {},
    .goes_on_behind_exec = replay_has_more,
    .wrote_hashes = [] { return false; },
    .repeats = [] { return true; },
    .kill = controlled_kill,

    .signal_is_input = [](bool external) { return external; },
    .take_from_kernel = [](uint64_t) {},
    .own_signals_are_fed = [] { return false; },
    .signal_was_recorded = [](const Thread&) { return false; },
    .signal_came = nothing_for,
    .await_kernel_thread = [](const Thread&) {},
    .defers_signal = [](int, const void*, void*) { return false; },
    .fault_handler = [](void**, uint64_t*) {},
    .process_fails = [](HeddleFailureKind) {},
    .process_exits = nothing,
};

constexpr Discipline lifted() {
  Discipline d = kControlled;
  d.start = lifted_start;
  d.run_starts = model_run_starts;
  d.thread_made = lifted_thread_made;
  d.before_choice = let_recorded_time_pass;
  d.read_clock = [] { return control.now = io_clock(); };
  d.cpu_time = virtual_now;
  d.step_tick = 0;
  d.record_clones = HEDDLE_ACTIVE_RECORD;
  d.begin_owning = followed_begin_owning;
  d.end_owning = end_owning;
  d.lock_libc = model_lock_libc;
  d.try_lock_libc = model_try_lock_libc;
  d.unlock_libc = model_unlock_libc;
  d.stream_taken = d.stream_given = [](FILE*) {};
  d.duplicate = model_duplicate;
  d.snapshot = model_snapshot;
  d.print = model_print;
  d.lock_for_path = model_lock_for_path;
  d.flush = model_flush;
  d.allocate = model_allocate;
  d.choose_inputs = inputs_as_recorded;
  d.step_of_call = counted_step_of_call;
  d.libc_futex = followed_libc_futex;
  d.before_feeding = await_end_of_write;
  d.await_recorded_end = await_recorded_end;
  d.step_of_exec = step_before_exec;
  d.goes_on_behind_exec = [] { return false; };
  d.wrote_hashes = [] { return true; };
  d.repeats = [] { return false; };
  d.kill = model_kill;
  d.take_from_kernel = take_from_kernel;
  d.own_signals_are_fed = feeding;
  d.signal_was_recorded = io_signal_recorded;
  d.fault_handler = count_hooks_of_handler;
  return d;
}

constexpr Discipline followed() {
  Discipline d = lifted();
  d.start = followed_start;
  d.first_thread = followed_first_thread;
  d.thread_made = record_hooks_new_thread;
  d.chosen = [](Thread& t) { set_stop(t, control.steps); };
  d.watch = nothing_for;
  d.may_expire_early = expires_when_due;
  d.compared_object = 0;  // they depend on who came first to two objects at the same time
  d.budget_spent = followed_budget_spent;
  d.patience_spent = endless_patience;
  d.count_hook = followed_count_hook;
  d.branch = followed_branch;
  d.branch_told = followed_branch_told;
  d.atomic = followed_atomic;
  d.fence = followed_fence;
  d.cancelled_outside = recorded_cancelled_outside;
  return d;
}

// Nobody chooses: what only choose() asks for stays as it is in a replay.
constexpr Discipline recording() {
  Discipline d = followed();
  d.start = recorded_start;
  d.first_thread = recorded_first_thread;
  d.run_starts = recorded_run_starts;
  d.thread_made = recorded_thread_made;
  d.thread_runs = set_own_os_thread;
  d.os_thread_made = [](Thread&, pthread_t, uint64_t) {};
  d.await_ended = await_ended_threads;
  d.finish = parallel_finished;
  d.stay_inside = recorded_stay_inside;
  d.fork = recorded_fork;
  d.turn = parallel_turn;
  d.leave = parallel_leave;
  d.enter = recorded_enter;
  d.word_taken = [](const void*) {};  // it matters only who can go on now
  d.word_freed = [](const void*) { model_changed(); };
  d.released = end_term;
  d.yielded = [] { raw_syscall(SYS_sched_yield); };
  d.now = recorded_now;
  d.code_site = no_code_site;
  d.budget_spent = recorded_budget_spent;
  d.count_hook = recorded_count_hook;
  d.branch = recorded_branch;
  d.atomic = recorded_atomic;
  d.fence = recorded_fence;
  d.read_string = recorded_read_string;
  d.read_prefix = recorded_read_prefix;
  d.own = own_with_baton;
  d.begin_owning = recorded_begin_owning;
  d.others_run = [] { return control.live > 1; };
  d.mutex_lock = recorded_mutex_lock;
  d.mutex_trylock = recorded_mutex_trylock;
  d.mutex_unlock = recorded_mutex_unlock;
  // Beside us a thread that has left control may wait for real, at its end, for a lock inside libc.
  d.wake_natively = [](long address, long op, long count, long timeout, long address2, long mask) {
    raw_syscall(SYS_futex, address, op, count, timeout, address2, mask);
  };
  d.allocate = recorded_allocate;
  d.take_back = recorded_take_back;
  d.freed = [](void*, void*) {};
  d.choose_inputs = inputs_of_recording;
  d.shared_write = recorded_shared_write;
  d.own_buffers = own_buffers;
  d.goes_out_beside_others = goes_out_beside_others;
  d.land = LandingPlace::own_and_enter;
  d.libc_futex = recorded_libc_futex;
  d.has_room = recorded_has_room;
  // The sender runs beside it: the program's own signals have no place in the order of steps either.
  d.signal_is_input = [](bool) { return true; };
  d.own_signals_are_fed = [] { return false; };
  d.signal_was_recorded = [](const Thread&) { return false; };
  d.signal_came = look_again;
  d.await_kernel_thread = await_kernel_thread;
  d.defers_signal = free_step_defers;
  d.process_fails = recorded_process_fails;
  d.process_exits = recorded_process_exits;
  return d;
}

constexpr Discipline kLifted = lifted(), kFollowed = followed(), kRecording = recording();

}  // namespace

constinit Discipline discipline = kControlled;

const Discipline& discipline_of(const HeddleRun& run) {
  if (run.backend == HEDDLE_BACKEND_PARALLEL) return kRecording;
  switch (run.recorded) {
    case HEDDLE_RECORDED_NOT: return kControlled;
    case HEDDLE_RECORDED_LIFTED: return kLifted;
    default: return kFollowed;
  }
}

}  // namespace heddle::rt
