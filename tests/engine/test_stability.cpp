/* Groups of ranks that share links and are in step only as long as all are alike: what is simultaneous, and jobs that
 * hang on the last digits of their input. */
#include "tests/support/fixtures.hpp"
#include "tests/support/inputs.hpp"
#include "tests/support/seed.hpp"

extern "C" {
#include "sim/engine/core/event_queue.h"
}

using namespace stepsim;

namespace
{

/* A fat tree of NICs and the rest of a platform. */
std::string in_platform(const std::string &properties, const std::string &fabric)
{
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"test\" routing=\"Full\">\n"
         "<prop id=\"matrix-flops\" value=\"100Tf\"/><prop id=\"vector-flops\" value=\"78Tf\"/>"
         "<prop id=\"hbm-capacity\" value=\"80GB\"/><prop id=\"domain-size\" value=\"4\"/>"
         "<prop id=\"nvlink-efficiency\" value=\"1\"/>" +
         properties +
         "<cluster id=\"nvlink\" prefix=\"gpu-\" suffix=\"\" radical=\"0-63\" speed=\"1Tf\" bw=\"300GBps\" "
         "lat=\"1us\"/>"
         "<cluster id=\"fabric\" prefix=\"nic-\" suffix=\"\" speed=\"1f\" lat=\"2us\" topology=\"FAT_TREE\" " +
         fabric + "/></zone></platform>\n";
}

/* Tensor-parallel groups with a rank in each of two domains, six to a cable, whose chunks slow kernels down. */
const std::string kSlowing =
    in_platform("<prop id=\"hbm-bandwidth\" value=\"3.35TBps\"/><prop id=\"nics-per-domain\" value=\"8\"/>"
                "<prop id=\"fabric-efficiency\" value=\"0.7\"/><prop id=\"nvlink-compute-cost\" value=\"0.3\"/>",
                "radical=\"0-127\" bw=\"5GBps\" topo_parameters=\"3;1,4,32;1,1,1;1,1,1\"");
const std::string kChunks =
    "<workload version=\"1\"><model name=\"job\" hidden=\"256\" heads=\"8\" layers=\"4\" sequence=\"64\"/>"
    "<training global-batch=\"15\"/><parallelism tp=\"2\" pp=\"2\" dp=\"3\"/><schedule overlap-tp=\"pipe\"/>"
    "<placement order=\"dp,pp,cp,tp\"/></workload>";

/* Experts, and one NIC for the four GPUs of a domain. */
const std::string kOneNic =
    in_platform("<prop id=\"hbm-bandwidth\" value=\"1555GBps\"/><prop id=\"nics-per-domain\" value=\"1\"/>"
                "<prop id=\"fabric-efficiency\" value=\"0.8\"/>",
                "radical=\"0-15\" bw=\"25GBps\" topo_parameters=\"3;2,8,1;1,1,2;1,1,1\" sharing_policy=\"FATPIPE\"");
const std::string kExperts = "<workload version=\"1\"><model name=\"job\" hidden=\"256\" heads=\"4\" layers=\"8\" "
                             "sequence=\"64\" experts=\"2\"/>"
                             "<training global-batch=\"4\" fused=\"no\"/><parallelism tp=\"4\" cp=\"2\" pp=\"8\"/>"
                             "<placement order=\"pp,cp,dp,tp\"/></workload>";

/* A job as the files describe it. */
struct Loaded {
  ss_workload workload;
  ss_machine machine;
  Loaded(const std::string &workload_text, const std::string &platform_text)
  {
    ss_error error = {};
    EXPECT_EQ(ss_workload_load(write("w.xml", workload_text).c_str(), &workload, &error), SS_OK) << error.message;
    ss_workload_derive(&workload);
    EXPECT_EQ(ss_machine_load(write("p.xml", platform_text).c_str(), &machine, &error), SS_OK) << error.message;
  }
};

/* However it is replayed, a job takes the same time, up to `relative`. */
void expect_the_same(const Job &job, double relative)
{
  const double iteration_s = job.replay().breakdown.iteration_s;
  for (ss_fold fold : {SS_FOLD_AUTO, SS_FOLD_NONE})
    for (ss_flow_mode flows : {SS_FLOWS_SHARED, SS_FLOWS_ALL, SS_FLOWS_SIMULATED}) {
      ss_replay_options options = {};
      options.fold = fold;
      options.flows = flows;
      expect_close(job.replay(options).breakdown.iteration_s, iteration_s, relative);
    }
}

ss_stability stability_of(const Job &job, double *iteration_s)
{
  const ss_replay_options options = {};
  ss_stability stability = {};
  ss_error error = {};
  const ss_replay_result result = job.replay();
  *iteration_s = result.breakdown.iteration_s;
  EXPECT_EQ(ss_replay_stability(job.get(), &options, &result, &stability, &error), SS_OK) << error.message;
  return stability;
}

} // namespace

