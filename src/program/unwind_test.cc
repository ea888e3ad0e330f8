// Laws of Symbolizer::unwind and frames: the stack that the source says is the stack that we report, however it was
// compiled.
#include <algorithm>
#include <chrono>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "src/program/parked_process.h"
#include "src/program/symbolizer.h"

namespace heddle {
namespace {

using testing::compile;
using testing::line_of;
using testing::ParkedProcess;
using testing::ScratchFolder;

std::vector<std::string> user_functions(const Stack& stack) {
  std::vector<std::string> names;
  for (const Frame& frame : stack)
    if (!frame.system && frame.function != "park") names.push_back(frame.function);
  return names;
}

const Frame* frame_of(const Stack& stack, const std::string& function) {
  const auto it = std::ranges::find(stack, function, &Frame::function);
  return it == stack.end() ? nullptr : &*it;
}

std::string text(const Stack& stack) {
  std::string result;
  for (const Frame& f : stack)
    result += fmt::format("{}{} {}:{} [{}]{}{}\n", f.inlined ? "  inlined " : "  ", f.function, f.file, f.line,
                          f.module, f.system ? " system" : "", f.linkage == f.function ? "" : " " + f.linkage);
  return result;
}

using Names = std::vector<std::string>;

const std::string kChain = std::string(testing::kParkDeclarations) + R"(
static volatile int sink;
static inline __attribute__((always_inline)) void innermost(int x) {
  sink = x;
  park(0);  /* parked */
  sink = x + 1;
}
static inline __attribute__((always_inline)) void middle(int x) {
  innermost(x + 1);  /* calls innermost */
  sink = x;
}
__attribute__((noinline)) void outer(int x) {
  middle(x * 2);  /* calls middle */
  sink = 3;
}
int main(void) {
  outer(1);  /* calls outer */
  return 0;
}
)";

struct Build {
  const char* name;
  const char* command;
  const char* file;
};
void PrintTo(const Build& build, std::ostream* out) { *out << build.name; }

class EveryBuild : public ::testing::TestWithParam<Build> {};

TEST_P(EveryBuild, TheStackIsTheOneInTheSource) {
  ScratchFolder folder;
  const auto program = compile(folder, GetParam().file, kChain, GetParam().command);
  ParkedProcess process(program, 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_EQ(user_functions(stack), (Names{"innermost", "middle", "outer", "main"})) << text(stack);
  for (const auto& [function, mark] : std::map<std::string, std::string>{{"innermost", "/* parked */"},
                                                                         {"middle", "calls innermost"},
                                                                         {"outer", "calls middle"},
                                                                         {"main", "calls outer"}}) {
    const Frame* frame = frame_of(stack, function);
    ASSERT_TRUE(frame) << text(stack);
    EXPECT_EQ(frame->line, line_of(kChain, mark)) << function << "\n" << text(stack);
    EXPECT_EQ(frame->file, (folder.path() / GetParam().file).string());
    EXPECT_EQ(frame->inlined, function == "innermost" || function == "middle") << function;
  }
  EXPECT_EQ(user_frame(stack)->function, "park");  // park.o has no debug info and is not known to us
}

INSTANTIATE_TEST_SUITE_P(
    Builds, EveryBuild,
    ::testing::Values(Build{"gcc_O0", "gcc -g -O0", "chain.c"}, Build{"gcc_O2", "gcc -g -O2", "chain.c"},
                      Build{"gpp_O2", "g++ -g -O2", "chain.cc"}, Build{"clang_O0", "clang-19 -g -O0", "chain.c"},
                      Build{"clang_O2", "clang-19 -g -O2 -fomit-frame-pointer", "chain.c"},
                      Build{"clangpp_O2", "clang++-19 -g -O2", "chain.cc"},
                      Build{"gcc_no_pie", "gcc -g -O1 -no-pie -fno-pie", "chain.c"},
                      Build{"clang_no_pie_lld", "clang-19 -g -O1 -no-pie -fno-pie -fuse-ld=lld", "chain.c"},
                      Build{"clang_pie_lld", "clang-19 -g -O1 -fuse-ld=lld", "chain.c"},
                      Build{"gcc_dwarf4", "gcc -g -gdwarf-4 -O2", "chain.c"},
                      Build{"clang_dwarf4", "clang-19 -g -gdwarf-4 -O2", "chain.c"},
                      Build{"gcc_compressed", "gcc -g -gz -O2", "chain.c"},
                      Build{"clang_split", "clang-19 -g -gsplit-dwarf -O2", "chain.c"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Unwind, WithoutDebugInfoTheSymbolsRemain) {
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "chain.cc", kChain, "g++ -O2"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_EQ(user_functions(stack), (Names{"outer", "main"})) << text(stack);
  EXPECT_EQ(frame_of(stack, "outer")->linkage, "_Z5outeri");
}

TEST(Unwind, StrippedProgramsStillUnwind) {
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "chain.c", kChain, "gcc -O2 -s"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_TRUE(frame_of(stack, "__libc_start_main")) << text(stack);
}

const std::string kThreads = std::string(testing::kParkDeclarations) + R"(
#include <thread>
#include <functional>
namespace shop {
template <class T> struct Queue {
  T value{};
  __attribute__((noinline)) void push(T x) { value = x; park(1); value = 0; }
};
}
static __attribute__((noinline)) int deep(int n) { if (n == 0) { park(0); return 0; } return deep(n - 1) + 1; }
int main() {
  std::thread a([] { deep(5); });
  std::thread b([] { shop::Queue<int> q; q.push(3); });
  a.join(); b.join();
}
)";

TEST(Unwind, ThreadsStartInTheUsersFunction) {
  ScratchFolder folder;
  for (const char* command :
       {"g++ -std=c++20 -g -O1 -pthread -fno-optimize-sibling-calls", "clang++-19 -std=c++20 -g -O0 -pthread"}) {
    ParkedProcess process(compile(folder, "threads.cc", kThreads, command), 2);
    ASSERT_TRUE(process.ok());
    Symbolizer symbolizer;
    ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
    const Stack a = symbolizer.unwind(process.pid(), process.regs(0)),
                b = symbolizer.unwind(process.pid(), process.regs(1));
    const auto names = user_functions(a);
    EXPECT_EQ(std::ranges::count(names, "deep"), 6) << text(a);
    EXPECT_EQ(names.size(), 7u) << text(a);  // deep x 6, the lambda
    ASSERT_EQ(user_functions(b).size(), 2u) << text(b);
    EXPECT_EQ(user_functions(b)[0], "shop::Queue<int>::push");
  }
}

TEST(Unwind, TheLimitIsKept) {
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "threads.cc", kThreads, "g++ -std=c++20 -g -O0 -pthread"), 2);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  EXPECT_EQ(symbolizer.unwind(process.pid(), process.regs(0), 3).size(), 3u);
}

TEST(Unwind, ACallThroughNullIsBlamedOnItsCaller) {
  const std::string source = std::string(testing::kParkDeclarations) + R"(
void (*volatile hook)(void);
int after;
__attribute__((noinline)) void call_it(void) { hook(); after = 1; }
int main(void) { park_on_fault(0); call_it(); after = 2; return 0; }
)";
  ScratchFolder folder;
  for (const char* command : {"gcc -g -O2", "clang-19 -g -O0"}) {
    ParkedProcess process(compile(folder, "null.c", source, command), 1);
    ASSERT_TRUE(process.ok());
    Symbolizer symbolizer;
    ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
    const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
    EXPECT_EQ(user_functions(stack), (Names{"call_it", "main"})) << text(stack);
    EXPECT_EQ(user_frame(stack)->line, line_of(source, "hook(); after"));
  }
}

