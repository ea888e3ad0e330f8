// Bounded reading of one ELF file (libelf, by read calls: a file that shrinks under us is an Error, not SIGBUS).
// Internal to src/program. Every number in the file is untrusted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gelf.h>

#include "src/result/result.h"

namespace heddle {

class ElfFile {
 public:
  /// Errors: cannot be opened, not ELF, not x86-64 (in plain words, naming the file).
  static Result<ElfFile> open(const std::filesystem::path& path);
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) = delete;
  ~ElfFile();

  Elf* elf() const { return elf_; }
  const GElf_Ehdr& header() const { return header_; }
  std::uint64_t file_size() const { return file_size_; }
  std::vector<GElf_Phdr> segments() const;

  struct Section {
    std::uint64_t address = 0;
    std::span<const std::byte> bytes;  // owned by the ElfFile
  };
  /// The first section of that name; nullopt: none. Error: it does not lie inside the file.
  Result<std::optional<Section>> section(std::string_view name) const;

  /// NUL-terminated text at a virtual address of the linked image, at most `limit` bytes; nullopt: not in the file.
  std::optional<std::string_view> text_at(std::uint64_t address, std::size_t limit = 4096) const;

  /// A defined symbol of that name in .symtab or .dynsym.
  bool defines(std::string_view symbol) const;
  /// GNU build-id as hex, "" when there is none.
  std::string build_id() const;

 private:
  ElfFile() = default;
  bool symbol_table_defines(Elf_Scn* table, std::string_view symbol) const;
  std::span<const std::byte> bytes_of(Elf_Scn* scn, const GElf_Shdr& header) const;

  std::filesystem::path path_;
  int fd_ = -1;
  Elf* elf_ = nullptr;
  GElf_Ehdr header_{};
  std::uint64_t file_size_ = 0;
  mutable std::vector<Section> loaded_;  // sections with a virtual address, read at the first text_at()
  mutable bool loaded_known_ = false;
};

}  // namespace heddle
