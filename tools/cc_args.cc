#include "tools/cc_args.h"

#include <algorithm>
#include <array>
#include <optional>

namespace heddle {
namespace {

using std::string_view;

constexpr int kMaxResponseDepth = 16;

template <std::size_t N>
bool one_of(string_view word, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Options whose value is the next argument: that value is no input file.
constexpr auto kTakesValue = std::to_array<string_view>({"-o",
                                                         "-x",
                                                         "-I",
                                                         "-D",
                                                         "-U",
                                                         "-L",
                                                         "-l",
                                                         "-B",
                                                         "-F",
                                                         "-T",
                                                         "-e",
                                                         "-u",
                                                         "-z",
                                                         "-G",
                                                         "-A",
                                                         "-MF",
                                                         "-MT",
                                                         "-MQ",
                                                         "-MJ",
                                                         "-include",
                                                         "-imacros",
                                                         "-isystem",
                                                         "-iquote",
                                                         "-idirafter",
                                                         "-iprefix",
                                                         "-iwithprefix",
                                                         "-iwithprefixbefore",
                                                         "-isysroot",
                                                         "-include-pch",
                                                         "-imultilib",
                                                         "-cxx-isystem",
                                                         "-Xclang",
                                                         "-Xlinker",
                                                         "-Xassembler",
                                                         "-Xpreprocessor",
                                                         "-Xanalyzer",
                                                         "-mllvm",
                                                         "-target",
                                                         "-arch",
                                                         "-rpath",
                                                         "-aux-info",
                                                         "--param",
                                                         "-dumpbase",
                                                         "-dumpdir",
                                                         "--sysroot",
                                                         "-serialize-diagnostics",
                                                         "--serialize-diagnostics",
                                                         "-main-file-name",
                                                         "-fnew-alignment",
                                                         "-gcc-toolchain",
                                                         "--config",
                                                         "-resource-dir",
                                                         "-working-directory",
                                                         "-Tbss",
                                                         "-Tdata",
                                                         "-Ttext",
                                                         "-install_name",
                                                         "-stdlib++-isystem"});

// No optimiser and no linker behind these.
constexpr auto kStopsBeforeCode = std::to_array<string_view>(
    {"-E", "-M", "-MM", "--preprocess", "-fsyntax-only", "--analyze", "--precompile", "-emit-ast", "-verify-pch"});
constexpr auto kStopsBeforeLink = std::to_array<string_view>({"-c", "-S", "--compile", "--assemble", "-emit-llvm"});
// Clang answers and stops.
constexpr auto kQuestions =
    std::to_array<string_view>({"--version", "--help", "-help", "-dumpversion", "-dumpmachine", "--autocomplete"});
constexpr auto kNoLibc = std::to_array<string_view>(
    {"-nostdlib", "--no-standard-libraries", "-nodefaultlibs", "-nolibc", "-nostartfiles", "-ffreestanding"});
constexpr auto kCompiled =
    std::to_array<string_view>({"c",   "i",    "cc",  "cp",   "cxx",  "cpp", "CPP", "c++", "C",  "CC",  "CXX", "ii",
                                "ixx", "cppm", "ccm", "cxxm", "c++m", "pcm", "m",   "mm",  "mi", "mii", "ll",  "bc"});
constexpr auto kHeaders =
    std::to_array<string_view>({"h", "hh", "hpp", "hxx", "H", "h++", "HXX", "HPP", "inl", "gch", "pch"});

enum class Input { kCode, kHeader, kOther };

Input input_of_language(string_view language) {
  if (language.ends_with("-header") || language.ends_with("-header-unit")) return Input::kHeader;
  if (language.starts_with("assembler")) return Input::kOther;
  return Input::kCode;
}

Input input_of_file(string_view file) {
  auto dot = file.rfind('.');
  if (dot == string_view::npos || file.find('/', dot) != string_view::npos) return Input::kOther;
  auto extension = file.substr(dot + 1);
  if (one_of(extension, kCompiled)) return Input::kCode;
  return one_of(extension, kHeaders) ? Input::kHeader : Input::kOther;
}

// What the walk over the arguments has seen so far.
struct Walk {
  CcRequest& request;
  std::optional<std::string> language;  // of -x
  bool code = false, headers = false, inputs = false;
  bool stops_before_code = false, stops_before_link = false, question = false;

  void library(string_view name) { request.libraries.emplace_back(name); }
  void input(string_view file) {
    inputs = true;
    if (file.ends_with(".so") || file.find(".so.") != string_view::npos) library(file);
    auto kind = language ? input_of_language(*language) : input_of_file(file);
    code |= kind == Input::kCode;
    headers |= kind == Input::kHeader;
  }
  void set_language(string_view value) {
    language = value == "none" ? std::nullopt : std::optional<std::string>(value);
  }
  void linker(string_view word) {
    if (word.starts_with("--build-id") || word.starts_with("-build-id")) request.has_build_id = true;
    if (word == "-shared" || word == "--shared" || word == "-Bshareable") request.shared = true;
    if (word == "-r" || word == "--relocatable" || word == "-i") request.relocatable = true;
  }
  void linker_list(string_view list) {
    while (!list.empty()) {
      auto comma = list.find(',');
      linker(list.substr(0, comma));
      list = comma == string_view::npos ? string_view{} : list.substr(comma + 1);
    }
  }
  void option(string_view word);
};

bool names_thread(string_view list) { return (',' + std::string(list) + ',').find(",thread,") != std::string::npos; }

void Walk::option(string_view word) {
  if (one_of(word, kStopsBeforeCode)) stops_before_code = true;
  if (one_of(word, kStopsBeforeLink)) stops_before_link = true;
  if (one_of(word, kQuestions) || word.starts_with("-print-") || word.starts_with("--print-") ||
      word.starts_with("--help-"))
    question = true;
  if (one_of(word, kNoLibc)) request.no_runtime = true;
  if (word == "-shared" || word == "--shared") request.shared = true;
  if (word == "-r") request.relocatable = true;
  if (word == "-static" || word == "--static" || word == "-static-pie") request.static_flag = word;
  if (word.starts_with("-fsanitize=")) request.thread_sanitizer |= names_thread(word.substr(11));
  if (word.starts_with("-fno-sanitize=") && (names_thread(word.substr(14)) || word.ends_with("=all")))
    request.thread_sanitizer = false;
  if (word.starts_with("-Wl,")) linker_list(word.substr(4));
  if (word.starts_with("-x") && word.size() > 2) set_language(word.substr(2));
  if (word.starts_with("--language=")) set_language(word.substr(11));
  if (word.starts_with("-l") || word.starts_with("-Wl,")) inputs = true;
  if (word.starts_with("-l") && word.size() > 2) library(word.substr(2));
  if (word.starts_with("-L") && word.size() > 2) request.folders.emplace_back(word.substr(2));
}

bool own_flag(CcRequest& request, string_view word) {
  if (word == "-fheddle-late") return request.late = true;
  if (word == "-fno-heddle-late") return request.late = false, true;
  if (word == "-fheddle-calls") return request.calls = true;
  if (word == "-fheddle-stats") return request.stats = true;
  if (word == "-fno-heddle") return request.off = true;
  if (word == "-fheddle") return request.off = false, true;
  return false;
}

void expand(const std::vector<std::string>& args, ReadFile read_file, int depth, std::vector<std::string>& out) {
  for (const auto& arg : args) {
    std::string text;
    if (arg.size() > 1 && arg[0] == '@' && depth < kMaxResponseDepth && read_file(arg.substr(1), text))
      expand(split_response(text), read_file, depth + 1, out);
    else
      out.push_back(arg);
  }
}

void walk_over(const std::vector<std::string>& words, Walk& walk) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    string_view word = words[i];
    if (own_flag(walk.request, word)) continue;
    if (word.empty() || word[0] != '-' || word == "-") {
      walk.input(word);
      continue;
    }
    if (one_of(word, kTakesValue) && i + 1 < words.size()) {
      string_view value = words[++i];
      if (word == "-x") walk.set_language(value);
      if (word == "-Xlinker") walk.linker(value);
      if (word == "-l") walk.inputs = true, walk.library(value);
      if (word == "-L") walk.request.folders.emplace_back(value);
      continue;
    }
    if (word == "--") {
      while (++i < words.size()) walk.input(words[i]);
      break;
    }
    walk.option(word);
  }
}

}  // namespace

