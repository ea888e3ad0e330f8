#include "src/show/page_events.h"

namespace heddle {
namespace {
constexpr std::uint8_t kShared = HEDDLE_EF_SIZE | HEDDLE_EF_POINT | HEDDLE_EF_VALUE | HEDDLE_EF_FAILED;
constexpr std::uint8_t kUpTo4Bytes = 2;  // log2
}  // namespace

std::size_t PageEvents::Hash::operator()(const Shape& s) const {
  std::uint64_t h = 0;
  for (const std::uint64_t part : {std::uint64_t{s.place} << 32 | s.stack, std::uint64_t{s.object} << 32 | s.what,
                                   std::uint64_t{s.kind} << 8 | s.flags})
    h = (h ^ part) * 0x9e3779b97f4a7c15ull, h ^= h >> 32;
  return h;
}

void PageEvents::number(std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) bytes_ += static_cast<char>(n | 0x80);
  bytes_ += static_cast<char>(n);
}

std::uint32_t PageEvents::intern(std::string text) {
  const auto [it, added] = interned_.try_emplace(std::move(text), static_cast<std::uint32_t>(strings_.size()));
  if (added) strings_.push_back(it->first);
  return it->second;
}

void PageEvents::add(const HeddleEvent& e) {
  const Shape shape{.place = names_.place(e),
                    .stack = e.stack,
                    .object = e.object,
                    .what = intern(names_.what(e)),
                    .kind = e.kind,
                    .flags = static_cast<std::uint8_t>(e.flags & kShared)};
  const auto [it, added] = known_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (added) {
    shapes_.push_back(shape);
    last_.push_back(0);
  }
  if (e.thread != thread_) {
    number(0);
    number(thread_ = e.thread);
  }
  number(it->second + 1ull);
  if (!(e.flags & HEDDLE_EF_VALUE)) return;
  if ((e.flags & HEDDLE_EF_SIZE) > kUpTo4Bytes) {
    number(e.value & 0xffffffff);
    number(e.value >> 32);
    return;
  }
  const std::int64_t value = static_cast<std::int32_t>(e.value), difference = value - last_[it->second];
  last_[it->second] = value;
  number(static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63));
}

std::string PageEvents::base64() const {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes_.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    std::uint32_t n = 0;
    for (std::size_t k = 0; k < 3; ++k)
      n = n << 8 | (i + k < bytes_.size() ? static_cast<unsigned char>(bytes_[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes_.size() ? kDigits[n >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace heddle
