// Code addresses of one module to functions and lines, inlined calls expanded, from its DWARF. Internal to src/program.
//
// Why not dwfl_module_addrdie and dwarf_getscopes: libdw 0.188 finds compilation units by .debug_aranges alone, which
// clang does not write; and it re-reads the whole unit for every question.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <elfutils/libdw.h>

#include "src/trace/trace.h"

namespace heddle {

class CodeIndex {
 public:
  /// `dwarf` may be null (no debug info): then nothing is ever found. It must outlive the index.
  explicit CodeIndex(Dwarf* dwarf);

  /// Frames for an address of the file (no load bias), innermost first: function, linkage ("" if DWARF has none), file,
  /// line, column, inlined. Empty: no debug info covers it. The last frame is the function that really has a frame on
  /// the stack.
  Stack frames(std::uint64_t address);

  /// Does this absolute source path belong to Heddle's runtime, which is linked into the same executable?
  bool is_runtime_file(std::string_view file) const;

 private:
  struct Function {
    std::uint64_t low, high;
    Dwarf_Die die;
  };
  struct Unit {
    Dwarf_Die die;       // has the line table
    Dwarf_Die contents;  // has the functions (another one with split DWARF)
    std::string folder;  // DW_AT_comp_dir
    bool functions_known = false;
    std::vector<Function> functions;
  };
  struct Range {
    std::uint64_t low, high;
    std::size_t unit;
  };

  void add_unit(const Dwarf_Die& die, const Dwarf_Die& contents);
  void note_runtime(Unit& unit);
  Unit* unit_at(std::uint64_t address);
  void collect_functions(Unit& unit, Dwarf_Die die, int depth, std::size_t& budget);
  Dwarf_Die* function_at(Unit& unit, std::uint64_t address);
  static Frame position_of(Unit& unit, Dwarf_Die* function, std::uint64_t address);
  static std::string absolute(const Unit& unit, const char* file);

  std::vector<Unit> units_;
  std::vector<Range> ranges_;               // sorted by low
  std::vector<std::string> runtime_roots_;  // ".../runtime/"
};

}  // namespace heddle
