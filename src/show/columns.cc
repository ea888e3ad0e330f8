#include "src/show/columns.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::size_t kMinCell = 28, kMaxCell = 76, kGap = 2, kIndent = 2, kLineNumber = 5;

std::string spaces(std::size_t n) { return std::string(n, ' '); }

}  // namespace

Columns::Columns(const Names& names, SourceFiles& sources, const TraceHead& head, const ViewOptions& options,
                 std::vector<std::uint16_t> threads, const Sink& sink)
    : names_(names), sources_(sources), head_(head), options_(options), threads_(std::move(threads)), sink_(sink) {
  last_where_.resize(threads_.size());
  const std::size_t room = std::max<std::size_t>(options.width, 40) - kIndent;
  const std::size_t n = std::max<std::size_t>(threads_.size(), 1);
  listed_ = n * (kMinCell + kGap) > room + kGap;
  if (listed_) {
    for (std::uint16_t t : threads_)
      name_width_ = std::max(name_width_, std::min<std::size_t>(names_.thread(t).size(), 20));
    width_ = room - std::min(room - 20, name_width_ + kGap);
  } else {
    width_ = std::min((room + kGap) / n - kGap, kMaxCell);
  }
}

std::size_t Columns::column_of(std::uint16_t thread) const {
  const auto it = std::ranges::find(threads_, thread);
  return it == threads_.end() ? 0 : static_cast<std::size_t>(it - threads_.begin());
}

bool Columns::header() {
  if (listed_ || threads_.empty()) return true;
  std::string text = spaces(kIndent);
  for (std::uint16_t t : threads_) {
    std::string title = clean(names_.thread(t), options_.utf8);
    if (t < head_.threads.size() && !head_.threads[t].entry.empty())
      title += " " + clean(head_.threads[t].entry, options_.utf8);
    else
      title = "thread " + title;
    text += paint(options_.colour, Paint::Bold, pad(title, width_, options_.utf8)) + spaces(kGap);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return sink_(text + "\n");
}

/// A cell in its column; the mark of a preempted thread goes into the same line when it belongs to another column.
bool Columns::line(std::uint16_t thread, const std::vector<Piece>& pieces) {
  if (!flush_mark(thread)) return false;
  const std::size_t mine = column_of(thread);
  const std::size_t marked = mark_ ? column_of(*mark_) : mine;
  std::string text = spaces(kIndent);
  if (listed_) {
    const bool same = last_thread_ == thread;
    text += paint(options_.colour, Paint::Cyan,
                  pad(same ? "" : clean(names_.thread(thread), options_.utf8), name_width_, options_.utf8)) +
            spaces(kGap);
  }
  for (std::size_t c = 0; c <= std::max(mine, marked); ++c) {
    if (listed_ && c != mine) continue;
    if (c == mine) {
      std::size_t used = 0;
      for (const Piece& p : pieces) {
        text += paint(options_.colour, p.paint, p.text);
        used += width_of(p.text);
      }
      text += spaces(width_ - std::min(width_, used) + kGap);
    } else if (c == marked) {
      text += paint(options_.colour, Paint::Yellow, pad(signs(options_.utf8).preempted, width_, options_.utf8)) +
              spaces(kGap);
    } else {
      text += spaces(width_ + kGap);
    }
  }
  mark_.reset();
  last_thread_ = thread;
  text.erase(text.find_last_not_of(' ') + 1);
  return sink_(text + "\n");
}

/// Prints a waiting mark on a line of its own when the next line (of thread `next`) cannot carry it.
bool Columns::flush_mark(std::optional<std::uint16_t> next) {
  if (!mark_ || (!listed_ && next && *next != *mark_)) return true;
  const std::uint16_t thread = *std::exchange(mark_, std::nullopt);
  return line(thread, {{fit(signs(options_.utf8).preempted, width_, options_.utf8), Paint::Yellow}});
}

/// Line number, code, verdict, and what the row says: beside the code where there is room, else on a line of its own.
bool Columns::cell(std::uint16_t thread, std::uint32_t number, std::string code, std::string_view verdict,
                   std::string says) {
  if (code.empty()) code = std::exchange(says, {});
  const std::size_t room = width_ - kLineNumber;
  const std::size_t red = verdict.empty() ? 0 : width_of(verdict) + 2, blue = says.empty() ? 0 : width_of(says) + 2;
  const bool beside = std::min(width_of(code), room / 2) + red + blue <= room;
  // Where code is short and so is what it does, these stand in columns of their own.
  const std::size_t most = room - std::min(room, red + (beside ? blue : 0));
  const std::size_t code_width =
      red + blue == 0 ? room : std::min(most, std::max(std::min(width_of(code), most), room * 3 / 5));
  std::vector<Piece> pieces;
  pieces.push_back(
      {pad(number == 0 ? "" : fmt::format("{}", number), kLineNumber - 1, options_.utf8) + " ", Paint::Dim});
  pieces.push_back({pad(code, code_width, options_.utf8), Paint::Plain});
  if (red > 0) pieces.push_back({"  " + fit(verdict, room - 2, options_.utf8), Paint::Red});
  if (blue > 0 && beside) pieces.push_back({"  " + says, Paint::Cyan});
  if (!line(thread, pieces)) return false;
  return beside || blue == 0 ||
         line(thread, {{spaces(kLineNumber + 2) + fit(says, room - 2, options_.utf8), Paint::Cyan}});
}

/// Says in which function and file the thread is when that changed.
bool Columns::where(std::uint16_t thread, const Place& place) {
  std::string text = clean(place.function, options_.utf8);
  if (!place.file.empty())
    text += fmt::format("{}{}", text.empty() ? "" : std::string(" ") + signs(options_.utf8).dot + " ",
                        clean(base_name(place.file), options_.utf8));
  const std::size_t column = column_of(thread);
  if (text.empty() || column >= last_where_.size() || last_where_[column] == text) return true;
  last_where_[column] = text;
  return line(thread, {{fit(text, width_, options_.utf8), Paint::Dim}});
}

bool Columns::row(const Row& row, std::string_view verdict) {
  const Place& place = names_.place(row.place);
  if (row.place != 0 && !where(row.thread, place)) return false;
  const std::string code = clean(sources_.line(place.file, place.line), options_.utf8);
  const std::string says = clean(describe(row, names_, code, options_.utf8), options_.utf8);
  if (!cell(row.thread, place.line, code, verdict, says)) return false;
  if (row.preempted_after) mark_ = row.thread;
  return true;
}

bool Columns::remark(std::uint16_t thread, const Place& place, std::string_view verdict, std::string_view text) {
  if (!where(thread, place)) return false;
  const std::string code = clean(sources_.line(place.file, place.line), options_.utf8);
  return cell(thread, place.line, code, verdict, clean(text, options_.utf8));
}

bool Columns::fold(std::uint64_t events) {
  if (!flush_mark(std::nullopt)) return false;
  const char* e = signs(options_.utf8).ellipsis;
  last_thread_.reset();
  return sink_(spaces(kIndent) +
               paint(options_.colour, Paint::Dim, fmt::format("{} {} {}", e, counted("event", events), e)) + "\n");
}

}  // namespace heddle
