#include "pass/sited.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

namespace heddle {
namespace {

constexpr unsigned kLarge = 60;  // instructions before optimisation

// What the runtime interposes and takes a step in, with the caller's address as its site (runtime/sync/, runtime/io/time.cc, runtime/fail/).
// Calls that read or write descriptors are none of them: their site is libc's.
constexpr llvm::StringRef kPrefixes[] = {"pthread_", "sem_", "mtx_", "cnd_", "thrd_", "Annotate", "WTFAnnotate", "heddle_", "__tsan_"};
constexpr llvm::StringRef kNames[] = {
    "call_once", "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort", "sched_yield", "sleep", "usleep", "nanosleep", "clock_nanosleep",
    "fork", "vfork", "_Fork", "exit", "_exit", "_Exit", "quick_exit", "syscall", "flockfile", "ftrylockfile", "funlockfile"};

// libstdc++'s functions end in a jump to what we interpose (condition_variable::wait() to pthread_cond_wait()), so the caller's address is
// that of the program's own call. These are known to do nothing of the kind: strings, streams, trees, lists, hashes, exceptions.
constexpr llvm::StringRef kStandard[] = {"_ZNSt", "_ZNKSt", "_ZNVSt", "_ZSt"};
constexpr llvm::StringRef kNeverWait[] = {
    "_ZNSt7__cxx11", "_ZNKSt7__cxx11", "_ZNSt8ios_base", "_ZNSt9basic_ios", "_ZNKSt9basic_ios", "_ZNSt6locale", "_ZNKSt6locale", "_ZNKSt5ctype",
    "_ZNSt8__detail15_List_node_base", "_ZNSt8__detail", "_ZNKSt8__detail", "_ZSt18_Rb_tree", "_ZSt28_Rb_tree", "_ZSt29_Rb_tree", "_ZSt20_Rb_tree",
    "_ZSt11_Hash_bytes", "_ZSt15_Fnv_hash_bytes", "_ZStlsISt11char_traits", "_ZSt16__ostream_insert", "_ZSt4endl", "_ZSt5flush", "_ZStrs", "_ZSt7getline",
    "_ZNSt9exception", "_ZNKSt9exception", "_ZNSt13runtime_error", "_ZNSt11logic_error", "_ZNSt12out_of_range", "_ZNSt16invalid_argument"};

bool starts_with_one_of(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

bool may_wait_in_standard_library(const llvm::Function& callee) {
  const auto name = callee.getName();
  return starts_with_one_of(name, kStandard) && !callee.doesNotReturn() && !starts_with_one_of(name, kNeverWait);
}

}  // namespace

bool is_sited_call(const llvm::CallBase& call) {
  if (const auto* code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return llvm::StringRef(code->getAsmString()).contains("syscall");
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return false;
  const auto name = callee->getName();
  return llvm::is_contained(kNames, name) || starts_with_one_of(name, kPrefixes) || may_wait_in_standard_library(*callee);
}

bool SitedFunctions::is_large(const llvm::Function& plain) {
  return plain.getInstructionCount() > kLarge && !plain.hasFnAttribute(llvm::Attribute::AlwaysInline);
}

bool SitedFunctions::contains(const llvm::Function& plain) {
  auto [known, is_new] = known_.try_emplace(&plain, false);  // false while its callees are looked at; a wrong answer costs speed only
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
