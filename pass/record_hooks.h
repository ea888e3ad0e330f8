// The checks of a record clone (abi/record_hooks.h).
#pragma once
#include "pass/instrument.h"

namespace heddle {

/// `name`: of the original, what sites report. polls_at_entry: it can be called again and again without a loop of ours,
/// or by code without hooks.
void instrument_record(llvm::Module& module, llvm::GlobalVariable* active, llvm::Function& record, llvm::StringRef name,
                       bool polls_at_entry, Hooks& hooks, Sites& sites, Stats& stats);

/// Accesses that one hook stands for, all behind it in its block: nothing that could stop the thread lies between.
struct RecordGroup {
  struct Slot {
    llvm::Value* base;
    int64_t low, high;  // bytes at base, [low, high)
    bool written;
    int64_t block, aligned;  // base + aligned is a multiple of block

    /// So says the alignment.
    bool lies_in_one_stripe() const {
      const int64_t begin = ((low - aligned) % block + block) % block;
      return begin + (high - low) <= block;
    }
  };
  struct Member {
    llvm::Instruction* access;
    llvm::Value* pointer;
    uint8_t kind, size;  // of its site
    uint32_t flags;
    unsigned slot;
    int64_t offset;  // from base
  };
  llvm::Instruction* at;  // the hook goes in front of it
  llvm::SmallVector<Slot, 4> slots;
  llvm::SmallVector<Member, 8> members;
  unsigned number = 0;  // in its region, from 1
};

/// Code that is passed at most once from its beginning: one count for all hooks in it.
struct RecordRegion {
  llvm::Instruction* at;
  bool polls;  // its beginning is a hook too
  unsigned hooks = 0;
};

struct RecordPlan {
  std::vector<RecordRegion> regions;
  std::vector<std::pair<RecordGroup, unsigned>> groups;  // with the index of its region
};

/// Moves computations of addresses up within their blocks; changes nothing else.
RecordPlan plan_record(llvm::Function& record, const llvm::DenseSet<const llvm::Instruction*>& accesses,
                       const Privacy& privacy, bool polls_at_entry);

/// One of the accesses that a group can hold.
struct RecordAccess {
  llvm::Value* pointer;
  uint64_t size;
  llvm::Align alignment;
  bool written;
  uint8_t kind;
};
/// Those of `instruction`, private memory left out; empty: none, or too big for a group.
llvm::SmallVector<RecordAccess, 2> record_accesses(llvm::Instruction& instruction, const Privacy& privacy);

}  // namespace heddle
