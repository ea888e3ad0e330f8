#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "src/show/fold.h"
#include "src/show/view.h"
#include "src/show/words.h"
#include "src/trace/random_trace.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Show : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::create("show");
    ASSERT_TRUE(made);
    made_ = std::move(*made);
    folder_ = made_.path();
  }

  TraceReader trace(const TraceHead& head, std::span<const HeddleEvent> events) {
    auto writer = TraceWriter::create(folder_ / "t");
    EXPECT_TRUE(writer && writer->append(events) && writer->finish(head));
    auto reader = TraceReader::open(folder_ / "t");
    EXPECT_TRUE(reader);
    return std::move(*reader);
  }
  std::string text(const TraceReader& trace, ViewOptions options = {}, bool own = true) {
    options.sources.named = own;
    std::string out;
    const Status s = show_text(trace, options, [&](std::string_view t) {
      out += t;
      return true;
    });
    EXPECT_TRUE(s);
    return out;
  }
  /// The sample with its source in our folder.
  TraceHead sample_with_source() {
    std::ofstream(folder_ / "lost_update.cc")
        << "\n\n\n\nvoid add() { counter++; }\n\nstd::thread a, b;\n  a.join();\n  assert(counter == 2);\n";
    TraceHead head = sample_head();
    const auto move = [&](std::string& file) {
      if (file == "/src/lost_update.cc") file = (folder_ / "lost_update.cc").string();
    };
    for (SiteRecord& s : head.sites) move(s.file);
    for (Stack& s : head.stacks)
      for (Frame& f : s) move(f.file);
    move(head.failure->file);
    head.failure->deadlock.clear();
    return head;
  }
  TemporaryFolder made_;
  fs::path folder_;
};

TEST_F(Show, TheFirstLineIsTheAnswer) {
  TraceHead head = sample_head();
  EXPECT_THAT(text(trace(head, sample_events())),
              StartsWith("FAILED  assertion `counter == 2'   lost_update.cc:9 in main, thread 0\n"));
  head.failure.reset();
  head.wait_status = 0;
  EXPECT_THAT(text(trace(head, sample_events())), StartsWith("ok: exited 0, with 1 data race\n"));
  head.races.push_back(head.races[0]);  // the same lines: one race to the reader
  EXPECT_THAT(text(trace(head, sample_events())), StartsWith("ok: exited 0, with 1 data race\n"));
  head.races.clear();
  EXPECT_THAT(text(trace(head, sample_events())), StartsWith("ok: exited 0\n"));
  head.wait_status = 3 << 8;
  EXPECT_THAT(text(trace(head, sample_events())), StartsWith("exited 3\n"));
  head.wait_status = 9;
  EXPECT_THAT(text(trace(head, sample_events())), StartsWith("killed by signal 9"));
  head.complete = false;
  EXPECT_THAT(text(trace(head, sample_events())), StartsWith("incomplete"));
}

TEST_F(Show, ColumnsHaveSourceLinesValuesAndPreemptions) {
  const std::string out = text(trace(sample_with_source(), sample_events()), {.width = 200});
  EXPECT_THAT(out, HasSubstr("0 main"));
  EXPECT_THAT(out, HasSubstr("0.1 add()"));
  EXPECT_THAT(out, ContainsRegex("5 +void add[^\n]* counter = 0\n"));
  EXPECT_THAT(out, HasSubstr("counter = 0 → 1"));  // read and write of one line are one row
  EXPECT_THAT(out, HasSubstr("◀ preempted here"));
  EXPECT_THAT(out, ContainsRegex("9 +assert[^\n]*  FAILED  counter = 1"));
  EXPECT_THAT(out, HasSubstr("create thread 0.1"));  // the frame in <thread> is shown by its caller
  EXPECT_THAT(out, Not(HasSubstr("/usr/include")));
  EXPECT_THAT(out, HasSubstr("1 data race"));
  EXPECT_THAT(out, HasSubstr("thread 17 of libfoo is not controlled"));
  EXPECT_THAT(out, HasSubstr("Assertion `counter == 2' failed."));
}