/* Events at 1 s, 0.4 ps later and 0.7 ps later are one: they come in the order in which they went in, at the time of
 * the last. That 2 ps later stays. */
TEST(Ties, ComeInTheOrderInWhichTheyWentIn)
{
  ss_event_queue queue = {};
  const double times[] = {1 + 0.7e-12, 1 + 2e-12, 1, 1 + 0.4e-12, 1 + 0.7e-12, 5};
  int subject[6] = {};
  for (int i = 0; i < 6; ++i) ss_event_queue_add(&queue, {times[i], 0, i, &subject[i], nullptr});
  EXPECT_EQ(ss_event_queue_tie(&queue, 1e-12), 1 + 0.7e-12);
  for (int expected : {0, 2, 3, 4}) {
    const ss_event event = ss_event_queue_take(&queue);
    EXPECT_EQ(event.kind, expected);
    EXPECT_EQ(event.time_s, 1 + 0.7e-12);
  }
  EXPECT_EQ(ss_event_queue_tie(&queue, 1e-12), 1 + 2e-12);
  EXPECT_EQ(ss_event_queue_take(&queue).kind, 1);
  EXPECT_EQ(ss_event_queue_tie(&queue, 1e-12), 5);
  ss_event_queue_free(&queue);
}

/* Many events, some of them at nearly the same time: after every tie the heap is in order. */
TEST(Ties, KeepTheQueueInOrder)
{
  std::mt19937 random(5 + seed);
  ss_event_queue queue = {};
  for (int i = 0; i < 2000; ++i)
    ss_event_queue_add(&queue, {double(random() % 50) + 1e-14 * double(random() % 300), 0, 0, nullptr, nullptr});
  double last_s = 0;
  uint64_t last_order = 0;
  while (queue.count > 0) {
    const double tie_s = ss_event_queue_tie(&queue, 1e-12);
    const ss_event event = ss_event_queue_take(&queue);
    EXPECT_EQ(event.time_s, tie_s);
    EXPECT_TRUE(event.time_s > last_s || (event.time_s == last_s && event.order > last_order) || last_order == 0);
    last_s = event.time_s;
    last_order = event.order;
  }
  ss_event_queue_free(&queue);
}

/* Ranks that should do the same at the same time do not fall out of step by rounding. */
TEST(Stability, AJobTakesTheSameTimeHoweverItIsReplayed)
{
  const Loaded one_nic(kExperts, kOneNic);
  expect_the_same(Job(one_nic.workload, one_nic.machine, SS_COST_CALIBRATED), 1e-11);
}

/* What else brings ranks out of step does so here as well: a nanosecond in a second, two parts in a thousand. */
TEST(Stability, OfAJobIsMeasured)
{
  double iteration_s = 0;
  const Loaded slowing(kChunks, kSlowing);
  const Job unstable(slowing.workload, slowing.machine, SS_COST_CALIBRATED);
  const ss_stability found = stability_of(unstable, &iteration_s);
  EXPECT_TRUE(found.measured);
  EXPECT_FALSE(ss_stability_is_stable(&found, iteration_s));
  expect_the_same(unstable, 1e-7); /* rounding of one part in 10^16 shows as one in 10^9 */

  /* One replica of two stages: kernels and messages of its own, a sum of times that change by 1e-9 each at most a few
   * times. */
  ss_workload workload = make_workload();
  workload.parallelism.pp = 2;
  workload.training.global_batch = 4;
  const ss_stability quiet = stability_of(Job(workload, make_machine({})), &iteration_s);
  EXPECT_TRUE(quiet.measured);
  EXPECT_TRUE(ss_stability_is_stable(&quiet, iteration_s));
  EXPECT_LT(std::abs(ss_stability_change(&quiet, iteration_s)), 1e-8);
  EXPECT_NE(quiet.shaken_s, iteration_s);
}
