// The shape of a deadlock: the cycle of waits, or the waits that no other thread can end.
//
// Rules of this file: signatures are made here, so it knows tokens and no text for people (scripts/check-tree).
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/trace/trace.h"

namespace heddle {

/// Indices of the edges of a cycle (each waits for the next one's thread, the last for the first's), rotated so that
/// the sequence of edge_tokens is the smallest one; empty: there is no cycle. Of several cycles the smallest.
std::vector<std::size_t> find_cycle(std::span<const DeadlockEdge> edges);

/// Indices of the edges that nobody blocked could resolve: what the others hang from.
std::vector<std::size_t> root_edges(std::span<const DeadlockEdge> edges);

/// "lock take": operation and function, what a signature says about an edge.
std::string edge_token(const DeadlockEdge& edge);

}  // namespace heddle