TEST_F(Show, FailureStandsBehindTheLastRowOfItsThreadAlsoWhenThatIsFolded) {
  std::vector<HeddleEvent> events = sample_events();
  for (std::uint64_t i = 0; i < 4; ++i)  // private, in other lines: two or more such rows are folded
    events.push_back({0x90000 + 64 * i, 0, i % 2 ? 1u : HEDDLE_SITE_PC | 8, 0, 0, 0, HEDDLE_EV_READ, 2});
  const std::string out = text(trace(sample_with_source(), events), {.width = 200});
  EXPECT_THAT(out, Not(ContainsRegex("9 +assert[^\n]*  FAILED  counter = 1")));
  EXPECT_THAT(out, ContainsRegex("9 +assert[^\n]* counter = 1(.|\n)*9 +assert[^\n]*  FAILED"));
}

TEST_F(Show, WithoutSourceTheOperationsAreNamed) {
  const std::string out = text(trace(sample_head(), sample_events()), {.width = 120});
  EXPECT_THAT(out, HasSubstr("5    counter = 0"));
}

TEST_F(Show, NoLineIsWiderThanTheTerminalAndAsciiStaysAscii) {
  for (unsigned width : {40u, 60u, 80u, 200u})
    for (bool utf8 : {false, true}) {
      const std::string out = text(trace(sample_with_source(), sample_events()), {.width = width, .utf8 = utf8});
      const std::size_t begin = out.find("\n\n") + 2, end = out.find("\n\n", begin);  // the columns
      std::istringstream lines(out.substr(begin, end - begin));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), width) << line;
      if (!utf8) {
        EXPECT_TRUE(std::ranges::all_of(out, [](char c) { return c >= 0; })) << out;
      }
    }
}

TEST_F(Show, OneThreadOnly) {
  const TraceReader t = trace(sample_with_source(), sample_events());
  const std::string out = text(t, {.thread = "0.1"});
  EXPECT_THAT(out, HasSubstr("◀ preempted here"));
  EXPECT_THAT(out, Not(HasSubstr("create thread")));
  const Status s = show_text(t, {.thread = "0.9"}, [](std::string_view) { return true; });
  ASSERT_FALSE(s);
  EXPECT_THAT(s.error().message, HasSubstr("0.9"));
}

TEST_F(Show, TerminalsAreSafeFromTheTrace) {
  TraceHead head = sample_head();
  head.failure->message = "evil \x1b[2J\x07 \xff\xfe";
  head.threads[1].entry = "\x1b]0;title\x07";
  head.output = "\x1b[31mred\n";
  head.notes = {
      "\xc2\x9b"
      "31m"};
  const std::string out = text(trace(head, sample_events()));
  for (char c : out) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(out.find("\xc2\x9b"), std::string::npos);
}

TEST_F(Show, ADeadlockShowsWhoWaits) {
  TraceHead head = sample_head();
  const Frame at{"f", "f", "/src/d.cc", "d", 12, 1, 0, false, false};
  head.failure->kind = HEDDLE_FAIL_DEADLOCK;
  head.failure->message = "deadlock of 0.1 and 0.2";
  head.failure->deadlock = {{"0.1", WaitKind::kLock, "b", "0.2", 0, at, at},
                            {"0.2", WaitKind::kLock, "a", "0.1", 0, at, at}};
  const std::string out = text(trace(head, sample_events()), {.width = 120});
  EXPECT_THAT(out, StartsWith("FAILED  deadlock of 0.1 and 0.2"));
  EXPECT_THAT(out, HasSubstr("0.1 waits: lock b at d.cc:12 in f"));
  EXPECT_THAT(out, HasSubstr("held by 0.2, taken at d.cc:12 in f"));
}

