#include "src/program/function_name.h"

#include <gtest/gtest.h>

#include "src/program/symbolizer.h"

namespace heddle {
namespace {

TEST(FunctionName, CompilerAndCloneSuffixesAreCut) {
  EXPECT_EQ(demangle("take.heddle"), "take");
  EXPECT_EQ(demangle("_Z4takei.plain"), "take(int)");
  EXPECT_EQ(demangle("_Z4takei.heddle.llvm.123"), "take(int)");
  EXPECT_EQ(demangle("take.part.0"), "take");
  EXPECT_EQ(demangle("read@GLIBC_2.2.5"), "read");
  EXPECT_EQ(demangle(""), "");
  EXPECT_EQ(demangle("_Zgarbage"), "_Zgarbage");
}

TEST(FunctionName, ParametersAndReturnTypesAreDropped) {
  EXPECT_EQ(without_parameters("take"), "take");
  EXPECT_EQ(without_parameters("void take(int)"), "take");
  EXPECT_EQ(without_parameters("void *take(void *)"), "take");
  EXPECT_EQ(without_parameters("const char **Shop::names(int)"), "Shop::names");
  EXPECT_EQ(without_parameters("Shop &Shop::get()"), "Shop::get");
  EXPECT_EQ(without_parameters("Queue<int>::push(int) const"), "Queue<int>::push");
  EXPECT_EQ(without_parameters("void Queue<int>::push<long>(long) const &"), "Queue<int>::push<long>");
  EXPECT_EQ(without_parameters("(anonymous namespace)::f(char const*)"), "(anonymous namespace)::f");
  EXPECT_EQ(without_parameters("main::{lambda(int)#1}::operator()(int) const"), "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(without_parameters("main::$_0::operator()() const"), "main::$_0::operator()");
  EXPECT_EQ(without_parameters("f(int)::{lambda()#2}::operator()() const"), "f::{lambda()#2}::operator()");
  EXPECT_EQ(without_parameters("A::f(int) const::{lambda()#1}::operator()() const"), "A::f::{lambda()#1}::operator()");
  EXPECT_EQ(without_parameters("std::function<void (int)>::operator()(int) const"),
            "std::function<void (int)>::operator()");
  EXPECT_EQ(without_parameters("void std::__invoke_impl<void, main::$_0>(std::__invoke_other, main::$_0&&)"),
            "std::__invoke_impl<void, main::$_0>");
  EXPECT_EQ(without_parameters("name[abi:cxx11](int)"), "name[abi:cxx11]");
}

TEST(FunctionName, OperatorsKeepTheirSymbols) {
  EXPECT_EQ(without_parameters("operator<<(std::ostream&, A const&)"), "operator<<");
  EXPECT_EQ(without_parameters("A::operator<(A const&) const"), "A::operator<");
  EXPECT_EQ(without_parameters("A::operator->() const"), "A::operator->");
  EXPECT_EQ(without_parameters("A::operator[](int)"), "A::operator[]");
  EXPECT_EQ(without_parameters("A::operator bool() const"), "A::operator bool");
  EXPECT_EQ(without_parameters("operator new[](unsigned long)"), "operator new[]");
  EXPECT_EQ(without_parameters("my_operator(int)"), "my_operator");
  EXPECT_EQ(bare_name("A<int>::operator<=>(A<int> const&) const"), "A::operator<=>");
}

TEST(FunctionName, BareNamesHaveNoTemplateArguments) {
  EXPECT_EQ(bare_name("void Queue<std::vector<int> >::push<long>(long)"), "Queue::push");
  EXPECT_EQ(bare_name("Queue<int>::push"), "Queue::push");
  EXPECT_EQ(bare_name("<lambda()>"), "<lambda()>");
  EXPECT_EQ(bare_name(""), "");
}

TEST(FunctionName, ReducingTwiceChangesNothing) {
  for (const char* name :
       {"void f<int>(int)", "A::operator()(int) const", "main::{lambda(int)#1}::operator()(int) const", "a b c", "((",
        "<<", "operator", "operator(", "}{", "f(int"}) {
    EXPECT_EQ(without_parameters(without_parameters(name)), without_parameters(name)) << name;
    EXPECT_EQ(bare_name(bare_name(name)), bare_name(name)) << name;
  }
}

TEST(FunctionName, ReadableIsDemangledAndReduced) {
  EXPECT_EQ(readable_function("_ZN5QueueIiE4pushEi.heddle"), "Queue<int>::push");
  EXPECT_EQ(readable_function("main"), "main");
}

TEST(FunctionName, LambdasOfClangAreReadable) {
  EXPECT_EQ(readable_function("_ZZN4shop3runEvENKUlvE_clEv"), "shop::run::{lambda#1}");
  EXPECT_EQ(readable_function("_ZZN4shop3runEvENKUliE0_clEi"), "shop::run::{lambda#2}");
  EXPECT_EQ(readable_function("_ZZ4mainENK3$_0clEv"), "main::{lambda#1}");
  EXPECT_EQ(readable_function("_ZZN4shop3runEvENK3$_1clEv"), "shop::run::{lambda#2}");
}

}  // namespace
}  // namespace heddle
