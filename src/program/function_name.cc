#include "src/program/function_name.h"

#include <cctype>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

#include "src/program/symbolizer.h"

namespace heddle {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

/// Length of the bracketed group that starts at text[0], all kinds of brackets nested; the rest of the text if it is
/// not closed.
std::size_t group_length(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == '>' && i > 0 && text[i - 1] == '-') continue;  // "->" in a decltype
    if ((c == ')' || c == ']' || c == '}' || c == '>') && --depth == 0) return i + 1;
  }
  return text.size();
}

/// Length of "operator<<", "operator()", "operator new[]", "operator bool" at text[0]; 0 if there is none.
std::size_t operator_length(std::string_view text) {
  constexpr std::string_view kOperator = "operator";
  if (!text.starts_with(kOperator)) return 0;
  std::size_t i = kOperator.size();
  if (i == text.size() || is_word(text[i])) return 0;
  if (text[i] == ' ' || text[i] == '"') return std::min(text.find('(', i), text.size());  // conversion, new, literal
  if (text.substr(i).starts_with("()") || text.substr(i).starts_with("[]")) return i + 2;
  while (i < text.size() && !is_word(text[i]) && text[i] != '(' && text[i] != ' ') ++i;
  // "operator< <int>" has its blank; "operator<<int>" cannot be told apart and is never produced.
  return i;
}

/// Copies a demangled name without what is not the name: one pass, groups taken as a whole.
class NameReducer {
 public:
  NameReducer(std::string_view text, bool keep_templates) : rest_(text), keep_templates_(keep_templates) {}

  std::string reduce() {
    while (!rest_.empty()) step();
    return std::move(out_);
  }

 private:
  void copy(std::size_t n) {
    out_ += rest_.substr(0, n);
    rest_.remove_prefix(std::min(n, rest_.size()));
  }
  bool at_word_start() const { return out_.empty() || !is_word(out_.back()); }

  void step() {
    const char c = rest_.front();
    if (const auto n = at_word_start() ? operator_length(rest_) : 0) return copy(n);
    if (rest_.starts_with(kAnonymous)) return copy(kAnonymous.size());
    if (c == '{' || c == '[') return copy(group_length(rest_));  // {lambda(int)#1}, [abi:cxx11]
    if (c == '<') return template_arguments();
    if (c == '(') return parameters();
    if (c == ' ') return blank();
    copy(1);
  }

  void template_arguments() {
    const auto n = group_length(rest_);
    if (keep_templates_ || out_.empty()) return copy(n);  // "<lambda()>" is a whole name
    rest_.remove_prefix(n);
  }

  void parameters() {
    rest_.remove_prefix(group_length(rest_));
    // Qualifiers of the member function up to the scope of a local entity or the end.
    const auto scope = rest_.find("::");
    if (rest_.starts_with("::")) return;
    if (rest_.starts_with(' ') && scope != std::string_view::npos &&
        rest_.substr(0, scope).find_first_of("(<") == std::string_view::npos) {
      const std::string_view between = rest_.substr(0, scope);
      if (between == " const" || between == " volatile" || between == " &" || between == " &&" ||
          between == " const &") {
        rest_.remove_prefix(scope);
        return;
      }
    }
    if (rest_.starts_with(" const") || rest_.starts_with(" &") || rest_.starts_with(" [clone") ||
        rest_.starts_with(" volatile"))
      rest_ = {};
  }

  void blank() {  // what came before was a return type
    rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() == '(' || rest_.front() == '<' || rest_.front() == '[') return;
    out_.clear();
    rest_.remove_prefix(std::min(rest_.find_first_not_of("*& "), rest_.size()));  // "void *take": of the type as well
  }

  std::string_view rest_;
  std::string out_;
  bool keep_templates_;
};

}  // namespace

std::string_view strip_suffixes(std::string_view linkage) {
  const auto end = linkage.find_first_of(".@", 1);
  return linkage.substr(0, end);
}

std::string demangle(const std::string& linkage) {
  const std::string name(strip_suffixes(linkage));
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string without_parameters(std::string_view demangled) {
  std::string name = NameReducer(demangled, true).reduce();
  return name.empty() ? std::string(demangled) : name;
}

std::string bare_name(std::string_view demangled) {
  std::string name = NameReducer(demangled, false).reduce();
  return name.empty() ? std::string(demangled) : name;
}

std::string readable_function(const std::string& linkage) {
  std::string name = without_parameters(demangle(linkage));
  // "main::$_0::operator()" and "main::{lambda(int)#1}::operator()" -> "main::{lambda#1}"
  constexpr std::string_view kCall = "::operator()", kLambda = "{lambda(";
  const auto number_at = [&](std::size_t& at) {
    unsigned number = 0;
    for (; at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) && number < 100'000; ++at)
      number = number * 10 + static_cast<unsigned>(name[at] - '0');
    return number;
  };
  const auto replace = [&](std::size_t at, std::size_t end, unsigned number) {
    if (std::string_view(name).substr(end).starts_with(kCall)) end += kCall.size();
    name.replace(at, end - at, "{lambda#" + std::to_string(number) + "}");
  };
  for (std::size_t at = 0; (at = name.find("$_", at)) != name.npos; ++at) {
    std::size_t end = at + 2;
    const unsigned number = number_at(end);
    if (end > at + 2) replace(at, end, number + 1);
  }
  for (std::size_t at = 0; (at = name.find(kLambda, at)) != name.npos; ++at) {
    const std::size_t end = at + group_length(std::string_view(name).substr(at)), hash = name.rfind('#', end);
    if (hash == name.npos || hash < at) continue;
    std::size_t digits = hash + 1;
    const unsigned number = number_at(digits);
    if (digits > hash + 1) replace(at, end, number);
  }
  return name;
}

}  // namespace heddle
