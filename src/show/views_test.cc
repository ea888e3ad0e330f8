// The page, the timeline, and what both are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <random>

#include "src/show/spans.h"
#include "src/show/view.h"
#include "src/trace/random_trace.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

TraceReader trace_of(const TraceHead& head, std::span<const HeddleEvent> events) {
  const auto folder = TemporaryFolder::create("views");
  EXPECT_TRUE(folder);
  const fs::path file = folder->path() / "t";
  auto writer = TraceWriter::create(file);
  EXPECT_TRUE(writer && writer->append(events) && writer->finish(head));
  auto reader = TraceReader::open(file);
  EXPECT_TRUE(reader);
  return std::move(*reader);  // what is open stays readable without the folder
}

using Show = Status (*)(const TraceReader&, const ViewOptions&, const Sink&);
std::string shown(Show show, const TraceReader& trace, ViewOptions options = {}) {
  options.sources.named = true;
  std::string out;
  EXPECT_TRUE(show(trace, options, [&](std::string_view t) {
    out += t;
    return true;
  }));
  return out;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++n;
  return n;
}

std::string block(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find('>', page.find("id=\"" + id + "\"")) + 1;
  return page.substr(begin, page.find("</script>", begin) - begin);
}

HeddleEvent event(std::uint16_t thread, std::uint8_t kind, std::uint32_t object = 0, std::uint8_t flags = 0) {
  HeddleEvent e{};
  e.thread = thread;
  e.kind = kind;
  e.object = object;
  e.flags = flags;
  return e;
}

std::vector<std::string> spans_of(const std::vector<HeddleEvent>& events) {
  std::vector<std::string> out;
  Spans spans([&](const Span& s) {
    const char* kind = s.kind == Span::Kind::Held ? "held" : "wait";
    out.push_back(std::string(kind) + " " + std::to_string(s.cause.thread) + " " + std::to_string(s.cause.object) +
                  " " + std::to_string(s.from) + "-" + std::to_string(s.to) + (s.ended ? "" : " open"));
  });
  for (std::size_t i = 0; i < events.size(); ++i) spans.add(i, events[i]);
  spans.finish(events.size());
  return out;
}

TEST(Spans, LockIsHeldUntilItsLastUnlock) {
  EXPECT_THAT(spans_of({event(0, HEDDLE_EV_MUTEX_LOCK, 7), event(0, HEDDLE_EV_MUTEX_LOCK, 7),
                        event(0, HEDDLE_EV_MUTEX_UNLOCK, 7), event(0, HEDDLE_EV_MUTEX_UNLOCK, 7)}),
              ElementsAre("held 0 7 0-4"));
}

TEST(Spans, WaitingOnAConditionGivesTheMutexUp) {
  HeddleEvent wait = event(0, HEDDLE_EV_COND_WAIT, 9, HEDDLE_EF_VALUE);
  wait.value = 7;  // not the one that was taken last
  EXPECT_THAT(spans_of({event(0, HEDDLE_EV_MUTEX_LOCK, 7), event(0, HEDDLE_EV_MUTEX_LOCK, 8), wait,
                        event(1, HEDDLE_EV_COND_SIGNAL, 9), event(0, HEDDLE_EV_COND_WAKE, 9)}),
              ElementsAre("held 0 7 0-3", "wait 0 9 3-4", "held 0 7 4-5 open", "held 0 8 1-5 open"));
}

TEST(Spans, PreemptedThreadDoesNotWait) {
  EXPECT_THAT(
      spans_of({event(0, HEDDLE_EV_READ), event(1, HEDDLE_EV_MUTEX_LOCK, 7), event(1, HEDDLE_EV_MUTEX_UNLOCK, 7),
                event(0, HEDDLE_EV_MUTEX_LOCK, 7, HEDDLE_EF_PREEMPTED), event(0, HEDDLE_EV_MUTEX_UNLOCK, 7)}),
      ElementsAre("held 1 7 1-3", "held 0 7 3-5"));
}

TEST(Spans, FailedTryTakesNothing) {
  EXPECT_THAT(spans_of({event(0, HEDDLE_EV_MUTEX_TRYLOCK, 7, HEDDLE_EF_FAILED)}), ElementsAre());
}

TEST(Spans, ALockThatAnotherThreadTakesWithoutAnUnlockHasNoSpan) {
  EXPECT_THAT(spans_of({event(0, HEDDLE_EV_MUTEX_LOCK, 7), event(1, HEDDLE_EV_MUTEX_LOCK, 7),
                        event(1, HEDDLE_EV_MUTEX_UNLOCK, 7)}),
              ElementsAre("held 1 7 1-3"));
  EXPECT_THAT(spans_of({event(0, HEDDLE_EV_RW_RDLOCK, 7), event(1, HEDDLE_EV_RW_RDLOCK, 7)}),
              ElementsAre("held 0 7 0-2 open", "held 1 7 1-2 open"));  // readers do hold it together
}

