#include "tools/user.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "src/engine/trust.h"
#include "tools/terminal.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

bool is_own(const fs::path& folder) {
  struct stat st{};
  return ::stat(folder.c_str(), &st) == 0 && st.st_uid == ::geteuid();
}

/// Under sudo HOME may be another user's: then the one of the password file counts.
fs::path home_folder() {
  const char* home = std::getenv("HOME");
  if (home && fs::path(home).is_absolute() && is_own(home)) return home;
  const passwd* user = ::getpwuid(::geteuid());
  return user && user->pw_dir && fs::path(user->pw_dir).is_absolute() ? fs::path(user->pw_dir) : fs::path();
}

/// As the XDG base directory specification has it; a relative XDG_STATE_HOME is ignored. Empty: there is no place.
fs::path key_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && fs::path(state).is_absolute()) return fs::path(state) / "heddle" / "key";
  const fs::path home = home_folder();
  return home.empty() ? home : home / ".local" / "state" / "heddle" / "key";
}

}  // namespace

User current_user() { return {current_environment(), key_file(), key_for_new_traces}; }

std::optional<SealKey> key_for_new_traces() {
  Result<SealKey> key = key_in(key_file(), true);
  if (key) return *key;
  say(stderr, "heddle: traces are not sealed, so executing them needs --trust: {}\n", clean(key.error().message, true));
  if (!key.error().advice.empty()) say(stderr, "  {}\n", key.error().advice);
  return std::nullopt;
}

}  // namespace heddle
