/* What the reader of platforms accepts, the network simulator loads and replays: every shipped platform, every kind of
 * fabric. */
#include <filesystem>

#include "tests/support/fixtures.hpp"
#include "tests/support/source.hpp"

extern "C" {
#include "sim/io/io.h"
}

using namespace stepsim;

namespace
{

/* Two stages of all the replicas that fit, so that NVLink and fabric are used. */
void replay_on(const std::string &path, int64_t most_replicas)
{
  ss_machine machine;
  ss_error error = {};
  ASSERT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << path << ": " << error.message;
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.parallelism.dp = std::min(machine.gpus / 2, most_replicas);
  workload.training.global_batch = 2 * workload.parallelism.dp;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const ss_breakdown parts = job.replay().breakdown;
  EXPECT_GT(parts.iteration_s, 0) << path;
  expect_close(ss_breakdown_sum(&parts), parts.iteration_s, 1e-9);
}

} // namespace

TEST(Platforms, ShippedOnesReplay)
{
  for (const auto &entry : std::filesystem::directory_iterator(source_path("platforms")))
    if (entry.path().extension() == ".xml") replay_on(entry.path(), 256);
}

TEST(Platforms, EveryKindOfFabricReplays)
{
  for (const char *fabric :
       {"", "topology=\"FLAT\" bb_bw=\"100GBps\" bb_lat=\"1us\"", "sharing_policy=\"SHARED\"",
        "sharing_policy=\"FATPIPE\"", "topology=\"FAT_TREE\" topo_parameters=\"3;4,2,2;1,2,2;1,1,2\"",
        "topology=\"TORUS\" topo_parameters=\"4,2,2\"", "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;2,1;2\"",
        "topology=\"HYPERX\" topo_parameters=\"2,4;1;2\""}) {
    PlatformSpec spec;
    spec.topology = fabric;
    SCOPED_TRACE(fabric);
    ss_machine machine = make_machine(spec);
    std::string text = read_file(machine.file);
    const std::string zone = "routing=\"Full\">";
    text.insert(text.find(zone) + zone.size(),
                "<prop id=\"matrix-flops\" value=\"312Tf\"/><prop id=\"vector-flops\" value=\"78Tf\"/>"
                "<prop id=\"hbm-bandwidth\" value=\"1555GBps\"/><prop id=\"hbm-capacity\" value=\"80GB\"/>"
                "<prop id=\"domain-size\" value=\"4\"/><prop id=\"nics-per-domain\" value=\"4\"/>"
                "<prop id=\"nvlink-efficiency\" value=\"0.7\"/><prop id=\"fabric-efficiency\" value=\"0.7\"/>");
    std::ofstream(machine.file) << text;
    replay_on(machine.file, 8);
  }
}