/// Names of the locks that the page shows as held.
std::vector<std::string> held_in(const TraceHead& head, const std::vector<HeddleEvent>& events) {
  std::vector<std::string> out;
  const auto tables = nlohmann::json::parse(block(shown(show_html, trace_of(head, events)), "tables"));
  for (const auto& span : tables["held"])
    out.push_back(tables["objects"][std::to_string(span[1].get<unsigned>())].get<std::string>());
  return out;
}

TEST(Page, LocksInsideLibcAreNeverHeld) {
  TraceHead head = program_like_head();
  head.failure.reset();
  head.meta.source = TraceSource::kRecorded;
  head.objects = {{1, HEDDLE_EV_MUTEX_LOCK, "libc's loader", NameOrigin::kLibc},
                  {2, HEDDLE_EV_MUTEX_LOCK, "mutex#1", NameOrigin::kNumber},
                  {3, HEDDLE_EV_MUTEX_LOCK, "mutex#2", NameOrigin::kNumber},
                  {4, HEDDLE_EV_MUTEX_LOCK, "forgotten"},
                  {5, HEDDLE_EV_MUTEX_LOCK, "mutex#3", NameOrigin::kNumber},
                  {6, HEDDLE_EV_MUTEX_LOCK, "used"}};
  std::vector<HeddleEvent> events{event(0, HEDDLE_EV_MUTEX_LOCK, 1), event(1, HEDDLE_EV_MUTEX_LOCK, 2),
                                  event(1, HEDDLE_EV_MUTEX_LOCK, 2), event(0, HEDDLE_EV_MUTEX_LOCK, 2),
                                  event(0, HEDDLE_EV_MUTEX_LOCK, 3), event(1, HEDDLE_EV_MUTEX_LOCK, 4),
                                  event(0, HEDDLE_EV_MUTEX_LOCK, 5), event(0, HEDDLE_EV_MUTEX_UNLOCK, 5),
                                  event(0, HEDDLE_EV_MUTEX_LOCK, 6), event(0, HEDDLE_EV_MUTEX_UNLOCK, 6)};
  EXPECT_THAT(held_in(head, events), UnorderedElementsAre("forgotten", "mutex#3", "used"));
  FailureRecord deadlock;
  deadlock.kind = HEDDLE_FAIL_DEADLOCK;
  deadlock.deadlock = {
      {.thread = "0.1", .wait = WaitKind::kLock, .object = "mutex#2", .holder = "0", .wait_site = {}, .hold_site = {}}};
  head.failure = deadlock;
  EXPECT_THAT(held_in(head, events), UnorderedElementsAre("forgotten", "mutex#2", "mutex#3", "used"));
  head.failure.reset();
  head.meta.source = TraceSource::kHunted;  // there are no steps of libc's locks in it
  EXPECT_THAT(held_in(head, events),
              UnorderedElementsAre("libc's loader", "mutex#1", "mutex#2", "forgotten", "mutex#3", "used"));
}

TEST(Page, HoldsEveryEvent) {
  ProgramLikeEvents events(5);
  const std::vector<HeddleEvent> all = events.next(3000);
  const std::string page = shown(show_html, trace_of(program_like_head(), all));
  const auto tables = nlohmann::json::parse(block(page, "tables"));
  EXPECT_EQ(tables["total"], 3000);
  EXPECT_EQ(tables["first"], 0);
  EXPECT_FALSE(tables["shapes"].empty());
  EXPECT_GT(block(page, "events").size(), 3000u);
}

TEST(Page, NoTextOfATraceCanLeaveItsBlock) {
  const std::string evil = "</script><script>alert(1)</script><!-- <img src=//x onerror=alert(2)> \xff\xfe \"'`";
  TraceHead head = sample_head();
  for (SiteRecord& s : head.sites) s.file = s.function = s.variable = evil;
  for (ThreadRecord& t : head.threads) t.entry = t.label = t.name = evil;
  for (ObjectRecord& o : head.objects) o.name = evil;
  head.meta.program = head.output = evil;
  head.notes = {evil};
  head.meta.argv = {evil, evil};
  if (head.failure) head.failure->message = head.failure->file = head.failure->detail = evil;
  const std::string page = shown(show_html, trace_of(head, sample_events()));
  EXPECT_EQ(count(page, "<script"), 3u);  // events, tables, viewer
  EXPECT_EQ(count(page, "</script"), 3u);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, Not(HasSubstr("src=//")));
  EXPECT_THAT(nlohmann::json::parse(block(page, "tables"))["output"].get<std::string>(), HasSubstr("<script>alert(1)"));
}

