#include "src/engine/recover.h"

#include <algorithm>
#include <fstream>

#include "src/engine/builds.h"
#include "src/engine/recorded_log.h"
#include "src/engine/trace_builder.h"
#include "src/seal/seal.h"
#include "src/trace/tables.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMetaLimit = 64u << 20;

}  // namespace

bool is_raw_recording(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return false;
  std::uint64_t magic = 0;
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&magic), sizeof magic);
  return in && magic == HEDDLE_REGION_MAGIC;
}

bool is_own_recording(const std::filesystem::path& file, const SealKey& key) {
  Result<Region> region = Region::open_recording(file);
  if (!region) return false;
  const HeddleRegion& header = region->header();
  const std::string meta = region->copy_bytes(HEDDLE_AREA_META, std::min(header.meta_bytes, kMetaLimit));
  Digest found;
  std::copy_n(header.recording_seal, found.size(), found.begin());
  Result<Digest> seal = seal_of_recording(key, meta, region->fd());
  return seal && equal_seals(*seal, found);
}

Status recover_recording(const std::filesystem::path& file, const std::filesystem::path& trace) {
  Result<Region> region = Region::open_recording(file);
  if (!region) return std::unexpected(region.error());
  const HeddleRegion& header = region->header();
  const std::string texts = region->copy_bytes(HEDDLE_AREA_META, std::min(header.meta_bytes, kMetaLimit) +
                                                                     std::min(header.maps_bytes, kMetaLimit));
  const std::size_t meta_bytes = std::min<std::size_t>(header.meta_bytes, texts.size());
  HeadDecoder decoder(kMetaLimit);
  if (meta_bytes == 0 || !decoder.add(format::Section::Meta, std::string_view(texts).substr(0, meta_bytes)))
    return error(file.string() + " is a recording that was cut off before the program began");
  Meta meta = decoder.take().meta;

  RunOutcome outcome;
  outcome.result = header.result;
  outcome.complete = false;
  outcome.evidence = evidence_of(*region);
  outcome.notes = notes_of(*region);
  outcome.notes.emplace_back("the recording was cut off: it is whole up to there");
  record_builds(meta, outcome.evidence->modules, meta.program);
  Symbolizer symbolizer;
  (void)symbolizer.attach(std::string_view(texts).substr(meta_bytes));  // without it places have no names
  SiteCache sites;
  Result<TraceWriter> writer = TraceWriter::create(trace);
  if (!writer) return std::unexpected(writer.error());
  TraceBuilder builder(std::move(*writer), *region);
  builder.begin(meta);
  convert_steps(*region, outcome,
                [&](std::span<const HeddleEvent> events) { builder.on_events(events); });
  SiteCatalog catalog = sites.catalog(outcome.evidence->modules);
  auto head = builder.finish(std::move(meta), outcome, symbolizer, std::move(catalog), {});
  return head ? Status{} : std::unexpected(head.error());
}

}  // namespace heddle
