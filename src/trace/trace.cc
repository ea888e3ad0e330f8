#include "src/trace/trace.h"

#include <unordered_map>

namespace heddle {

std::string_view strategy_token(const Meta& meta) {
  return meta.source == TraceSource::kHunted ? std::string_view(meta.strategy) : token(meta.source);
}

void find_objects(FailureRecord& failure, const std::vector<ObjectRecord>& objects) {
  std::unordered_map<std::string_view, std::uint32_t> ids;  // 0: several have that name
  for (const ObjectRecord& object : objects)
    if (const auto [known, is_new] = ids.try_emplace(object.name, object.id); !is_new) known->second = 0;
  const auto find = [&](std::uint32_t& id, const std::string& name, WaitKind wait) {
    const auto found = ids.find(name);
    if (id == 0 && !name.empty() && wait != WaitKind::kThread && found != ids.end()) id = found->second;
  };
  for (ThreadAtFailure& thread : failure.threads) find(thread.state.object_id, thread.state.object, thread.state.wait);
  for (DeadlockEdge& edge : failure.deadlock) find(edge.object_id, edge.object, edge.wait);
}

FailureRecord without_object_ids(FailureRecord failure) {
  for (ThreadAtFailure& thread : failure.threads) thread.state.object_id = 0;
  for (DeadlockEdge& edge : failure.deadlock) edge.object_id = 0;
  return failure;
}

}  // namespace heddle
