#include "src/program/loaded_modules.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/program/code_index.h"
#include "src/program/data_index.h"
#include "src/program/loader_list.h"

namespace heddle {
namespace {

constexpr std::uint64_t kPage = 4096;

bool is_system_library(std::string_view name) {
  static constexpr std::array kPrefixes = {
      "libc.so", "libc-",      "ld-linux", "ld-2",    "ld.so",       "libstdc++", "libgcc_s", "libm.so",   "libm-",
      "libmvec", "libpthread", "librt.so", "librt-",  "libdl.so",    "libdl-",    "libc++",   "libunwind", "libasan",
      "libtsan", "libubsan",   "liblsan",  "libmsan", "libclang_rt", "libheddle", "[vdso]"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view p) { return name.starts_with(p); });
}

bool is_system_directory(std::string_view path) {
  static constexpr std::array kFolders = {"/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};
  return std::ranges::any_of(kFolders, [&](std::string_view f) { return path.starts_with(f); });
}

bool same_build_id(Elf* a, Elf* b) {
  const void *id_a = nullptr, *id_b = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(a, &id_a);
  return size > 0 && dwelf_elf_gnu_build_id(b, &id_b) == size &&
         std::memcmp(id_a, id_b, static_cast<std::size_t>(size)) == 0;
}

LoadedModule* module_of(void** userdata) { return userdata ? static_cast<LoadedModule*>(*userdata) : nullptr; }

int find_elf(Dwfl_Module*, void** userdata, const char*, Dwarf_Addr, char** file, Elf** elf) {
  LoadedModule* module = module_of(userdata);
  *file = nullptr;
  *elf = module && !module->image.empty() ? elf_memory(module->image.data(), module->image.size()) : nullptr;
  return -1;  // no descriptor; *elf is what counts
}

/// A file of the given name beside the program, checked by build-id: names alone go stale.
int open_debug_link(Dwfl_Module* dwfl, const LoadedModule& module, const char* link, char** result) {
  GElf_Addr bias = 0;
  Elf* main = dwfl_module_getelf(dwfl, &bias);
  const std::filesystem::path folder = std::filesystem::path(module.path).parent_path();
  for (const auto& path : {folder / link, folder / ".debug" / link,
                           std::filesystem::path("/usr/lib/debug") / folder.relative_path() / link}) {
    if (path == module.path) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) continue;
    Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
    const bool matches = elf && main && same_build_id(main, elf);
    if (elf) elf_end(elf);
    if (matches) {
      *result = ::strdup(path.c_str());
      return fd;
    }
    ::close(fd);
  }
  return -1;
}

/// Not dwfl_standard_find_debuginfo: that asks debuginfod servers named in the environment, over the network.
int find_debuginfo(Dwfl_Module* dwfl, void** userdata, const char* name, Dwarf_Addr base, const char* file,
                   const char* link, GElf_Word crc, char** result) {
  const LoadedModule* module = module_of(userdata);
  if (!module || module->system_library) return -1;
  const int fd = dwfl_build_id_find_debuginfo(dwfl, userdata, name, base, file, link, crc, result);
  if (fd >= 0 || !link) return fd;
  return open_debug_link(dwfl, *module, link, result);
}

const Dwfl_Callbacks kCallbacks = {find_elf, find_debuginfo, dwfl_offline_section_address, nullptr};

/// Load bias of the file mapped at `m`: where its executable segment that holds m.offset would lie without one.
bool load_bias(Elf* elf, const CodeMapping& m, std::uint64_t& bias) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return false;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 4096); ++i) {
    GElf_Phdr p;
    if (!gelf_getphdr(elf, static_cast<int>(i), &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
    const std::uint64_t first = p.p_offset & -kPage;
    if (m.offset < first || m.offset >= p.p_offset + p.p_filesz) continue;
    bias = m.start - (m.offset - first) - (p.p_vaddr & -kPage);
    return true;
  }
  return false;
}

std::int64_t modification_time(const struct stat& st) {
  return st.st_mtim.tv_sec * 1'000'000'000ll + st.st_mtim.tv_nsec;
}

}  // namespace

LoadedModule::~LoadedModule() = default;

LoadedModules::~LoadedModules() { clear(); }

void LoadedModules::clear() {
  for (auto& module : modules_) {  // the indices refer to DWARF that dwfl_end frees
    module->code.reset();
    module->data.reset();
  }
  if (dwfl_) dwfl_end(std::exchange(dwfl_, nullptr));
  modules_.clear();
  mappings_.clear();
  ++generation_;
}

/// Is every file still the one that was opened? A rebuilt program has another inode or another time.
bool LoadedModules::still_valid() const {
  return std::ranges::all_of(modules_, [](const auto& module) {
    struct stat st{};
    if (!module->image.empty() || module->modified_ns == 0) return true;
    return ::stat(module->path.c_str(), &st) == 0 && modification_time(st) == module->modified_ns &&
           st.st_ino == module->inode;
  });
}

Status LoadedModules::refresh(pid_t pid) {
  auto mappings = read_maps(pid);
  if (!mappings) return std::unexpected(mappings.error());
  std::ranges::move(mappings_by_loader(pid, *mappings), std::back_inserter(*mappings));
  return refresh(std::move(*mappings), pid);
}

Status LoadedModules::refresh(std::vector<CodeMapping> mappings, pid_t pid) {
  if (dwfl_ && !still_valid()) clear();
  if (dwfl_ && mappings == mappings_) return {};
  constexpr std::size_t kTooMany = 8;  // layouts that differ every time (ASLR) must not pile up
  if (modules_.size() > kTooMany * (mappings.size() + 1)) clear();
  if (!report(pid, mappings)) {  // an old module lies where a new one is now
    clear();
    if (!report(pid, mappings))
      return error(fmt::format("cannot open the modules of process {}: {}", pid, dwfl_errmsg(-1)));
  }
  mappings_ = std::move(mappings);
  return {};
}

