// Who waits for what, held by whom. Internal to src/failure.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/failure/evidence.h"

namespace heddle {

/// The edge of one blocked thread.
DeadlockEdge wait_edge(EvidenceReader& evidence, std::size_t thread);

/// Edges of all blocked threads: the cycle first, rotated to its normal form; then the others in thread order.
std::vector<DeadlockEdge> deadlock_edges(EvidenceReader& evidence);

/// Indices of the edges of a cycle (each waits for the next one's thread, the last for the first's), rotated so that
/// the sequence of edge_texts is the smallest one; empty: there is no cycle. Of several cycles the smallest.
std::vector<std::size_t> find_cycle(std::span<const DeadlockEdge> edges);

/// Indices of the edges that nobody blocked could resolve: what the others hang from.
std::vector<std::size_t> root_edges(std::span<const DeadlockEdge> edges);

/// "lock take": operation and function, what a signature says about an edge.
std::string edge_text(const DeadlockEdge& edge);

/// One line for people, and the hints (lost signal, nobody left to signal, lock of a finished thread).
std::string deadlock_message(std::span<const DeadlockEdge> edges);
std::vector<std::string> deadlock_notes(EvidenceReader& evidence);

}  // namespace heddle
