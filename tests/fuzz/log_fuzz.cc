// libFuzzer target: any bytes as a log must give an Error or a Log that can be shown, within bounded memory and time.
//
// Built and run as trace_fuzz is. Checksums are repaired before parsing if the first byte says so, so that the fuzzer
// gets behind them. What it finds goes to tests/data/fuzz/log as a file that says what it was.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "src/log/log.h"

namespace {

using namespace heddle;

constexpr std::uint32_t kChunk = 4096;

template <class T>
void repair(std::string& file, std::size_t at, std::size_t checked) {
  if (at + sizeof(T) > file.size()) return;
  T value;
  std::memcpy(&value, file.data() + at, sizeof value);
  value.check = heddle_log_hash(&value, checked);
  std::memcpy(file.data() + at, &value, sizeof value);
}

/// The header of small chunks, and entries of the directory that match their checksums.
std::string repaired(std::string file) {
  HeddleLogHeader h{};
  if (file.size() < sizeof h) file.resize(sizeof h);
  std::memcpy(&h, file.data(), sizeof h);
  h.magic = HEDDLE_LOG_MAGIC;
  h.version = HEDDLE_LOG_VERSION;
  h.chunk_bytes = kChunk;
  h.modules_at = sizeof h;
  h.chunks_at = sizeof h + HEDDLE_LOG_MODULES * sizeof(HeddleLogModule);
  h.check = heddle_log_hash(&h, offsetof(HeddleLogHeader, check));
  std::memcpy(file.data(), &h, sizeof h);
  for (std::size_t i = 0; i < std::min<std::size_t>(h.module_count, HEDDLE_LOG_MODULES); i++)
    repair<HeddleLogModule>(file, h.modules_at + i * sizeof(HeddleLogModule), offsetof(HeddleLogModule, check));
  for (std::size_t i = 0; i < 4; i++)
    repair<HeddleLogStream>(file, h.chunks_at + sizeof(HeddleLogChunk) + i * sizeof(HeddleLogStream),
                            offsetof(HeddleLogStream, first));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string file(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 1) file = repaired(std::move(file));
  const auto log = Log::parse(file);
  if (!log) return 0;
  (void)log_text(*log, (data[0] & 2) != 0);
  (void)log_json(*log);
  return 0;
}
