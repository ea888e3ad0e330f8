#include "tools/json.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "src/show/kind_text.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

Json stack_json(const Stack& stack) {
  Json out = Json::array();
  for (const Frame& frame : stack) {
    if (frame.system) continue;
    out.push_back({{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
  }
  return out;
}

Json access_json(const RaceAccess& access) {
  return {{"thread", access.thread},     {"kind", access_token(access.kind)},
          {"function", access.function}, {"file", access.file},
          {"line", access.line},         {"stack", stack_json(access.stack)}};
}

Json step_json(const StepText& step) {
  if (step.kind.empty()) return {{"text", step.text}};
  return {{"thread", step.thread}, {"kind", step.kind}, {"object", step.object}, {"function", step.function},
          {"file", step.file},     {"line", step.line}, {"text", step.text}};
}

}  // namespace

Json failure_json(const std::optional<FailureRecord>& failure) {
  if (!failure) return nullptr;
  Json threads = Json::array();
  for (const ThreadAtFailure& thread : failure->threads)
    threads.push_back(
        {{"thread", thread.thread}, {"state", to_text(thread.state)}, {"stack", stack_json(thread.stack)}});
  Json deadlock = Json::array();
  for (const DeadlockEdge& edge : failure->deadlock)
    deadlock.push_back({{"thread", edge.thread},
                        {"operation", token(edge.wait)},
                        {"object", edge.object},
                        {"holder", edge.holder},
                        {"file", edge.wait_site.file},
                        {"line", edge.wait_site.line}});
  return {{"kind", token(failure->kind)},    {"signature", failure->signature}, {"message", failure->message},
          {"thread", failure->thread},       {"function", failure->function},   {"file", failure->file},
          {"line", failure->line},           {"detail", failure->detail},       {"threads", std::move(threads)},
          {"deadlock", std::move(deadlock)}, {"notes", failure->notes}};
}

Json race_json(const RaceRecord& race) {
  return {{"variable", race.variable},
          {"size", race.size},
          {"first", access_json(race.first)},
          {"second", access_json(race.second)}};
}

Json divergence_json(const std::optional<DivergenceText>& divergence) {
  if (!divergence) return nullptr;
  return {{"step", divergence->step},
          {"reason", divergence->reason},
          {"expected", step_json(divergence->expected)},
          {"actual", step_json(divergence->actual)}};
}

void print_json(const Json& object) {
  std::string text = object.dump(2, ' ', true, Json::error_handler_t::replace);
  text += '\n';
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) std::fflush(stdout);
}

void print_json_error(const std::string& message) { print_json({{"error", message}}); }

}  // namespace heddle
