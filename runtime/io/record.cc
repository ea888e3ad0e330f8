// Calls whose outcome comes from outside: executed and recorded, or fed.
//
//   recording:  [ready]  execute ----------------------------------------------> record -> result
//               [sends]  record UNDER WAY, execute, complete the record; perhaps without the baton
//               [else]   record LEFT, leave(IO_LEAVE), execute, enter(IO_RETURN) -> record -> result
//   replay:     the same points in the same places, nothing executed
//
// Rules of this file: a replay passes exactly the points of its recording; whatever decides about a point is in the
// record.
#include <link.h>
#include <sys/auxv.h>

#include <fcntl.h>

#include "runtime/detector/detector.h"
#include "runtime/io/buffers.h"
#include "runtime/io/changes.h"
#include "runtime/io/descriptors.h"
#include "runtime/io/outgoing.h"
#include "runtime/io/shape.h"
#include "runtime/io/shared_files.h"
#include "runtime/parallel/waiters.h"
#include "runtime/control/strategy.h"
#include "runtime/table.h"

namespace heddle::rt {
namespace {

bool never(void*) { return false; }

bool is_channel(const Call& c) {
  switch (c.policy.wait) {
    case Wait::READ: return c.number == SYS_mq_timedreceive || !is_file(c.a[0]);
    case Wait::RECV: case Wait::RECVMSG: case Wait::RECVMMSG: case Wait::POLL: case Wait::SELECT: case Wait::EPOLL:
    case Wait::WAIT4: case Wait::WAITID: case Wait::MESSAGE: case Wait::SIGWAIT: case Wait::FLOCK: case Wait::FCNTL:
    case Wait::ALWAYS:
      return true;
    default: return false;
  }
}

// Other threads can notice what it does. Whoever reads from a pipe notices that its other end was closed.
bool releases(const Call& c) {
  switch (c.policy.cls) {
    case Class::EFFECT: case Class::WRITE: case Class::TIMER: return true;
    default: break;
  }
  switch (c.number) {
    case SYS_close: return !is_file(c.a[0]);
    case SYS_dup2: case SYS_dup3: case SYS_close_range: return true;
    default: return false;
  }
}

void after(Call& c, long result, uint32_t flags, uint64_t deadline) {
  descriptors_follow(c, result);
  if (detector::on && (flags & kInputChannel)) detector::io_acquire(c.thread);
  bool expired = c.policy.wait == Wait::SIGWAIT ? result == -EAGAIN : result == 0;
  if ((flags & kInputReturned) && expired) timed_out_until(c, deadline);
}

// The timeout decides about a point, so a replay has to know it too.
void append_timeout(const Call& c, RecordWriter& out) { out.append(&c.timeout, sizeof c.timeout); }

// Can another thread of the program notice when this call happens? Then its order is a choice of the schedule.
bool is_visible(const Call& c) {
  if (is_loader(c)) return false;
  if (c.policy.cls != Class::INPUT || c.policy.wait != Wait::NEVER) return true;
  switch (c.number) {
    case SYS_getuid:
    case SYS_getgid:
    case SYS_geteuid:
    case SYS_getegid:
    case SYS_getppid:
    case SYS_getpgrp:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_getgroups:
    case SYS_getresuid:
    case SYS_getresgid:
    case SYS_uname:
    case SYS_sysinfo:
    case SYS_times:
    case SYS_getrusage:
    case SYS_getrlimit:
    case SYS_getitimer:
    case SYS_getcwd:
    case SYS_getrandom:
    case SYS_getpriority:
    case SYS_fstat:
    case SYS_ioctl:
    case SYS_sched_getparam:
    case SYS_sched_getscheduler:
    case SYS_sched_get_priority_max:
    case SYS_sched_get_priority_min:
      return false;
    case SYS_newfstatat:
      return c.a[3] == 0 || !(c.a[3] & AT_EMPTY_PATH);  // else the fstat() of libc
    default: return true;
  }
}

void visible_point(Call& c) {
  const WithoutSignals here(c.thread);
  point(op_of(c, HEDDLE_EV_IO_CALL));
}

// Asking in vain is spinning, but what it waits for may be outside: that makes no livelock.
void account(const Call& c, long result) {
  if (HEDDLE_UNLIKELY(gave_baton_back(c.thread))) {
    c.thread.progress.unproductive = 0;
    return;
  }
  bool in_vain = result < 0 || (c.policy.cls == Class::INPUT && result == 0);
  in_vain ? polled_outside() : productive();
}

// Equal seeds give equal runs unless such a call is made: the answer of a hunt names it.
void not_repeatable(const Call& c) {
  note(
      "%s waits for something outside the program: when it returns, and with what, is not controlled, so equal seeds "
      "may give different answers",
      c.policy.name);
}

void note_if_machine_answers(const Call& c) {
  if (!discipline.repeats()) return;
  if (c.number == SYS_sysinfo || c.number == SYS_getrusage || c.number == SYS_times)
    note("%s tells about the load of the machine: equal seeds may give different answers", c.policy.name);
}

// Its record has its place before the call is executed, and is completed behind it, perhaps without the baton.
long record_sent(Call& c, TakeOff& sent, Outgoing& outgoing, uint32_t flags, bool* again) {
  RecordWriter out;
  outgoing.append(out);
  HeddleInput* r = out.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, 0, flags | kInputUnderWay | kInputOut);
  const long result = sent.execute();
  *again = result == -EINTR && restarts_after_signal(c);
  if (!r) return result;
  if (HEDDLE_UNLIKELY(*again)) r->reserved |= kInputAgain;
  outgoing.taken(c, result);
  complete(*r, result, outgoing);
  return result;
}

long record_once(Call& c, bool* again) {
  long result;
  uint32_t flags = order_of(c);
  uint64_t started = virtual_now();
  shape_before(c);
  Outgoing outgoing(c);
  if (detector::on && releases(c)) detector::io_release(c.thread);
  discipline.shared_write(c);
  if (discipline.goes_out_beside_others(c))
    if (TakeOff sent(c); sent.has_copy()) return record_sent(c, sent, outgoing, flags, again);
  if (random_bytes(c, &result)) {
    flags |= kInputRandom;
  } else if (timer_call(c, &result)) {
  } else if (bool timed_out = false; waits_inside(c) && execute_inside(c, &result, &timed_out)) {
    if (timed_out) flags |= kInputTimedOut;
  } else if (!execute_if_ready(c, &result)) {
    result = execute_leaving(c, flags);
    flags |= kInputReturned;
  }
  *again = result == -EINTR && restarts_after_signal(c);
  if (!failed(result) && is_channel(c)) flags |= kInputChannel;
  if (!failed(result)) region->result.wrote_files |= changed_files(c, result);
  if (HEDDLE_UNLIKELY(shared_files)) shared_file_written(c, result);
  RecordWriter out;
  shape_record(c, result, out);
  if (outgoing.any()) {
    outgoing.taken(c, result);
    outgoing.append(out);
    flags |= kInputOut;
  }
  out.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, result, flags | (*again ? (uint32_t)kInputAgain : 0));
  after(c, result, flags, started + c.timeout);
  inside_changed();
  note_if_machine_answers(c);
  return result;
}

