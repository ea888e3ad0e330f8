// The bytes of a trace file; docs/trace-format.md explains them. Little-endian, everything aligned to 8.
//
//   FileHeader | BlockHeader payload pad | BlockHeader payload pad | ... | END block
//
// Numbers here are the format: append, never change. Only src/trace may include this.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::format {

static_assert(std::endian::native == std::endian::little, "traces are written as they lie in memory");

inline constexpr std::uint64_t kFileMagic = 0x0a454c4444454889ull;  // "\x89HEDDLE\n"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kBlockMagic = 0x4b424448u;  // "HDBK"

struct FileHeader {  // these 32 bytes keep their meaning in every version
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t flags;     // features a reader must know; none yet
  std::uint64_t reserved;  // 0
  std::uint64_t check;     // xxh64 of the 24 bytes before
};
static_assert(sizeof(FileHeader) == 32);

enum class Section : std::uint8_t {
  Meta = 1,
  Threads,
  Sites,
  Frames,
  Stacks,
  Objects,
  Schedule,
  Inputs,
  Output,
  Races,
  Notes,
  Failure,
  StandardInput,
  Events,
  End,
  Seal,  // behind End: a keyed hash of all that stands before it (src/seal); readers that do not know it stop at End
  Index,  // before End: what each block of events holds (event_index.h)
  Bitcode,
  Payloads,  // the bytes of ranges, by event (payloads.h)
};
enum class Codec : std::uint8_t {
  Stored = 0,  // payload as it is
  Zstd = 1,    // one zstd frame
};
enum class Layout : std::uint16_t {  // of EVENTS
  Columns = 0,                       // event_codec.h
};

struct BlockHeader {
  std::uint32_t magic;
  std::uint8_t section;
  std::uint8_t codec;
  std::uint16_t layout;
  std::uint32_t stored_size;   // bytes of payload in the file, before padding to 8
  std::uint32_t raw_size;      // bytes after decompression
  std::uint64_t first;         // EVENTS, PAYLOADS: index of the first event; 0 elsewhere
  std::uint32_t count;         // EVENTS: number of events; elsewhere: records
  std::uint32_t header_check;  // low half of xxh64 of the 28 bytes before
  std::uint64_t check;         // xxh64 of the payload, seeded with header_check
};
static_assert(sizeof(BlockHeader) == 40);
static_assert(offsetof(BlockHeader, header_check) == 28 && offsetof(BlockHeader, check) == 32);

// Limits: a reader refuses what exceeds them before it allocates anything; a writer stays within them.
inline constexpr std::uint32_t kMaxBlock = 64u << 20;       // stored and raw bytes of one block
inline constexpr std::uint32_t kMaxEventsBlock = 8u << 20;  // raw bytes of a block of events in columns
inline constexpr std::uint32_t kMaxPayloadsBlock = 8u << 20;  // raw bytes of a block of payloads
inline constexpr std::uint32_t kEventsPerBlock = 1u << 16;
inline constexpr std::uint32_t kTableBlock = 1u << 20;  // writers cut tables into blocks of about this size
// Memory that the tables of a file may need: kTablesFree + kTablesPerByte * file size.
inline constexpr std::uint64_t kTablesFree = 256ull << 20;
inline constexpr std::uint64_t kTablesPerByte = 128;

inline std::uint64_t padded(std::uint64_t size) { return (size + 7) & ~7ull; }

}  // namespace heddle::format
