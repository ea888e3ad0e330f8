#include "src/engine/source_of_program.h"

#include <memory>
#include <set>
#include <system_error>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>

#include "src/engine/descriptor.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(Dwarf_Die& unit) {
  Dwarf_Attribute attribute;
  if (!dwarf_attr(&unit, DW_AT_comp_dir, &attribute)) return {};
  const char* folder = dwarf_formstring(&attribute);
  return folder ? fs::path(folder) : fs::path();
}

struct Candidates {
  std::set<fs::path> named, in_folder;  // units of this name; the same name in the folders of all others
};

Candidates candidates_of(Dwarf* dwarf, const fs::path& name) {
  Candidates out;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die, split;
  while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split) == 0) {
    const fs::path folder = folder_of(die);
    if (!folder.is_absolute()) continue;
    const fs::path file = (folder / name).lexically_normal();
    const char* own = dwarf_diename(&die);
    (own && (folder / own).lexically_normal() == file ? out.named : out.in_folder).insert(file);
  }
  return out;
}

}  // namespace

std::string source_of_program(const fs::path& program, const std::string& name) {
  if (name.empty() || fs::path(name).is_absolute()) return name;
  const Descriptor file(open(program.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return name;
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(dwarf_begin(file.get(), DWARF_C_READ), dwarf_end);
  if (!dwarf) return name;
  Candidates found = candidates_of(dwarf.get(), name);
  if (found.named.empty()) {  // a header, say
    std::error_code none;
    std::erase_if(found.in_folder, [&](const fs::path& path) { return !fs::is_regular_file(path, none); });
    found.named = std::move(found.in_folder);
  }
  return found.named.size() == 1 ? found.named.begin()->string() : name;
}

}  // namespace heddle
