// Names of functions for people and for signatures. Pure text; internal to src/program, src/failure and src/bitcode.
#pragma once
#include <string>
#include <string_view>

namespace heddle {

/// Compiler suffixes cut off: "_Z4takev.heddle" -> "_Z4takev", "take.part.0" -> "take", "read@GLIBC_2.2.5" -> "read".
std::string_view strip_suffixes(std::string_view linkage);

/// A demangled name without return type and parameter lists: "void Queue<int>::push<long>(long) const" ->
/// "Queue<int>::push<long>".
std::string without_parameters(std::string_view demangled);

/// The same without template arguments: "Queue::push". What signatures are made of.
std::string bare_name(std::string_view demangled);

/// Linkage name to what Frame::function and SiteRecord::function hold: demangled, without parameters and suffixes.
std::string readable_function(const std::string& linkage);

}  // namespace heddle
