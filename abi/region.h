// The region: one memfd shared by the host (heddle), the fork server and the child that executes one run.
// Only fixed-size integers and offsets; every reader must bound what it reads (the child may be corrupted by its own
// bug).
//
//   +--------+---------+----------+--------+---------+--------+-----------+-----------+--- ... (areas, sparse)
//   | header | threads | schedule | expect | choices | events | inputs in | inputs out|
//   +--------+---------+----------+--------+---------+--------+-----------+-----------+---
//
// Who writes what: host: layout, `run`, areas marked "in"; server: `server`, `result.wait_status`; child: the rest. An
// area holds one kind of thing. Nothing needs clearing between runs but the counters, which the server resets before it
// forks.
#pragma once
#include <stdint.h>

#define HEDDLE_REGION_MAGIC 0x314e474552444548ull  // "HEDREGN1"
#define HEDDLE_REGION_VERSION 10u
// The program finds the region by HEDDLE_REGION=<descriptor number>; the runtime removes the variable before main.
#define HEDDLE_REGION_ENV "HEDDLE_REGION"
// HEDDLE_PRELOAD=1: the preload build stands first in LD_PRELOAD. HEDDLE_FOLLOW=<path>: not in that executable (a
// script's interpreter), but in the first one behind it that can make threads.
#define HEDDLE_PRELOAD_ENV "HEDDLE_PRELOAD"
#define HEDDLE_FOLLOW_ENV "HEDDLE_FOLLOW"
// Threads of one run: events have 16 bits for an index. Tables of this size are sparse: what no thread uses costs
// nothing.
#define HEDDLE_MAX_THREADS 65535u
// Where the runtime maps it, in every process.
#define HEDDLE_REGION_ADDRESS 0x200000000000ull

enum HeddleAreaId {
  HEDDLE_AREA_THREADS,     // HeddleThreadInfo[HEDDLE_MAX_THREADS]
  HEDDLE_AREA_SCHEDULE,    // in: HeddleSegment[run.schedule_count]: what to follow
  HEDDLE_AREA_EXPECT,      // in: uint32_t[run.expect_count], heddle_step_hash() of each step
  HEDDLE_AREA_POINTS,      // in: uint32_t[run.point_count], static site ids that are scheduling points
  HEDDLE_AREA_CHOICES,     // out: HeddleSegment[result.choice_count]
  HEDDLE_AREA_EVENTS,      // out: ring of HeddleEvent, drained by the host (HeddleRing)
  HEDDLE_AREA_DECISIONS,   // out: ring of HeddleDecision (abi/decision.h), of run.observe decisions
  HEDDLE_AREA_INPUTS_IN,   // in: HeddleInput records to feed, run.input_bytes
  HEDDLE_AREA_INPUTS_OUT,  // out: HeddleInput records, result.input_bytes
  HEDDLE_AREA_PCS,         // out: HeddlePc[result.pc_count]
  HEDDLE_AREA_PAYLOADS,  // out: HeddlePayload records, result.payload_bytes
  HEDDLE_AREA_STACKS,   // out: uint64_t words: {length, pc...}*, result.stack_words; a stack id is its word offset + 1
  HEDDLE_AREA_OBJECTS,  // out: HeddleObjectInfo[result.object_count]
  HEDDLE_AREA_RACES,    // out: HeddleRace[result.race_count]
  HEDDLE_AREA_NOTES,    // out: NUL-terminated lines for the user (escapes), result.note_bytes
  HEDDLE_AREA_MODULES,  // out: HeddleModuleInfo[result.module_count]
  HEDDLE_AREA_STEPS,    // out, recordings: abi/step_log.h
  HEDDLE_AREA_META,     // recordings, by the host for whoever reads the file later: meta_bytes of meta, maps_bytes of
                        // /proc/PID/maps
  HEDDLE_AREA_STOPS,    // in, replays of recordings: uint32_t[run.stop_count], see HeddleStep::hooks
  HEDDLE_AREA_TARGETS,  // in: what the strategy aims at: HeddleTargets (abi/targets.h)
  HEDDLE_AREA_GUIDE,    // in, guided runs: HeddleGuide (abi/guide.h)
  HEDDLE_AREA_GUIDED,   // out, guided runs: HeddleGuidedStep[result.steps]
  HEDDLE_AREA_COUNT
};

struct HeddleArea {
  uint64_t offset, size;
};

struct HeddleSegment {  // a maximal run of steps by one thread
  uint32_t thread;
  uint32_t steps;
};

