#include "src/trace/temporary_folder.h"

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/trace/output_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "heddle-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
    setenv("TMPDIR", base_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    fs::remove_all(base_);
  }
  std::size_t left() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(base_), fs::directory_iterator()));
  }
  // In a process that is killed at its end.
  template <typename Do>
  static void in_killed_process(const Do& what) {
    const pid_t child = fork();
    if (child == 0) {
      what();
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  fs::path base_;
};

TEST_F(TemporaryFolders, WhatAKilledProcessLeftIsRemovedAndNothingElse) {
  auto own = TemporaryFolder::create("run");
  ASSERT_TRUE(own);
  struct stat st{};
  ASSERT_EQ(stat(own->path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
  in_killed_process([] {
    auto folder = TemporaryFolder::create("trace");
    std::ofstream(folder->path() / "secret") << "x";
    new TemporaryFolder(std::move(*folder));  // no destructor
  });
  fs::create_directory(base_ / "heddle-run-not.ours");
  fs::create_directory(base_ / "heddle-other-abcdef");
  EXPECT_EQ(left(), 4u);
  remove_leftover_folders();
  EXPECT_TRUE(fs::exists(own->path()));
  EXPECT_EQ(left(), 3u);
  own->remove();
  EXPECT_EQ(left(), 2u);
}

TEST_F(TemporaryFolders, APartOfAFileThatAKilledProcessWroteGoesWithTheNextOne) {
  std::ofstream(base_ / "t.heddle.heddle-part-abc123") << "x";
  std::ofstream(base_ / "t.heddle.backup") << "x";
  auto file = OutputFile::create(base_ / "t.heddle");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->commit());
  EXPECT_EQ(left(), 2u);
  EXPECT_TRUE(fs::exists(base_ / "t.heddle.backup"));
}

}  // namespace
}  // namespace heddle