bool LoadedModules::report(pid_t pid, const std::vector<CodeMapping>& mappings) {
  if (!dwfl_) dwfl_ = dwfl_begin(&kCallbacks);
  if (!dwfl_) return false;
  dwfl_report_begin_add(dwfl_);
  bool clean = true;
  for (const CodeMapping& m : mappings) clean &= m.path == "[vdso]" ? report_vdso(pid, m) : report_file(pid, m);
  return dwfl_report_end(dwfl_, nullptr, nullptr) == 0 && clean && !modules_.empty();
}

/// False only for a conflict with a module that is already there; a file that cannot be opened is simply not known.
bool LoadedModules::report_file(pid_t pid, const CodeMapping& m) {
  std::string opened = m.path;
  if (m.deleted) opened = fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, m.start, m.end);
  const int fd = ::open(opened.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return true;
  struct stat st{};
  Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
  std::uint64_t bias = 0;
  const bool usable =
      ::fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == m.inode && elf && load_bias(elf, m, bias);
  if (elf) elf_end(elf);
  const bool known = std::ranges::any_of(
      modules_, [&](const auto& old) { return old->path == m.path && old->bias == bias && old->inode == m.inode; });
  if (!usable || known) {
    ::close(fd);
    return true;
  }
  auto module = std::make_unique<LoadedModule>();
  module->path = m.path;
  module->name = std::filesystem::path(m.path).filename().string();
  module->bias = bias;
  module->inode = m.inode;
  module->modified_ns = m.deleted ? 0 : modification_time(st);
  module->system_library = is_system_library(module->name);
  module->system_directory = is_system_directory(m.path);
  const std::string name = fmt::format("{}@{:x}", m.path, bias);
  Dwfl_Module* dwfl = dwfl_report_elf(dwfl_, name.c_str(), m.path.c_str(), fd, bias, true);
  if (!dwfl) ::close(fd);
  return add(dwfl, std::move(module));
}

bool LoadedModules::report_vdso(pid_t pid, const CodeMapping& m) {
  const std::string name = fmt::format("[vdso]@{:x}", m.start);
  if (std::ranges::any_of(modules_, [&](const auto& old) { return old->name == "[vdso]" && old->bias == m.start; }))
    return true;
  auto module = std::make_unique<LoadedModule>();
  module->path = module->name = "[vdso]";
  module->bias = m.start;
  module->system_library = true;
  module->image.resize(std::min<std::uint64_t>(m.end - m.start, 64 * kPage));
  if (!read_memory(pid, m.start, module->image.data(), module->image.size())) return true;
  return add(dwfl_report_module(dwfl_, name.c_str(), m.start, m.end), std::move(module));
}

bool LoadedModules::add(Dwfl_Module* dwfl, std::unique_ptr<LoadedModule> module) {
  if (!dwfl) return false;
  void** userdata = nullptr;
  Dwarf_Addr start = 0, end = 0;
  dwfl_module_info(dwfl, &userdata, &start, &end, nullptr, nullptr, nullptr, nullptr);
  *userdata = module.get();
  module->dwfl = dwfl;
  const bool overlaps = std::ranges::any_of(modules_, [&](const auto& old) {
    Dwarf_Addr old_start = 0, old_end = 0;
    dwfl_module_info(old->dwfl, nullptr, &old_start, &old_end, nullptr, nullptr, nullptr, nullptr);
    return old_start < end && start < old_end;
  });
  modules_.push_back(std::move(module));
  return !overlaps;
}

LoadedModule* LoadedModules::find(std::uint64_t address) const {
  Dwfl_Module* dwfl = dwfl_ ? dwfl_addrmodule(dwfl_, address) : nullptr;
  void** userdata = nullptr;
  if (!dwfl || !dwfl_module_info(dwfl, &userdata, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)) return nullptr;
  return module_of(userdata);
}

bool LoadedModules::is_dispatcher(LoadedModule& module, const std::string& symbol) {
  constexpr std::string_view kClone = ".heddle";
  if (!module.dispatched) {
    module.dispatched.emplace();
    const int count = module.system_library ? 0 : dwfl_module_getsymtab(module.dwfl);
    for (int i = 1; i < count; ++i) {
      GElf_Sym symbol_data;
      const char* text = dwfl_module_getsym(module.dwfl, i, &symbol_data, nullptr);
      const std::string_view name = text ? text : "";
      if (const auto at = name.find(kClone); at != name.npos) module.dispatched->emplace(name.substr(0, at));
    }
  }
  return module.dispatched->contains(symbol);
}

bool LoadedModules::is_library_function(const std::string& name) {
  if (library_functions_.empty()) {
    for (const auto& module : modules_) {
      if (!module->name.starts_with("libc.so") && !module->name.starts_with("libc-")) continue;
      const int count = dwfl_module_getsymtab(module->dwfl);
      for (int i = 1; i < count; ++i) {
        GElf_Sym symbol;
        const char* text = dwfl_module_getsym(module->dwfl, i, &symbol, nullptr);
        const auto type = GELF_ST_TYPE(symbol.st_info);
        if (text && symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
          library_functions_.insert(text);
      }
    }
  }
  return library_functions_.contains(name);
}

bool LoadedModules::is_code(std::uint64_t address) const {
  return std::ranges::any_of(mappings_, [&](const CodeMapping& m) { return address >= m.start && address < m.end; });
}

}  // namespace heddle