// One step of a recording (run.backend PARALLEL), as read from its log.
struct HeddleStep {
  uint16_t thread;
  uint8_t kind;
  uint8_t flags;  // 0
  uint32_t site, object;
  uint32_t hooks;  // HANDOVER: 1 + hooks since the thread's last step: the thread stopped in the last of them; else 0
};

enum HeddleStrategy {
  HEDDLE_STRATEGY_REPLAY,
  HEDDLE_STRATEGY_RANDOM,
  HEDDLE_STRATEGY_PCT,
  HEDDLE_STRATEGY_POS,
  HEDDLE_STRATEGY_SURW,          // TARGETS: sites of the chosen set (none: all), threads
  HEDDLE_STRATEGY_RACEDIRECTED,  // TARGETS: a race or none; SCHEDULE is followed first, as far as it goes
  HEDDLE_STRATEGY_PREFIX,        // SCHEDULE is followed as far as it goes, then nobody is preempted
  HEDDLE_STRATEGY_RFF,           // TARGETS: reads_from
};
enum HeddleBackend { HEDDLE_BACKEND_BATON, HEDDLE_BACKEND_FIBERS, HEDDLE_BACKEND_PARALLEL };
// When a sleep or a time-out ends. VIRTUAL: when its virtual time has come, which is when no other thread can run.
// LOOSE: that, or earlier by a choice of the schedule: the threads that could have run were slow. Time then jumps to
// its deadline.
enum HeddleTimeModel { HEDDLE_TIME_VIRTUAL, HEDDLE_TIME_LOOSE };
#define HEDDLE_ENUMERATED_TIMEOUTS 2u  // early ones of each thread that icb, dfs and dpor enumerate
enum HeddlePointSet { HEDDLE_POINTS_SYNC, HEDDLE_POINTS_RACY, HEDDLE_POINTS_ALL };
// What a run records beside its choices, inputs and hashes: a set of bits. Any of them but STACKS implies POINTS.
enum HeddleDetail {
  HEDDLE_DETAIL_POINTS = 1,    // an event per step; of an atomic operation with the value that it saw or stored
  HEDDLE_DETAIL_ACCESSES = 2,  // an event per hooked access, allocation and release
  HEDDLE_DETAIL_VALUES = 4,    // the values of these accesses, of ranges their bytes (PAYLOADS)
  HEDDLE_DETAIL_BRANCHES = 8,  // an event per branch, with its outcome
  HEDDLE_DETAIL_CALLS = 16,    // an event per call of a function without hooks, with its result
  HEDDLE_DETAIL_STACKS = 32,   // the stacks of events; of races, too
  HEDDLE_DETAIL_ALL = 63
};

struct HeddleRun {  // in
  uint64_t seed;
  uint64_t run_index;
  uint32_t strategy, backend, point_set;
  uint32_t detail;    // HEDDLE_DETAIL_*
  uint32_t detector;  // 0/1
  uint32_t inspect;   // 1: on a failure wait until the host has read the stacks (host sets child_go)
  uint32_t feed;      // 1: inputs come from INPUTS_IN, outside effects are suppressed
  uint32_t strict;    // 1: stop at the first divergence from EXPECT / SCHEDULE
  uint32_t pct_depth;
  uint32_t pct_steps;     // estimate of the length of the run
  uint32_t virtual_cpus;  // what the program is told
  int32_t pin_cpu;        // -1: do not pin
  uint64_t max_steps;
  uint64_t time_base_ns;  // CLOCK_REALTIME at step 0; monotonic starts at 1e9 * 1000
  uint64_t schedule_count, expect_count, point_count, input_bytes;
  uint32_t fork_at_mark;  // 1: the server forks at heddle_init_done() instead of before main
  uint32_t fail_on_race;  // end the run at the first race, as a failure
  uint32_t recorded;      // 1: the replay of a recording: places are counted in hooks, see STOPS
  uint32_t debugger;  // 1: a debugger drives this process: it is the run itself and has no server (see HeddleDebugger)
  uint64_t stop_count;  // entry 0: main's first stop; entry n + 1: the next stop of the thread of step n
  uint32_t fork_ahead;  // 1: the server may fork the next run before it is asked for, while the host looks at this one
  uint32_t observe;     // so many of the first decisions go into DECISIONS, if `detail` is 0
  uint32_t time_model;  // enum HeddleTimeModel
  uint32_t early_timeouts;  // LOOSE: of 256 timed waits, so many may end early; strategies that follow a schedule
                            // decide themselves
  uint32_t outside;  // 1: a client runs beside the program: what comes through descriptors and signals need not be its
                     // own doing
  uint32_t light;    // 1: where nobody asks for plain accesses and none of them is a point, light clones are executed
                     // (abi/light.h)
  uint32_t foreign;  // 1: inputs come from somebody whom the user does not trust: no code is taken from them
  uint32_t late_signals;  // 1: as traces of earlier versions were made: a signal's handler runs where a thread calls a
                          // modelled function or makes a system call, not at atomic instructions and accesses
};

