// libFuzzer target: any bytes as a trace must give an Error or a trace that can be shown, within bounded memory and
// time.
//
// Build and run for a minute (from the root of the repository; `ninja trace_fuzz` does the first part):
//   clang++-19 -std=c++23 -O1 -g -fsanitize=fuzzer,address,undefined -I. tests/fuzz/trace_fuzz.cc $(ls src/trace/*.cc
//   src/show/*.cc |
//     grep -v _test.cc) -lzstd -lfmt -o /tmp/trace_fuzz
//   mkdir -p /tmp/corpus && /tmp/trace_fuzz -max_total_time=60 -rss_limit_mb=2048 -timeout=10 /tmp/corpus
//   tests/data/fuzz/trace
// Checksums are repaired before parsing, so that the fuzzer gets behind them; the first input byte says whether.
// What it finds goes to tests/data/fuzz/trace as a file that says what it was.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "src/show/view.h"
#include "src/trace/container.h"
#include "src/trace/format.h"
#include "src/trace/schedule.h"

namespace {

using namespace heddle;

/// Makes headers, sizes and checksums right where a block could be. Bit 1 of `mode`: payloads are taken for
/// uncompressed content and compressed here.
std::string repaired(std::string_view bytes, unsigned mode) {
  format::FileHeader file{format::kFileMagic, format::kVersion, 0, 0, 0};
  file.check = XXH64(&file, offsetof(format::FileHeader, check), 0);
  std::string out(reinterpret_cast<const char*>(&file), sizeof file);
  if (bytes.size() > sizeof file) bytes.remove_prefix(sizeof file);
  while (bytes.size() >= sizeof(format::BlockHeader)) {
    format::BlockHeader h;
    std::memcpy(&h, bytes.data(), sizeof h);
    bytes.remove_prefix(sizeof h);
    h.magic = format::kBlockMagic;
    h.section = static_cast<std::uint8_t>(h.section % 20);
    h.codec %= 3;
    h.layout %= 2;
    h.stored_size = static_cast<std::uint32_t>(std::min<std::size_t>(h.stored_size % 4096, bytes.size()));
    std::string payload(bytes.substr(0, h.stored_size));
    bytes.remove_prefix(std::min<std::size_t>(format::padded(h.stored_size), bytes.size()));
    if ((mode & 2) && h.codec == 1) {
      h.raw_size = static_cast<std::uint32_t>(payload.size());
      std::string small(ZSTD_compressBound(payload.size()), '\0');
      small.resize(ZSTD_compress(small.data(), small.size(), payload.data(), payload.size(), 1));
      payload = small;
    } else if (h.codec == 0) {
      h.raw_size = static_cast<std::uint32_t>(payload.size());
    }
    h.stored_size = static_cast<std::uint32_t>(payload.size());
    h.header_check = static_cast<std::uint32_t>(XXH64(&h, offsetof(format::BlockHeader, header_check), 0));
    if (h.codec != 2) h.check = XXH64(payload.data(), payload.size(), h.header_check);
    out.append(reinterpret_cast<const char*>(&h), sizeof h).append(payload);
    out.resize(format::padded(out.size()));
  }
  return out;
}

bool swallow(std::string_view) { return true; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned mode = data[0];
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = mode & 1 ? repaired(bytes, mode) : std::string(bytes);
  (void)Schedule::parse(bytes);
  auto trace = TraceReader::parse(std::as_bytes(std::span(file)));
  if (!trace) return 0;
  ViewOptions options;
  options.full = (mode & 4) != 0 && trace->event_count() < 10'000;
  options.utf8 = (mode & 8) != 0;
  options.width = 40 + mode;
  (void)show_text(*trace, options, swallow);
  if (mode & 16) (void)show_json(*trace);
  if (mode & 32) (void)show_html(*trace, options, swallow);
  if (mode & 64) (void)show_perfetto(*trace, options, swallow);
  (void)trace->for_each_payload([](const Payload&) { return true; });
  (void)trace->payload(mode);
  if (trace->event_count() < 10'000) (void)show_events(*trace, options, swallow);
  (void)Schedule(trace->head().schedule, trace->head().threads).print();
  return 0;
}
