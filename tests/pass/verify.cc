// The module is valid after the pass (clang itself does not check), with and without debug info, early and late.
// RUN: %c++ -g -O0 -std=c++20 -S -emit-llvm %s -o - | opt -passes=verify -disable-output
// RUN: %c++ -g -O1 -std=c++20 -S -emit-llvm -Xclang -no-enable-noundef-analysis %s -o - | opt -passes=verify -disable-output
// RUN: %c++ -g -O2 -std=c++20 -S -emit-llvm -fheddle-late %s -o - | opt -passes=verify -disable-output
// RUN: %c++ -O3 -std=c++20 -S -emit-llvm %s -o - | opt -passes=verify -disable-output
// Right after the pass, before anything could clean up:
// RUN: clang++ -g -O2 -std=c++20 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll && %opt -verify-each %t.ll -disable-output
// RUN: clang++ -g -O0 -std=c++20 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll && %opt -verify-each %t.ll -disable-output
// RUN: clang++ -g -O2 -std=c++20 -S -emit-llvm %s -o %t.ll && %opt -verify-each %t.ll -disable-output
// Every hooked clone has a subprogram of its own.
// RUN: %opt -S %t.ll | grep -E "^define .*(\.plain|\.heddle|\.light)\(.*!dbg" | sed 's/.*!dbg \(![0-9]*\).*/\1/' | sort | uniq -d | count 0
#include <functional>
#include <map>
#include <regex>
#include <thread>
int main() {
  std::map<std::string, std::function<int(int)>> f;
  f["x"] = [](int a) { return a + 1; };
  std::jthread t([&] { std::regex r("a+"); f["x"](std::regex_match("aa", r)); });
}
