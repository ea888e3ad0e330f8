// What threads do, and who waits for what, held by whom. Internal to src/failure.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/failure/evidence.h"

namespace heddle {

/// What a thread is doing; its stack is looked at only if it waits.
ThreadState thread_state(EvidenceReader& evidence, std::size_t thread);

/// The edge of one blocked thread.
DeadlockEdge wait_edge(EvidenceReader& evidence, std::size_t thread);

/// Edges of all blocked threads: the cycle first, rotated to its normal form; then the others in thread order.
std::vector<DeadlockEdge> deadlock_edges(EvidenceReader& evidence);

/// One line for people, and the hints (lost signal, nobody left to signal, lock of a finished thread).
std::string deadlock_message(std::span<const DeadlockEdge> edges);
std::vector<std::string> deadlock_notes(EvidenceReader& evidence);

}  // namespace heddle
