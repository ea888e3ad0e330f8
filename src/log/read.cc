#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/log/log.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostBytes = 2ull << 30;  // of a file that is read; a program writes at most 1 GiB
constexpr std::uint32_t kLeastChunk = 4096, kMostChunk = 1u << 24;
constexpr std::size_t kMostDamage = 20;  // sentences
constexpr std::size_t kLongestName = 512;

template <class T>
T at(std::string_view bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Status check(const HeddleLogHeader& h) {
  if (h.magic != HEDDLE_LOG_MAGIC) return error("not a log");
  if (h.version != HEDDLE_LOG_VERSION)
    return error(fmt::format("a log of version {}; this heddle reads version {}", h.version, HEDDLE_LOG_VERSION),
                 "use the heddle that built the program");
  if (h.check != heddle_log_hash(&h, offsetof(HeddleLogHeader, check)))
    return error("the header of the log is damaged");
  const bool sane = h.chunk_bytes >= kLeastChunk && h.chunk_bytes <= kMostChunk &&
                    (h.chunk_bytes & (h.chunk_bytes - 1)) == 0 && h.modules_at >= sizeof h &&
                    h.modules_at <= h.chunks_at && h.chunks_at <= kMostBytes &&
                    (h.chunks_at - h.modules_at) / sizeof(HeddleLogModule) >= HEDDLE_LOG_MODULES;
  if (!sane) return error("the header of the log is damaged");
  return {};
}

/// Closes it at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// As far as the file goes.
std::uint64_t read_from(int fd, char* to, std::uint64_t bytes) {
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::pread(fd, to + done, bytes - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::uint64_t>(n);
  }
  return done;
}

}  // namespace

class LogReader {
 public:
  explicit LogReader(std::string_view bytes) : bytes_(bytes) {}

  Result<Log> read() {
    if (bytes_.size() < sizeof(HeddleLogHeader)) return error("not a log: it is too short");
    log_.header_ = at<HeddleLogHeader>(bytes_, 0);
    if (Status sane = check(log_.header_); !sane) return std::unexpected(sane.error());
    read_modules();
    find_chunks();
    read_directory();
    find_makers();
    if (more_damage_) log_.damage_.push_back(fmt::format("... and {} more", more_damage_));
    std::ranges::sort(log_.streams_, {}, [](const LogStream& s) { return std::tuple(s.thread, s.type); });
    return std::move(log_);
  }

 private:
  void damaged(std::string what) {
    if (log_.damage_.size() < kMostDamage)
      log_.damage_.push_back(std::move(what));
    else
      more_damage_++;
  }

  void read_modules() {
    const std::uint32_t count = std::min(log_.header_.module_count, HEDDLE_LOG_MODULES);
    for (std::uint32_t i = 0; i < count; i++) {
      const std::uint64_t offset = log_.header_.modules_at + i * sizeof(HeddleLogModule);
      if (offset + sizeof(HeddleLogModule) > bytes_.size()) return damaged("the file ends in the list of modules");
      const auto m = at<HeddleLogModule>(bytes_, offset);
      if (m.check != heddle_log_hash(&m, offsetof(HeddleLogModule, check)) || m.build_id_bytes > sizeof m.build_id) {
        damaged(fmt::format("module {}: its entry is damaged", i));
        continue;
      }
      LogModule out{m.base, m.end, "", std::string(m.path, ::strnlen(m.path, sizeof m.path))};
      for (std::uint32_t n = 0; n < m.build_id_bytes; n++) out.build_id += fmt::format("{:02x}", m.build_id[n]);
      log_.modules_.push_back(std::move(out));
    }
  }

  void find_chunks() {
    const HeddleLogHeader& h = log_.header_;
    const std::uint64_t there = bytes_.size() > h.chunks_at ? (bytes_.size() - h.chunks_at) / h.chunk_bytes : 0;
    log_.chunks_ = std::min<std::uint64_t>(h.chunk_count, there);
    if (log_.chunks_ < h.chunk_count)
      damaged(
          fmt::format("the file is cut off: {} of {} chunks are missing", h.chunk_count - log_.chunks_, h.chunk_count));
    used_.resize(log_.chunks_);
  }

