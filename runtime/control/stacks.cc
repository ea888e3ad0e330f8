// Stacks of events, taken inside the program.
//
// Hooked clones keep frame pointers; code built with -fsanitize=thread tells its calls instead (calls.h); foreign code
// does neither. The walk follows frame pointers up to the next told call, then that, and so on:
//
//   hook <- hooked clone <- hooked clone <- | told call <- told call <- | hooked clone <- main
//
// Every link is checked against the bounds of the thread's stack, so a wrong one ends the walk and never faults.
#include <elf.h>
#include <sys/auxv.h>

#include "runtime/arena.h"
#include "runtime/control/calls.h"
#include "runtime/control/code_address.h"
#include "runtime/control/recording.h"
#include "runtime/control/scheduler.h"
#include "runtime/table.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kStackSlots = 1u << 16;
uint32_t* stack_slots;  // stack ids by hash
constexpr unsigned kMaxFrames = 24;

struct Text {
  uint64_t low, high;
};
Text executable;

// The text of the executable: hooked clones lie there and keep frame pointers.
Text executable_text() {
  const auto* headers = (const Elf64_Phdr*)getauxval(AT_PHDR);
  uint64_t count = getauxval(AT_PHNUM), bias = 0;
  Text text{~0ull, 0};
  for (uint64_t i = 0; i < count; i++)
    if (headers[i].p_type == PT_PHDR) bias = (uint64_t)headers - headers[i].p_vaddr;
  for (uint64_t i = 0; i < count; i++) {
    const Elf64_Phdr& p = headers[i];
    if (p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
    if (bias + p.p_vaddr < text.low) text.low = bias + p.p_vaddr;
    if (bias + p.p_vaddr + p.p_memsz > text.high) text.high = bias + p.p_vaddr + p.p_memsz;
  }
  return text;
}

bool in_executable(uint64_t pc) { return pc > executable.low && pc < executable.high; }

// Does a call instruction end at `pc`?
bool after_call(uint64_t pc) {
  const uint8_t* p = (const uint8_t*)pc;
  return p[-5] == 0xe8 || (p[-2] == 0xff && (p[-1] & 0x38) == 0x10) || (p[-3] == 0xff && (p[-2] & 0x38) == 0x10) ||
         (p[-6] == 0xff && (p[-5] & 0x38) == 0x10) || (p[-3] == 0x41 && p[-2] == 0xff);
}

// Between a library frame without frame pointer (libstdc++'s condition_variable::wait, say) and the next known frame
// lies the return address into the function that called the library: the highest word that looks like one.
uint64_t hidden_caller(uint64_t low, uint64_t fp, bool trapped) {
  if (fp - low > 4096) return 0;
  // Most functions of libc that make a system call have no frame; what lies higher up may be left from an earlier call.
  if (const uint64_t word = trapped ? *(uint64_t*)(low + 16) : 0; in_executable(word) && after_call(word)) return word;
  for (uint64_t at = fp - 8; at > low + 8; at -= 8) {
    uint64_t word = *(uint64_t*)at;
    if (in_executable(word) && after_call(word)) return word;
  }
  return 0;
}

struct Walk {
  uint64_t frames[kMaxFrames];
  unsigned n = 0;
  uint64_t hash = 0;
  uint64_t fp, low, high;
  const Calls* calls;
  uint32_t told = 0;  // calls that were walked over

  bool full() const { return n == kMaxFrames; }
  uint64_t last() const { return frames[n - 1]; }
  void add(uint64_t pc) {
    if (full()) return;
    frames[n++] = pc;
    hash = mix_bits(hash ^ pc);
  }
  bool linked() const {
    return fp > low && high >= 16 && fp <= high - 16 && !(fp & 7);
  }  // libc keeps other things there: ~7, say
  uint64_t pc_of_frame() const { return ((uint64_t*)fp)[1]; }
  const Call* next_call() const { return calls && told < calls->count ? &calls->at(told) : nullptr; }
  bool calls_first(const Call& call) const { return !linked() || fp >= call.slot; }

  void over_call(const Call& call) {
    uint64_t inside = *(uint64_t*)call.slot;  // where the function is
    if (inside != last() && in_module(inside) && after_call(inside)) add(inside);
    add(call.caller);
    told++;
    low = call.slot;
    fp = call.frame;
    if (linked() && pc_of_frame() == call.caller) fp = *(uint64_t*)fp;  // its own
  }
  bool over_frame() {
    uint64_t pc = pc_of_frame();
    if (pc < 4096) return false;
    // From the handler of a trapped system call to the program: what lies between is the kernel's frame, and libc's
    // function.
    const bool trapped = self && low < self->io.trapped_at && self->io.trapped_at < fp;
    if (trapped) low = self->io.trapped_at - 16;
    if ((trapped || !in_executable(last())) && n + 1 < kMaxFrames && !next_call())
      if (uint64_t caller = hidden_caller(low, fp, trapped)) add(caller);
    add(pc);
    low = fp;
    fp = *(uint64_t*)fp;
    return true;
  }
};

void walk_told_and_linked(Walk& w, void* frame_address, void* return_address) {
  w.fp = *(uint64_t*)frame_address;
  w.low = (uint64_t)frame_address;
  w.high = self ? self->stack_high : 0;
  w.calls = self ? self->calls : nullptr;
  w.add((uint64_t)return_address);
  while (const Call* call = w.next_call()) {  // left without a word
    if (call->slot > w.low) break;
    w.told++;
  }
  while (!w.full()) {
    if (const Call* call = w.next_call(); call && w.calls_first(*call)) {
      w.over_call(*call);
    } else if (!w.linked() || !w.over_frame()) {
      break;
    }
  }
}

}  // namespace

FrameWalk* walk_tables;

void stacks_start() {
  executable = executable_text();
  stack_slots = arena_new<uint32_t>(kStackSlots);
}

uint32_t capture_stack(void* frame_address, void* return_address) {
  if (recording.detail < HEDDLE_DETAIL_POINTS) return 0;
  Walk w;
  if (walk_tables) {
    uint64_t frames[kMaxFrames];
    unsigned count = walk_tables(frames, kMaxFrames, return_address);
    for (unsigned k = 0; k < count; k++) w.add(frames[k]);
  } else {
    walk_told_and_linked(w, frame_address, return_address);
  }
  uint64_t* words = area<uint64_t>(HEDDLE_AREA_STACKS);
  HeddleResult& r = region->result;
  for (uint32_t i = (uint32_t)w.hash & (kStackSlots - 1), tries = 0; tries < 64;
       i = (i + 1) & (kStackSlots - 1), tries++) {
    if (uint32_t id = stack_slots[i]) {
      uint64_t* s = words + (id - 1);
      bool same = s[0] == w.n;
      for (unsigned k = 0; same && k < w.n; k++) same = s[1 + k] == w.frames[k];
      if (same) return id;
      continue;
    }
    if (r.stack_words + w.n + 1 > area_capacity<uint64_t>(HEDDLE_AREA_STACKS) || r.stack_words > 0xfffffff0u) return 0;
    uint32_t id = (uint32_t)r.stack_words + 1;
    words[r.stack_words++] = w.n;
    for (unsigned k = 0; k < w.n; k++) words[r.stack_words++] = w.frames[k];
    stack_slots[i] = id;
    return id;
  }
  return 0;
}

}  // namespace heddle::rt
