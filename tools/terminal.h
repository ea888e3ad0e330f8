// What the verbs share towards the user: messages, colour, ctrl-C, standard input.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/engine/descriptor.h"
#include "src/result/result.h"

namespace heddle {

/// "heddle hunt: message", the advice on a line of its own; to stderr.
void tell_error(std::string_view verb, const Error& error);
/// The same when it is the end of the verb: with --json stdout gets {"error": message}. Returns the exit status 2.
int report_error(std::string_view verb, const Error& error);
/// --json was asked for: from here on report_error() is an object too.
void expect_json();
/// Only that object, if --json was asked for.
void print_error_object(const std::string& message);

/// Bold/red when `fd` is a terminal (and NO_COLOR is not set), else the text itself.
std::string strong(std::string_view text, int fd);
std::string alarming(std::string_view text, int fd);
bool is_terminal(int fd);

/// Calls `print`, which writes to stdout, and flushes. Returns 0, or the errno of what could not be written; a reader
/// that went away (`heddle hunt | head`) is no error.
int written(const std::function<void()>& print);

/// As a shell word: unchanged when it is plain, else in quotes.
std::string shell_word(const std::string& text);
std::string shell_line(const std::vector<std::string>& words);

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
struct StandardInput {
  Descriptor file;
  std::string bytes;
};
Result<std::optional<StandardInput>> read_standard_input();
/// The same from bytes.
Result<StandardInput> standard_input_of(std::string bytes);

}  // namespace heddle
