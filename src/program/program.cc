#include "src/program/program.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "abi/site.h"
#include "src/program/elf_file.h"
#include "src/program/process_maps.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path) {
  static constexpr std::string_view kEndings[] = {".c", ".C", ".cc", ".cpp", ".cxx", ".c++"};
  return std::ranges::find(kEndings, path.extension().string()) != std::end(kEndings);
}

/// What can be said before the file is opened.
Status check_file(const fs::path& path, struct stat& st) {
  if (::stat(path.c_str(), &st) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return error(fmt::format("{}: no such program", path.string()));
    return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  }
  if (S_ISDIR(st.st_mode)) return error(fmt::format("{} is a directory, not a program", path.string()));
  if (!S_ISREG(st.st_mode)) return error(fmt::format("{} is not a regular file", path.string()));
  if (::access(path.c_str(), X_OK) != 0 && is_source(path))
    return error(fmt::format("{} is a source file, not a program", path.string()),
                 fmt::format("heddle {} -g -pthread {} -o {}", path.extension() == ".c" ? "cc" : "c++", path.string(),
                             fs::path(path).replace_extension().string()));
  if (::access(path.c_str(), X_OK) != 0)
    return error(fmt::format("{} is not executable: {}", path.string(), std::strerror(errno)),
                 fmt::format("chmod +x {}", path.string()));
  return {};
}

/// The first bytes of the file, for "#!" and for the hash of files without a build-id.
Result<std::string> read_start(const fs::path& path, std::size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  std::string text(limit, '\0');
  const ssize_t n = ::pread(fd, text.data(), limit, 0);
  ::close(fd);
  if (n < 0) return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  text.resize(static_cast<std::size_t>(n));
  return text;
}

/// As the kernel splits it: interpreter, then at most one argument with its inner spaces.
std::vector<std::string> split_interpreter(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  line = line.substr(0, line.find('\n'));
  const auto trimmed = [&](std::string_view s) {
    const auto first = s.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return std::string_view{};
    return s.substr(first, s.find_last_not_of(kBlank) - first + 1);
  };
  line = trimmed(line);
  std::vector<std::string> words;
  const auto blank = line.find_first_of(kBlank);
  if (!line.empty()) words.emplace_back(line.substr(0, blank));
  if (blank != std::string_view::npos) words.emplace_back(trimmed(line.substr(blank)));
  return words;
}

std::uint64_t fnv1a(std::uint64_t hash, std::span<const char> bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

Result<std::string> file_identity(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  std::uint64_t hash = 0xcbf29ce484222325ull;
  std::vector<char> buffer(1 << 16);
  ssize_t n = 0;
  while ((n = ::read(fd, buffer.data(), buffer.size())) > 0)
    hash = fnv1a(hash, {buffer.data(), static_cast<std::size_t>(n)});
  ::close(fd);
  if (n < 0) return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  return fmt::format("file:{:016x}", hash);
}

Result<std::string> identity_of(const ElfFile& elf, const fs::path& path) {
  std::string id = elf.build_id();
  return id.empty() ? file_identity(path) : Result<std::string>(std::move(id));
}

/// What the dynamic section says: whether this is a program that can lie anywhere, and which libraries it names.
bool read_dynamic(const ElfFile& elf, const GElf_Phdr& dynamic, std::vector<std::string>& needed) {
  if (dynamic.p_offset > elf.file_size() || dynamic.p_filesz > elf.file_size() - dynamic.p_offset) return false;
  Elf_Data* data =
      elf_getdata_rawchunk(elf.elf(), static_cast<std::int64_t>(dynamic.p_offset), dynamic.p_filesz, ELF_T_DYN);
  GElf_Dyn entry;
  std::uint64_t names = 0;
  std::vector<std::uint64_t> offsets;
  bool pie = false;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag == DT_FLAGS_1) pie = (entry.d_un.d_val & DF_1_PIE) != 0;
    if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
    if (entry.d_tag == DT_NEEDED && offsets.size() < 1024) offsets.push_back(entry.d_un.d_val);
  }
  for (const std::uint64_t offset : offsets)
    if (const auto name = names ? elf.text_at(names + offset) : std::nullopt) needed.emplace_back(*name);
  return pie;
}