// What the recording wrote to the original stdout or stderr, the user sees in a replay too.
void show_output(const Call& c, long result) {
  int fd = c.policy.cls == Class::WRITE ? outer_descriptor(c.a[0]) : -1;
  if (fd < 0 || result <= 0) return;
  // No more than the recording's kernel took, where it put it.
  struct To {
    const Call& call;
    long fd, offset;
  } to{c, fd,
       c.number == SYS_pwrite64 || c.number == SYS_pwritev || (c.number == SYS_pwritev2 && c.a[3] != -1) ? c.a[3] : -1};
  each_outgoing(c, (uint64_t)result, [](void* argument, uint64_t address, uint64_t bytes) {
    auto& [call, out, offset] = *static_cast<To*>(argument);
    for (uint64_t done = 0; done < bytes;) {
      const long n = call.number == SYS_sendto
                         ? raw_syscall(SYS_sendto, out, address + done, bytes - done, call.a[3], call.a[4], call.a[5])
                     : offset >= 0 ? raw_syscall(SYS_pwrite64, out, address + done, bytes - done, offset)
                                   : raw_syscall(SYS_write, out, address + done, bytes - done);
      if (n == -EINTR) continue;
      if (n <= 0) return false;
      done += (uint64_t)n;
      if (offset >= 0) offset += n;
    }
    return true;
  }, &to);
}

// The recording took this signal, so it must not stay pending here: kept by us, or, in the replay of a recording, by
// the kernel.
void take_signal(Thread& t, int number) {
  const uint64_t set = 1ull << (number - 1);
  siginfo_t taken;
  if (!take_blocked(t, set, &taken)) discipline.take_from_kernel(set);
}

