#include "src/program/code_index.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <dwarf.h>

#include "src/program/function_name.h"

namespace heddle {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxEntriesPerUnit = 4'000'000;

bool holds_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_module:
      return true;
    default:
      return false;
  }
}

std::string linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(die, which, &attribute))
      if (const char* text = dwarf_formstring(&attribute)) return std::string(strip_suffixes(text));
  return {};
}

std::uint64_t number(Dwarf_Die* die, unsigned which) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_attr(die, which, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

void name_frame(Frame& frame, Dwarf_Die* die) {
  frame.linkage = linkage_name(die);
  const char* name = dwarf_diename(die);
  if (!frame.linkage.empty())
    frame.function = readable_function(frame.linkage);
  else if (name)
    frame.function = strip_suffixes(name);
}

/// The inlined calls around `address` inside `die`, outermost first.
void inlined_calls(Dwarf_Die die, std::uint64_t address, int depth, std::vector<Dwarf_Die>& calls) {
  Dwarf_Die child;
  if (depth > kMaxDepth || dwarf_child(&die, &child) != 0) return;
  std::size_t budget = 1'000'000;
  do {
    const int tag = dwarf_tag(&child);
    const bool is_call = tag == DW_TAG_inlined_subroutine;
    const bool is_block = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
    if ((!is_call && !is_block) || dwarf_haspc(&child, address) <= 0) continue;
    if (is_call) calls.push_back(child);
    return inlined_calls(child, address, depth + 1, calls);
  } while (--budget && dwarf_siblingof(&child, &child) == 0);
}

/// Is there `namespace heddle { namespace rt` at the top of the unit?
bool declares_runtime(Dwarf_Die unit) {
  const auto inside = [](Dwarf_Die parent, std::string_view name, Dwarf_Die& found) {
    std::size_t budget = kMaxEntriesPerUnit;
    if (dwarf_child(&parent, &found) != 0) return false;
    do {
      const char* its = dwarf_tag(&found) == DW_TAG_namespace ? dwarf_diename(&found) : nullptr;
      if (its && name == its) return true;
    } while (--budget && dwarf_siblingof(&found, &found) == 0);
    return false;
  };
  Dwarf_Die heddle, rt;
  return inside(unit, "heddle", heddle) && inside(heddle, "rt", rt);
}

}  // namespace

CodeIndex::CodeIndex(Dwarf* dwarf) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die, split;
  while (dwarf && dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    add_unit(die, type == DW_UT_skeleton && split.addr ? split : die);
  }
  std::ranges::sort(ranges_, {}, &Range::low);
}

void CodeIndex::add_unit(const Dwarf_Die& die, const Dwarf_Die& contents) {
  Unit unit{die, contents, {}, false, {}};
  Dwarf_Attribute attribute;
  if (dwarf_attr(&unit.die, DW_AT_comp_dir, &attribute))
    if (const char* folder = dwarf_formstring(&attribute)) unit.folder = folder;
  note_runtime(unit);
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&unit.die, at, &base, &low, &high)) > 0;)
    if (low > 1 && high > low) ranges_.push_back({low, high, units_.size()});  // 0, 1: dropped by the linker
  units_.push_back(std::move(unit));
}

void CodeIndex::note_runtime(Unit& unit) {
  constexpr std::string_view kFolder = "/runtime/";
  const std::string path = absolute(unit, dwarf_diename(&unit.die));
  const auto at = path.rfind(kFolder);
  if (at == std::string::npos || is_runtime_file(path) || !declares_runtime(unit.contents)) return;
  runtime_roots_.push_back(path.substr(0, at + kFolder.size()));
}

bool CodeIndex::is_runtime_file(std::string_view file) const {
  return std::ranges::any_of(runtime_roots_, [&](const std::string& root) { return file.starts_with(root); });
}

std::string CodeIndex::absolute(const Unit& unit, const char* file) {
  if (!file || !*file) return {};
  return (std::filesystem::path(unit.folder) / file).lexically_normal().string();
}

CodeIndex::Unit* CodeIndex::unit_at(std::uint64_t address) {
  auto it = std::ranges::upper_bound(ranges_, address, {}, &Range::low);
  // Ranges of units do not overlap but for leftovers of dropped code: look at a few.
  for (int i = 0; i < 8 && it != ranges_.begin(); ++i) {
    --it;
    if (address < it->high) return &units_[it->unit];
  }
  return nullptr;
}

