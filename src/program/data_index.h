// Addresses in static storage to "table[3].next": symbol table for the variable, DWARF types for the part of it.
// Internal to src/program.
#pragma once
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <elfutils/libdwfl.h>

namespace heddle {

class DataIndex {
 public:
  /// `module` must outlive the index; DWARF is read at the first question that needs it.
  explicit DataIndex(Dwfl_Module* module) : module_(module) {}

  /// `address` is a run-time address; "" if no variable lies there.
  std::string name(std::uint64_t address);

 private:
  struct Variable {
    std::uint64_t address = 0;  // in the file
    Dwarf_Die die{};
  };

  void collect();
  void collect_variables(Dwarf_Die die, int depth);
  void note_variable(Dwarf_Die& die);
  void note_foreign(Dwarf_Die& die);
  const Variable* variable_at(std::uint64_t address);
  bool is_opaque(Dwarf_Die& type) const;
  /// Appends ".member" and "[i]" for the part of `type` at `offset`.
  void descend(Dwarf_Die type, std::uint64_t offset, int depth, std::string& name) const;
  bool descend_record(Dwarf_Die& type, std::uint64_t offset, int depth, std::string& name) const;
  void descend_array(Dwarf_Die& type, std::uint64_t offset, int depth, std::string& name) const;

  Dwfl_Module* module_;
  bool collected_ = false;
  std::uint64_t bias_ = 0;
  std::size_t budget_ = 0;
  std::vector<Variable> variables_;  // sorted by address
  /// DIE offsets [first, second) of namespaces whose classes are not looked into (std and friends), sorted.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> foreign_;
};

}  // namespace heddle