// Order of the contract in DESIGN.md ("Kinds").
#define HEDDLE_FAILURE_KINDS(X)                                                                                 \
  X(NONE, "none")                                                                                               \
  X(ASSERTION, "assertion") X(ABORT, "abort") X(SEGFAULT, "segfault") X(BUS, "bus") X(FPE, "fpe") X(ILL, "ill") \
      X(EXCEPTION, "exception") X(DEADLOCK, "deadlock") X(LIVELOCK, "livelock") X(HANG, "hang") X(EXIT, "exit") \
          X(SANITIZER, "sanitizer") X(OUTPUT, "output") X(CHECK, "check") X(RACE, "race") X(SIGNALED, "signal")
enum HeddleFailureKind {
#define HEDDLE_X(name, text) HEDDLE_FAIL_##name,
  HEDDLE_FAILURE_KINDS(HEDDLE_X)
#undef HEDDLE_X
      HEDDLE_FAIL_COUNT
};

struct HeddleRegs {  // enough to unwind; DWARF numbering is the host's business
  uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
  uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11;
};

struct HeddleFailure {  // out; kind != NONE once complete
  uint32_t kind, signal;
  uint32_t thread;  // index
  uint32_t line;
  uint64_t fault_address;
  int32_t exit_status;
  uint32_t has_regs;  // regs of `thread` at the failure; other threads: HeddleThreadInfo.regs
  struct HeddleRegs regs;
  char message[512];  // assertion text, exception what(), sanitizer line; NUL-terminated
  char function[256];
  char file[512];
  char type[256];  // mangled exception type
};

enum HeddleThreadState {
  HEDDLE_T_FREE,
  HEDDLE_T_PENDING,  // waits at a point (pending op is valid)
  HEDDLE_T_RUNNING,
  HEDDLE_T_OUT,  // in blocking I/O, outside control
  HEDDLE_T_DONE,
};

struct HeddleThreadInfo {  // index 0 is the main thread
  uint32_t state;
  uint32_t parent;   // index; of the main thread: itself
  uint32_t ordinal;  // k-th child of its parent, from 1; the name is parent's name + "." + ordinal
  int32_t tid;       // kernel id of its own OS thread
  uint64_t steps, events, hash, inputs;
  uint32_t pending_kind, pending_site, pending_object;
  uint32_t enabled;  // at the last decision
  uint64_t pending_address;
  uint64_t deadline_ns;  // 0 none
  uint64_t entry;        // start routine
  uint64_t stack_low, stack_high;
  uint32_t pending_stack;  // stack id captured at the pending point (0 none)
  uint32_t flags;          // HEDDLE_TF_*
  struct HeddleRegs regs;  // where it is parked (has_regs in flags)
  char label[16];          // pthread_setname_np
  uint64_t last_place;   // a recording: `steps` when it was written << 32 | where it stopped if the process ended now,
                         // as HeddleStep::hooks
  uint64_t reserved[6];  // cache lines of its own: threads of a recording write here beside each other
};
enum { HEDDLE_TF_HAS_REGS = 1u, HEDDLE_TF_DETACHED = 2u, HEDDLE_TF_JOINED = 4u };

struct HeddleObjectInfo {  // a synchronisation object
  uint64_t address;
  uint32_t kind;           // the first event kind that touched it
  uint32_t owner;          // thread index + 1 that holds it (mutex, write lock, once in progress); 0 none
  uint32_t waiters;        // threads blocked on it now
  uint32_t lost_signals;   // signals/broadcasts/wakes that found no waiter
  uint32_t last_signaler;  // thread index + 1
  uint32_t readers;
  uint32_t held_stack;   // stack id where the owner took it
  uint32_t first_stack;  // stack id of its first use, in runs that keep stacks
};