void CodeIndex::collect_functions(Unit& unit, Dwarf_Die die, int depth, std::size_t& budget) {
  Dwarf_Die child;
  if (depth > kMaxDepth || dwarf_child(&die, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (!holds_functions(tag)) continue;
    if (tag == DW_TAG_subprogram) {
      Dwarf_Addr base = 0, low = 0, high = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &low, &high)) > 0;)
        if (low > 1 && high > low) unit.functions.push_back({low, high, child});
    }
    collect_functions(unit, child, depth + 1, budget);
  } while (budget && --budget && dwarf_siblingof(&child, &child) == 0);
}

Dwarf_Die* CodeIndex::function_at(Unit& unit, std::uint64_t address) {
  if (!std::exchange(unit.functions_known, true)) {
    std::size_t budget = kMaxEntriesPerUnit;
    collect_functions(unit, unit.contents, 0, budget);
    std::ranges::sort(unit.functions, {}, &Function::low);
  }
  auto it = std::ranges::upper_bound(unit.functions, address, {}, &Function::low);
  for (int i = 0; i < 8 && it != unit.functions.begin(); ++i) {
    --it;
    if (address < it->high) return &it->die;
  }
  return nullptr;
}

/// File and line by the line table. Line 0 means "no line in particular" (merged or made-up code): then the last real
/// one before it in the function is taken.
Frame CodeIndex::position_of(Unit& unit, Dwarf_Die* function, std::uint64_t address) {
  Frame position;
  Dwarf_Addr entry = address;
  if (function) dwarf_lowpc(function, &entry);
  for (int tries = 0; tries < 16 && address >= entry; ++tries) {
    Dwarf_Line* line = dwarf_getsrc_die(&unit.die, address);
    Dwarf_Addr start = 0;
    int number = 0, column = 0;
    if (!line || dwarf_lineaddr(line, &start) != 0 || dwarf_lineno(line, &number) != 0) break;
    if (number > 0) {
      dwarf_linecol(line, &column);
      position.file = absolute(unit, dwarf_linesrc(line, nullptr, nullptr));
      position.line = static_cast<std::uint32_t>(number);
      position.column = static_cast<std::uint32_t>(column);
      break;
    }
    if (start == 0) break;
    address = start - 1;
  }
  return position;
}

Stack CodeIndex::frames(std::uint64_t address) {
  Unit* unit = unit_at(address);
  if (!unit) return {};
  Dwarf_Die* function = function_at(*unit, address);
  Frame position = position_of(*unit, function, address);  // of the frame that comes next, walking outwards
  if (!function) return position.line ? Stack{position} : Stack{};

  std::vector<Dwarf_Die> calls;
  inlined_calls(*function, address, 0, calls);
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  if (!calls.empty()) dwarf_getsrcfiles(&unit->die, &files, &file_count);
  Stack stack;
  // A place without a line (merged code, a call that the compiler made) is that of its function: never line 0.
  const auto at_function = [&](Dwarf_Die* die) {
    Dwarf_Die origin;
    Dwarf_Attribute attribute;
    const bool is_inlined =
        dwarf_attr(die, DW_AT_abstract_origin, &attribute) && dwarf_formref_die(&attribute, &origin);
    Dwarf_Word line = 0, file = 0;
    const auto declared = [&](unsigned which, Dwarf_Word& value) {
      return dwarf_attr_integrate(is_inlined ? &origin : die, which, &attribute) &&
             dwarf_formudata(&attribute, &value) == 0;
    };
    // Not dwarf_decl_file(): libdw 0.188 takes DWARF 5's file 0 for none.
    if (position.line != 0 || !declared(DW_AT_decl_line, line) || !declared(DW_AT_decl_file, file) || line == 0) return;
    if (!files) dwarf_getsrcfiles(&unit->die, &files, &file_count);
    if (!files || file >= file_count) return;
    position.file = absolute(*unit, dwarf_filesrc(files, file, nullptr, nullptr));
    position.line = static_cast<std::uint32_t>(line);
    position.column = 0;
  };
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    at_function(&*call);
    name_frame(position, &*call);
    position.inlined = true;
    stack.push_back(position);
    position = {};
    const std::uint64_t file = number(&*call, DW_AT_call_file);
    if (files && file < file_count) position.file = absolute(*unit, dwarf_filesrc(files, file, nullptr, nullptr));
    position.line = static_cast<std::uint32_t>(number(&*call, DW_AT_call_line));
    position.column = static_cast<std::uint32_t>(number(&*call, DW_AT_call_column));
  }
  at_function(function);
  name_frame(position, function);
  stack.push_back(position);
  return stack;
}

}  // namespace heddle
