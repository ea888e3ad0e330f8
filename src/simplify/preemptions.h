// The preemptions of a trace in source terms: where a thread was stopped, and what ran instead.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/simplify/execution.h"
#include "src/trace/container.h"

namespace heddle {

struct PlaceOfThread {
  std::string thread, function, file;
  std::uint32_t line = 0;
  std::string text;     // what it did there: the statement where the source is to be had, else the event in words
  std::string between;  // stopped inside that line: "its read and its write of hits"
  bool unfinished = false;  // stopped inside that line, and it never went on
};

struct Preemption {
  std::uint64_t step = 0;  // the first that the other thread took
  PlaceOfThread stopped;   // the last statement that the preempted thread executed to its end, as far as can be told
  PlaceOfThread ran;       // the first thing that the other one did
};

/// `turns` are those of the execution in `trace`. Source files that are newer than `built` are not quoted. Errors: the
/// trace cannot be read.
Result<std::vector<Preemption>> preemptions_of(const TraceReader& trace, const Turns& turns,
                                               std::optional<std::filesystem::file_time_type> built);

/// "thread 0.2 was stopped after queue.c:48 (q->mut = 0), thread 0.1 ran queue.c:31 (lock q->mut)", and
/// "thread 0.1 was stopped in hits.c:8 (hits++) between its read and its write of hits, thread 0.2 ran ..."
std::string in_words(const Preemption& preemption);

}  // namespace heddle
