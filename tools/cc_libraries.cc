#include "tools/cc_libraries.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string_view>

namespace heddle {
namespace {

constexpr std::string_view kAsked = "libtsan.so.";

// The names of needed libraries are strings of the file: no need to understand more of it.
bool names_libtsan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!content.starts_with("\x7f"
                           "ELF"))
    return false;
  return std::search(content.begin(), content.end(), std::boyer_moore_searcher(kAsked.begin(), kAsked.end())) !=
         content.end();
}

}  // namespace

bool asks_for_libtsan(const CcRequest& request) {
  for (const std::string& library : request.libraries) {
    if (library.find(".so") != std::string::npos && names_libtsan(library)) return true;
    for (const std::string& folder : request.folders)
      if (names_libtsan(folder + "/lib" + library + ".so")) return true;
  }
  return false;
}

}  // namespace heddle
