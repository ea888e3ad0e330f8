#include "src/program/elf_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "64-bit ARM";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    case EM_S390:
      return "IBM Z";
    default:
      return fmt::format("another processor (ELF machine {})", machine);
  }
}

Status check_architecture(const std::filesystem::path& path, Elf* elf, const GElf_Ehdr& header) {
  const int elf_class = gelf_getclass(elf);
  if (header.e_machine == EM_X86_64 && elf_class == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB) return {};
  std::string what = machine_name(header.e_machine);
  if (header.e_machine == EM_X86_64) what = elf_class == ELFCLASS32 ? "x32 (32-bit pointers)" : "a damaged ELF class";
  return error(fmt::format("{} is built for {}; Heddle runs x86-64 programs only", path.string(), what),
               "build it for x86-64");
}

}  // namespace

ElfFile::ElfFile(ElfFile&& o) noexcept
    : path_(std::move(o.path_)),
      fd_(std::exchange(o.fd_, -1)),
      elf_(std::exchange(o.elf_, nullptr)),
      header_(o.header_),
      file_size_(o.file_size_),
      loaded_(std::move(o.loaded_)),
      loaded_known_(o.loaded_known_) {}

ElfFile::~ElfFile() {
  if (elf_) elf_end(elf_);
  if (fd_ >= 0) ::close(fd_);
}

Result<ElfFile> ElfFile::open(const std::filesystem::path& path) {
  elf_version(EV_CURRENT);
  ElfFile file;
  file.path_ = path;
  file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fd_ < 0) return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  struct stat st{};
  if (::fstat(file.fd_, &st) != 0 || !S_ISREG(st.st_mode))
    return error(fmt::format("{} is not a regular file", path.string()));
  file.file_size_ = static_cast<std::uint64_t>(st.st_size);
  file.elf_ = elf_begin(file.fd_, ELF_C_READ, nullptr);
  if (!file.elf_ || elf_kind(file.elf_) != ELF_K_ELF || !gelf_getehdr(file.elf_, &file.header_))
    return error(fmt::format("{} is not an ELF file", path.string()));
  if (auto ok = check_architecture(path, file.elf_, file.header_); !ok) return std::unexpected(ok.error());
  return file;
}

std::vector<GElf_Phdr> ElfFile::segments() const {
  std::size_t count = 0;
  std::vector<GElf_Phdr> result;
  if (elf_getphdrnum(elf_, &count) != 0) return result;
  count = std::min<std::size_t>(count, 4096);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment)) result.push_back(segment);
  }
  return result;
}

std::span<const std::byte> ElfFile::bytes_of(Elf_Scn* scn, const GElf_Shdr& header) const {
  if (header.sh_type == SHT_NOBITS || header.sh_offset > file_size_ || header.sh_size > file_size_ - header.sh_offset)
    return {};
  const Elf_Data* data = elf_rawdata(scn, nullptr);
  if (!data || !data->d_buf || data->d_size > header.sh_size) return {};
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

Result<std::optional<ElfFile::Section>> ElfFile::section(std::string_view name) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return std::nullopt;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(scn, &header)) continue;
    const char* its_name = elf_strptr(elf_, names, header.sh_name);
    if (!its_name || name != its_name) continue;
    const auto bytes = bytes_of(scn, header);
    if (bytes.size() != header.sh_size)
      return error(fmt::format("{} is damaged: section {} does not lie inside the file", path_.string(), name));
    return Section{header.sh_addr, bytes};
  }
  return std::nullopt;
}

std::optional<std::string_view> ElfFile::text_at(std::uint64_t address, std::size_t limit) const {
  if (!std::exchange(loaded_known_, true)) {
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
      GElf_Shdr header;
      if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_ALLOC)) continue;
      if (const auto bytes = bytes_of(scn, header); !bytes.empty()) loaded_.push_back({header.sh_addr, bytes});
    }
  }
  for (const Section& s : loaded_) {
    if (address < s.address || address - s.address >= s.bytes.size()) continue;
    const auto rest = s.bytes.subspan(address - s.address);
    const auto* text = reinterpret_cast<const char*>(rest.data());
    return std::string_view(text, ::strnlen(text, std::min(limit, rest.size())));
  }
  return std::nullopt;
}

bool ElfFile::symbol_table_defines(Elf_Scn* table, std::string_view symbol) const {
  GElf_Shdr header;
  if (!gelf_getshdr(table, &header) || bytes_of(table, header).empty()) return false;
  Elf_Data* data = elf_getdata(table, nullptr);
  const std::size_t size = gelf_fsize(elf_, ELF_T_SYM, 1, EV_CURRENT);
  if (!data || !size) return false;
  for (std::size_t i = 0; i < data->d_size / size; ++i) {
    GElf_Sym sym;
    if (!gelf_getsym(data, static_cast<int>(i), &sym) || sym.st_shndx == SHN_UNDEF) continue;
    const char* name = elf_strptr(elf_, header.sh_link, sym.st_name);
    if (name && symbol == name) return true;
  }
  return false;
}

bool ElfFile::defines(std::string_view symbol) const {
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(scn, &header)) continue;
    if ((header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) && symbol_table_defines(scn, symbol))
      return true;
  }
  return false;
}

std::string ElfFile::build_id() const {
  const void* id = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &id);
  std::string hex;
  for (ssize_t i = 0; i < std::min<ssize_t>(size, 64); ++i)
    hex += fmt::format("{:02x}", static_cast<const unsigned char*>(id)[i]);
  return hex;
}

}  // namespace heddle
