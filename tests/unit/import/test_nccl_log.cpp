/* Logs of nccl-tests as they were published (tests/measured_logs): their runs, and why others are refused. */
#include <cmath>

#include "tests/support/inputs.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/import/measured/nccl_log.h"
}

using namespace stepsim;

namespace
{

/* A log that is released at the end. */
struct Log {
  ss_nccl_log log = {};
  ss_error error = {};
  ss_status status = SS_OK;

  explicit Log(const std::string &path)
  {
    ss_source source;
    status = ss_source_read(path.c_str(), &source, &error);
    EXPECT_TRUE(status != SS_OK || ss_nccl_log_is(source.text)) << path;
    if (status == SS_OK) status = ss_nccl_log_read(&source, &log, &error);
    ss_source_free(&source);
  }
  ~Log()
  {
    ss_nccl_log_free(&log);
  }
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;
};

std::string published(const std::string &name)
{
  return source_path("tests/measured_logs/" + name);
}

/* "TEST RANKS on HOSTS hosts of DEVICE, ROWS rows" with what was not said. */
std::string summary(const ss_nccl_run &run)
{
  return std::string(ss_nccl_test_name(run.test)) + (run.guessed ? "?" : "") + " " + std::to_string(run.ranks) +
         " on " + std::to_string(run.hosts) + " of " + run.device + ", " + std::to_string(run.rows) + " rows" +
         (run.unlisted > 0 ? ", " + std::to_string(run.unlisted) + " unlisted" : "");
}

std::string refusal(const std::string &path)
{
  const Log log(path);
  return printed(log.status, log.error, path);
}

const char *const head = "# out-of-place in-place\n"
                         "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";

std::string log_of(const std::string &ranks, const std::string &rows)
{
  return write("some.log", ranks + head + rows);
}

} // namespace

/* Ranks, hosts and rows counted in the files. */
TEST(NcclLog, Published)
{
  const struct {
    const char *file, *expected;
  } logs[] = {
      {"h100-1x8-dgxc.log", "all_reduce? 8 on 1 of NVIDIA H100 80GB HBM3, 32 rows"},
      {"h100-2x8-k8s.log", "all_reduce? 16 on 2 of NVIDIA H100 80GB HBM3, 5 rows"},
      {"a100-2x8-oke.log", "all_reduce? 16 on 2 of NVIDIA A100-SXM4-40GB, 9 rows"},
      {"a100-2x8-oracle.log", "all_reduce? 16 on 2 of NVIDIA A100-SXM4-40GB, 4 rows, 12 unlisted"},
      {"mi300x-2x8-oracle.log", "all_reduce? 16 on 2 of , 5 rows, 12 unlisted"},
      {"mi300x-1x8-rccl.log", "all_reduce 8 on 1 of AMD Instinct MI300X, 5 rows"},
      {"gb200-1x72-coreweave.log", "all_reduce? 72 on 18 of NVIDIA Graphics Device, 5 rows, 71 unlisted"},
      {"gb200-2x72-coreweave.log", "all_reduce? 144 on 36 of NVIDIA Graphics Device, 6 rows, 143 unlisted"},
      {"h200-2x8.log", "all_reduce 16 on 2 of NVIDIA H200, 3 rows"},
      {"h200-vm-2x8.log", "all_reduce? 16 on 2 of NVIDIA H200, 6 rows"},
      {"rtx6000-2x8-2.18.log", "all_reduce 16 on 2 of NVIDIA Graphics Device, 5 rows"},
      {"a40-sendrecv_perf-2x1.log", "sendrecv 2 on 2 of NVIDIA A40, 4 rows"},
      {"h20-alltoall_perf-1x8.log", "alltoall 8 on 1 of NVIDIA H20-3e, 3 rows"},
      {"gtx1080-sendrecv-old.log", "sendrecv 2 on 1 of NVIDIA GeForce GTX 1080, 1 rows"},
      {"v100-broadcast-old.log", "broadcast 2 on 2 of Tesla V100-PCIE-16GB, 1 rows"},
  };
  for (const auto &l : logs) {
    const Log log(published(l.file));
    ASSERT_EQ(log.status, SS_OK) << l.file << ": " << log.error.message;
    ASSERT_EQ(log.log.runs, 1) << l.file;
    EXPECT_EQ(summary(log.log.run[0]), l.expected) << l.file;
  }
}

TEST(NcclLog, RowAsPublished)
{
  const Log log(published("h100-1x8-dgxc.log"));
  ASSERT_EQ(log.status, SS_OK);
  const ss_nccl_row &last = log.log.run[0].row[31]; /* 17179869184 ... 62648 274.23 479.90 0 62636 ... */
  EXPECT_EQ(last.bytes, INT64_C(17179869184));
  EXPECT_DOUBLE_EQ(last.out_s, 62648e-6);
  EXPECT_DOUBLE_EQ(last.in_s, 62636e-6);
  EXPECT_DOUBLE_EQ(last.busbw, 479.90e9);
  EXPECT_FALSE(last.wrong);
}