/// Which kind of ELF file: a program with a dynamic linker, a static program, or no program at all.
Status inspect_segments(const ElfFile& elf, ProgramInfo& info) {
  const unsigned type = elf.header().e_type;
  const std::string name = info.path.string();
  if (type == ET_REL) return error(fmt::format("{} is an object file, not a linked program", name));
  if (type == ET_CORE) return error(fmt::format("{} is a core dump, not a program", name));
  if (type != ET_EXEC && type != ET_DYN) return error(fmt::format("{} is an ELF file of unknown type {}", name, type));
  bool has_interpreter = false, pie = false;
  for (const GElf_Phdr& segment : elf.segments()) {
    if (segment.p_type == PT_INTERP) {
      has_interpreter = true;
      if (const auto loader = elf.text_at(segment.p_vaddr)) info.loader = *loader;
    }
    if (segment.p_type == PT_DYNAMIC) pie = read_dynamic(elf, segment, info.needed);
  }
  info.is_static = !has_interpreter;
  if (info.is_static && type == ET_DYN && !pie)
    return error(fmt::format("{} is a shared library, not a program", name));
  if (info.is_static && !info.has_runtime)
    return error(
        fmt::format("{} is statically linked and carries no Heddle runtime: its threads cannot be controlled", name),
        "link it dynamically, or build it with heddle cc");
  return {};
}

Result<ProgramInfo> inspect_elf(ProgramInfo info) {
  auto elf = ElfFile::open(info.path);
  if (!elf) return std::unexpected(elf.error());
  auto sites = elf->section(HEDDLE_SITE_SECTION);
  if (!sites) return std::unexpected(sites.error());
  info.instrumented = sites->has_value();
  info.has_runtime = elf->defines("__heddle_register_module");
  for (const char* start : {"__asan_init", "__msan_init", "__tsan_init"}) info.has_sanitizer |= elf->defines(start);
  if (auto ok = inspect_segments(*elf, info); !ok) return std::unexpected(ok.error());
  auto identity = identity_of(*elf, info.path);
  if (!identity) return std::unexpected(identity.error());
  info.build_id = *identity;
  return info;
}

}  // namespace

Result<std::string> build_id_of(const fs::path& path) {
  auto elf = ElfFile::open(path);
  if (!elf) return std::unexpected(elf.error());
  return identity_of(*elf, path);
}

std::vector<fs::path> mapped_files(pid_t pid) {
  std::vector<fs::path> files;
  if (auto maps = read_maps(pid))
    for (const CodeMapping& mapping : *maps)
      if (files.empty() || files.back() != mapping.path) files.emplace_back(mapping.path);
  return files;
}

Result<ProgramInfo> inspect_program(const fs::path& path) {
  struct stat st{};
  if (path.empty()) return error("no program given");
  if (auto ok = check_file(path, st); !ok) return std::unexpected(ok.error());
  ProgramInfo info;
  std::error_code failed;
  info.path = fs::canonical(path, failed);
  if (failed) return error(fmt::format("cannot resolve {}: {}", path.string(), failed.message()));
  info.is_setuid = (st.st_mode & (S_ISUID | S_ISGID)) != 0;
  info.has_capabilities = ::getxattr(info.path.c_str(), "security.capability", nullptr, 0) > 0;

  auto start = read_start(info.path, 4096);
  if (!start) return std::unexpected(start.error());
  if (start->starts_with("\x7f"
                         "ELF"))
    return inspect_elf(std::move(info));
  if (start->empty()) return error(fmt::format("{} is empty", path.string()));
  if (!start->starts_with("#!"))
    return error(fmt::format("{} is neither an ELF program nor a script that starts with #!", path.string()));
  info.is_script = true;
  info.interpreter = split_interpreter(std::string_view(*start).substr(2));
  if (info.interpreter.empty()) return error(fmt::format("{} names no interpreter after #!", path.string()));
  auto identity = file_identity(info.path);
  if (!identity) return std::unexpected(identity.error());
  info.build_id = *identity;
  return info;
}

}  // namespace heddle
