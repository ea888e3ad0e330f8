// Reading the raw record of a run: every index, string and stack in it may be damaged by the program's own bug, so each
// is bounded here and nowhere else. Internal to src/failure.
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/failure/failure.h"

namespace heddle {

/// The text in a fixed-size field; it may lack its NUL.
template <std::size_t N>
std::string_view text_of(const char (&field)[N]) {
  return {field, ::strnlen(field, N)};
}

/// A RunEvidence with the answers that every part of the classification asks for.
class EvidenceReader {
 public:
  explicit EvidenceReader(const RunEvidence& evidence);

  const RunEvidence& raw() const { return evidence_; }
  const HeddleFailure& failure() const { return evidence_.result->failure; }
  std::size_t thread_count() const { return evidence_.threads.size(); }
  const HeddleThreadInfo& thread(std::size_t index) const { return evidence_.threads[index]; }
  bool is_thread(std::uint64_t index) const { return index < evidence_.threads.size(); }
  std::string name(std::uint32_t thread) const { return thread_name(evidence_.threads, thread); }

  /// Neither free nor finished.
  bool is_live(std::size_t index) const;
  /// Waits at an operation that cannot be executed and has no deadline.
  bool is_blocked(std::size_t index) const;

  /// The thread's stack now: unwound from its registers while the process stands still, else the one captured at its
  /// pending point, else empty. Computed once.
  const Stack& stack(std::size_t index);
  /// A stack was asked for that could not be read: the sandbox forbids it.
  bool memory_denied() const { return memory_denied_; }
  /// A stack of the run's stack table; empty for 0 and for damaged ids.
  Stack captured_stack(std::uint32_t id) const;
  /// The frames at one return address.
  Stack call(std::uint64_t return_address) const;

  /// The object that the thread's pending operation is about; null: none.
  const HeddleObjectInfo* pending_object(std::size_t index) const;
  /// In the table of objects of this run, and of its trace; 0 for null.
  std::uint32_t object_id(const HeddleObjectInfo* object) const;
  /// "m", "q.lock", "mutex#2"; "" for null.
  std::string object_name(const HeddleObjectInfo* object);

 private:
  const RunEvidence& evidence_;
  std::map<std::size_t, Stack> stacks_;
  bool memory_denied_ = false;
  std::vector<ObjectName> object_names_;  // of all objects, filled at the first question
};

}  // namespace heddle