TEST(Unwind, AFaultInsideTheLibraryIsBlamedOnTheUsersFrame) {
  const std::string source = std::string(testing::kParkDeclarations) + R"(
#include <string.h>
char* volatile nowhere;
__attribute__((noinline)) size_t measure(void) { return strlen(nowhere) + 1; }
int main(void) { park_on_fault(0); return (int)measure() + 1; }
)";
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "strlen.c", source, "gcc -g -O2 -fno-builtin"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_EQ(user_frame(stack)->function, "measure") << text(stack);
}

TEST(Unwind, LibrariesThatWereOpenedLaterAreSeen) {
  const std::string library = std::string(testing::kParkDeclarations) + R"(
int done;
__attribute__((noinline)) void in_library(void (*go)(unsigned)) { go(0); done = 1; }
)";
  ScratchFolder folder;
  const auto so = compile(folder, "late.c", library, "gcc -g -O2 -shared -fPIC");
  const std::string source = std::string(testing::kParkDeclarations) + fmt::format(R"(
#include <dlfcn.h>
int main(void) {{
  void* h = dlopen("{}", RTLD_NOW);
  void (*f)(void (*)(unsigned)) = (void (*)(void (*)(unsigned)))dlsym(h, "in_library");
  f(park);
  return 1;
}}
)",
                                                                                   so.string());
  const auto plain = compile(folder, "chain.c", kChain, "gcc -g -O0");
  ParkedProcess first(plain, 1), process(compile(folder, "opener.c", source, "gcc -g -O1"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(first.pid()).has_value());  // another program at the same addresses
  ASSERT_TRUE(frame_of(symbolizer.unwind(first.pid(), first.regs(0)), "outer"));
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_EQ(user_functions(stack), (Names{"in_library", "main"})) << text(stack);
  EXPECT_EQ(frame_of(stack, "in_library")->module, "late.out");
}

