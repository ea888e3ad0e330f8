// Every stored log, in the ordinary tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST(LogFuzz, StoredCorpusIsReadWithoutHarm) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/data/fuzz/log")) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    SCOPED_TRACE(entry.path().string());
    for (char mode = 0; mode < 4 && !bytes.empty(); ++mode) {
      bytes[0] = mode;
      EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    }
    ++files;
  }
  EXPECT_GT(files, 2u);
}