TEST_F(Show, ADeadlockShowsWhereTheHeldLocksWereTaken) {
  TraceHead head = sample_head();
  const Frame at{"f", "f", "/src/d.cc", "d", 12, 1, 0, false, false};
  head.failure->kind = HEDDLE_FAIL_DEADLOCK;
  head.failure->deadlock = {{"0.1", WaitKind::kLock, "b", "0.2", 0, at, at},
                            {"0", WaitKind::kThread, "0.1", "0.1", 0, at, {}}};
  head.objects.push_back({9, HEDDLE_EV_MUTEX_LOCK, "b"});
  head.sites.push_back({10, HEDDLE_EV_MUTEX_LOCK, 0, 11, 1, "f", "/src/d.cc", ""});
  head.sites.push_back({11, HEDDLE_EV_READ, 4, 30, 1, "g", "/src/d.cc", "mine"});
  HeddleEvent lock{}, own{};
  lock.kind = HEDDLE_EV_MUTEX_LOCK, lock.object = 9, lock.site = 10, lock.thread = 2, lock.address = 0x1000;
  own.kind = HEDDLE_EV_READ, own.site = 11, own.thread = 2, own.address = 0x2000;
  std::vector<HeddleEvent> events(300, own);
  events.insert(events.begin() + 100, lock);  // private to 0.2, far from both ends
  const std::string out = text(trace(head, events), {.width = 120});
  EXPECT_THAT(out, ContainsRegex("11 +lock b"));
  EXPECT_THAT(out, HasSubstr("join 0.1"));
  EXPECT_THAT(out, Not(HasSubstr("held by 0.1")));
}

TEST_F(Show, AThreadStartsInItsOwnFunction) {
  TraceHead head = sample_head();
  head.threads[1].entry = "work";
  head.threads[1].entry_file = "/src/w.cc";
  head.threads[1].entry_line = 3;
  HeddleEvent start{}, create{};
  start.kind = HEDDLE_EV_THREAD_START, start.thread = 1, start.site = head.sites[3].id;  // where it was created
  create.kind = HEDDLE_EV_THREAD_CREATE, create.site = head.sites[3].id;
  std::string out;
  EXPECT_TRUE(show_events(trace(head, std::vector{create, start}), {}, [&](std::string_view t) {
    out += t;
    return true;
  }));
  EXPECT_THAT(out, ContainsRegex("0 +create 0.1 .*main"));
  EXPECT_THAT(out, ContainsRegex("0.1 +start +w.cc:3 work"));
  head.threads[2].entry = "";
  EXPECT_THAT(text(trace(head, sample_events()), {.width = 160}), HasSubstr("thread 0.2"));
}

TEST_F(Show, NamelessAccessesPushNothingOutOfARow) {
  TraceHead head = sample_with_source();
  head.failure.reset();
  HeddleEvent own{}, create{};
  create.kind = HEDDLE_EV_THREAD_CREATE, create.site = head.sites[3].id;
  own.kind = HEDDLE_EV_WRITE, own.site = create.site;
  std::vector<HeddleEvent> events;
  for (std::uint64_t i = 0; i < 20; ++i) own.address = 0x1000 + 64 * i, events.push_back(own);
  events.push_back(create);
  EXPECT_THAT(text(trace(head, events), {.width = 160}), ContainsRegex("create 0.1\n"));
}

TEST_F(Show, AllocationsHaveNoRows) {
  TraceHead head = sample_head();
  auto events = sample_events();
  HeddleEvent note{};
  note.kind = HEDDLE_EV_MALLOC, note.thread = events[3].thread;
  events.insert(events.begin() + 3, note);
  EXPECT_THAT(text(trace(head, events), {.width = 160}), Not(HasSubstr("malloc")));
  EXPECT_THAT(text(trace(head, events), {.width = 160, .full = true}), Not(HasSubstr("malloc")));
}

TEST_F(Show, PreemptedThreadThatNeverComesBackIsMarked) {
  TraceHead head = sample_head();
  auto events = sample_events();
  events.resize(8);  // 0.1 was left after its read, and 0.2 fails
  head.failure->thread = "0.2";
  head.failure->threads = {{"0.1", {.activity = Activity::kAboutTo, .operation = HEDDLE_EV_WRITE}, {}},
                           {"0.2", {.activity = Activity::kRunning}, {}}};
  EXPECT_THAT(text(trace(head, events)), HasSubstr("◀ preempted here"));
  head.failure->threads[0].state = {.activity = Activity::kWaiting, .wait = WaitKind::kLock, .object = "m"};
  EXPECT_THAT(text(trace(head, events)), Not(HasSubstr("◀ preempted here")));
}

