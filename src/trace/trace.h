// What an execution did, at the level of detail that was asked for, and how it ended. Plain values; the file format is
// in container.h. Ids in events (site, stack, object, thread) refer to the tables here.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/events.h"
#include "abi/region.h"

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
  std::uint32_t kind = 0;  // event kind that touched it first
  std::string name;        // "m", "queue.lock", "heap object of 64 bytes from make_queue", "mutex#3"
  bool operator==(const ObjectRecord&) const = default;
};

struct ThreadAtFailure {
  std::string thread;  // name
  std::string state;   // "running", "waits for lock m held by 0.2", "sleeps", "in i/o", "finished"
  Stack stack;
  bool operator==(const ThreadAtFailure&) const = default;
};

struct DeadlockEdge {                  // thread waits for object (held by holder, if it has one)
  std::string thread, object, holder;  // names
  std::string operation;               // "lock", "wait", "join" ...
  Frame wait_site, hold_site;          // user frames; hold_site may be empty
  bool operator==(const DeadlockEdge&) const = default;
};

struct FailureRecord {
  std::string kind;       // DESIGN.md "Kinds"
  std::string signature;  // stable over runs and addresses
  std::string message;    // one line for people
  std::string thread, function, file;
  std::uint32_t line = 0;
  std::string detail;  // more lines, may be empty (signal number, fault address class, exception type)
  std::vector<ThreadAtFailure> threads;
  std::vector<DeadlockEdge> deadlock;
  std::vector<std::string> notes;  // "a signal on cv was lost: sent by 0.2 at x.cc:9 when nobody waited"
  bool operator==(const FailureRecord&) const = default;
};

struct RaceAccess {
  std::string thread, kind, function, file;
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

/// Meta::strategy of a recording: nobody chose, so its seed and run mean nothing.
inline constexpr const char* kRecordedStrategy = "recorded";
/// ... of a recording that was brought into a schedule of points (src/lift).
inline constexpr const char* kLiftedStrategy = "lifted";

struct Meta {
  std::string heddle_version, program, build_id, cwd, strategy, points, created, machine;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "K=V"
  std::string standard_input;            // bytes given to the program's stdin
  bool has_standard_input = false;
  std::uint64_t seed = 0, run_index = 0, time_base_ns = 0;
  std::uint32_t virtual_cpus = 1, detail = 0;
  std::vector<std::uint32_t> racy_sites;    // static site ids that were points
  std::map<std::string, std::string> more;  // forward compatible
  bool operator==(const Meta&) const = default;
};

struct Totals {
  std::uint64_t events = 0, steps = 0, switches = 0, preemptions = 0, accesses = 0, hash = 0, virtual_ns = 0;
  bool operator==(const Totals&) const = default;
};

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
  bool operator==(const TraceHead&) const = default;
};

/// nullopt: the site has no known instruction. That is so for calls that the runtime interposes and for code that
/// `heddle cc` did not build (both are known by a code address), for record clones, and in traces of older versions.
std::optional<SiteRef> site_ref(const TraceHead& head, const SiteRecord& site);

}  // namespace heddle
