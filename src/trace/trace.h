// What an execution did, at the level of detail that was asked for, and how it ended. Plain values; the file format is
// in container.h. Ids in events (site, stack, object, thread) refer to the tables here.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/events.h"
#include "abi/region.h"
#include "src/trace/kinds.h"

inline bool operator==(const HeddleSegment& a, const HeddleSegment& b) {
  return a.thread == b.thread && a.steps == b.steps;
}

namespace heddle {

struct Frame {
  std::string function;  // demangled, without our clone suffix; "" unknown
  std::string linkage;   // mangled
  std::string file;
  std::string module;  // basename of the ELF file
  std::uint32_t line = 0, column = 0;
  std::uint64_t offset = 0;  // in the module
  bool inlined = false;
  bool system = false;   // in libc/libstdc++/system headers/our runtime: not the user's code
  bool wrapper = false;  // the user's, but all it does is to call a primitive: its caller says more
  bool operator==(const Frame&) const = default;
};
using Stack = std::vector<Frame>;  // innermost first

struct ThreadRecord {
  std::string name;  // "0", "0.1", "0.1.2"
  std::uint32_t parent = 0;
  std::string entry;            // function it started in, demangled
  std::string label;            // pthread_setname_np
  std::string entry_file = {};  // of that function; empty: unknown
  std::uint32_t entry_line = 0;
  bool operator==(const ThreadRecord&) const = default;
};

struct SiteRecord {
  std::uint32_t id = 0;
  std::uint8_t kind = 0, size = 0;
  std::uint32_t line = 0, column = 0;
  std::string function, file, variable;
  std::uint32_t module = 0;   // TraceHead::bitcode, from 1; 0: its instruction is not known (site_ref())
  std::uint32_t ordinal = 0;  // of the instruction in that module, from 1
  bool operator==(const SiteRecord&) const = default;
};

/// A bitcode module of an executable or library.
struct BitcodeRecord {
  std::string build_id;    // of the ELF file
  std::uint64_t hash = 0;  // of the bitcode: abi/bitcode_frame.h
  bool operator==(const BitcodeRecord&) const = default;
};

/// The instruction of a site, in bitcode that the program carries. It names the same instruction in all traces of a
/// build.
struct SiteRef {
  std::string build_id;       // of the ELF file
  std::uint64_t module = 0;   // hash of its bitcode
  std::uint32_t ordinal = 0;  // of the instruction in the module, from 1
  bool operator==(const SiteRef&) const = default;
};

struct ObjectRecord {
  std::uint32_t id = 0;
  std::uint32_t kind = 0;  // event kind that touched it first; heddle_object_class() of it
  std::string name;        // "m", "queue.lock", "heap object of 64 bytes from make_queue", "mutex#3"
  NameOrigin origin = NameOrigin::kProgram;
  bool operator==(const ObjectRecord&) const = default;
};

/// What a thread did when the run failed. Threads are named, since a thread's name is its identity over runs.
struct ThreadState {
  Activity activity = Activity::kUnknown;
  WaitKind wait = WaitKind::kUnknown;  // kWaiting: for what
  std::uint32_t operation = 0;         // kAboutTo: event kind
  std::uint32_t object_id = 0;         // what it waits for or is about to use: in TraceHead::objects; 0 unknown
  std::string object = {};             // name of that; of a system call (kOutside too) its own: "read()"
  std::string holder = {};             // kWaiting: the thread that has the object, or whose end is awaited
  bool timed = false;                  // kWaiting: with a time-out
  bool operator==(const ThreadState&) const = default;
};

struct ThreadAtFailure {
  std::string thread;  // name
  ThreadState state;
  Stack stack;
  bool operator==(const ThreadAtFailure&) const = default;
};

struct DeadlockEdge {  // thread waits for object (held by holder, if it has one)
  std::string thread;
  WaitKind wait = WaitKind::kUnknown;
  std::string object, holder;   // names; kThread: both are the thread that is awaited
  std::uint32_t object_id = 0;  // in TraceHead::objects; 0 unknown
  Frame wait_site, hold_site;   // user frames; hold_site may be empty
  bool operator==(const DeadlockEdge&) const = default;
};

struct FailureRecord {
  FailureKind kind = HEDDLE_FAIL_NONE;
  std::string signature;  // stable over runs and addresses
  std::string message;    // one line for people
  std::string thread, function, file;
  std::uint32_t line = 0;
  std::string detail;  // more lines for people, may be empty
  std::vector<ThreadAtFailure> threads;
  std::vector<DeadlockEdge> deadlock;
  std::vector<std::string> notes;  // "a signal on cv was lost: sent by 0.2 at x.cc:9 when nobody waited"
  // Type of the exception, status, name of the signal, class of the sanitizer's report, pattern of the output.
  std::string subject = {};
  std::string said = {};  // the program's own words: the assertion or check, what(), the line that matched
  AddressClass address = AddressClass::kNone;  // of a fault
  // Of a GoogleTest program: the test, the expectation that failed without its values, and "file:line" of that.
  std::string test = {}, expectation = {}, expectation_place = {};
  bool operator==(const FailureRecord&) const = default;
};

struct RaceAccess {
  std::string thread;
  std::uint32_t kind = 0;  // event kind
  std::string function, file;
  std::uint32_t line = 0;
  Stack stack;
  bool operator==(const RaceAccess&) const = default;
};
struct RaceRecord {
  std::string variable;
  std::uint32_t size = 0;
  RaceAccess first, second;
  bool operator==(const RaceRecord&) const = default;
};

struct Meta {
  TraceSource source = TraceSource::kHunted;
  std::string strategy;  // of kHunted: its name on the command line
  HeddlePointSet points = HEDDLE_POINTS_RACY;
  std::string heddle_version, program, build_id, cwd, created, machine;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "K=V"
  std::string standard_input;            // bytes given to the program's stdin
  bool has_standard_input = false;
  std::uint64_t seed = 0, run_index = 0, time_base_ns = 0;
  std::uint32_t virtual_cpus = 1, detail = 0;
  std::vector<std::uint32_t> racy_sites;    // static site ids that were points
  std::map<std::string, std::string> more;  // by the keys of src/trace/meta_keys.h; forward compatible
  bool operator==(const Meta&) const = default;
};

/// The strategy's name; of what no strategy chose the source's token. As --json and older versions have it.
std::string_view strategy_token(const Meta& meta);

struct Totals {
  std::uint64_t events = 0, steps = 0, switches = 0, preemptions = 0, accesses = 0, hash = 0, virtual_ns = 0;
  bool operator==(const Totals&) const = default;
};

/// Fills in the ids of objects that the failure has by name only, where exactly one object has that name: in traces
/// that were written before there were ids, and after without_object_ids().
void find_objects(FailureRecord& failure, const std::vector<ObjectRecord>& objects);
/// For the trace of another execution than that in which the failure was found: its objects have other ids.
FailureRecord without_object_ids(FailureRecord failure);

/// Everything but the events, which are streamed (there can be many millions).
struct TraceHead {
  Meta meta;
  Totals totals;
  std::vector<ThreadRecord> threads;
  std::vector<SiteRecord> sites;      // sites used, sorted by id
  std::vector<BitcodeRecord> bitcode;  // modules that the sites refer to
  std::vector<Stack> stacks;          // unique stacks; events carry 1-based indices into this table, 0 none
  std::vector<ObjectRecord> objects;  // sorted by id
  std::vector<HeddleSegment> schedule;
  std::string inputs;  // HeddleInput records as the runtime wrote them
  std::string output;  // captured stdout+stderr of the program, capped
  bool output_truncated = false;
  std::vector<RaceRecord> races;
  std::vector<std::string> notes;  // escapes
  std::optional<FailureRecord> failure;
  int wait_status = 0;    // of the program
  bool complete = false;  // the execution's end is in the trace and nothing overflowed
  std::uint32_t unreplayable = 0;  // HeddleUnreplayable: what a replay needs and the run could not record
  bool operator==(const TraceHead&) const = default;
};

/// nullopt: the site has no known instruction. That is so for calls that the runtime interposes and for code that
/// `heddle cc` did not build (both are known by a code address), for record clones, and in traces of older versions.
std::optional<SiteRef> site_ref(const TraceHead& head, const SiteRecord& site);

}  // namespace heddle
