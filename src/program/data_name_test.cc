// Laws of Symbolizer::data_name: an address in static storage is called what the source calls it.
#include <gtest/gtest.h>

#include "src/program/parked_process.h"
#include "src/program/symbolizer.h"

namespace heddle {
namespace {

using testing::compile;
using testing::ParkedProcess;
using testing::ScratchFolder;

void expect_names(const std::string& file, const std::string& source, const std::vector<std::string>& names,
                  const std::vector<const char*>& commands) {
  ScratchFolder folder;
  for (const char* command : commands) {
    ParkedProcess process(compile(folder, file, std::string(testing::kParkDeclarations) + source, command), 1);
    ASSERT_TRUE(process.ok());
    Symbolizer symbolizer;
    ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
    for (unsigned i = 0; i < names.size(); ++i)
      EXPECT_EQ(symbolizer.data_name(process.address(i)), names[i]) << command;
  }
}

TEST(DataName, CVariablesMembersAndElements) {
  const char* source = R"(
#include <pthread.h>
#include <semaphore.h>
struct Node { int value; struct Node* next; };
struct Queue { pthread_mutex_t lock; int head, tail; struct { int inner; } nested; union { int a; float b; }; int grid[3][4]; };
int counter;
struct Queue q;
struct Node table[8];
static pthread_cond_t condition;
static struct Queue many[2];
static sem_t free_slots;
int main(void) {
  static int calls;
  publish(0, &counter); publish(1, &q.lock); publish(2, &q.tail); publish(3, &table[3].next); publish(4, &condition);
  publish(5, &many[1].lock); publish(6, &q.nested.inner); publish(7, &q.grid[2][1]); publish(8, &calls); publish(9, &q.b);
  publish(10, (char*)&q.lock + 16); publish(11, &free_slots);
  park(0);
  calls++;
  return calls + counter;
}
)";
  expect_names("data.c", source,
               {"counter", "q.lock", "q.tail", "table[3].next", "condition", "many[1].lock", "q.nested.inner",
                "q.grid[2][1]", "calls", "q.a", "q.lock", "free_slots"},
               {"gcc -g -O0", "clang-19 -g -O0", "gcc -g -O1 -no-pie -fno-pie", "clang-19 -g -O1 -gdwarf-4",
                "clang-19 -g -O0 -fuse-ld=lld"});
}

TEST(DataName, CppVariablesAndLibraryObjects) {
  const char* source = R"(
#include <atomic>
#include <condition_variable>
#include <mutex>
namespace shop {
struct Base { int id; };
struct Till : Base { std::mutex lock; std::atomic<int> sum; virtual ~Till() {} };
Till till;
static int hidden;
}
namespace { std::mutex m; }
std::condition_variable cv;
struct Pool { static int live; static Pool& get() { static Pool pool; return pool; } int free_list = 0; };
int Pool::live;
int main() {
  publish(0, &shop::till.lock); publish(1, &shop::till.sum); publish(2, &m); publish(3, &cv); publish(4, &Pool::live);
  publish(5, &Pool::get().free_list); publish(6, &shop::till.id); publish(7, &shop::hidden);
  park(0);
  shop::hidden++;
  m.lock();
}
)";
  expect_names("data.cc", source,
               {"shop::till.lock", "shop::till.sum", "(anonymous namespace)::m", "cv", "Pool::live",
                "Pool::get::pool.free_list", "shop::till.id", "shop::hidden"},
               {"g++ -std=c++20 -g -O0", "clang++-19 -std=c++20 -g -O0", "clang++-19 -std=c++20 -g -O1"});
}

TEST(DataName, WithoutDebugInfoTheSymbolRemains) {
  const char* source = R"(
struct { int a, b; } pair;
int main(void) { int local; publish(0, &pair.b); publish(1, &local); publish(2, 0); publish(3, main); park(0); return pair.a; }
)";
  expect_names("plain.c", source, {"pair", "", "", ""}, {"gcc -O0", "clang-19 -O0"});
}

}  // namespace
}  // namespace heddle