  std::uint64_t offset_of(std::uint32_t chunk) const {
    return log_.header_.chunks_at + std::uint64_t{chunk} * log_.header_.chunk_bytes;
  }
  std::uint32_t room() const { return log_.header_.chunk_bytes - static_cast<std::uint32_t>(sizeof(HeddleLogChunk)); }
  std::string_view payload(std::uint32_t chunk, std::uint32_t bytes) const {
    return bytes_.substr(offset_of(chunk) + sizeof(HeddleLogChunk), bytes);
  }
  /// `link`: number + 1, as in the file. False: the chain ends, here or where it goes wrong.
  bool follow(std::uint32_t link, const std::string& whose) {
    if (link == 0) return false;
    if (link > log_.chunks_) {
      if (link > log_.header_.chunk_count) damaged(whose + ": its next chunk does not exist");
      return false;
    }
    if (used_[link - 1]) return false;  // a ring
    return used_[link - 1] = true;
  }

  void read_directory() {
    std::uint32_t left = log_.header_.stream_count;
    const auto per_chunk = room() / static_cast<std::uint32_t>(sizeof(HeddleLogStream));
    std::uint32_t number = 0, link = 1;
    while (left && follow(link, "the directory")) {
      const auto c = at<HeddleLogChunk>(bytes_, offset_of(link - 1));
      if (c.magic != HEDDLE_LOG_CHUNK_MAGIC || c.type != HEDDLE_LOG_DIRECTORY) {
        damaged("the directory is damaged");
        break;
      }
      const std::uint32_t count = std::min({left, per_chunk, c.committed / std::uint32_t{sizeof(HeddleLogStream)}});
      for (std::uint32_t i = 0; i < count; i++, number++, left--)
        read_stream(number, at<HeddleLogStream>(bytes_, offset_of(link - 1) + sizeof c + i * sizeof(HeddleLogStream)));
      if (count < per_chunk) break;
      link = c.next;
    }
    if (left) damaged(fmt::format("{} of {} streams are not in the directory", left, log_.header_.stream_count));
  }

  void read_stream(std::uint32_t number, const HeddleLogStream& s) {
    const std::string name = fmt::format("stream {}", number);
    if (s.check != heddle_log_hash(&s, offsetof(HeddleLogStream, first)) || heddle_log_record_bytes(s.type) == 0 ||
        s.type == HEDDLE_LOG_DIRECTORY)
      return damaged(name + ": its entry in the directory is damaged");
    LogStream out{s.thread, s.type, s.tid, s.ended != 0, 0, 0, s.lost, {}};
    struct Piece {
      std::uint64_t sequence;
      std::uint32_t chunk, bytes;
      bool sealed;
    };
    std::vector<Piece> pieces;
    for (std::uint32_t link = s.first; follow(link, name);) {
      const auto c = at<HeddleLogChunk>(bytes_, offset_of(link - 1));
      if (std::optional<std::string> why = problem(c, link - 1, number, s))
        damaged(fmt::format("{}: chunk {} {}", name, link - 1, *why));
      else if (c.sequence)
        pieces.push_back({c.sequence, link - 1, c.committed, c.sealed != 0});
      if (c.magic != HEDDLE_LOG_CHUNK_MAGIC) break;
      link = c.next;
    }
    std::ranges::sort(pieces, {}, &Piece::sequence);
    for (std::size_t i = 0; i < pieces.size(); i++) {
      if (!pieces[i].sealed && i + 1 < pieces.size())
        damaged(fmt::format("{}: chunk {} has no checksum", name, pieces[i].chunk));
      out.records += payload(pieces[i].chunk, pieces[i].bytes);
    }
    out.committed = out.records.size();
    if (!pieces.empty())
      out.overwritten = pieces.back().sequence - std::min<std::uint64_t>(pieces.back().sequence, pieces.size());
    log_.streams_.push_back(std::move(out));
  }

