#include "src/program/loader_list.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <elf.h>
#include <fmt/core.h>
#include <link.h>
#include <sys/stat.h>

namespace heddle {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostLibraries = 1024, kMostEntries = 1024, kLongestName = 4096;

template <class T>
std::optional<T> read(pid_t pid, std::uint64_t address) {
  T value;
  return read_memory(pid, address, &value, sizeof value) ? std::optional(value) : std::nullopt;
}

std::string read_name(pid_t pid, std::uint64_t address) {
  std::string name;
  while (name.size() < kLongestName) {
    std::array<char, 64> part{};
    const std::size_t bytes = std::min<std::size_t>(part.size(), kPage - (address + name.size()) % kPage);
    if (!read_memory(pid, address + name.size(), part.data(), bytes)) return {};
    const std::size_t length = ::strnlen(part.data(), bytes);
    name.append(part.data(), length);
    if (length < bytes) return name;
  }
  return {};
}

std::uint64_t auxiliary(pid_t pid, std::uint64_t type) {
  std::ifstream file(fmt::format("/proc/{}/auxv", pid), std::ios::binary);
  for (Elf64_auxv_t entry; file.read(reinterpret_cast<char*>(&entry), sizeof entry);)
    if (entry.a_type == type) return entry.a_un.a_val;
  return 0;
}

/// Where the executable's dynamic section says that the loader's list is; 0: there is none yet.
std::uint64_t loader_debug(pid_t pid) {
  const std::uint64_t headers = auxiliary(pid, AT_PHDR),
                      count = std::min<std::uint64_t>(auxiliary(pid, AT_PHNUM), kMostEntries);
  std::uint64_t bias = 0, dynamic = 0;
  for (std::uint64_t i = 0; headers && i < count; ++i) {
    const auto p = read<Elf64_Phdr>(pid, headers + i * sizeof(Elf64_Phdr));
    if (!p) return 0;
    if (p->p_type == PT_PHDR) bias = headers - p->p_vaddr;
    if (p->p_type == PT_DYNAMIC) dynamic = p->p_vaddr;
  }
  for (std::size_t i = 0; dynamic && i < kMostEntries; ++i) {
    const auto d = read<Elf64_Dyn>(pid, bias + dynamic + i * sizeof(Elf64_Dyn));
    if (!d || d->d_tag == DT_NULL) return 0;
    if (d->d_tag == DT_DEBUG) return d->d_un.d_ptr;
  }
  return 0;
}

/// The first page of code, of a file and in memory.
bool same_code(pid_t pid, std::ifstream& file, const Elf64_Phdr& p, std::uint64_t start) {
  std::array<char, kPage> in_file{}, in_memory{};
  const std::uint64_t bytes = std::min<std::uint64_t>(kPage, p.p_filesz);
  file.seekg(static_cast<std::streamoff>(p.p_offset & -kPage));
  return file.read(in_file.data(), static_cast<std::streamsize>(bytes)) &&
         read_memory(pid, start, in_memory.data(), bytes) && in_file == in_memory;
}

std::optional<CodeMapping> code_of(pid_t pid, const std::filesystem::path& path, std::uint64_t bias) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  struct stat st{};
  if (::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode) ||
      !file.read(reinterpret_cast<char*>(&header), sizeof header))
    return std::nullopt;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  for (std::size_t i = 0; i < std::min<std::size_t>(header.e_phnum, kMostEntries); ++i) {
    Elf64_Phdr p;
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof p));
    if (!file.read(reinterpret_cast<char*>(&p), sizeof p)) return std::nullopt;
    if (p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
    const std::uint64_t start = bias + (p.p_vaddr & -kPage),
                        end = bias + ((p.p_vaddr + p.p_memsz + kPage - 1) & -kPage);
    if (!same_code(pid, file, p, start) || end <= start) return std::nullopt;
    return CodeMapping{
        .start = start, .end = end, .offset = p.p_offset & -kPage, .inode = st.st_ino, .path = path, .deleted = false};
  }
  return std::nullopt;
}

}  // namespace

std::vector<CodeMapping> mappings_by_loader(pid_t pid, const std::vector<CodeMapping>& known) {
  std::vector<CodeMapping> result;
  const std::uint64_t address = loader_debug(pid);
  const auto list = address ? read<r_debug>(pid, address) : std::nullopt;
  std::uint64_t at = list ? reinterpret_cast<std::uint64_t>(list->r_map) : 0;
  for (std::size_t i = 0; at && i < kMostLibraries; ++i) {
    const auto entry = read<link_map>(pid, at);
    if (!entry) break;
    at = reinterpret_cast<std::uint64_t>(entry->l_next);
    const std::filesystem::path name = read_name(pid, reinterpret_cast<std::uint64_t>(entry->l_name));
    if (name.empty() || std::ranges::any_of(known, [&](const CodeMapping& m) {
          return std::filesystem::path(m.path).filename() == name.filename();
        }))
      continue;
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::canonical(fmt::format("/proc/{}/cwd", pid) / name, failed);
    if (failed) continue;
    if (auto code = code_of(pid, path, entry->l_addr)) result.push_back(std::move(*code));
  }
  return result;
}

}  // namespace heddle
