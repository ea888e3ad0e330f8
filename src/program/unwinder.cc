#include "src/program/unwinder.h"

#include <algorithm>
#include <cstring>

namespace heddle {
namespace {

// DWARF numbers of x86-64 registers.
constexpr unsigned kRbp = 6, kRsp = 7;
constexpr unsigned kRegisterCount = 17;
constexpr pid_t kTheThread = 1;  // libdwfl wants a thread id; there is one thread as far as it is told

}  // namespace

const Dwfl_Thread_Callbacks Unwinder::kCallbacks = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = read_callback,
    .set_initial_registers = set_registers,
    .detach = nullptr,
    .thread_detach = nullptr,
};

pid_t Unwinder::next_thread(Dwfl*, void* self, void** thread_argument) {
  if (*thread_argument) return 0;
  *thread_argument = self;
  return kTheThread;
}

bool Unwinder::get_thread(Dwfl*, pid_t, void* self, void** thread_argument) {
  *thread_argument = self;
  return true;
}

bool Unwinder::set_registers(Dwfl_Thread* thread, void* argument) {
  const HeddleRegs& r = static_cast<Unwinder*>(argument)->regs_;
  const Dwarf_Word values[kRegisterCount] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                             r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
  return dwfl_thread_state_registers(thread, 0, kRegisterCount, values);
}

bool Unwinder::read_callback(Dwfl*, Dwarf_Addr address, Dwarf_Word* value, void* argument) {
  std::uint64_t word = 0;
  const bool ok = static_cast<Unwinder*>(argument)->read_word(address, word);
  *value = word;
  return ok;
}

/// One system call serves the words of a few frames.
bool Unwinder::read_word(std::uint64_t address, std::uint64_t& value) {
  const auto inside = [&] {
    return address >= chunk_address_ && address - chunk_address_ + sizeof value <= chunk_size_;
  };
  if (!inside()) {
    // Up to the end of the page that the word ends in: the next one may be missing.
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t end = ((address + sizeof value - 1) & -kPage) + kPage;
    chunk_address_ = address;
    chunk_size_ = std::min<std::uint64_t>(end - address, sizeof chunk_);
    if (end < address || !read_memory(pid_, address, chunk_.data(), chunk_size_)) {
      chunk_size_ = 0;
      return false;
    }
  }
  std::memcpy(&value, reinterpret_cast<const char*>(chunk_.data()) + (address - chunk_address_), sizeof value);
  return true;
}

bool Unwinder::attach() {
  if (!modules_.dwfl()) return false;
  if (attached_ == modules_.dwfl() && attached_generation_ == modules_.generation()) return true;
  if (!dwfl_attach_state(modules_.dwfl(), nullptr, kTheThread, &kCallbacks, this)) return false;
  attached_ = modules_.dwfl();
  attached_generation_ = modules_.generation();
  return true;
}

int Unwinder::take_frame(Dwfl_Frame* frame, void* argument) {
  auto& self = *static_cast<Unwinder*>(argument);
  Dwarf_Addr pc = 0;
  bool activation = false;
  if (!dwfl_frame_pc(frame, &pc, &activation) || pc == 0) return DWARF_CB_ABORT;
  Step step;
  step.code = {pc, !activation};
  if (self.first_is_return_) step.code.is_return_address = true;
  self.first_is_return_ = false;
  Dwarf_Word value = 0;
  if (dwfl_frame_reg(frame, kRsp, &value) == 0) step.sp = value;
  if (dwfl_frame_reg(frame, kRbp, &value) == 0) step.fp = value;
  // A damaged stack can send the walk round in circles.
  if (!self.steps_.empty() && step.sp && self.steps_.back().sp == step.sp && self.steps_.back().code.pc == pc)
    return DWARF_CB_ABORT;
  self.steps_.push_back(step);
  return self.steps_.size() >= self.limit_ ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/// True if the walk came to an end that the CFI says is one, or to the limit.
bool Unwinder::walk_cfi(const HeddleRegs& regs) {
  regs_ = regs;
  return attach() && dwfl_getthread_frames(modules_.dwfl(), kTheThread, take_frame, this) >= 0;
}

/// A call through a bad pointer: `rip` is no code, its caller's address is on top of the stack.
bool Unwinder::over_bad_call(HeddleRegs& regs) {
  std::uint64_t caller = 0;
  steps_.push_back({{regs.rip, false}, regs.rsp, regs.rbp});
  if (!read_word(regs.rsp, caller) || !modules_.is_code(caller)) return false;
  regs.rip = caller;
  regs.rsp += 8;
  first_is_return_ = true;
  return true;
}

/// Where CFI gave up: [rbp] is the caller's rbp and [rbp + 8] the return address, if this code keeps frame pointers.
bool Unwinder::by_frame_pointer(HeddleRegs& regs) {
  if (steps_.empty()) return false;
  const Step& last = steps_.back();
  std::uint64_t caller_fp = 0, caller = 0;
  if (last.fp % 8 != 0 || last.fp < last.sp || !read_word(last.fp, caller_fp) || !read_word(last.fp + 8, caller))
    return false;
  if (!modules_.is_code(caller)) return false;
  regs = {};
  regs.rip = caller;
  regs.rsp = last.fp + 16;
  regs.rbp = caller_fp;
  first_is_return_ = true;
  return true;
}

std::vector<CodeAddress> Unwinder::walk(pid_t pid, const HeddleRegs& regs, std::size_t limit) {
  pid_ = pid;
  limit_ = std::max<std::size_t>(limit, 1);
  steps_.clear();
  chunk_size_ = 0;
  first_is_return_ = false;
  HeddleRegs at = regs;
  bool go_on = modules_.is_code(at.rip) || over_bad_call(at);
  for (int restarts = 0; go_on && restarts < 32 && steps_.size() < limit_; ++restarts) {
    const std::size_t before = steps_.size();
    if (walk_cfi(at)) break;
    if (steps_.size() == before) steps_.push_back({{at.rip, first_is_return_}, at.rsp, at.rbp});
    go_on = steps_.size() < limit_ && by_frame_pointer(at);
  }
  std::vector<CodeAddress> result;
  for (const Step& step : steps_) result.push_back(step.code);
  return result;
}

}  // namespace heddle
