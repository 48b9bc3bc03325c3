/* Files found by name, in folders of a test's own and beside the program, and what they say about themselves. */
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

extern "C" {
#include "sim/io/shipped.h"
#include "sim/io/title.h"
}

namespace
{

std::string title(const char *text)
{
  char copy[64];
  ss_title_of(text, copy, sizeof copy);
  return copy;
}

TEST(Title, IsTheFirstSentenceOfTheFirstComment)
{
  EXPECT_EQ(title("<?xml version='1.0'?>\n<!--\n  GPT on\n  8 GPUs. More.\n-->\n<!-- b -->"), "GPT on 8 GPUs");
  EXPECT_EQ(title("<!-- Korthikanti et al. 2022, v4.0. Model: x -->"), "Korthikanti et al. 2022, v4.0");
  EXPECT_EQ(title("<!-- one paragraph\n\n  another -->"), "one paragraph");
  EXPECT_EQ(title("<!-- no stop -->"), "no stop");
  EXPECT_EQ(title("<workload/>"), "");
  EXPECT_EQ(title("<!-- never ends"), "");
  EXPECT_EQ(title(("<!-- " + std::string(100, 'a') + " -->").c_str()), std::string(63, 'a'));
}

TEST(Title, KnowsTheRoot)
{
  EXPECT_TRUE(
      ss_title_has_root("<?xml?><!DOCTYPE platform SYSTEM \"a\"><!-- <fit> --><platform version='4.1'>", "platform"));
  EXPECT_FALSE(ss_title_has_root("<!-- <fit> --><platform>", "fit"));
  EXPECT_FALSE(ss_title_has_root("<platforms>", "platform"));
  EXPECT_FALSE(ss_title_has_root("<!-- never ends", "fit"));
}

/* Folders a and b for STEPSIM_PATH: a/mine.xml and b/workloads/mine.xml, b/platforms/other.xml. */
class ShippedFiles : public testing::Test
{
protected:
  void SetUp() override
  {
    root = testing::TempDir() + "shipped-" + std::to_string(getpid());
    for (const char *folder : {"", "/a", "/b", "/b/workloads", "/b/platforms"}) mkdir((root + folder).c_str(), 0700);
    std::ofstream(root + "/a/mine.xml") << "<!-- Mine. --><workload/>";
    std::ofstream(root + "/b/workloads/mine.xml") << "<!-- Hidden. --><workload/>";
    std::ofstream(root + "/b/platforms/other.xml") << "<!-- Other. --><platform/>";
    setenv("STEPSIM_PATH", (root + "/a:" + root + "/b").c_str(), 1);
  }
  void TearDown() override
  {
    unsetenv("STEPSIM_PATH");
  }

  std::string find(ss_shipped kind, const std::string &name)
  {
    char path[SS_PATH_SIZE] = "";
    error = {};
    return ss_shipped_find(kind, name.c_str(), path, &error) == SS_OK ? path : error.message;
  }

  std::string root;
  ss_error error;
};

TEST_F(ShippedFiles, AreFoundInTheFirstFolderThatHasThem)
{
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, "mine"), root + "/a/mine.xml");
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, "mine.xml"), root + "/a/mine.xml");
  EXPECT_EQ(find(SS_SHIPPED_PLATFORMS, "other"), root + "/b/platforms/other.xml");
  EXPECT_EQ(find(SS_SHIPPED_PLATFORMS, "platforms/other.xml"), root + "/b/platforms/other.xml");
}

TEST_F(ShippedFiles, APathComesFirst)
{
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, root + "/b/workloads/mine.xml"), root + "/b/workloads/mine.xml");
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, root + "/b/workloads/mine"), root + "/b/workloads/mine.xml");
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, "nowhere/mine.xml"),
            "cannot be read: No such file or directory (did you mean mine?)");
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, root + "/b/workloads/mien.xml"),
            "cannot be read: No such file or directory (did you mean " + root + "/b/workloads/mine.xml?)");
}

/* A test program is in a build, which has the sources for shipped files. */
TEST_F(ShippedFiles, ThoseOfTheProgramComeLast)
{
  EXPECT_NE(find(SS_SHIPPED_WORKLOADS, "gpt3-175b").find("workloads/gpt3-175b.xml"), std::string::npos);
  EXPECT_NE(find(SS_SHIPPED_MEASUREMENTS, "sc21").find("validation/measured-sc21.xml"), std::string::npos);
  EXPECT_NE(find(SS_SHIPPED_FITS, "a100").find("validation/fit/a100.xml"), std::string::npos);
}

TEST_F(ShippedFiles, ANameThatIsNowhereIsRefusedWithThoseThatAreNear)
{
  EXPECT_EQ(
      find(SS_SHIPPED_PLATFORMS, "perlmuter"),
      "is neither a file nor the name of a platform (did you mean perlmutter?); allowed: a path, or what \"stepsim "
      "list platforms\" lists");
  EXPECT_EQ(find(SS_SHIPPED_PLATFORMS, "othr.xml").substr(0, 72),
            "is neither a file nor the name of a platform (did you mean other?); allo");
}

TEST_F(ShippedFiles, ANameOfAnotherKindIsRefusedWithItsKind)
{
  EXPECT_EQ(find(SS_SHIPPED_PLATFORMS, "gpt3-175b"),
            "is the name of a workload, not of a platform; allowed: a path, or what \"stepsim list platforms\" lists");
  EXPECT_EQ(find(SS_SHIPPED_WORKLOADS, "korthikanti"),
            "is the name of a file of measurements, not of a workload; allowed: a path, or what \"stepsim list "
            "workloads\" lists");
}

TEST_F(ShippedFiles, AreListedOnce)
{
  ss_shipped_files files;
  ASSERT_EQ(ss_shipped_files_init(&files, SS_SHIPPED_WORKLOADS, &error), SS_OK) << error.message;
  ASSERT_GT(files.count, 10);
  EXPECT_STREQ(files.file[0].name, "mine");
  EXPECT_STREQ(files.file[0].title, "Mine");
  for (int64_t i = 1; i < files.count; ++i) {
    EXPECT_STRNE(files.file[i].name, "mine");
    EXPECT_STRNE(files.file[i].title, "") << files.file[i].name;
  }
  ss_shipped_files_free(&files);
}

} // namespace
