// Logs that programs keep of themselves (abi/log.h), read after the process has ended, however it did, or meanwhile.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "abi/log.h"
#include "src/result/result.h"

namespace heddle {

struct LogModule {
  std::uint64_t base = 0, end = 0;
  std::string build_id;  // in hexadecimal; empty: it has none
  std::string path;
};

/// What one thread wrote of one type.
struct LogStream {
  std::uint64_t thread = 0;
  std::uint32_t type = HEDDLE_LOG_NONE;  // enum HeddleLogType
  int tid = 0;
  bool ended = false;             // its thread had ended
  std::uint64_t committed = 0;    // bytes of its records here
  std::uint64_t overwritten = 0;  // a ring: chunks that were there before
  std::uint64_t lost = 0;         // records that were never written
  std::string records;            // whole ones, in order
  std::uint64_t count() const { return committed / heddle_log_record_bytes(type); }
};

/// A log is untrusted. What is damaged is named in `damage` and left out; all else is here.
class Log {
 public:
  /// Does the file begin as a log does?
  static bool is_log(const std::filesystem::path& path);
  /// Error: it is no log, of a later version, or its header is damaged; or it cannot be read.
  static Result<Log> open(const std::filesystem::path& path);
  static Result<Log> parse(std::string_view bytes);

  const HeddleLogHeader& header() const { return header_; }
  const std::vector<LogModule>& modules() const { return modules_; }
  const std::vector<LogStream>& streams() const { return streams_; }  // by thread, then type
  const std::vector<std::string>& damage() const { return damage_; }  // a sentence each
  std::uint64_t chunks() const { return chunks_; }                    // that were found
  std::uint64_t committed() const;

  /// "0.2.1": how the thread came to be; "#17" if that is not known. Equal in every execution that makes threads in the
  /// same way, unlike its number.
  std::string thread_name(std::uint64_t number) const;

  static std::vector<HeddleLogSync> sync_of(const LogStream& stream);
  static std::vector<HeddleLogThread> threads_of(const LogStream& stream);

 private:
  friend class LogReader;
  HeddleLogHeader header_{};
  std::vector<LogModule> modules_;
  std::vector<LogStream> streams_;
  std::vector<std::string> damage_;
  std::uint64_t chunks_ = 0;
  struct Maker {
    std::uint64_t thread;
    std::uint32_t ordinal;
  };
  std::map<std::uint64_t, Maker> made_by_;
};

/// For people; for programs.
std::string log_text(const Log& log, bool utf8);
std::string log_json(const Log& log);

}  // namespace heddle
