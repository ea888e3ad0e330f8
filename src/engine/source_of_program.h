// Where the file lies that a program names in what it says ("queue_test.cc:31: Failure").
#pragma once
#include <filesystem>
#include <string>

namespace heddle {

/// A relative name is one that the compiler was given, in the folder where it ran (DWARF's DW_AT_comp_dir): the
/// absolute path, if the debug information of `program` has one unit of that name, or the file lies in one such folder
/// only. Else, and for an absolute name, the name as it is.
std::string source_of_program(const std::filesystem::path& program, const std::string& name);

}  // namespace heddle