// The bytes of a range that was read or written. Followed by `size` bytes, padded to 8. Not in order of the events.
struct HeddlePayload {
  uint64_t event;  // its number, from 0
  uint64_t size;   // less than the range: at HEDDLE_MAX_PAYLOAD it was cut
};
#define HEDDLE_MAX_PAYLOAD 4096u

struct HeddlePc {
  uint64_t pc;
  uint32_t site;        // HEDDLE_SITE_PC | hash
  uint16_t kind, size;  // of an access in code without a site table; NONE: an intercepted call
};

struct HeddleRace {  // one static pair (site, site), first occurrence
  uint64_t address;
  uint32_t size;
  uint32_t first_site, second_site;  // static site ids (or PC sites for intercepted calls)
  uint32_t first_thread, second_thread;
  uint32_t first_kind, second_kind;    // READ/WRITE/ATOMIC_*/FREE
  uint32_t first_stack, second_stack;  // stack ids, 0 unknown
  uint32_t reserved;
  uint64_t first_event, second_event;  // per-thread event numbers, 0 unknown
  uint64_t step;
};

struct HeddleModuleInfo {
  uint64_t base;        // load bias
  uint64_t sites;       // run-time address of its first HeddleSite
  uint32_t first_site;  // static site id of that (ids start at 1)
  uint32_t site_count;
  char path[240];
};

// One thing that came from outside. Followed by `size` bytes, padded to 8.
struct HeddleInput {
  uint32_t thread;  // heddle_input_stream(index), or a stream that belongs to no thread (abi/inputs.h)
  uint16_t kind;    // enum HeddleInputKind
  uint16_t number;  // system call number, or a sub-kind
  int64_t result;   // return value, or -errno
  uint32_t size;    // bytes of data
  uint32_t flags;   // HEDDLE_INPUT_* (abi/inputs.h) and the runtime's own; bits 16 to 23: the descriptor, modulo 256
};
enum HeddleInputKind {
  HEDDLE_IN_SYSCALL = 1,
  HEDDLE_IN_CLOCK,
  HEDDLE_IN_RANDOM,
  HEDDLE_IN_TSC,
  HEDDLE_IN_SIGNAL,
  HEDDLE_IN_MMAP
};

struct HeddleDivergence {  // valid when `happened`
  uint32_t happened;
  uint32_t reason;  // enum HeddleDivergenceReason
  uint64_t step;
  uint32_t expected_thread, actual_thread;
  uint32_t actual_kind, actual_site, actual_object;
  uint32_t reserved;
  uint64_t actual_address;
  char text[256];
};
enum HeddleDivergenceReason {
  HEDDLE_DIV_NONE,
  HEDDLE_DIV_THREAD_NOT_ENABLED,
  HEDDLE_DIV_OTHER_EVENT,
  HEDDLE_DIV_SCHEDULE_ENDED,
  HEDDLE_DIV_INPUT,
  HEDDLE_DIV_OUTPUT,  // `text`: what was expected, a line end, what came
};

enum HeddleUnreplayable {            // numbers are in traces: append, never change
  HEDDLE_UNREPLAYABLE_MAPPING = 1u,  // a mapped file is too large to be recorded
  HEDDLE_UNREPLAYABLE_INPUTS = 2u,   // the area for inputs was full
};

struct HeddleDoubleFree {        // the first block of a run that free() got twice without an allocation in between
  uint64_t first_pc, second_pc;  // return addresses of the two calls; 0: there was none
  uint32_t first_thread, second_thread;  // index
};

