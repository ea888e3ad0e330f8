// A column per thread, time downwards. With more threads than the terminal has room for, one column with thread names.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/view.h"
#include "src/show/words.h"

namespace heddle {

class Columns {
 public:
  /// `threads`: who gets a column, from left to right.
  Columns(const Names& names, SourceFiles& sources, const TraceHead& head, const ViewOptions& options,
          std::vector<std::uint16_t> threads, const Sink& sink);

  /// Each returns false when nobody reads any more.
  bool header();
  /// `verdict` (may be empty) is put before what the row says, in red.
  bool row(const Row& row, std::string_view verdict);
  /// A line that no event made: where a thread failed or is stuck.
  bool remark(std::uint16_t thread, const Place& place, std::string_view verdict, std::string_view text);
  bool fold(std::uint64_t events);
  bool finish() { return flush_mark(std::nullopt); }

 private:
  struct Piece {
    std::string text;
    Paint paint = Paint::Plain;
  };
  std::size_t column_of(std::uint16_t thread) const;
  bool where(std::uint16_t thread, const Place& place);
  bool line(std::uint16_t thread, const std::vector<Piece>& pieces);
  bool flush_mark(std::optional<std::uint16_t> next);
  bool cell(std::uint16_t thread, std::uint32_t line, std::string code, std::string_view verdict, std::string says);

  const Names& names_;
  SourceFiles& sources_;
  const TraceHead& head_;
  const ViewOptions& options_;
  std::vector<std::uint16_t> threads_;
  const Sink& sink_;
  bool listed_ = false;    // one column, each line with its thread's name
  std::size_t width_ = 0;  // of a cell
  std::size_t name_width_ = 0;
  std::vector<std::string> last_where_;
  std::optional<std::uint16_t> mark_;  // preempted thread whose mark is not printed yet
  std::optional<std::uint16_t> last_thread_;
};

}  // namespace heddle