std::vector<std::string> split_response(string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size() && quote != '\'') {
      word += text[++i];
      inside = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

CcRequest analyze_cc(const std::vector<std::string>& args, ReadFile read_file) {
  CcRequest request;
  std::vector<std::string> words;
  expand(args, read_file, 0, words);
  Walk walk{request, {}};
  walk_over(words, walk);
  for (const auto& arg : args) {
    CcRequest scratch;
    if (!own_flag(scratch, arg)) request.passed.push_back(arg);
  }
  bool only_headers = walk.headers && !walk.code;
  request.compiles = walk.code && !walk.stops_before_code && !walk.question;
  request.links = walk.inputs && !only_headers && !walk.stops_before_code && !walk.stops_before_link && !walk.question;
  return request;
}

bool needs_runtime(const CcRequest& request) {
  return request.links && !request.shared && !request.relocatable && !request.no_runtime && !request.off;
}

bool replaces_thread_sanitizer(const CcRequest& request) {
  return request.thread_sanitizer && !request.off && (request.compiles || request.links);
}

std::vector<std::string> cc_command(const CcRequest& request, const CcParts& parts) {
  std::vector<std::string> command{parts.clang};
  if (!parts.driver_mode.empty()) command.push_back("--driver-mode=" + parts.driver_mode);
  auto add = [&](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
  // In front of the user's arguments, so that a `--` or `-x` of theirs does not touch ours.
  if (!request.off) {
    add({"--start-no-unused-arguments", "-isystem", parts.include});
    if (request.compiles) {
      add({"-fpass-plugin=" + parts.plugin});
      // clang reads -mllvm before it loads pass plugins: only -load makes our options known in time.
      if (request.late || request.calls || request.stats) add({"-Xclang", "-load", "-Xclang", parts.plugin});
      if (request.late) add({"-mllvm", "-heddle-late"});
      if (request.calls) add({"-mllvm", "-heddle-calls"});
      if (request.stats) add({"-mllvm", "-heddle-stats"});
    }
    if (request.links && !request.relocatable && !request.has_build_id) add({"-Wl,--build-id=sha1"});
    if (needs_runtime(request))
      add({"-Wl,--dynamic-list=" + parts.symbols, "-Wl,--whole-archive", parts.runtime, "-Wl,--no-whole-archive",
           "-lpthread", "-ldl"});
    // Only the old kind of run path also counts for what libraries need.
    if (needs_runtime(request) && !parts.no_libtsan.empty())
      add({"-Wl,--disable-new-dtags", "-Wl,-rpath," + parts.no_libtsan});
    add({"--end-no-unused-arguments"});
  }
  command.insert(command.end(), request.passed.begin(), request.passed.end());
  // The last word counts, also over what a response file says; behind `--` are files only.
  if (replaces_thread_sanitizer(request))
    command.emplace(std::find(command.begin(), command.end(), "--"), "-fno-sanitize=thread");
  return command;
}

}  // namespace heddle
