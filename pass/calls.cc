// Calls of functions that other modules define, and that may have no hooks: while the thread is in there, others need
// not wait for its next hook (runtime/parallel/plain_code.cc).
//
//   before:  %r = call @BZ2_bzCompress(...)       after:  __heddle_call_out(@state)
//                                                         %r = call @BZ2_bzCompress(...)
//                                                         __heddle_call_in()
//
// @state is a byte of this call: the runtime notes there that the callee turned out to have hooks. Functions of libc
// and libstdc++ are left out: they are short, and what they do to memory is told of by hooks before the call
// (library.cc).
#include "pass/instrument.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace heddle {
namespace {

constexpr llvm::StringRef kNoLongCalls[] = {"__",    "pthread_", "sem_", "_ZNSt", "_ZNKSt", "_ZSt", "_ZNSo",
                                            "_ZNSi", "_ZNSs",    "_Zn",  "_Zd",   "_ZTh",   "_ZTW"};

bool is_of_language_library(const llvm::Function& callee) {
  if (llvm::any_of(kNoLongCalls, [&](llvm::StringRef prefix) { return callee.getName().starts_with(prefix); }))
    return true;
  static const llvm::TargetLibraryInfoImpl known(
      llvm::Triple(callee.getParent()->getTargetTriple()));  // one target per process
  llvm::LibFunc function;
  return llvm::TargetLibraryInfo(known).getLibFunc(callee, function);
}

bool may_be_plain(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic() || call.doesNotAccessMemory()) return false;
  if (call.doesNotReturn() || call.isMustTailCall() || call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
      llvm::isa<llvm::CallBrInst>(call))
    return false;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (call.isByValArgument(i)) return false;  // copied by the call itself
  return !is_of_language_library(*callee);
}

}  // namespace

bool hook_call(Work& work, llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || !may_be_plain(*call)) return false;
  auto* byte = llvm::Type::getInt8Ty(work.module.getContext());
  auto* state = new llvm::GlobalVariable(work.module, byte, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantInt::get(byte, 0), "heddle.call");
  BuilderBefore before(*call);
  work.hooks.call(before, "__heddle_call_out", {state});
  if (auto* next = behind(*call)) {  // an exception leaves without: the next hook brings the thread back in
    BuilderBefore after(*next);
    work.hooks.call(after, "__heddle_call_in", {});
  }
  return true;
}

}  // namespace heddle
