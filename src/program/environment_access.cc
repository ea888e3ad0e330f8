#include "src/program/environment_access.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include "src/program/elf_file.h"

namespace heddle {
namespace {

int parameters_of(Dwarf_Die function) {
  int count = 0;
  Dwarf_Die child;
  if (dwarf_child(&function, &child) != 0) return 0;
  do count += dwarf_tag(&child) == DW_TAG_formal_parameter;
  while (dwarf_siblingof(&child, &child) == 0);
  return count;
}

/// Of the functions called main in this unit, the most; -1: none.
int parameters_of_main(Dwarf_Die& unit) {
  int most = -1;
  Dwarf_Die child;
  if (dwarf_child(&unit, &child) != 0) return most;
  do {
    const char* name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : nullptr;
    if (name && std::strcmp(name, "main") == 0) most = std::max(most, parameters_of(child));
  } while (dwarf_siblingof(&child, &child) == 0);
  return most;
}

}  // namespace

bool uses_environ(const std::filesystem::path& elf) {
  Result<ElfFile> file = ElfFile::open(elf);
  if (!file) return false;
  // The names of dynamic symbols. One may be stored as the end of another: environ in __environ.
  const auto names = file->section(".dynstr");
  if (!names || !*names) return false;
  const std::string_view text(reinterpret_cast<const char*>((*names)->bytes.data()), (*names)->bytes.size());
  constexpr std::string_view kName("environ\0", 8);
  return text.find(kName) != std::string_view::npos;
}

MainTakesEnvironment main_takes_environment(const std::filesystem::path& executable) {
  const int fd = ::open(executable.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return MainTakesEnvironment::kUnknown;
  int most = -1;
  if (const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(dwarf_begin(fd, DWARF_C_READ), dwarf_end); dwarf) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version = 0;
    std::uint8_t type = 0;
    Dwarf_Die die, split;
    while (dwarf_get_units(dwarf.get(), unit, &unit, &version, &type, &die, &split) == 0)
      most = std::max(most, parameters_of_main(die));
  }
  ::close(fd);
  return most < 0 ? MainTakesEnvironment::kUnknown : most > 2 ? MainTakesEnvironment::kYes : MainTakesEnvironment::kNo;
}

}  // namespace heddle
