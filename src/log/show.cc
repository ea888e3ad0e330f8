// A log for people and for programs: what is in it, not yet what it means.
#include <array>
#include <ctime>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "abi/events.h"
#include "src/log/log.h"
#include "src/show/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 200;  // of the text
constexpr std::array<const char*, HEDDLE_LOG_TYPES> kTypes = {"none", "directory", "threads", "sync"};
constexpr std::array<const char*, 3> kFull = {"no", "the log's limit was reached", "the disk was full"};
constexpr std::array<const char*, 3> kFullTokens = {"no", "limit", "disk"};
constexpr const char* kKinds[] = {
#define HEDDLE_X(name, text, event_class, object, properties) text,
    HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
};

std::string date(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm parts{};
  char text[64];
  if (!::gmtime_r(&seconds, &parts) || !std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)) return "?";
  return text;
}

std::string program(const Log& log) {
  return log.modules().empty() ? "an unknown program" : log.modules().front().path;
}

std::set<std::uint64_t> threads(const Log& log) {
  std::set<std::uint64_t> out;
  for (const LogStream& s : log.streams()) out.insert(s.thread);
  return out;
}

Json kinds(const LogStream& s) {
  Json out = Json::object();
  std::array<std::uint64_t, HEDDLE_EV_COUNT> counts{};
  for (const HeddleLogSync& r : Log::sync_of(s))
    counts[HEDDLE_LOG_KIND_OF(r.site) < HEDDLE_EV_COUNT ? HEDDLE_LOG_KIND_OF(r.site) : 0]++;
  for (std::size_t i = 0; i < counts.size(); i++)
    if (counts[i]) out[kKinds[i]] = counts[i];
  return out;
}

}  // namespace

std::string log_text(const Log& log, bool utf8) {
  const HeddleLogHeader& h = log.header();
  std::string out =
      fmt::format("log of {}, process {}, started {}\n", clean(program(log), utf8), h.pid, date(h.realtime_ns));
  out += h.flags & HEDDLE_LOG_RING ? fmt::format("rings of {} KiB\n", h.ring_bytes >> 10) : "linear\n";
  out += fmt::format("{} threads were seen, {} have records here; {} streams, {} bytes committed, {} KiB of {} used\n",
                     h.thread_count, threads(log).size(), log.streams().size(), log.committed(),
                     (h.chunks_at + log.chunks() * h.chunk_bytes) >> 10, h.limit >> 10);
  if (h.full != HEDDLE_LOG_HAS_ROOM)
    out += fmt::format("incomplete: {}\n", kFull[h.full < kFull.size() ? h.full : HEDDLE_LOG_AT_LIMIT]);
  if (h.lost_threads) out += fmt::format("{} streams were not begun: there was no room\n", h.lost_threads);
  out += fmt::format("\n{:<20} {:<8} {:>12} {:>12} {:>8}\n", "thread", "type", "records", "bytes", "lost");
  std::size_t rows = 0;
  for (const LogStream& s : log.streams()) {
    if (rows++ == kMostRows) {
      out += fmt::format("... and {} more streams\n", log.streams().size() - kMostRows);
      break;
    }
    out += fmt::format("{:<20} {:<8} {:>12} {:>12} {:>8}{}{}\n", log.thread_name(s.thread), kTypes[s.type], s.count(),
                       s.committed, s.lost, s.ended ? "  ended" : "",
                       s.overwritten ? fmt::format("  {} chunks overwritten", s.overwritten) : "");
  }
  out += "\n";
  for (const LogModule& m : log.modules())
    out += fmt::format("{:#x} {} build-id {}\n", m.base, clean(m.path, utf8), m.build_id.empty() ? "none" : m.build_id);
  if (log.damage().empty()) return out + "no damage\n";
  for (const std::string& what : log.damage()) out += "damage: " + what + "\n";
  return out;
}

std::string log_json(const Log& log) {
  const HeddleLogHeader& h = log.header();
  Json streams = Json::array(), modules = Json::array(), names = Json::array();
  for (const std::uint64_t number : threads(log))
    names.push_back({{"number", number}, {"name", log.thread_name(number)}});
  for (const LogStream& s : log.streams())
    streams.push_back({{"thread", log.thread_name(s.thread)},
                       {"number", s.thread},
                       {"type", kTypes[s.type]},
                       {"tid", s.tid},
                       {"ended", s.ended},
                       {"records", s.count()},
                       {"committed", s.committed},
                       {"overwritten_chunks", s.overwritten},
                       {"lost", s.lost},
                       {"kinds", kinds(s)}});
  for (const LogModule& m : log.modules())
    modules.push_back({{"path", m.path}, {"build_id", m.build_id}, {"base", m.base}, {"end", m.end}});
  const Json out = {{"log",
                     {{"version", h.version},
                      {"program", program(log)},
                      {"pid", h.pid},
                      {"started_ns", h.realtime_ns},
                      {"ring_bytes", h.ring_bytes},
                      {"limit", h.limit},
                      {"used", h.chunks_at + log.chunks() * h.chunk_bytes},
                      {"committed", log.committed()},
                      {"full", kFullTokens[h.full < kFullTokens.size() ? h.full : HEDDLE_LOG_AT_LIMIT]},
                      {"threads_seen", h.thread_count},
                      {"streams_lost", h.lost_threads}}},
                    {"threads", names},
                    {"streams", streams},
                    {"modules", modules},
                    {"damage", log.damage()}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle
