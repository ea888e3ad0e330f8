// Every input that the fuzzer ever cared about, in the ordinary tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST(TraceFuzz, StoredCorpusIsReadWithoutHarm) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/data/fuzz/trace")) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    SCOPED_TRACE(entry.path().string());
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    // All of the text view's switches; page and timeline (bits 5 and 6) have none of their own.
    for (int mode = 0; mode < 36 && !bytes.empty(); ++mode) {
      bytes[0] = static_cast<char>(mode < 32 ? mode : 64 + mode);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    ++files;
  }
  EXPECT_GT(files, 10u);
}
