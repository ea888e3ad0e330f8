// What a person or a program sees of a trace. Libraries here write to a Sink only; the tool decides where that goes,
// how wide the terminal is and whether it has colours.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/result/result.h"
#include "src/trace/container.h"

namespace heddle {

/// Receives the output piece by piece; false: nobody reads any more, stop.
using Sink = std::function<bool(std::string_view)>;

/// Which source files may be read to be quoted. A trace names them, so a stranger's could name any file.
struct SourceRights {
  bool named = false;                           // those that the trace names: it is the user's own
  std::vector<std::filesystem::path> folders = {};  // and those below these, also by the end of their name
};

struct ViewOptions {
  unsigned width = 100;  // columns of the terminal
  bool utf8 = true;      // else ASCII only
  bool colour = false;
  bool full = false;                       // nothing is folded
  unsigned around = 6;                     // rows kept around each preemption when a long trace is folded
  std::optional<std::string> thread = {};  // only this thread, by name
  std::uint64_t first_event = 0, last_event = ~0ull;  // of show_events, by the numbers that it prints
  std::optional<std::uint64_t> step = {};  // show_events: the events around this step of the schedule instead
  SourceRights sources = {};
  std::filesystem::path trace = {};        // for the line that says what to type next; empty: no such line
  std::optional<std::filesystem::file_time_type> written = {};  // of the trace: sources that are newer are pointed out
};

/// The answer, the threads, then a column per thread with source lines, values, switches and preemptions. Two passes
/// over the events; memory does not grow with their number unless `full` is set, and then it is streamed. Errors: no
/// such thread.
Status show_text(const TraceReader& trace, const ViewOptions& options, const Sink& sink);

/// One line per event of the window, streamed. Errors: no such thread or step, a window behind the
/// last event.
Status show_events(const TraceReader& trace, const ViewOptions& options, const Sink& sink);

/// One JSON object (the contract's fields of `show`), without a newline at its end.
std::string show_json(const TraceReader& trace);

/// One page for a browser that needs nothing else: thread lanes over time. A trace of more than a million events: its
/// last million, and the page says so.
Status show_html(const TraceReader& trace, const ViewOptions& options, const Sink& sink);

/// Binary, for Perfetto's viewer: TrackEvents in protobuf, streamed.
Status show_perfetto(const TraceReader& trace, const ViewOptions& options, const Sink& sink);

}  // namespace heddle
