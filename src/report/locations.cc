#include "src/report/locations.h"

#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string uri_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) || std::string_view("-._~/+").contains(c)))
      out += c;
    else
      out += fmt::format("%{:02X}", byte);
  }
  return out;
}

std::string folder_uri(const fs::path& folder) {
  std::string text = folder.lexically_normal().string();
  if (!text.ends_with('/')) text += '/';
  return "file://" + uri_path(text);
}

Json Locations::artifact(std::string_view file) const {
  fs::path path(file);
  if (path.is_relative()) path = cwd_ / path;
  path = path.lexically_normal();
  const fs::path below = root_.empty() ? fs::path() : path.lexically_relative(root_);
  if (!below.empty() && *below.begin() != ".." && *below.begin() != ".")
    return {{"uri", uri_path(below.string())}, {"uriBaseId", kSourceRoot}};
  return {{"uri", "file://" + uri_path(path.string())}};
}

Json Locations::location(std::string_view file, std::uint32_t line, std::string_view function,
                         std::string_view message) const {
  Json out = Json::object();
  if (!file.empty()) {
    Json physical = {{"artifactLocation", artifact(file)}};
    if (line > 0) physical["region"] = {{"startLine", line}};
    out["physicalLocation"] = std::move(physical);
  }
  if (!function.empty()) {
    Json logical = {{"name", function}, {"kind", "function"}};
    out["logicalLocations"] = Json::array({std::move(logical)});
  }
  if (!message.empty()) out["message"] = {{"text", message}};
  return out;
}

Json Locations::location(const Frame& frame, std::string_view message) const {
  return location(frame.file, frame.line, frame.function, message);
}

Json Locations::stack(const Stack& stack, std::string_view message) const {
  Json frames = Json::array();
  for (const Frame& frame : stack) {
    if (frame.system) continue;
    Json one = {{"location", location(frame)}};
    if (!frame.module.empty()) one["module"] = frame.module;
    frames.push_back(std::move(one));
  }
  if (frames.empty()) return nullptr;
  return {{"message", {{"text", message}}}, {"frames", std::move(frames)}};
}

}  // namespace heddle