TEST_F(Show, LongTracesAreFoldedInBoundedMemory) {
  auto writer = TraceWriter::create(folder_ / "long");
  ASSERT_TRUE(writer);
  ProgramLikeEvents source(1);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->append(source.next(100'000)));
  ASSERT_TRUE(writer->finish(program_like_head()));
  auto reader = TraceReader::open(folder_ / "long");
  ASSERT_TRUE(reader);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const std::string out = text(*reader, {.width = 160});
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024);
  EXPECT_LT(std::ranges::count(out, '\n'), 300);
  EXPECT_THAT(out, HasSubstr("… "));
  EXPECT_THAT(out, HasSubstr("◀ preempted here"));
  EXPECT_THAT(out, Not(HasSubstr("sum")));  // only one thread touches it
  EXPECT_THAT(out, HasSubstr("not shown; --full shows all"));
}

TEST_F(Show, FullShowsEveryRowAndStopsWhenNobodyReads) {
  ProgramLikeEvents source(1);
  const TraceReader t = trace(program_like_head(), source.next(5000));
  EXPECT_THAT(text(t, {.full = true}), HasSubstr("sum"));
  int calls = 0;
  EXPECT_TRUE(show_text(t, {.full = true}, [&](std::string_view) { return ++calls < 5; }));
  EXPECT_EQ(calls, 5);
  calls = 0;
  EXPECT_TRUE(show_events(t, {}, [&](std::string_view) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

TEST_F(Show, EveryEventIsInTheFlatList) {
  std::string out;
  EXPECT_TRUE(show_events(trace(sample_head(), sample_events()), {}, [&](std::string_view t) {
    out += t;
    return true;
  }));
  // The failure, the race at its place, then the events.
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(out, '\n')), sample_events().size() + 2);
  EXPECT_THAT(out, HasSubstr("write counter = 1"));
  EXPECT_THAT(out, HasSubstr("after preemption"));
}

TEST_F(Show, JsonHasTheFieldsOfTheContract) {
  const auto json = nlohmann::json::parse(show_json(trace(sample_head(), sample_events())));
  EXPECT_EQ(json["program"], "/src/lost_update");
  EXPECT_EQ(json["threads"].size(), 3u);
  EXPECT_EQ(json["threads"][1]["name"], "0.1");
  EXPECT_EQ(json["events"], sample_events().size());
  EXPECT_EQ(json["switches"], 5);
  EXPECT_EQ(json["preemptions"], 1);
  EXPECT_EQ(json["failure"]["kind"], "assertion");
  EXPECT_EQ(json["failure"]["line"], 9);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["segments"], 5);
  EXPECT_EQ(json["outcome"], "failed");
  EXPECT_GT(json["bytes_per_event"], 0.0);
  TraceHead head = sample_head();
  head.failure.reset();
  head.meta.program = "\xff";
  EXPECT_EQ(nlohmann::json::parse(show_json(trace(head, {})))["failure"], nullptr);
}

TEST_F(Show, RandomTracesWithWrongIdsAreShown) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 rng(seed);
    TraceHead head = random_head(rng);
    const TraceReader t = trace(head, random_events(rng, 2000));
    EXPECT_FALSE(text(t, {.full = seed % 2 == 0}).empty());
    EXPECT_FALSE(show_json(t).empty());
    EXPECT_TRUE(show_events(t, {}, [](std::string_view) { return true; }));
  }
}

