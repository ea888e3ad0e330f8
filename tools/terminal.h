// What the verbs share towards the user: messages, colour, ctrl-C, standard input.
#pragma once
#include <atomic>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "src/engine/standard_input.h"
#include "src/result/result.h"
#include "src/show/shell_words.h"
#include "src/show/words.h"

namespace heddle {

/// "heddle hunt: message", the advice on a line of its own; to stderr.
void tell_error(std::string_view verb, const Error& error);
/// The same when it is the end of the verb: with --json stdout gets {"error": message}. Returns the exit status 2.
int report_error(std::string_view verb, const Error& error);
/// --json was asked for: from here on report_error() is an object too.
void expect_json();
/// Only that object, if --json was asked for.
void print_error_object(const std::string& message);

/// Text of ours with escape sequences for a terminal in it.
struct Painted {
  std::string text;
};

template <typename T>
inline constexpr bool kIsText = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
/// Strings come from programs and traces: what a terminal would obey is taken out. Painted and literals stay.
template <typename T>
using Shown = std::conditional_t<kIsText<T>, std::string, const T&>;
template <typename T>
Shown<T> shown(const T& value) {
  if constexpr (kIsText<T>)
    return neutral(value);
  else
    return value;
}
/// fmt::print with the arguments as shown(): the way all words of the verbs take.
template <typename... T>
void say(std::FILE* to, fmt::format_string<Shown<T>...> format, const T&... values) {
  std::tuple<Shown<T>...> neutral_values(shown(values)...);
  std::apply([&](auto&... value) { fmt::vprint(to, format, fmt::make_format_args(value...)); }, neutral_values);
}
template <typename... T>
void say(fmt::format_string<Shown<T>...> format, const T&... values) {
  say(stdout, format, values...);
}

/// Bold/red when `fd` is a terminal (and NO_COLOR is not set), else the text itself.
Painted strong(std::string_view text, int fd);
Painted alarming(std::string_view text, int fd);
bool is_terminal(int fd);

/// Calls `print`, which writes to stdout, and flushes. Returns 0, or the errno of what could not be written; a reader
/// that went away (`heddle hunt | head`) is no error.
int written(const std::function<void()>& print);

/// From here on ctrl-C, SIGTERM and SIGHUP set the flag, for good (a second one ends the process).
const std::atomic<bool>& catch_interrupts();
/// For a search that has something to lose: from here on no interrupt ends the process. The first one, which sets the
/// flag above, ends the search. What was found is executed again and written, until the flag returned here is set: by a
/// second interrupt, or 5 s after the first. Then it is written as it is.
const std::atomic<bool>& outlast_interrupts();

/// Arguments before and behind the first "--"; `has_separator` tells an empty program from none.
struct SplitArguments {
  std::vector<std::string> own, program;
  bool has_separator = false;
};
SplitArguments split_arguments(int argc, char** argv);

/// The environment of this process, without our own variables.
std::vector<std::string> current_environment();

/// All of heddle's standard input in a descriptor that can be rewound; no value when it is a terminal, empty for ever,
/// or closed. Errors: more than 64 MiB.
Result<std::optional<StandardInput>> read_standard_input();

}  // namespace heddle

template <>
struct fmt::formatter<heddle::Painted> : fmt::formatter<std::string_view> {
  auto format(const heddle::Painted& painted, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(painted.text, context);
  }
};
