#include "src/seal/seal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

namespace heddle {
namespace {

// What is sealed begins with what it is, so that the seal of one thing is never that of another.
constexpr std::string_view kTrace = "heddle trace 1\n", kRecording = "heddle recording 1\n";

template <class T>
std::string_view bytes_of(const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

Digest seal_of_trace(const SealKey& key, const Digest& content) {
  Blake2b hash(key);
  hash.update(kTrace);
  hash.update(bytes_of(content));
  return hash.finish();
}

Result<Digest> seal_of_recording(const SealKey& key, std::string_view meta, int fd) {
  struct statx st{};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) != 0)
    return error(fmt::format("cannot ask about the recording: {}", std::strerror(errno)));
  struct {
    std::uint64_t device, inode, born, born_ns, meta_bytes;
  } const identity{(std::uint64_t{st.stx_dev_major} << 32) | st.stx_dev_minor, st.stx_ino,
                   st.stx_mask & STATX_BTIME ? static_cast<std::uint64_t>(st.stx_btime.tv_sec) : 0,
                   st.stx_mask & STATX_BTIME ? st.stx_btime.tv_nsec : 0, meta.size()};
  Blake2b hash(key);
  hash.update(kRecording);
  hash.update(bytes_of(identity));
  hash.update(meta);
  return hash.finish();
}

bool equal_seals(const Digest& a, const Digest& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); i++) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace heddle
