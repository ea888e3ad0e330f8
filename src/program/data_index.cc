#include "src/program/data_index.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <dwarf.h>
#include <fmt/core.h>

#include "src/program/function_name.h"
#include "src/program/symbolizer.h"

namespace heddle {
namespace {

constexpr int kMaxDepth = 24;
constexpr std::size_t kMaxEntries = 8'000'000;

bool can_hold_variables(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
      return true;
    default:
      return false;
  }
}

/// The constant address of a variable's location; nullopt: on the stack, thread-local, optimised out.
std::optional<std::uint64_t> static_address(Dwarf_Die& die) {
  Dwarf_Attribute attribute, address;
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (!dwarf_attr(&die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1)
    return {};
  if (ops->atom == DW_OP_addr) return ops->number;
  if (ops->atom != DW_OP_addrx && ops->atom != DW_OP_GNU_addr_index) return {};
  Dwarf_Addr value = 0;
  if (dwarf_getlocation_attr(&attribute, ops, &address) != 0 || dwarf_formaddr(&address, &value) != 0) return {};
  return value;
}

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) return false;
  return dwarf_peel_type(&type, &type) == 0;
}

std::uint64_t constant(Dwarf_Die& die, unsigned which, std::uint64_t otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_attr_integrate(&die, which, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : otherwise;
}

std::uint64_t size_of(Dwarf_Die type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

bool is_library_name(std::string_view name) {
  return name.starts_with("pthread_") || name.starts_with("__pthread_") || name == "sem_t" || name == "mtx_t" ||
         name == "cnd_t" || name == "once_flag" || name.starts_with("_IO_");
}

/// Is the type of `die` called pthread_mutex_t or alike before typedefs are peeled? (The union behind it has no name.)
bool has_library_type(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  for (int i = 0; i < 16; ++i) {
    Dwarf_Die type;
    if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) return false;
    const char* name = dwarf_diename(&type);
    if (name && is_library_name(name)) return true;
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type)
      return false;
    die = type;
  }
  return false;
}

/// Number of elements of each dimension; 0 for one that is not known.
std::vector<std::uint64_t> dimensions(Dwarf_Die& array) {
  std::vector<std::uint64_t> result;
  Dwarf_Die child;
  if (dwarf_child(&array, &child) != 0) return result;
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const std::uint64_t bound = constant(child, DW_AT_upper_bound, ~0ull);
    result.push_back(constant(child, DW_AT_count, bound + 1));
  } while (result.size() < 8 && dwarf_siblingof(&child, &child) == 0);
  return result;
}

/// "count.0" (gcc) and "take.count" (clang) are static variables inside functions of C.
std::string symbol_text(const std::string& symbol) {
  if (symbol.starts_with("_Z")) return demangle(symbol);
  const auto dot = symbol.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == symbol.size()) return symbol;
  const bool number = symbol.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return number ? symbol.substr(0, dot) : symbol.substr(dot + 1);
}

/// Parameter lists inside the name of a static local say nothing here: "pool()::free_list" -> "pool::free_list".
std::string variable_text(const std::string& symbol) { return without_parameters(symbol_text(symbol)); }

}  // namespace

std::string DataIndex::name(std::uint64_t address) {
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* text = dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (!text || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || offset >= std::max<std::uint64_t>(symbol.st_size, 1))
    return {};
  std::string name = variable_text(std::string(text, ::strnlen(text, 4096)));
  const Variable* variable = variable_at(address);
  if (!variable || variable->address + bias_ != address - offset) return name;
  Dwarf_Die die = variable->die, type;
  if (!has_library_type(die) && type_of(die, type)) descend(type, offset, 0, name);
  return name;
}

void DataIndex::collect() {
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(module_, &bias);
  bias_ = bias;
  budget_ = kMaxEntries;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die, split;
  while (dwarf && budget_ && dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split) == 0) {
    if (type == DW_UT_skeleton && split.addr) die = split;
    collect_variables(die, 0);
  }
  std::ranges::sort(variables_, {}, &Variable::address);
  std::ranges::sort(foreign_);
}

void DataIndex::collect_variables(Dwarf_Die die, int depth) {
  Dwarf_Die child;
  if (depth > kMaxDepth || dwarf_child(&die, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace) note_foreign(child);
    if (tag == DW_TAG_variable)
      note_variable(child);
    else if (can_hold_variables(tag))
      collect_variables(child, depth + 1);
  } while (budget_ && --budget_ && dwarf_siblingof(&child, &child) == 0);
}