long feed_once(Call& c, bool* again) {
  ThreadIo& io = io_of(c.thread);
  discipline.before_feeding(c);
  const HeddleInput* r = &stream_expect(c);
  shape_before(c);
  Outgoing outgoing(c);
  if (detector::on && releases(c)) detector::io_release(c.thread);
  uint64_t started = virtual_now();
  if (r->reserved & kInputWaited) {
    feed_inside(c);
    r = &stream_expect(c);
  }
  if (r->reserved & kInputLeft) {
    if (r->size >= sizeof c.timeout) __builtin_memcpy(&c.timeout, data_of(*r), sizeof c.timeout);
    stream_consume(c.thread, io);
    const WithoutSignals here(c.thread);
    point(op_of(c, HEDDLE_EV_IO_LEAVE));
    const HeddleInput* next = stream_peek(io);
    if (!next) {
      point(op_of(c, HEDDLE_EV_IO_RETURN), never);  // it was still out when the recording ended
      input_mismatch(c.thread, c.policy.name, nullptr);
    }
    point(op_of(c, HEDDLE_EV_IO_RETURN));
    r = &stream_expect(c);
  }
  long result = r->result;
  uint32_t flags = r->reserved;
  outgoing.taken(c, result);
  // In another order of its threads a program may print something else; what can come back to it has to be the same.
  if (stream_in_other_order() && !(flags & kInputChanges))
    outgoing.replace(*r);
  else
    outgoing.compare(c, *r);
  if (!shape_feed(c, *r)) diverge_input("an input of the recording does not fit the program's buffers");
  stream_consume(c.thread, io);
  if (stream_in_other_order() && makes_descriptor(c) && descriptor_is_open(result))
    diverge_input("the recording's descriptor is still open here");
  show_output(c, result);
  *again = flags & kInputAgain;
  if (c.policy.wait == Wait::SIGWAIT && result > 0) take_signal(c.thread, (int)result);
  after(c, result, flags, started + c.timeout);
  return result;
}

}  // namespace

bool is_loader(const Call& c) {
  static uint64_t low = getauxval(AT_BASE), high = 0;
  if (!low || !c.context) return false;
  if (!high) {
    auto* header = (const ElfW(Ehdr)*)low;
    auto* segments = (const ElfW(Phdr)*)(low + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++)
      if (segments[i].p_type == PT_LOAD && low + segments[i].p_vaddr + segments[i].p_memsz > high)
        high = low + segments[i].p_vaddr + segments[i].p_memsz;
  }
  uint64_t caller = (uint64_t)c.context->uc_mcontext.gregs[REG_RIP];
  return caller >= low && caller < high;
}

long execute_leaving(Call& c, uint32_t flags) {
  ThreadIo& io = io_of(c.thread);
  if (discipline.repeats()) not_repeatable(c);
  RecordWriter left;
  append_timeout(c, left);
  // What it does outside happens at some moment from here to its return: both have their place in the order.
  left.commit(c.thread, HEDDLE_IN_SYSCALL, (uint16_t)c.number, 0, flags | kInputLeft);
  __atomic_store_n(&io.stop, 0, __ATOMIC_SEQ_CST);
  const WithoutSignals here(c.thread);
  LandingPlace landing(c);
  leave(op_of(c, HEDDLE_EV_IO_LEAVE));
  if (discipline.cancelled_outside(c.thread)) __atomic_store_n(&io.stop, 1, __ATOMIC_SEQ_CST);
  return landing.return_with(execute_outside(c, io), op_of(c, HEDDLE_EV_IO_RETURN));
}

bool recorded_cancelled_outside(Thread& t) { return t.sync.cancel_seen && cancel_pending(t); }

// What came before the call does not interrupt it. Where it lets in what was blocked before, it does.
void controlled_step_of_call(const Call& c, bool, bool masked) {
  if (c.policy.wait != Wait::NEVER && !masked) io_deliver_signals();
}

void counted_step_of_call(const Call&, bool cancels, bool) {
  if (cancels) cancel_point();  // what came before that step is known now
}

void recorded_shared_write(const Call& c) {
  if (HEDDLE_UNLIKELY(shared_files)) shared_file_written(c, 0);  // while the baton is here
}

void await_end_of_write(const Call& c) {
  if (c.policy.cls != Class::WRITE || stream_peek(io_of(c.thread)) || !replay_has_more()) return;
  const WithoutSignals here(c.thread);
  point(op_of(c, HEDDLE_EV_IO_RETURN), never);
}

long call_recorded(Call& c) {
  if (c.policy.cls == Class::ODD)
    note("system call %s (%d): what it writes is not recorded; a replay may differ", c.policy.name, (int)c.number);
  if (c.number == SYS_signalfd || c.number == SYS_signalfd4) kernel_keeps_signals();
  if (long result; virtual_wait(c, &result)) return result;
  bool cancels = c.policy.wait != Wait::NEVER && cancel_point;
  if (cancels) cancel_point();
  TemporaryMask mask(c);
  const bool visible = is_visible(c);
  for (;;) {
    bool again;
    c.sent = nullptr;
    if (visible) discipline.own_buffers(c);
    if (visible) visible_point(c);
    if (visible) discipline.step_of_call(c, cancels, mask.is_active());
    if (c.policy.cls == Class::TIMER) io_of(c.thread).timer_stack = c.thread.info->pending_stack;
    long result = feeding() ? feed_once(c, &again) : record_once(c, &again);
    if (visible) account(c, result);
    if (cancels && result == -EINTR) cancel_point();  // a call that did something has to say so
    if (!again) return result;
    signals_after_call(c.thread, c.context);
  }
}

}  // namespace heddle::rt
