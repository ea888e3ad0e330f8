#include "pass/sited.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

namespace heddle {
namespace {

constexpr unsigned kLarge = 60;  // instructions before optimisation

// What the runtime interposes and takes a step in, with the caller's address as its site (runtime/sync/,
// runtime/io/time.cc, runtime/fail/). Calls that read or write descriptors are none of them: their site is libc's.
// Functions of libstdc++ end in a jump to those, so the caller's address is that of the program's own call. Only such
// as no header defines: whether a function has a light clone must be the same in each object file, or groups of the
// linker differ. What else there is, is noticed at run time (runtime/control/light_code.h).
constexpr llvm::StringRef kPrefixes[] = {"pthread_",
                                         "sem_",
                                         "mtx_",
                                         "cnd_",
                                         "thrd_",
                                         "Annotate",
                                         "WTFAnnotate",
                                         "heddle_",
                                         "__tsan_",
                                         "_ZNSt13__future_base",
                                         "_ZNSt18condition_variable",
                                         "_ZNSt28__atomic_futex_unsigned_base",
                                         "_ZNSt3_V2",
                                         "_ZNSt6thread"};
constexpr llvm::StringRef kNames[] = {"call_once",
                                      "__cxa_guard_acquire",
                                      "__cxa_guard_release",
                                      "__cxa_guard_abort",
                                      "sched_yield",
                                      "sleep",
                                      "usleep",
                                      "nanosleep",
                                      "clock_nanosleep",
                                      "fork",
                                      "vfork",
                                      "_Fork",
                                      "exit",
                                      "_exit",
                                      "_Exit",
                                      "quick_exit",
                                      "syscall",
                                      "flockfile",
                                      "ftrylockfile",
                                      "funlockfile"};

bool starts_with_one_of(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool is_sited_call(const llvm::CallBase& call) {
  if (const auto* code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return llvm::StringRef(code->getAsmString()).contains("syscall");
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return false;
  const auto name = callee->getName();
  return llvm::is_contained(kNames, name) || starts_with_one_of(name, kPrefixes);
}

bool SitedFunctions::is_large(const llvm::Function& plain) {
  return plain.getInstructionCount() > kLarge && !plain.hasFnAttribute(llvm::Attribute::AlwaysInline);
}

bool SitedFunctions::contains(const llvm::Function& plain) {
  auto [known, is_new] =
      known_.try_emplace(&plain, false);  // false while its callees are looked at; a wrong answer costs speed only
  if (!is_new) return known->second;
  bool sited = false;
  for (const auto& instruction : llvm::instructions(plain)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    const auto* callee = call->getCalledFunction();
    sited = is_sited_call(*call) || (callee && !callee->isDeclaration() && !is_large(*callee) && contains(*callee));
    if (sited) break;
  }
  return known_[&plain] = sited;
}

}  // namespace heddle
