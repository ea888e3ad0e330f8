#include "src/failure/wait_cycle.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "src/program/function_name.h"

namespace heddle {
namespace {

std::vector<std::string> texts_of(std::span<const DeadlockEdge> edges, std::span<const std::size_t> cycle) {
  std::vector<std::string> texts;
  for (const std::size_t i : cycle) texts.push_back(edge_token(edges[i]));
  return texts;
}

/// Each thread waits for one thread at most, so walking on from `start` either ends or enters the only cycle ahead.
std::vector<std::size_t> cycle_from(std::span<const DeadlockEdge> edges,
                                    const std::map<std::string, std::size_t>& edge_of, std::size_t start) {
  std::vector<std::size_t> path;
  for (std::size_t at = start;;) {
    if (const auto seen = std::ranges::find(path, at); seen != path.end()) return {seen, path.end()};
    path.push_back(at);
    const auto next = edge_of.find(edges[at].holder);
    if (next == edge_of.end()) return {};
    at = next->second;
  }
}

/// The rotation with the smallest texts; among equal ones the one that starts with the first edge, so that it is
/// unique.
void normalise_rotation(std::span<const DeadlockEdge> edges, std::vector<std::size_t>& cycle) {
  std::vector<std::size_t> best = cycle;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    std::ranges::rotate(cycle, cycle.begin() + 1);
    if (std::pair(texts_of(edges, cycle), cycle) < std::pair(texts_of(edges, best), best)) best = cycle;
  }
  cycle = std::move(best);
}

}  // namespace

std::string edge_token(const DeadlockEdge& edge) {
  const std::string function = bare_name(edge.wait_site.function);
  const std::string_view operation = token(edge.wait);
  return function.empty() ? std::string(operation) : fmt::format("{} {}", operation, function);
}

std::vector<std::size_t> find_cycle(std::span<const DeadlockEdge> edges) {
  std::map<std::string, std::size_t> edge_of;
  for (std::size_t i = 0; i < edges.size(); ++i) edge_of.emplace(edges[i].thread, i);
  std::vector<std::size_t> best;
  std::set<std::size_t> done;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (done.contains(i)) continue;
    std::vector<std::size_t> cycle = cycle_from(edges, edge_of, i);
    done.insert(i);
    done.insert(cycle.begin(), cycle.end());
    if (cycle.empty()) continue;
    normalise_rotation(edges, cycle);
    if (best.empty() || texts_of(edges, cycle) < texts_of(edges, best)) best = std::move(cycle);
  }
  return best;
}

std::vector<std::size_t> root_edges(std::span<const DeadlockEdge> edges) {
  std::set<std::string> blocked;
  for (const DeadlockEdge& e : edges) blocked.insert(e.thread);
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i].holder.empty() || !blocked.contains(edges[i].holder)) roots.push_back(i);
  return roots;
}

}  // namespace heddle
