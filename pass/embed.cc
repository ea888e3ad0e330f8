#include "pass/embed.h"

#include "abi/bitcode_frame.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle {
namespace {

// LLVM treats this section name as metadata: not loaded, kept by --gc-sections and strip, concatenated by every linker.
// Other names would be loaded into memory. Not ".llvmbc", which is also metadata: where LLVM's linker plugin is
// installed, GNU ar, nm and ranlib take any object with a section of that name for bitcode, fail on our frame, and
// write archives without an index.
constexpr const char* kSection = ".llvmcmd";

uint64_t fnv1a(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ull;
  return hash;
}

}  // namespace

Bitcode serialize(const llvm::Module& module) {
  std::string bitcode;
  llvm::raw_string_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out);
  out.flush();
  // Bitcode is a multiple of 4; LLVM's reader ignores less than 8 bytes of zeros at the end.
  bitcode.resize((bitcode.size() + 7) & ~size_t{7}, '\0');
  const uint64_t hash = fnv1a(bitcode);
  return {std::move(bitcode), hash};
}

void embed(llvm::Module& module, const Bitcode& bitcode, uint64_t instructions) {
  auto& context = module.getContext();
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto word = [&](uint64_t value) { return llvm::ConstantInt::get(i64, value); };
  auto* frame = llvm::ConstantStruct::getAnon(
      {word(HEDDLE_FRAME_MAGIC), word(bitcode.bytes.size()), word(bitcode.hash), word(instructions),
       llvm::ConstantDataArray::getString(context, bitcode.bytes, /*AddNull=*/false)});
  auto* global = new llvm::GlobalVariable(module, frame->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, frame, "__heddle_bitcode");
  global->setSection(kSection);
  global->setAlignment(llvm::Align(8));
  llvm::appendToCompilerUsed(module, {global});
}

}  // namespace heddle