struct HeddleResult {      // out
  uint32_t ended;          // server: the child was reaped
  int32_t wait_status;     // server: as waitpid gave it
  int32_t child_pid;       // child
  uint32_t awaiting_host;  // child: failure record complete, stopped for inspection until run generation's child_go
  uint64_t steps, choice_count, switches, preemptions;  // `steps` of a recording: those with the baton, while it runs
  uint64_t access_count, event_count;  // accesses seen by hooks; events written to the ring
  uint64_t input_bytes, note_bytes, stack_words, payload_bytes;
  uint32_t thread_count, object_count, pc_count, race_count, module_count;
  uint32_t overflow;  // bit per area that was full: the run is marked incomplete
  uint32_t cut_off;   // HEDDLE_CUT_OFF_* (abi/cut_off.h): the runtime ended it, and nothing is known to be wrong
  uint64_t virtual_ns;
  uint64_t hash;  // over all steps: equal seed, equal hash
  uint64_t inputs_fed;
  uint32_t wrote_files;  // it changed files or directories: runs beside each other would meet
  uint32_t exit_called;  // exit/_exit seen, with:
  int32_t exit_status;
  uint32_t exit_thread;  // index + 1 of who called it; 0 unknown
  struct HeddleFailure failure;
  struct HeddleDivergence divergence;
  uint32_t enabled;    // threads that could run when one was last chosen; 0: not known, the model has changed since
  uint32_t signals;    // and cancellations that wait for a point
  uint32_t preloaded;  // the runtime is the preload build: plain code between synchronisation calls is not seen
  char escape[256];    // why this run cannot be controlled and was ended; empty: it was
  uint32_t alone;      // server: when the child had ended, nothing of the program was left
  uint32_t
      replaced;  // the program was replaced by another one (exec): what came then was that one's. A replay ends there
  uint32_t timed_waits;     // sleeps, waits with a time-out, reads of a clock: where time is part of the schedule
  uint32_t early_timeouts;  // how many of them ended early (HEDDLE_TIME_LOOSE)
  struct HeddleDoubleFree double_free;
  uint32_t
      called_by_light;    // a step has its site in a light clone: fully hooked, the run would have another site there
  uint32_t unreplayable;  // HEDDLE_UNREPLAYABLE_*: what a replay needs and the run did not record
  uint64_t progress;  // bumped at least every 2^17 hooks without a step: the host's watchdog looks at it and at `steps`
};

// Between a debugger's commands (src/gdb/heddle.py) and the runtime.
enum HeddleStop { HEDDLE_STOP_NONE, HEDDLE_STOP_STEP, HEDDLE_STOP_FAILURE, HEDDLE_STOP_DIVERGENCE, HEDDLE_STOP_EXIT };
struct HeddleDebugger {
  uint64_t stop_at;        // in: the step before whose execution the runtime stops; 0: none
  uint64_t stop_function;  // out: a function that the runtime calls to stop
  uint32_t reason;         // out: enum HeddleStop
  uint32_t reserved;
};

// A ring: the child writes at `head` (the number of all that it ever wrote), the host has consumed `tail` of them. If
// it is full, the child rings the host and waits on tail_futex, which the host increments with each drain.
struct HeddleRing {
  uint64_t head, tail;
  uint32_t tail_futex, waiting;
};

enum HeddleServerState { HEDDLE_SERVER_NONE, HEDDLE_SERVER_READY, HEDDLE_SERVER_RUNNING, HEDDLE_SERVER_FAILED };

#define HEDDLE_ENVIRONMENT_READ 256u
// `server_error` begins with it: a script started the program named behind it, which has other rights than its user's.
// FAILED: it was not executed.
#define HEDDLE_OTHER_RIGHTS "other rights: "

struct HeddleRegion {
  uint64_t magic;
  uint32_t version, header_size;
  uint64_t total_size;
  struct HeddleArea area[HEDDLE_AREA_COUNT];

  uint32_t host_bell;  // futex; everyone who wants the host's attention increments it and wakes
  uint32_t server_go;  // futex of server and child; host: run generation to execute; ~0u: quit
  uint32_t child_go;   // futex; host: inspection of the current failure is finished (set to generation)
  uint32_t server_state;
  int32_t server_pid;
  uint32_t server_done;    // server: last finished generation
  char server_error[256];  // why server_state is FAILED

  struct HeddleRing events, decisions;

  uint64_t meta_bytes, maps_bytes;
  struct HeddleRun run;
  struct HeddleResult result;
  struct HeddleDebugger debugger;
  // Variables of the environment that were asked for since the server started: heddle_name_hash(), a hash table. What
  // is not here need not be in a trace (docs/security.md).
  uint64_t environment_read[HEDDLE_ENVIRONMENT_READ];
  uint32_t environment_whole;  // somebody may have seen all of it: another process was started, or that table is full
  uint32_t reserved;
  uint8_t recording_seal[32];  // a recording: of its first meta_bytes, by the user's key (src/seal)
};

/// Of a variable's name, as it stands before '=' or NUL; never 0.
static inline uint64_t heddle_name_hash(const char* name) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (; *name && *name != '='; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
  return h ? h : 1;
}

static inline uint32_t heddle_step_hash(uint32_t thread, uint32_t kind, uint32_t site, uint32_t object) {
  uint64_t h = ((uint64_t)site << 32) ^ ((uint64_t)object << 20) ^ ((uint64_t)thread << 8) ^ kind;
  h *= 0x9e3779b97f4a7c15ull;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9ull;
  return (uint32_t)(h >> 32);
}