TEST_F(Show, SourceIsQuotedWhereTheReaderMayReadIt) {
  const TraceReader t = trace(sample_with_source(), sample_events());
  EXPECT_NE(text(t, {.width = 200}).find("counter++"), std::string::npos);
  EXPECT_EQ(text(t, {.width = 200}, false).find("counter++"), std::string::npos);
  ViewOptions below{.width = 200};
  below.sources.folders = {folder_};
  EXPECT_NE(text(t, below, false).find("counter++"), std::string::npos);
  fs::create_directories(folder_ / "elsewhere");
  below.sources.folders = {folder_ / "elsewhere"};
  EXPECT_EQ(text(t, below, false).find("counter++"), std::string::npos);
  fs::create_symlink(folder_ / "lost_update.cc", folder_ / "elsewhere/lost_update.cc");  // a link that leads out
  EXPECT_EQ(text(t, below, false).find("counter++"), std::string::npos);
  fs::remove(folder_ / "elsewhere/lost_update.cc");
  fs::copy_file(folder_ / "lost_update.cc", folder_ / "elsewhere/lost_update.cc");  // by the end of its name
  EXPECT_NE(text(t, below, false).find("counter++"), std::string::npos);
}

TEST_F(Show, EventsOfAWindow) {
  const TraceReader t = trace(sample_head(), sample_events());
  const auto shown = [&](ViewOptions options) {
    std::string out;
    EXPECT_TRUE(show_events(t, options, [&](std::string_view part) { return out += part, true; }));
    return out;
  };
  const std::string all = shown({}), some = shown({.first_event = 2, .last_event = 4});
  EXPECT_EQ(std::ranges::count(some, '\n'), std::ranges::count(shown({.last_event = 0}), '\n') + 2);
  EXPECT_NE(all.find(some.substr(some.find("\n        2 ") + 1)), std::string::npos) << some;
  EXPECT_FALSE(show_events(t, {.first_event = 1'000'000}, [](std::string_view) { return true; }));
}

TEST_F(Show, BinaryOutputIsSummedUp) {
  TraceHead head = sample_head();
  head.output = std::string("\x7f" "ELF\0\1\2", 7) + std::string(100, '\x80');
  const std::string out = text(trace(head, sample_events()));
  EXPECT_NE(out.find("107 bytes of binary data, beginning with 7f 45 4c 46"), std::string::npos) << out;
}

TEST(Words, NothingForATerminalToObey) {
  EXPECT_EQ(neutral("a\tb\nc\x1b[31m"), "a\tb\nc?[31m");
  EXPECT_EQ(neutral("a\u009bm \u202egnp.c"), "a??m ?gnp.c");
  EXPECT_EQ(clean("\u2066x\u2069 n\u00e9", true), "?x? n\u00e9");
  EXPECT_TRUE(is_binary(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_binary("\x1b[1mn\u00e9\x1b[0m\r\n"));
}

TEST(Words, CleanAndFit) {
  EXPECT_EQ(clean("a\tb\nc\x1b", true), "a b c?");
  EXPECT_EQ(clean("né\xed\xa0\x80", true), "né???");
  EXPECT_EQ(clean("né", false), "n?");
  EXPECT_EQ(fit("abcdef", 4, true), "abc…");
  EXPECT_EQ(fit("abcdef", 4, false), "a...");
  EXPECT_EQ(fit("ééé", 3, true), "ééé");
  EXPECT_EQ(pad("é", 3, true), "é  ");
  EXPECT_EQ(grouped(1204), "1,204");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(counted("event", 1), "1 event");
}

TEST(Folding, KeepsTheBeginningTheEndAndPreemptions) {
  Fold fold({.head = 3, .middle = 10, .tail = 4, .around = 1});
  for (std::uint64_t i = 0; i < 100; ++i) {
    Row r;
    r.index = r.position = i;
    r.events = 1;
    r.private_only = i >= 40 && i < 45;
    r.preempted_after = i == 50;
    fold.add(r);
  }
  std::vector<std::uint64_t> kept;
  for (const Row& r : fold.finish()) kept.push_back(r.position);
  EXPECT_THAT(kept, testing::ElementsAre(0, 1, 2, 49, 50, 51, 96, 97, 98, 99));
}

}  // namespace
}  // namespace heddle
