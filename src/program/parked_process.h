// For tests: compiles a small program, runs it until its threads have published their registers (as the runtime does),
// and leaves it standing still. The source gets `park(slot)` and `park_on_fault(slot)` (SIGSEGV, SIGABRT) for that.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "abi/region.h"

namespace heddle::testing {

/// A directory that goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Writes `source` to folder/name and runs "compiler flags file -o program"; "" and a test failure if that fails.
std::filesystem::path compile(const ScratchFolder& folder, const std::string& name, const std::string& source,
                              const std::string& compiler_and_flags);

/// Line (from 1) of the first line of `source` that contains `mark`.
unsigned line_of(const std::string& source, const std::string& mark);

/// C declarations for the head of a test program; one line, so that line numbers stay readable.
extern const char* const kParkDeclarations;

class ParkedProcess {
 public:
  /// Starts `program` with ASLR off and waits until `slots` threads are parked. ok() is false if that did not happen.
  ParkedProcess(const std::filesystem::path& program, unsigned slots);
  ~ParkedProcess();
  bool ok() const { return ok_; }
  pid_t pid() const { return pid_; }
  const HeddleRegs& regs(unsigned slot) const;
  /// An address that the program published with `publish(slot, address)`.
  std::uint64_t address(unsigned slot) const;

 private:
  pid_t pid_ = -1;
  bool ok_ = false;
  void* shared_ = nullptr;
};

}  // namespace heddle::testing