TEST(NcclLog, PublishedAndRefused)
{
  EXPECT_EQ(refusal(published("h800-alltoall-failed.log")),
            "PATH:27: a row of the table has 16 words, its head 13; allowed: a run that came to its end");
  EXPECT_EQ(refusal(published("p5-no-devices-aws.log")),
            "PATH:2: the log does not list the devices of this table; allowed: all of the output of nccl-tests");
  EXPECT_EQ(
      refusal(published("v100-no-mpi.log")),
      "PATH:8: rank 0 is device 0 of ip-172-31-20-228, and there are 1 ranks on 2 hosts; allowed: as many ranks on "
      "each host, one after the other, all of them in the log");
}

/* Two kinds of GPU in one run. */
TEST(NcclLog, MixedClustersAreRefused)
{
  EXPECT_EQ(refusal(log_of("# Rank 0 Group 0 Pid 1 on a device 0 [0x1] NVIDIA H100\n"
                           "# Rank 1 Group 0 Pid 2 on b device 0 [0x1] NVIDIA A100\n",
                           "1024 256 float sum -1 10 0.1 0.1 0 10 0.1 0.1 0\n")),
            "PATH:2: rank 1 has a NVIDIA A100, rank 0 a NVIDIA H100; allowed: one kind of GPU");
}

TEST(NcclLog, HostsWithOtherNumbersOfRanksAreRefused)
{
  const std::string text = refusal(log_of("# Rank 0 Group 0 Pid 1 on a device 0 [0x1] X\n"
                                          "# Rank 1 Group 0 Pid 2 on a device 1 [0x1] X\n"
                                          "# Rank 2 Group 0 Pid 3 on b device 0 [0x1] X\n",
                                          "1024 256 float sum -1 10 0.1 0.1 0 10 0.1 0.1 0\n"));
  EXPECT_NE(text.find("there are 3 ranks on 2 hosts"), std::string::npos) << text;
}

/* all_gather and alltoall print the same columns and the same share of busbw: only a name tells. */
TEST(NcclLog, NeedsANameWhereBandwidthsDoNotTell)
{
  const char *const ranks =
      "# Rank 0 Group 0 Pid 1 on a device 0 [0x1] X\n# Rank 1 Group 0 Pid 2 on a device 1 [0x2] X\n";
  const char *const rows = "1073741824 1 float none -1 10000 107.37 53.69 0 10000 107.37 53.69 0\n";
  const std::string unnamed = refusal(log_of(ranks, rows));
  EXPECT_NE(unnamed.find("does not say which collective this is"), std::string::npos) << unnamed;
  const Log named(log_of(std::string("./build/all_gather_perf -b 1G -e 1G -g 2\n") + ranks, rows));
  ASSERT_EQ(named.status, SS_OK) << named.error.message;
  EXPECT_EQ(summary(named.log.run[0]), "all_gather 2 on 1 of X, 1 rows");
}

/* A test that found wrong values says so in its last column. */
TEST(NcclLog, WrongValuesAreMarked)
{
  const Log log(
      log_of("# Collective test starting: reduce_scatter_perf\n# Rank 0 Group 0 Pid 1 on a device 0 [0x1] X\n"
             "# Rank 1 Group 0 Pid 2 on a device 1 [0x2] X\n",
             "1024 1 float sum -1 10 0.1 0.1 7 10 0.1 0.1 0\n2048 1 float sum -1 10 0.1 0.1 0 N/A N/A N/A N/A\n"));
  ASSERT_EQ(log.status, SS_OK) << log.error.message;
  EXPECT_TRUE(log.log.run[0].row[0].wrong);
  EXPECT_FALSE(log.log.run[0].row[1].wrong);
  EXPECT_TRUE(std::isnan(log.log.run[0].row[1].in_s));
}

/* Many logs that people pass on lack the line above the names of the columns. */
TEST(NcclLog, IsKnownWithoutItsFirstHeading)
{
  const std::string columns = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
  EXPECT_TRUE(ss_nccl_log_is((columns + "# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)\n").c_str()));
  EXPECT_TRUE(ss_nccl_log_is(head));
  EXPECT_FALSE(ss_nccl_log_is(columns.c_str()));
}

/* What is none of nccl-tests is counted, and the first one kept, without what mpirun puts before lines. */
TEST(NcclLog, ForeignLinesAreCounted)
{
  const Log log(log_of(
      "hello\n# Collective test starting: all_reduce_perf\n[1,0]<stdout>:# Rank 0 Group 0 Pid 1 on a device 0 [0x1] X\n"
      "[1,0]<stdout>:# Rank 1 Group 0 Pid 2 on a device 1 [0x2] X\n# another\n",
      "[1,0]<stdout>: 1073741824 1 float sum -1 10000 107.37 107.37 0 10000 107.37 107.37 0\n"));
  ASSERT_EQ(log.status, SS_OK) << log.error.message;
  EXPECT_EQ(log.log.foreign, 2);
  EXPECT_EQ(log.log.foreign_line, 1);
  EXPECT_STREQ(log.log.foreign_text, "hello");
}

TEST(NcclLog, UnknownColumnsAreRefused)
{
  const std::string path = write("some.log", "# out-of-place in-place algbw busbw\n# size hops time time\n");
  EXPECT_EQ(refusal(path), "PATH:2: column \"hops\" is unknown; allowed: those of nccl-tests");
}
