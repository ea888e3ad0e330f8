// Commands as a user types them into a shell: for messages that say what to type next.
#pragma once
#include <string>
#include <vector>

namespace heddle {

/// As a shell word: unchanged when it is plain, else in quotes.
std::string shell_word(const std::string& text);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace heddle