TEST(Unwind, CodeWithoutUnwindTablesIsWalkedByFramePointers) {
  ScratchFolder folder;
  ParkedProcess process(
      compile(folder, "chain.c", kChain,
              "gcc -g -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables"),
      1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_EQ(user_functions(stack), (Names{"innermost", "middle", "outer", "main"})) << text(stack);
}

TEST(Unwind, ARebuiltProgramIsReadAgain) {
  ScratchFolder folder;
  Symbolizer symbolizer;
  for (const char* name : {"first_name", "other_name"}) {
    const std::string source = std::string(testing::kParkDeclarations) +
                               fmt::format(
                                   "int x;\n__attribute__((noinline)) void {0}(void) {{ park(0); x = 1; }}\n"
                                   "int main(void) {{ {0}(); x = 2; return 0; }}\n",
                                   name);
    ParkedProcess process(compile(folder, "same.c", source, "gcc -g -O1"), 1);
    ASSERT_TRUE(process.ok());
    ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
    EXPECT_EQ(user_functions(symbolizer.unwind(process.pid(), process.regs(0))), (Names{name, "main"}));
  }
}

TEST(Unwind, ACallWithoutALineIsAtItsFunction) {
  const std::string source = std::string(testing::kParkDeclarations) + R"(
int after;
static inline __attribute__((always_inline)) void innermost(void) { park(0); after = 1; }
static inline __attribute__((always_inline)) void middle(void) {  // declared
#line 0
  innermost(); }
#line 100
int main(void) { middle(); after = 2; return 0; }
)";
  for (const char* compiler : {"clang-19 -g -O1 -w", "gcc -g -O1 -w"}) {
    ScratchFolder folder;
    ParkedProcess process(compile(folder, "lineless.c", source, compiler), 1);
    ASSERT_TRUE(process.ok());
    Symbolizer symbolizer;
    ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
    const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
    ASSERT_TRUE(frame_of(stack, "middle")) << compiler;
    EXPECT_EQ(frame_of(stack, "middle")->line, line_of(source, "// declared")) << compiler;
    EXPECT_EQ(std::filesystem::path(frame_of(stack, "middle")->file).filename(), "lineless.c") << compiler;
  }
}