  /// Why the chunk cannot be used.
  std::optional<std::string> problem(const HeddleLogChunk& c, std::uint32_t number, std::uint32_t stream,
                                     const HeddleLogStream& s) const {
    if (c.magic != HEDDLE_LOG_CHUNK_MAGIC) return "is damaged";
    if (c.sequence == 0) return std::nullopt;  // given to another thread, which has not written there yet
    if (c.type != s.type || c.stream != stream || c.thread != s.thread) return "belongs to another stream";
    if (c.committed > room() || c.committed % heddle_log_record_bytes(s.type)) return "has an impossible length";
    if (c.sealed) {
      const std::string_view bytes = payload(number, c.committed);
      if (c.check != heddle_log_hash(bytes.data(), bytes.size())) return "does not match its checksum";
    }
    return std::nullopt;
  }

  void find_makers() {
    for (const LogStream& s : log_.streams_) {
      if (s.type != HEDDLE_LOG_THREADS) continue;
      for (const HeddleLogThread& made : Log::threads_of(s))
        if (made.thread > s.thread) log_.made_by_.try_emplace(made.thread, Log::Maker{s.thread, made.ordinal});
    }
  }

  std::string_view bytes_;
  Log log_;
  std::vector<bool> used_;  // chunks
  std::size_t more_damage_ = 0;
};

Result<Log> Log::parse(std::string_view bytes) { return LogReader(bytes).read(); }

bool Log::is_log(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::uint64_t magic = 0;
  return file.get() >= 0 && read_from(file.get(), reinterpret_cast<char*>(&magic), sizeof magic) == sizeof magic &&
         magic == HEDDLE_LOG_MAGIC;
}

Result<Log> Log::open(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return error(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  HeddleLogHeader h{};
  const bool whole = read_from(file.get(), reinterpret_cast<char*>(&h), sizeof h) == sizeof h;
  if (!whole) return error(fmt::format("{}: not a log: it is too short", path.string()));
  if (Status sane = check(h); !sane)
    return error(fmt::format("{}: {}", path.string(), sane.error().message), sane.error().advice);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0)
    return error(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  // Behind the chunks that somebody was given there is nothing, up to the limit.
  const std::uint64_t bytes = std::min<std::uint64_t>(static_cast<std::uint64_t>(info.st_size),
                                                      h.chunks_at + std::uint64_t{h.chunk_count} * h.chunk_bytes);
  if (bytes > kMostBytes)
    return error(fmt::format("{}: the log has {} MiB, more than can be read", path.string(), bytes >> 20));
  std::string content(bytes, '\0');
  content.resize(read_from(file.get(), content.data(), bytes));
  Result<Log> log = parse(content);
  if (!log) return error(fmt::format("{}: {}", path.string(), log.error().message), log.error().advice);
  return log;
}

std::uint64_t Log::committed() const {
  std::uint64_t sum = 0;
  for (const LogStream& s : streams_) sum += s.committed;
  return sum;
}

std::string Log::thread_name(std::uint64_t number) const {
  std::vector<std::uint32_t> ordinals;
  std::uint64_t thread = number;
  for (; thread != 0 && ordinals.size() < kLongestName / 2;
       ordinals.push_back(made_by_.at(thread).ordinal), thread = made_by_.at(thread).thread)
    if (!made_by_.contains(thread)) return fmt::format("#{}", number);
  if (thread != 0) return fmt::format("#{}", number);
  std::string name = "0";
  for (auto i = ordinals.rbegin(); i != ordinals.rend(); ++i) name += fmt::format(".{}", *i);
  return name.size() <= kLongestName ? name : fmt::format("#{}", number);
}

namespace {

template <class Record>
std::vector<Record> records_of(const LogStream& stream, std::uint32_t type) {
  std::vector<Record> out(stream.type == type ? stream.records.size() / sizeof(Record) : 0);
  if (!out.empty()) std::memcpy(out.data(), stream.records.data(), out.size() * sizeof(Record));
  return out;
}

}  // namespace

std::vector<HeddleLogSync> Log::sync_of(const LogStream& stream) {
  return records_of<HeddleLogSync>(stream, HEDDLE_LOG_SYNC);
}
std::vector<HeddleLogThread> Log::threads_of(const LogStream& stream) {
  return records_of<HeddleLogThread>(stream, HEDDLE_LOG_THREADS);
}

}  // namespace heddle