TEST(Page, AsksForNothingFromElsewhere) {
  const std::string page = shown(show_html, trace_of(sample_head(), sample_events()));
  EXPECT_THAT(page, Not(HasSubstr("://")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
}

TEST(Page, SourceIsTakenFromSourceFilesOnly) {
  TraceHead head = sample_head();
  for (SiteRecord& s : head.sites) s.file = "/etc/passwd", s.line = 1;
  for (Stack& s : head.stacks)
    for (Frame& f : s) f.file = "/etc/passwd", f.line = 1;
  if (head.failure) head.failure->file = "/etc/passwd", head.failure->line = 1;
  const std::string page = shown(show_html, trace_of(head, sample_events()));
  EXPECT_THAT(page, Not(HasSubstr("root:x:")));
}

/// Begin and end of slices by track, as a reader of the format sees them.
struct Track {
  std::int64_t depth = 0, begins = 0, instants = 0;
  std::uint64_t last = 0;
};
struct Decoded {
  std::map<std::uint64_t, Track> tracks;
  std::map<std::uint64_t, std::string> names;
  std::uint64_t described = 0, unknown_names = 0, backwards = 0, too_many_ends = 0;
};

Decoded decode(const std::string& bytes) {
  struct Packet {
    std::uint64_t time = 0, type = 0, track = 0, name = 0;
  };
  Decoded out;
  std::vector<Packet> packets;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    protozero::pbf_reader packet = trace.get_message();
    Packet p;
    bool event = false;
    while (packet.next()) {
      if (packet.tag() == 8) {
        p.time = packet.get_uint64();
      } else if (packet.tag() == 12) {
        protozero::pbf_reader interned = packet.get_message();
        while (interned.next()) {
          protozero::pbf_reader entry = interned.get_message();
          const bool is_name = interned.tag() == 2;
          std::uint64_t number = 0;
          while (entry.next()) {
            if (entry.tag() == 1)
              number = entry.get_uint64();
            else if (is_name)
              out.names[number] = entry.get_string();
            else
              entry.skip();
          }
        }
      } else if (packet.tag() == 11) {
        event = true;
        protozero::pbf_reader e = packet.get_message();
        while (e.next()) {
          if (e.tag() == 9)
            p.type = e.get_uint64();
          else if (e.tag() == 11)
            p.track = e.get_uint64();
          else if (e.tag() == 10)
            p.name = e.get_uint64();
          else
            e.skip();
        }
      } else {
        out.described += packet.tag() == 60;
        packet.skip();
      }
    }
    out.unknown_names += p.name != 0 && !out.names.contains(p.name);
    if (event) packets.push_back(p);
  }
  std::ranges::stable_sort(packets, {}, &Packet::time);  // as Perfetto does
  for (const Packet& p : packets) {
    Track& t = out.tracks[p.track];
    t.depth += p.type == 1 ? 1 : p.type == 2 ? -1 : 0;
    t.begins += p.type == 1;
    t.instants += p.type == 3;
    out.too_many_ends += t.depth < 0;
  }
  return out;
}

TEST(Perfetto, SlicesOfEveryTrackAreNested) {
  ProgramLikeEvents events(11, 5);
  const std::vector<HeddleEvent> all = events.next(5000);
  const Decoded d = decode(shown(show_perfetto, trace_of(program_like_head(5), all)));
  EXPECT_EQ(d.too_many_ends, 0u);
  EXPECT_EQ(d.unknown_names, 0u);
  std::int64_t begins = 0;
  for (const auto& [id, track] : d.tracks) {
    EXPECT_EQ(track.depth, 0) << "track " << id;
    begins += track.begins;
  }
  EXPECT_GE(begins, 5000);
  EXPECT_GE(d.described, 6u);  // the process and five threads
}

TEST(Perfetto, FailureIsAnInstantOfItsThread) {
  const std::string bytes = shown(show_perfetto, trace_of(sample_head(), sample_events()));
  const Decoded d = decode(bytes);
  EXPECT_THAT(bytes, HasSubstr("FAILED: "));
  ASSERT_TRUE(d.tracks.contains(1));  // the process
  EXPECT_EQ(d.tracks.at(1).instants, 1);
}

TEST(Views, RandomTracesAreShown) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 8; ++i) {
    const TraceReader trace = trace_of(random_head(rng), random_events(rng, 200));
    EXPECT_NO_THROW((void)nlohmann::json::parse(block(shown(show_html, trace), "tables")));
    EXPECT_EQ(decode(shown(show_perfetto, trace)).unknown_names, 0u);
  }
}

}  // namespace
}  // namespace heddle