TEST(Unwind, RuntimeCodeIsNotTheUsers) {
  ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "runtime" / "sync");
  const std::string source = std::string(testing::kParkDeclarations) + R"(
int after;
namespace heddle::rt { __attribute__((noinline)) void point() { park(0); after = 1; } }
extern "C" __attribute__((noinline)) int sem_wait(void*) { heddle::rt::point(); after = 2; return 0; }
int main() { sem_wait(nullptr); after = 3; }
)";
  ParkedProcess process(compile(folder, "runtime/sync/semaphore.cc", source, "g++ -g -O1"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  ASSERT_TRUE(frame_of(stack, "sem_wait"));
  EXPECT_TRUE(frame_of(stack, "sem_wait")->system);
  EXPECT_TRUE(frame_of(stack, "heddle::rt::point")->system);
}

TEST(Unwind, RuntimeCodeWithoutDebugInfoIsKnownByItsNames) {
  const std::string source = std::string(testing::kParkDeclarations) + R"(
int after;
namespace heddle::rt { __attribute__((noinline)) void point() { park(0); after = 1; } }
extern "C" __attribute__((noinline)) int usleep(unsigned) { heddle::rt::point(); after = 2; return 0; }
__attribute__((noinline)) void nap() __asm__("_Z3napv.heddle");
void nap() { usleep(1); after = 3; }
int main() { nap(); after = 4; }
)";
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "plain.cc", source, "g++ -O1"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  const Stack stack = symbolizer.unwind(process.pid(), process.regs(0));
  EXPECT_EQ(user_functions(stack), (Names{"nap", "main"})) << text(stack);
  EXPECT_EQ(frame_of(stack, "nap")->linkage, "_Z3napv");
}

TEST(Unwind, NothingIsReadFromAProcessThatIsGone) {
  Symbolizer symbolizer;
  EXPECT_FALSE(symbolizer.attach(999'999'999).has_value());
  HeddleRegs regs{};
  regs.rip = 0x1234;
  EXPECT_EQ(symbolizer.unwind(999'999'999, regs).size(), 1u);
}

TEST(Unwind, GarbageRegistersGiveSomeStackAndNoCrash) {
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "chain.c", kChain, "gcc -g -O0"), 1);
  ASSERT_TRUE(process.ok());
  Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
  std::uint64_t state = 1;
  for (int i = 0; i < 300; ++i) {
    HeddleRegs regs = process.regs(0);
    auto* words = reinterpret_cast<std::uint64_t*>(&regs);
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    words[state >> 60 & 7] ^= 1ull << (state >> 40 & 63);
    EXPECT_GE(symbolizer.unwind(process.pid(), regs).size(), 1u);
  }
}

TEST(Unwind, TimesArePrinted) {  // not a timed test: the figures are for the reader
  ScratchFolder folder;
  ParkedProcess process(compile(folder, "threads.cc", kThreads, "clang++-19 -std=c++20 -g -O0 -pthread"), 2);
  ASSERT_TRUE(process.ok());
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto us = [](auto d) { return std::chrono::duration_cast<std::chrono::microseconds>(d).count(); };
  Symbolizer symbolizer;
  for (int i = 0; i < 3; ++i) {
    const auto t0 = now();
    ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
    const auto t1 = now();
    symbolizer.unwind(process.pid(), process.regs(0));
    const auto t2 = now();
    symbolizer.unwind(process.pid(), process.regs(1));
    const auto t3 = now();
    fmt::print("attach {} us, stack of thread a {} us, of thread b {} us\n", us(t1 - t0), us(t2 - t1), us(t3 - t2));
  }
}

}  // namespace
}  // namespace heddle
