// What `heddle cc` left in an ELF file: site descriptors and framed bitcode (abi/site.h, abi/bitcode_frame.h).
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include <fmt/core.h>

#include "abi/bitcode_frame.h"
#include "abi/record_hooks.h"
#include "abi/site.h"
#include "src/program/elf_file.h"
#include "src/program/function_name.h"
#include "src/program/program.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMaxTextBytes = 1ull << 30;  // of all names together: a hostile table repeats one long string

/// Texts of the table, each resolved once: many sites share their function and file.
class SiteTexts {
 public:
  explicit SiteTexts(const ElfFile& elf) : elf_(elf) {}

  /// `field` lies at virtual address `at`; its value is relative to itself, 0 means none.
  std::string text(std::uint64_t at, std::int32_t field) {
    if (field == 0) return {};
    const auto found = elf_.text_at(at + static_cast<std::uint64_t>(static_cast<std::int64_t>(field)));
    if (!found) {
      damaged_ = true;
      return {};
    }
    total_ += found->size();
    return std::string(*found);
  }

  std::string function(std::uint64_t at, std::int32_t field) {
    std::string linkage = text(at, field);
    auto [it, is_new] = functions_.try_emplace(linkage);
    if (is_new) it->second = readable_function(linkage);
    total_ += it->second.size();
    return it->second;
  }

  bool damaged() const { return damaged_ || total_ > kMaxTextBytes; }

 private:
  const ElfFile& elf_;
  std::unordered_map<std::string, std::string> functions_;
  std::uint64_t total_ = 0;
  bool damaged_ = false;
};

std::uint64_t fnv1a(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3ull;
  return hash;
}

constexpr const char* kBitcodeSection = ".llvmcmd";

/// Offset of the next frame header at or after `from`; nullopt: none. Frames are aligned to 8; what other tools put
/// into the section may lie between them.
std::optional<std::size_t> next_frame(std::span<const std::byte> bytes, std::size_t from) {
  const std::uint64_t magic = HEDDLE_FRAME_MAGIC;
  for (std::size_t at = (from + 7) & ~std::size_t{7}; at + sizeof magic <= bytes.size(); at += 8)
    if (std::memcmp(bytes.data() + at, &magic, sizeof magic) == 0) return at;
  return std::nullopt;
}

/// Reads the descriptors one after the other. `at`: virtual address of the next one.
class TableReader {
 public:
  TableReader(const ElfFile& elf, std::size_t count) : texts_(elf) { table_.sites.reserve(count); }

  void add(const HeddleSite& site, std::uint64_t at) {
    SiteRecord& record = table_.sites.emplace_back();
    record.id = static_cast<std::uint32_t>(table_.sites.size() - 1);
    record.function = texts_.function(at + offsetof(HeddleSite, function), site.function);
    if (site.flags & HEDDLE_SITE_HEAD) return begin_array(std::bit_cast<HeddleSiteHead>(site));
    record.kind = site.kind;
    record.size = site.size;
    record.line = site.line;
    record.column = site.column;
    record.file = texts_.text(at + offsetof(HeddleSite, file), site.file);
    record.variable = texts_.text(at + offsetof(HeddleSite, variable), site.variable);
    if (left_ == 0) return;
    --left_;
    if (site.ordinal == 0) return;
    record.module = module_;
    record.ordinal = site.ordinal;
  }

  bool damaged() const { return texts_.damaged(); }
  SiteTable take() { return std::move(table_); }

 private:
  void begin_array(const HeddleSiteHead& head) {
    left_ = head.count;
    auto [number, is_new] = numbers_.try_emplace(head.bitcode, static_cast<std::uint32_t>(table_.bitcode.size() + 1));
    if (is_new) table_.bitcode.push_back(head.bitcode);
    module_ = number->second;
  }

  SiteTexts texts_;
  SiteTable table_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by hash: as SiteRecord::module
  std::uint32_t module_ = 0, left_ = 0;                       // of the array at work; its sites that are still to come
};