void DataIndex::note_variable(Dwarf_Die& die) {
  if (const auto address = static_address(die)) variables_.push_back({*address, die});
}

void DataIndex::note_foreign(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  if (!name || (std::string_view(name) != "std" && std::string_view(name) != "__gnu_cxx")) return;
  Dwarf_Die next;
  const std::uint64_t first = dwarf_dieoffset(&die);
  std::uint64_t last = dwarf_siblingof(&die, &next) == 0 ? dwarf_dieoffset(&next) : 0;
  if (last <= first) {  // the last entry of its unit
    Dwarf_Off unit_start = first - dwarf_cuoffset(&die), unit_end = 0;
    std::size_t header = 0;
    if (dwarf_nextcu(dwarf_cu_getdwarf(die.cu), unit_start, &unit_end, &header, nullptr, nullptr, nullptr) == 0)
      last = unit_end;
  }
  foreign_.emplace_back(first, last);
}

const DataIndex::Variable* DataIndex::variable_at(std::uint64_t address) {
  if (!std::exchange(collected_, true)) collect();
  const std::uint64_t in_file = address - bias_;
  auto it = std::ranges::upper_bound(variables_, in_file, {}, &Variable::address);
  for (int i = 0; i < 4 && it != variables_.begin(); ++i) {
    --it;
    Dwarf_Die type;
    const std::uint64_t size = type_of(it->die, type) ? size_of(type) : 0;
    if (in_file - it->address < std::max<std::uint64_t>(size, 1)) return &*it;
  }
  return nullptr;
}

/// Types whose parts mean nothing to the user: classes of the C++ library, pthread types and what they are made of.
bool DataIndex::is_opaque(Dwarf_Die& type) const {
  const char* name = dwarf_diename(&type);
  if (name && is_library_name(name)) return true;
  const std::uint64_t at = dwarf_dieoffset(&type);
  auto it = std::ranges::upper_bound(foreign_, at, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
  return it != foreign_.begin() && at < std::prev(it)->second;
}

void DataIndex::descend(Dwarf_Die type, std::uint64_t offset, int depth, std::string& name) const {
  if (depth > kMaxDepth || name.size() > 512) return;
  switch (dwarf_tag(&type)) {
    case DW_TAG_array_type:
      return descend_array(type, offset, depth, name);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      if (!is_opaque(type)) descend_record(type, offset, depth, name);
      return;
    default:
      return;
  }
}

/// False if no member covers `offset` (padding, an incomplete type).
bool DataIndex::descend_record(Dwarf_Die& type, std::uint64_t offset, int depth, std::string& name) const {
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return false;
  std::size_t budget = 100'000;
  do {
    const int tag = dwarf_tag(&child);
    Dwarf_Die member;
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&child, DW_AT_external) ||
        !type_of(child, member))
      continue;
    const std::uint64_t at = constant(child, DW_AT_data_member_location, 0);
    if (offset < at || offset - at >= size_of(member)) continue;
    if (tag == DW_TAG_inheritance && dwarf_hasattr(&child, DW_AT_virtuality)) continue;
    if (const char* its = dwarf_diename(&child); its && tag == DW_TAG_member) name += fmt::format(".{}", its);
    if (!has_library_type(child)) descend(member, offset - at, depth + 1, name);
    return true;
  } while (--budget && dwarf_siblingof(&child, &child) == 0);
  return false;
}

void DataIndex::descend_array(Dwarf_Die& type, std::uint64_t offset, int depth, std::string& name) const {
  Dwarf_Die element;
  std::vector<std::uint64_t> counts = dimensions(type);
  const std::uint64_t size = type_of(type, element) ? size_of(element) : 0;
  if (!size || counts.empty()) return;
  std::uint64_t index = offset / size;
  std::string text;
  for (std::size_t i = counts.size(); i-- > 1;) {  // the last dimension varies fastest
    if (!counts[i]) return;
    text = fmt::format("[{}]", index % counts[i]) + text;
    index /= counts[i];
  }
  name += fmt::format("[{}]", index) + text;
  if (!has_library_type(type)) descend(element, offset % size, depth + 1, name);
}

}  // namespace heddle
