#include "src/show/source_files.h"

#include <algorithm>
#include <fstream>

namespace heddle {

namespace fs = std::filesystem;

namespace {
constexpr std::uintmax_t kMaxFile = 16u << 20;
constexpr std::size_t kMaxFiles = 256;
}  // namespace

SourceFiles::SourceFiles(std::string folder, std::optional<fs::file_time_type> written, SourceRights rights)
    : folder_(std::move(folder)), rights_(std::move(rights)), written_(written) {}

fs::path SourceFiles::allowed(const fs::path& named) const {
  std::error_code ec;
  for (const fs::path& given : rights_.folders) {
    const fs::path folder = fs::canonical(given, ec);
    if (ec) continue;
    const auto inside = [&](const fs::path& path) {  // links are followed first: none leads out
      const fs::path real = fs::canonical(path, ec);
      return !ec && fs::is_regular_file(real, ec) && !real.lexically_relative(folder).string().starts_with("..")
                 ? real
                 : fs::path();
    };
    if (const fs::path real = inside(named); !real.empty()) return real;
    // /build/7/src/queue.c is DIR/src/queue.c here: the longest end of the name that exists
    fs::path rest = named.relative_path();
    while (!rest.empty()) {
      if (const fs::path real = inside(folder / rest); !real.empty()) return real;
      const std::size_t slash = rest.string().find('/');
      if (slash == std::string::npos) break;
      rest = fs::path(rest.string().substr(slash + 1)).relative_path();
    }
  }
  return rights_.named ? named : fs::path();
}

bool SourceFiles::read(const fs::path& path, File& file) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec) || fs::file_size(path, ec) > kMaxFile || ec) return false;
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  file.text.resize(static_cast<std::size_t>(fs::file_size(path, ec)));
  in.read(file.text.data(), static_cast<std::streamsize>(file.text.size()));
  file.text.resize(static_cast<std::size_t>(in.gcount()));
  if (const auto time = fs::last_write_time(path, ec); !ec && written_ && time > *written_) {
    changed_.push_back(path.string());
    file.changed = true;
  }
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    file.lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return true;
}

const SourceFiles::File& SourceFiles::load(std::string_view name) {
  const auto [it, added] = files_.try_emplace(std::string(name));
  if (!added || name.empty() || name.find('\0') != std::string_view::npos) return it->second;
  const fs::path path(name);
  const fs::path readable = allowed(path.is_absolute() || folder_.empty() ? path : fs::path(folder_) / path);
  if (!readable.empty()) read(readable, it->second);
  return it->second;
}

std::string_view SourceFiles::indented(std::string_view name, std::uint32_t number) {
  if (files_.size() >= kMaxFiles && !files_.contains(std::string(name))) return {};
  const File& file = load(name);
  if (number == 0 || number > file.lines.size()) return {};
  std::string_view text = file.lines[number - 1];
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

bool SourceFiles::is_changed(std::string_view name) const {
  const auto found = files_.find(std::string(name));
  return found != files_.end() && found->second.changed;
}

std::string_view SourceFiles::line(std::string_view name, std::uint32_t number) {
  std::string_view text = indented(name, number);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  return text;
}

}  // namespace heddle
