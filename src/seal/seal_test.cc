#include "src/seal/seal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::string hex(const Digest& digest) { return fmt::format("{:02x}", fmt::join(digest, "")); }

SealKey counting_key() {
  SealKey key;
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  return key;
}

std::string message(std::size_t n) {
  std::string out(n, '\0');
  for (std::size_t i = 0; i < n; i++) out[i] = static_cast<char>(i % 251);
  return out;
}

// Computed by Python's hashlib.blake2b(digest_size=32).
TEST(Blake2b, EqualsTheReferenceAtAllBoundariesOfBlocks) {
  const struct {
    std::size_t bytes;
    const char *keyed, *plain;
  } cases[] = {
      {0, "4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d",
       "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
      {1, "41ff93a4eaeebd3b78a93438a6f62a92ab5959c859e682b72c7def406197ca4d",
       "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"},
      {127, "12879e69734944f25f9ed95cbfdbb3659a307e485ed8ec118ce7c60f107357f1",
       "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72"},
      {128, "138893f1631ef3165629515d6ed800da3771b7926dced294205c7507351deebc",
       "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"},
      {129, "ca60f75cbb714330c046d8f28b4ed351a3ee81776bb02a96abb646fe573e3d5c",
       "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9"},
      {256, "da3bcd809850732f09afb9c749da4fc019f47d0ea35a28282f482ef5ffd91378",
       "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24"},
      {1000, "bf9c0d3a2590251349ad634ad07f03958d0be63d5f9533daf62752de734b2c76",
       "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331"},
  };
  const SealKey key = counting_key();
  for (const auto& c : cases) {
    Blake2b keyed(key), plain;
    for (char byte : message(c.bytes)) keyed.update({&byte, 1});
    plain.update(message(c.bytes));
    EXPECT_EQ(hex(keyed.finish()), c.keyed) << c.bytes;
    EXPECT_EQ(hex(plain.finish()), c.plain) << c.bytes;
  }
}

class Key : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/heddle-key-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "state" / "heddle" / "key"; }
  fs::path folder_;
};

TEST_F(Key, IsMadeOnceAndForThisUserOnly) {
  EXPECT_FALSE(read_key(file()));
  const auto made = read_or_make_key(file());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(*made, *read_or_make_key(file()));
  EXPECT_EQ(*made, *read_key(file()));
  struct stat st{};
  ASSERT_EQ(stat(file().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(fs::directory_iterator(file().parent_path()), {}), 1);
}

TEST_F(Key, OfTwoThatMakeOneAtTheSameTimeBothGetTheSame) {
  std::vector<std::optional<SealKey>> keys(8);
  {
    std::vector<std::jthread> threads;
    for (auto& key : keys)
      threads.emplace_back([&] {
        if (auto made = read_or_make_key(file())) key = *made;
      });
  }
  for (const auto& key : keys) EXPECT_TRUE(key && *key == *keys[0]);
}

TEST_F(Key, ThatOthersCanReadOrThatIsAnotherThingIsRefused) {
  ASSERT_TRUE(read_or_make_key(file()));
  fs::permissions(file(), fs::perms(0640));
  EXPECT_NE(read_key(file()).error().message.find("mode"), std::string::npos);
  EXPECT_FALSE(read_or_make_key(file()));
  fs::permissions(file(), fs::perms(0600));
  std::ofstream(file(), std::ios::app) << "x";
  EXPECT_NE(read_key(file()).error().message.find("32 bytes"), std::string::npos);
  fs::remove(file());
  fs::create_symlink("/etc/passwd", file());
  EXPECT_FALSE(read_key(file()));
}

TEST(Seal, DependsOnKeyContentAndKind) {
  SealKey key = counting_key(), other = key;
  other[31] ^= 1;
  Digest content{}, changed{};
  changed[0] = 1;
  const Digest seal = seal_of_trace(key, content);
  EXPECT_TRUE(equal_seals(seal, seal_of_trace(key, content)));
  EXPECT_FALSE(equal_seals(seal, seal_of_trace(other, content)));
  EXPECT_FALSE(equal_seals(seal, seal_of_trace(key, changed)));
}

TEST_F(Key, SealOfARecordingIsOfThatFileNotOfACopy) {
  const SealKey key = counting_key();
  const auto seal = [&](const char* name, std::string_view meta) {
    std::ofstream(folder_ / name, std::ios::app).flush();
    const int fd = ::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC);
    auto out = seal_of_recording(key, meta, fd);
    ::close(fd);
    return *out;
  };
  const Digest own = seal("a", "meta");
  EXPECT_TRUE(equal_seals(own, seal("a", "meta")));
  EXPECT_FALSE(equal_seals(own, seal("a", "other")));
  EXPECT_FALSE(equal_seals(own, seal("b", "meta")));
}

}  // namespace
}  // namespace heddle