Result<SiteTable> read_table(const std::filesystem::path& path, const char* name) {
  auto elf = ElfFile::open(path);
  if (!elf) return std::unexpected(elf.error());
  if (elf->header().e_type == ET_REL)
    return error(fmt::format("{} is an object file: sites exist only after linking", path.string()));
  auto section = elf->section(name);
  if (!section) return std::unexpected(section.error());
  if (!*section) return SiteTable{};

  const auto bytes = (*section)->bytes;
  const auto damaged = [&] {
    return error(fmt::format("{} is damaged: its site table makes no sense", path.string()), "build it again");
  };
  if (bytes.size() % sizeof(HeddleSite) != 0) return damaged();
  TableReader reader(*elf, bytes.size() / sizeof(HeddleSite));
  for (std::size_t offset = 0; offset < bytes.size(); offset += sizeof(HeddleSite)) {
    HeddleSite site;
    std::memcpy(&site, bytes.data() + offset, sizeof site);
    reader.add(site, (*section)->address + offset);
    if (reader.damaged()) return damaged();
  }
  SiteTable table = reader.take();
  table.build_id = elf->build_id();
  if (table.build_id.empty()) {
    auto id = build_id_of(path);
    if (!id) return std::unexpected(id.error());
    table.build_id = std::move(*id);
  }
  return table;
}

}  // namespace

Result<SiteTable> read_sites(const std::filesystem::path& path) { return read_table(path, HEDDLE_SITE_SECTION); }
Result<SiteTable> read_record_sites(const std::filesystem::path& path) {
  return read_table(path, HEDDLE_RECORD_SITE_SECTION);
}

CodeNames read_code_names(const std::filesystem::path& path) {
  CodeNames names;
  auto elf = ElfFile::open(path);
  if (!elf || elf->header().e_type == ET_REL) return names;
  auto section = elf->section(HEDDLE_SITE_SECTION);
  if (!section || !*section) return names;
  const auto bytes = (*section)->bytes;
  SiteTexts texts(*elf);
  for (std::size_t offset = 0; offset + sizeof(HeddleSite) <= bytes.size(); offset += sizeof(HeddleSite)) {
    HeddleSite site;
    std::memcpy(&site, bytes.data() + offset, sizeof site);
    const std::uint64_t at = (*section)->address + offset;
    const bool is_head = site.flags & HEDDLE_SITE_HEAD;
    if (is_head && (site.flags & HEDDLE_SITE_WRAPPER))
      names.wrappers.insert(texts.text(at + offsetof(HeddleSite, function), site.function));
    if (!is_head && (site.flags & HEDDLE_SITE_CALL) && site.line != 0 && site.variable != 0)
      names.calls.try_emplace({texts.text(at + offsetof(HeddleSite, file), site.file), site.line, site.column},
                              texts.text(at + offsetof(HeddleSite, variable), site.variable));
    if (texts.damaged()) return {};
  }
  return names;
}

Result<std::vector<BitcodeModule>> read_bitcode(const std::filesystem::path& path) {
  auto elf = ElfFile::open(path);
  if (!elf) return std::unexpected(elf.error());
  auto section = elf->section(kBitcodeSection);
  if (!section) return std::unexpected(section.error());
  std::vector<BitcodeModule> modules;
  if (!*section) return modules;

  const auto bytes = (*section)->bytes;
  for (auto next = next_frame(bytes, 0); next;) {
    const std::size_t at = *next;
    HeddleBitcodeFrame frame;
    if (bytes.size() - at < sizeof frame)
      return error(fmt::format("{} is damaged: its bitcode ends inside a frame header", path.string()));
    std::memcpy(&frame, bytes.data() + at, sizeof frame);
    const auto rest = bytes.subspan(at + sizeof frame);
    if (frame.size > rest.size())
      return error(fmt::format("{} is damaged: its bitcode ends inside a frame", path.string()));
    const auto code = rest.first(frame.size);
    if (fnv1a(code) != frame.hash)
      return error(
          fmt::format("{} is damaged: the hash of bitcode module {} does not match", path.string(), modules.size()),
          "build it again");
    modules.push_back({{code.begin(), code.end()}, frame.hash, frame.instructions});
    next = next_frame(bytes, at + sizeof frame + frame.size);
  }
  return modules;
}

}  // namespace heddle
