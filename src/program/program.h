// A program: an ELF file with its build-id and, if built by `heddle cc`, its site table and bitcode. Untrusted input.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

struct ProgramInfo {
  std::filesystem::path path;  // absolute
  std::string build_id;        // hex; "" when the file has none (then: hash of the file, prefixed "file:")
  bool instrumented = false;   // carries heddle_sites
  bool has_runtime = false;    // defines __heddle_register_module
  bool is_script = false;      // "#!": the first ELF behind it is followed at run time
  bool is_static = false, is_setuid = false;
  std::vector<std::string> needed;       // libraries that it is linked to, as it names them
  std::vector<std::string> interpreter;  // of a script
  std::string loader;                    // the dynamic linker that an ELF file asks for
  bool has_sanitizer = false;            // clang's runtime of -fsanitize=address, memory or thread lies in it
  bool has_capabilities = false;         // of the file (setcap): as with setuid, the loader ignores LD_PRELOAD
};

/// Errors: missing, not executable, a directory, not an ELF file or script, another architecture, a shared library,
/// statically linked without our runtime (exit status 2 of every verb). `path` is used as it is: looking along PATH is
/// the caller's job.
Result<ProgramInfo> inspect_program(const std::filesystem::path& path);

/// Build-id of any ELF file, also a library; "file:" and a hash of its bytes when it has none.
Result<std::string> build_id_of(const std::filesystem::path& elf);

/// The files whose code `pid` has mapped.
std::vector<std::filesystem::path> mapped_files(pid_t pid);

/// The sites of an ELF file.
struct SiteTable {
  /// In file order; `id` is the index (the static id at run time is first_site + index). Heads of arrays (abi/site.h)
  /// are records with a function and nothing else. Functions are demangled as in Frame::function. Empty: not built by
  /// heddle cc.
  std::vector<SiteRecord> sites;
  std::vector<std::uint64_t> bitcode;  // hashes of the modules that SiteRecord::module refers to
  std::string build_id;                // of the file, if it has sites
};
Result<SiteTable> read_sites(const std::filesystem::path& elf);
/// The same of its record clones (abi/record_hooks.h); these have no ordinals.
Result<SiteTable> read_record_sites(const std::filesystem::path& elf);

/// What the pass knew about calls of synchronisation primitives.
struct CodeNames {
  struct Place {
    std::string file;
    std::uint32_t line = 0, column = 0;
    auto operator<=>(const Place&) const = default;
  };
  std::set<std::string> wrappers;       // linkage names of functions that only wrap a primitive
  std::map<Place, std::string> calls;   // the object of a call, as the source spells it
};
/// Empty for files without site table, and damaged ones.
CodeNames read_code_names(const std::filesystem::path& elf);

/// The framed clean bitcode modules (abi/bitcode_frame.h), in link order. Empty: none. Error: a frame is cut off or its
/// hash is wrong.
struct BitcodeModule {
  std::vector<std::byte> bytes;
  std::uint64_t hash;          // names the module: SiteRef::module
  std::uint64_t instructions;  // how many LLVM counted when it was written
};
Result<std::vector<BitcodeModule>> read_bitcode(const std::filesystem::path& elf);

}  // namespace heddle
