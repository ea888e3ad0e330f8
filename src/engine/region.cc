#include "src/engine/region.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/decision.h"
#include "src/engine/check.h"
#include "src/engine/recording_file.h"

namespace heddle {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kRingEvents = 1u << 20, kRingDecisions = 1u << 18;
constexpr std::uint64_t kKeepBytes = 256 * kMiB;  // what may stay allocated between two runs

struct AreaSize {
  HeddleAreaId area;
  std::uint64_t bytes;
};
// 64-128 million of each at most; the run is marked incomplete (result.overflow) beyond.
// What every run touches comes first, the small before the large: it then needs fewer page tables.
constexpr AreaSize kSizes[] = {
    {HEDDLE_AREA_MODULES, 256 * kKiB},
    {HEDDLE_AREA_NOTES, 768 * kKiB},
    {HEDDLE_AREA_THREADS, HEDDLE_MAX_THREADS * sizeof(HeddleThreadInfo)},
    {HEDDLE_AREA_PCS, 16 * kMiB},
    {HEDDLE_AREA_OBJECTS, 64 * kMiB},
    {HEDDLE_AREA_CHOICES, 1 * kGiB},
    {HEDDLE_AREA_RACES, 16 * kMiB},
    {HEDDLE_AREA_EVENTS, kRingEvents * sizeof(HeddleEvent)},
    {HEDDLE_AREA_DECISIONS, kRingDecisions * sizeof(HeddleDecision)},
    {HEDDLE_AREA_STACKS, 256 * kMiB},
    {HEDDLE_AREA_PAYLOADS, 64 * kMiB},
    {HEDDLE_AREA_POINTS, 64 * kMiB},
    {HEDDLE_AREA_EXPECT, 512 * kMiB},
    {HEDDLE_AREA_SCHEDULE, 1 * kGiB},
    {HEDDLE_AREA_INPUTS_IN, 2 * kGiB},
    {HEDDLE_AREA_INPUTS_OUT, 2 * kGiB},
    {HEDDLE_AREA_STOPS, 512 * kMiB},
    {HEDDLE_AREA_TARGETS, 1 * kMiB},
    {HEDDLE_AREA_GUIDE, 1 * kGiB},
    {HEDDLE_AREA_GUIDED, 512 * kMiB},
    {HEDDLE_AREA_META, 0},
    {HEDDLE_AREA_STEPS, 0},
};
constexpr std::uint64_t kRecordedSteps = 16 * kGiB, kRecordedInputs = 8 * kGiB, kRecordedMeta = 16 * kMiB;
static_assert(std::size(kSizes) == HEDDLE_AREA_COUNT);
constexpr const char* kNoRoom = "free some space, or choose another place with -o";

constexpr std::uint64_t page_up(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Of a recording the logs can be as long as the disk is large, and nothing is put in.
std::uint64_t size_of(const AreaSize& size, bool recording) {
  if (!recording) return page_up(size.bytes);
  switch (size.area) {
    case HEDDLE_AREA_STEPS:
      return kRecordedSteps;
    case HEDDLE_AREA_INPUTS_OUT:
      return kRecordedInputs;
    case HEDDLE_AREA_META:
      return kRecordedMeta;
    case HEDDLE_AREA_STOPS:
    case HEDDLE_AREA_INPUTS_IN:
    case HEDDLE_AREA_SCHEDULE:
    case HEDDLE_AREA_EXPECT:
    case HEDDLE_AREA_CHOICES:
    case HEDDLE_AREA_PAYLOADS:
    case HEDDLE_AREA_TARGETS:
    case HEDDLE_AREA_GUIDE:
    case HEDDLE_AREA_GUIDED:
      return kPage;
    default:
      return page_up(size.bytes);
  }
}

}  // namespace

Result<Region> Region::create(const std::filesystem::path& file) {
  Region region;
  if (file.empty()) {
    region.fd_ = memfd_create("heddle-region", MFD_CLOEXEC);
    if (region.fd_ < 0) return error(fmt::format("cannot create the shared region: {}", std::strerror(errno)));
  } else {
    Result<int> claimed = claim_recording_file(file);
    if (!claimed) return std::unexpected(claimed.error());
    region.fd_ = *claimed;
  }
  Status made = region.make(file);
  if (!made && !file.empty()) unlink(file.c_str());  // nothing was recorded, and it would keep a full disk full
  if (!made) return std::unexpected(made.error());
  return region;
}

Status Region::make(const std::filesystem::path& file) {
  const bool recording = !file.empty();
  lay_out(recording);
  if (ftruncate(fd_, static_cast<off_t>(total_)) != 0)
    return error(recording ? fmt::format("cannot write {}: {}", file.string(), std::strerror(errno))
                           : fmt::format("cannot size the shared region: {}", std::strerror(errno)),
                 errno == EFBIG ? "raise the limit of the file size (ulimit -f unlimited)" : "");
  void* base = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (base == MAP_FAILED)
    return error(
        fmt::format("cannot map the shared region ({} MiB of address space): {}", total_ / kMiB, std::strerror(errno)),
        "raise the limit of the address space (ulimit -v unlimited)");
  base_ = static_cast<std::byte*>(base);
  header_ = reinterpret_cast<HeddleRegion*>(base);
  if (recording) {  // the logs grow with checks of their own
    if (int why = posix_fallocate(fd_, 0, static_cast<off_t>(page_up(sizeof(HeddleRegion)))))
      return error(fmt::format("cannot write {}: {}", file.string(), std::strerror(why)), kNoRoom);
    for (HeddleAreaId area : {HEDDLE_AREA_MODULES, HEDDLE_AREA_NOTES, HEDDLE_AREA_THREADS, HEDDLE_AREA_PCS,
                              HEDDLE_AREA_OBJECTS, HEDDLE_AREA_STACKS})
      if (Status room = reserve(area, kMiB); !room)
        return error(fmt::format("cannot write {}: {}", file.string(), room.error().message), room.error().advice);
  }
  reset_for_server();
  return {};
}

Status Region::reserve(HeddleAreaId area, std::uint64_t bytes) {
  HEDDLE_CHECK(area < HEDDLE_AREA_COUNT);
  const int why = posix_fallocate(fd_, static_cast<off_t>(areas_[area].offset),
                                  static_cast<off_t>(std::min(areas_[area].size, std::max<std::uint64_t>(bytes, 1))));
  return why == 0 ? Status{} : error(std::strerror(why), kNoRoom);
}

void Region::lay_out(bool recording) {
  total_ = page_up(sizeof(HeddleRegion));
  for (const AreaSize& size : kSizes) {
    areas_[size.area] = {total_, size_of(size, recording)};
    total_ += areas_[size.area].size;
  }
}

Result<Region> Region::open_recording(const std::filesystem::path& file) {
  Region region;
  region.lay_out(true);
  region.fd_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (region.fd_ < 0 || fstat(region.fd_, &info) != 0)
    return error(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  HeddleRegion header;
  if (pread(region.fd_, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
      header.version != HEDDLE_REGION_VERSION || header.header_size != sizeof header ||
      static_cast<std::uint64_t>(info.st_size) != region.total_)
    return error(fmt::format("{} is an unfinished recording that is damaged, or was made by another version of heddle",
                             file.string()));
  void* base = mmap(nullptr, region.total_, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, region.fd_, 0);
  if (base == MAP_FAILED) return error(fmt::format("cannot map {}: {}", file.string(), std::strerror(errno)));
  region.base_ = static_cast<std::byte*>(base);
  region.header_ = reinterpret_cast<HeddleRegion*>(base);
  return region;
}

Region::Region(Region&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      header_(std::exchange(other.header_, nullptr)),
      fd_(std::exchange(other.fd_, -1)),
      total_(other.total_),
      areas_(other.areas_) {}

Region::~Region() {
  if (base_) munmap(base_, total_);
  if (fd_ < 0) return;
  forget_log_of_replaced_recording();
  close(fd_);
}

// The trace has taken the recording's place, so nobody will read its log again; ext4 would nevertheless write it to the
// disk here, since it was truncated at the start. Not all of the file goes: processes that the program left behind may
// have its header mapped.
void Region::forget_log_of_replaced_recording() const {
  struct stat st {};
  if (fstat(fd_, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink != 0) return;
  const HeddleArea& log = areas_[HEDDLE_AREA_STEPS];
  (void)fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(log.offset),
                  static_cast<off_t>(log.size));  // where it is not possible, it only takes longer
}

void Region::reset_for_server() {
  std::memset(header_, 0, sizeof *header_);
  header_->magic = HEDDLE_REGION_MAGIC;
  header_->version = HEDDLE_REGION_VERSION;
  header_->header_size = sizeof *header_;
  header_->total_size = total_;
  std::copy(areas_.begin(), areas_.end(), header_->area);
}

bool Region::fill(HeddleAreaId area, std::initializer_list<std::span<const std::byte>> pieces) {
  HEDDLE_CHECK(area < HEDDLE_AREA_COUNT);
  std::uint64_t size = 0;
  for (std::span<const std::byte> piece : pieces) size += piece.size();
  if (size > areas_[area].size) return false;
  std::byte* to = base_ + areas_[area].offset;
  for (std::span<const std::byte> piece : pieces) to = std::ranges::copy(piece, to).out;
  return true;
}

std::string Region::copy_bytes(HeddleAreaId area, std::uint64_t count) const {
  count = std::min(count, areas_[area].size);
  return std::string(reinterpret_cast<const char*>(base_ + areas_[area].offset), count);
}

void Region::trim() {
  struct stat info;
  if (fstat(fd_, &info) != 0 || static_cast<std::uint64_t>(info.st_blocks) * 512 <= kKeepBytes) return;
  std::uint64_t first = page_up(sizeof(HeddleRegion));
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
            static_cast<off_t>(total_ - first));
}

std::string bounded_string(const char* text, std::size_t size) { return std::string(text, strnlen(text, size)); }

}  // namespace heddle
