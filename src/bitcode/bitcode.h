// The clean bitcode that an executable or library carries (abi/bitcode_frame.h), and the instructions that sites name
// in it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "src/result/result.h"
#include "src/trace/trace.h"

namespace llvm {
class Instruction;
}

namespace heddle {

/// Of one ELF file. Its modules are parsed when they are first asked for, and live as long as this. Not thread-safe.
class Bitcode {
 public:
  /// Errors: not an ELF file, no bitcode in it, damaged.
  static Result<Bitcode> open(const std::filesystem::path& elf);
  Bitcode(Bitcode&&) noexcept;
  Bitcode& operator=(Bitcode&&) noexcept;
  ~Bitcode();

  /// Errors: the file is another build, has no such module, or the module has no such instruction.
  Result<const llvm::Instruction*> instruction(const SiteRef& site);
  /// The instruction of a site without reference: a call of an interposed function, of which the runtime knows the code
  /// address only, or an access of a record clone. It is the only one at the site's place that fits(), in functions of
  /// the site's name if there is one. Parses all modules. Errors: there is none, or there are several.
  Result<const llvm::Instruction*> find(const SiteRecord& site);

 private:
  struct Impl;
  explicit Bitcode(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

/// Where an instruction comes from, as its site says (pass/sites.cc).
struct SourcePlace {
  std::string function;  // linkage name of the function that it lies in
  std::string file;      // absolute where the debug information allows it; empty: unknown
  std::uint32_t line = 0, column = 0;
};
SourcePlace place_of(const llvm::Instruction& instruction);

/// Does the pass make sites of that kind and size at such an instruction?
bool fits(const SiteRecord& site, const llvm::Instruction& instruction);

}  // namespace heddle
