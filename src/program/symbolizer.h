// Addresses to source, and stacks of a stopped process, from outside (libdw, process_vm_readv). One instance per
// program run layout; modules are cached between uses. Not thread-safe.
//
// Frame::function is demangled without return type and parameters ("Queue<int>::push"). Only local debug info is used
// (the file itself, .gnu_debuglink, /usr/lib/debug/.build-id), never a server.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "abi/region.h"
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// What an object is called, and why; "" if nothing is known.
struct ObjectName {
  std::string text;
  NameOrigin origin = NameOrigin::kProgram;
};

class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  /// Reads /proc/<pid>/maps; call while the process is alive (stopped in the runtime or at preinit). Cached by
  /// build-id/path+base.
  Status attach(pid_t pid);
  /// The same from a copy of that file, for a process that is gone; files that were replaced since are not believed.
  Status attach(std::string_view maps);
  /// Frames for one code address, inlined frames first (innermost first). `is_return_address`: look up pc - 1,
  /// and nothing for one in a dispatcher of ours, which is no call of the source.
  Stack frames(std::uint64_t pc, bool is_return_address);
  /// Unwinds a stopped thread of `pid` from `regs` by .eh_frame CFI; falls back to frame pointers; at most `limit`
  /// frames.
  Stack unwind(pid_t pid, const HeddleRegs& regs, std::size_t limit = 64);
  /// What the source calls the object that a synchronisation primitive was called for ("thr->mutex"), from the return
  /// addresses of its stack, innermost first: as the first caller that is no wrapper spells it; "" if unknown.
  std::string object_name(std::span<const std::uint64_t> return_addresses);
  /// May this process look at the stack of that one? Sandboxes and yama can forbid it.
  static bool can_read(pid_t pid, std::uint64_t address);
  /// "counter", "queue.lock", "table[3].next" for an address in static storage (symbol + DWARF type); "" if none.
  std::string data_name(std::uint64_t address) { return data(address).text; }
  ObjectName data(std::uint64_t address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Leaves out what is inside our runtime: no user called it. Functions of libraries that the runtime defines anew stay.
void leave_out_runtime(Stack& stack);

/// Demangles and strips our clone suffixes (".heddle", ".plain").
std::string demangle(const std::string& linkage);
/// The innermost frame that is the user's code and no wrapper of a primitive, if there is one; else the innermost that
/// is the user's. When none is known to be: without debug info the user's function may be
/// inlined into an instance of a library template ("std::thread::_State_impl<...>::_M_run"), so the innermost of those;
/// else the innermost of all. Null: the stack is empty.
const Frame* user_frame(std::span<const Frame> stack);

}  // namespace heddle
