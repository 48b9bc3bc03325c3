/* Protocols of NCCL against numbers derived by hand, and what has to hold for all of them. */
#include <vector>

#include "tests/support/fixtures.hpp"
#include "tests/support/methods.hpp"

using namespace stepsim;

namespace
{

/* NVLink 210 GB/s, NICs 17.5 GB/s, one per GPU, four GPUs in a domain. Start 15 us; a step of Simple 12 us over NVLink,
 * 25 us over the fabric, 44 us in a tree; of LL 0.5 and 6.5 us; LL passes 6.8 GB/s on over the fabric. */
constexpr double kFast = 210e9, kSlow = 17.5e9, kLow = 6.8e9;

const ss_span kSpan = {16, 4, 4, {}, {}}, kInside = {4, 1, 4, {}, {}}, kPair = {2, 1, 2, {}, {}},
              kApart = {4, 4, 1, {}, {}};

ss_network network_of(const ss_machine &machine, const ss_workload &workload = make_workload())
{
  return ss_network_of(&machine, &workload, SS_COST_CALIBRATED);
}

ss_machine stated()
{
  return with_protocols(make_machine({}));
}

double ring_s(const ss_machine &machine, ss_collective kind, ss_span span, double volume_bytes)
{
  const ss_network network = network_of(machine);
  return ss_comm_time_sum(ss_method_time(&network, {kind, SS_ALGORITHM_RING}, span, volume_bytes));
}

/* Steps beside a transfer across domains: the 3/2-norm, so that two equal times take 2^(2/3) of one. */
const double kBoth = std::cbrt(4.0);

} // namespace

/* Nothing hides: 84 MB are 63 MB to pass on, 300 us, after the start and three steps. Of a tenth, 30 us: LL takes 15 +
 * 3 * 0.5 + 2 * 30 = 76.5 us, Simple 15 + 36 + 30 = 81 us. An all-reduce goes around twice. */
TEST(Protocols, InsideADomain)
{
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_ALL_GATHER, kInside, 84e6), 351e-6);
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_ALL_GATHER, kInside, 8.4e6), 76.5e-6);
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_ALL_REDUCE, kInside, 84e6), 15e-6 + 6 * 12e-6 + 600e-6);
  ss_machine simple = stated();
  simple.ll_nvlink_s = 0;
  EXPECT_DOUBLE_EQ(ring_s(simple, SS_ALL_GATHER, kInside, 8.4e6), 81e-6);
}

/* Three steps between four NICs, and the ends, are 15 + 5 * 25 = 140 us of Simple. A volume whose 3/4 take as long
 * takes both by the norm. 90,667 bytes are 68,000 to pass on by LL, 10 us after 15 + 3 * 6.5 us. */
TEST(Protocols, AcrossDomains)
{
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_ALL_GATHER, kApart, 140e-6 * kSlow / 0.75), kBoth * 140e-6);
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_REDUCE_SCATTER, kApart, 68e3 / 0.75), 44.5e-6);
  ss_machine simple = stated();
  simple.ll_fabric_bytes_per_s = 0;
  EXPECT_GT(ring_s(simple, SS_REDUCE_SCATTER, kApart, 68e3 / 0.75), 140e-6);
}

/* A ring through four GPUs of each of four domains has 3 + 2 steps between NICs and 12 inside: 15 + 125 + 144 = 284 us;
 * 15/16 of the volume leave a domain by four NICs. By LL every GPU passes all of that on. */
TEST(Protocols, RingOverBoth)
{
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_ALL_GATHER, kSpan, 284e-6 * 4 * kSlow * 16 / 15), kBoth * 284e-6);
  EXPECT_DOUBLE_EQ(ring_s(stated(), SS_ALL_GATHER, kSpan, 100e-6 * kLow * 16 / 15),
                   15e-6 + 3 * 6.5e-6 + 12 * 0.5e-6 + 100e-6);
}

/* Two GPUs of four have one of the three links of each: a third of the port. The flows are those of the port. */
TEST(Protocols, Pairs)
{
  ss_machine machine = stated();
  machine.nvlink_pairs = 1;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kPair, 84e6), 15e-6 + 12e-6 + 3 * 200e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kInside, 84e6), 351e-6);
  const ss_network network = network_of(machine);
  EXPECT_DOUBLE_EQ(ss_method_time(&network, {SS_ALL_GATHER, SS_ALGORITHM_RING}, kPair, 84e6).transfer_s, 200e-6);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_message_time(&network, false, 42e6, 1)), 15e-6 + 12e-6 + 3 * 200e-6);
  /* Pairs without protocols: a step of 2.5 us. */
  ss_machine plain = make_machine({});
  plain.nvlink_pairs = 1;
  EXPECT_DOUBLE_EQ(ring_s(plain, SS_ALL_GATHER, kPair, 84e6), 2.5e-6 + 3 * 200e-6);
}

/* With c = 1/2 a ring of four GPUs takes 3.5 steps of 100 us to reduce and scatter 84 MB, and back and forth 6.5. To
 * gather it copies what it has, too: two GPUs take 2 steps of 200 us, and by LL four take twice 4 steps of 5 us for 4.2
 * MB. A ring over several domains and a message do not wait for what is copied out. */
TEST(Protocols, RingsEndWithACopy)
{
  ss_machine machine = stated();
  machine.nvlink_copying = 0.5;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_REDUCE_SCATTER, kInside, 84e6), 51e-6 + 350e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_REDUCE, kInside, 84e6), 15e-6 + 6 * 12e-6 + 650e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_REDUCE_SCATTER, kPair, 84e6), 15e-6 + 12e-6 + 300e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kPair, 84e6), 15e-6 + 12e-6 + 400e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kInside, 4.2e6), 16.5e-6 + 40e-6);
  EXPECT_EQ(ring_s(machine, SS_ALL_GATHER, kSpan, 84e6), ring_s(stated(), SS_ALL_GATHER, kSpan, 84e6));
  const ss_network network = network_of(machine);
  EXPECT_DOUBLE_EQ(ss_method_time(&network, {SS_ALL_GATHER, SS_ALGORITHM_RING}, kPair, 84e6).transfer_s, 200e-6);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_message_time(&network, false, 42e6, 1)), 15e-6 + 12e-6 + 200e-6);
  const ss_method levels = {SS_REDUCE_SCATTER, SS_ALGORITHM_HIERARCHICAL};
  const double inside_s = ss_comm_time_sum(ss_collective_phase(&network, levels, kSpan, 84e6, 0));
  EXPECT_DOUBLE_EQ(inside_s, 51e-6 + 350e-6);
}

/* With c = 1/2 a single GPU of four reaches (1 + 1/8) / (1 + 1/2) = 3/4 of what the NIC gives to whole domains, two
 * (1 + 1/8) / (1 + 1/4) = 9/10. A message passes nothing on. */
TEST(Protocols, FewGpusPassOnMore)
{
  ss_machine machine = make_machine({});
  machine.fabric_passing = 0.5;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kApart, 70e6), 3 * 5e-6 + 3e-3 / 0.75);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, {4, 2, 2, {}, {}}, 70e6), 5e-6 + 2 * 2.5e-6 + 1.5e-3 / 0.9);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, {8, 2, 4, {}, {}}, 80e6), 5e-6 + 6 * 2.5e-6 + 1e-3);
  const ss_network network = network_of(machine);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_message_time(&network, true, 70e6, 1)), 5e-6 + 4e-3);
}

/* LL has a c of its own: with 1/2 of the fabric, and 2, a GPU of a domain passes on (1 + 2/4) / (1 + 2) = 1/2 of what
 * one of four does. The bytes are those of AcrossDomains: 10 us become 20. */
TEST(Protocols, FewGpusPassOnMoreByLL)
{
  ss_machine machine = stated();
  machine.ll_passing = 2;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_REDUCE_SCATTER, kApart, 68e3 / 0.75), 54.5e-6);
  machine.fabric_passing = 0.5;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_REDUCE_SCATTER, kApart, 68e3 / 0.75), 54.5e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kSpan, 100e-6 * kLow * 16 / 15),
                   15e-6 + 3 * 6.5e-6 + 12 * 0.5e-6 + 100e-6);
}

/* Of Simple, 8 us in place of 12 in each of the 12 steps over NVLink of RingOverBoth: 284 - 48 us; of the six in a
 * tree, 24 us less. A ring inside a domain keeps its 12. */
TEST(Protocols, StepsOverNVLinkOfWhatCrossesDomains)
{
  ss_machine machine = stated();
  machine.simple_passing_s = 8e-6;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kSpan, 236e-6 * 4 * kSlow * 16 / 15), kBoth * 236e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kInside, 84e6), 351e-6);
  const ss_network network = network_of(machine);
  const ss_method trees = {SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE};
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_method_time(&network, trees, kSpan, 70e6)), 15e-6 + 6 * 8e-6 + 4 * 44e-6 + 2e-3);
}

/* Two trees of four domains: two levels up and two down, a chain of three steps up and three down, and the volume
 * twice, through four NICs: 70 MB are 2 ms. Each GPU that receives also sends, so c = 1/2 makes that 2 / (3/4) ms. */
TEST(Protocols, TreesArePipelines)
{
  ss_machine machine = stated();
  const ss_method trees = {SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE};
  const double steps_s = 15e-6 + 6 * 12e-6 + 4 * 44e-6;
  ss_network network = network_of(machine);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_method_time(&network, trees, kSpan, 70e6)), steps_s + 2e-3);
  machine.fabric_passing = 0.5;
  network = network_of(machine);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_method_time(&network, trees, kSpan, 70e6)), steps_s + 2e-3 / 0.75);
}

/* Of few bytes by LL: 68 KB are 10 us in each of four steps of 6.5 (5.0 / 2.7) us; 512 threads with 8 lines of 8 bytes
 * in four channels are a piece of 128 KiB, and 68 KB more come behind it in 30 us. Two domains are one step up and one
 * down for each half of the volume. Switches that reduce inside a domain have no LL: a step of Simple, and 4 of 44 us.
 */
TEST(Protocols, SmallTreesPassOnPieces)
{
  ss_machine machine = stated();
  const ss_method trees = {SS_ALL_REDUCE, SS_ALGORITHM_DOUBLE_TREE};
  const double step_s = 6.5e-6 * 5.0 / 2.7, chain_s = 15e-6 + 6 * 0.5e-6, piece_s = 131072 / kLow;
  ss_network network = network_of(machine);
  const auto time_s = [&](ss_span span, double bytes) {
    return ss_comm_time_sum(ss_method_time(&network, trees, span, bytes));
  };
  EXPECT_DOUBLE_EQ(time_s(kSpan, 68e3), chain_s + 4 * (step_s + 10e-6));
  EXPECT_DOUBLE_EQ(time_s(kSpan, 131072 + 68e3), chain_s + 4 * (step_s + piece_s) + 30e-6);
  EXPECT_DOUBLE_EQ(time_s({8, 2, 4, {}, {}}, 68e3), chain_s + 2 * (step_s + 5e-6));
  EXPECT_EQ(ss_collective_choose(&network, SS_ALL_REDUCE, {1024, 256, 4, {}, {}}, 400), SS_ALGORITHM_DOUBLE_TREE);
  machine.ll_fabric_bytes_per_s = 0;
  network = network_of(machine);
  EXPECT_GT(time_s(kSpan, 68e3), 15e-6 + 6 * 12e-6 + 4 * 44e-6);
  machine = stated();
  machine.nvlink_reduces = 1;
  network = network_of(machine);
  const ss_method switches = {SS_ALL_REDUCE, SS_ALGORITHM_IN_NETWORK};
  EXPECT_GT(ss_comm_time_sum(ss_method_time(&network, switches, kSpan, 68e3)), 15e-6 + 12e-6 + 4 * 44e-6);
}

/* All is sent at once: the start, a step of Simple, and the messages of 3 and 12 others. 3/16 of the volume stay
 * inside; 12/16 of 4 volumes leave by four NICs. */
TEST(Protocols, AllToAllIsABurst)
{
  const ss_network network = network_of(stated());
  const double links_s = 3 * 2.5e-6 + 12 * 5e-6;
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_collective_time(&network, SS_ALL_TO_ALL, kSpan, 70e6)),
                   15e-6 + 25e-6 + links_s + 0.75 * 4e-3);
}

/* A message is a ring of one step: 15 + 3 * 25 = 90 us across, by LL 15 + 6.5 us and 68 KB at 6.8 GB/s. */
TEST(Protocols, Messages)
{
  const ss_network network = network_of(stated());
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_message_time(&network, true, 90e-6 * kSlow, 1)), kBoth * 90e-6);
  EXPECT_DOUBLE_EQ(ss_comm_time_sum(ss_message_time(&network, false, 21e6, 1)), 15e-6 + 12e-6 + 100e-6);
  EXPECT_EQ(ss_comm_time_sum(ss_message_time(&network, true, 0, 1)), 0);
}

/* What is not stated is as the links are: 2.5 and 5 us. By LL, 80 KB take 3 * 5 us + 10 us over 4 domains of one GPU,
 * 12 * 2.5 us more over 4 of 4; inside of one it is not used. */
TEST(Protocols, UnstatedStepsAreThoseOfTheLinks)
{
  ss_machine machine = make_machine({});
  machine.collective_start_s = 1e-6;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kInside, 84e6), 1e-6 + 3 * 2.5e-6 + 300e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kApart, 26e-6 * kSlow / 0.75), kBoth * 26e-6);
  machine = make_machine({});
  machine.ll_fabric_bytes_per_s = 6e9;
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kApart, 80e3), 3 * 5e-6 + 10e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kSpan, 64e3), 3 * 5e-6 + 12 * 2.5e-6 + 10e-6);
  EXPECT_DOUBLE_EQ(ring_s(machine, SS_ALL_GATHER, kInside, 28e3), 3 * 2.5e-6 + 100e-9);
}

/* arXiv 2410.00273 knows nothing of them; and an explanation leaves all of it out with the latencies. */
TEST(Protocols, AreLeftOut)
{
  ss_machine machine = stated(), plain = make_machine({});
  machine.nvlink_pairs = 1;
  machine.fabric_passing = machine.nvlink_copying = 0.5;
  const ss_workload workload = make_workload();
  const ss_network published = ss_network_of(&machine, &workload, SS_COST_SC24);
  const ss_network expected = ss_network_of(&plain, &workload, SS_COST_SC24);
  ss_network dropped = network_of(machine);
  ss_network_drop_latency(&dropped);
  for (const ss_span span : {kSpan, kInside, kPair, kApart}) {
    EXPECT_EQ(ss_comm_time_sum(ss_collective_time(&published, SS_ALL_GATHER, span, 1e6)),
              ss_comm_time_sum(ss_collective_time(&expected, SS_ALL_GATHER, span, 1e6)));
    const ss_comm_time time = ss_collective_time(&dropped, SS_ALL_GATHER, span, 1e6);
    EXPECT_EQ(time.latency_s, 0);
    EXPECT_DOUBLE_EQ(time.transfer_s, ss_collective_time(&expected, SS_ALL_GATHER, span, 1e6).transfer_s);
  }
}

/* By every algorithm and over every group: more bytes take longer, never less than the links need, and the flows are
 * those of a machine that states nothing. */
TEST(Protocols, NeverOutrunTheLinks)
{
  ss_machine machine = stated();
  machine.fabric_passing = machine.nvlink_copying = 0.5;
  const ss_network network = network_of(machine), plain = network_of(make_machine({}));
  for (const ss_method method : all_methods())
    for (const ss_span span : {kSpan, kInside, kPair, kApart, ss_span{8, 4, 2, {}, {}}, ss_span{64, 16, 4, {}, {}}}) {
      double before_s = 0;
      for (double bytes = 1e3; bytes < 1e11; bytes *= 1.7) {
        const ss_comm_time time = ss_method_time(&network, method, span, bytes);
        EXPECT_GE(time.latency_s, 0);
        EXPECT_DOUBLE_EQ(time.transfer_s, ss_method_time(&plain, method, span, bytes).transfer_s);
        EXPECT_GT(ss_comm_time_sum(time), before_s);
        before_s = ss_comm_time_sum(time);
      }
    }
}

/* A ring that is taken apart for overlap is one ring: its pieces add up to it. */
TEST(Protocols, PiecesAddUpToTheRing)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_RING;
  const Job job(workload, stated(), SS_COST_CALIBRATED);
  const ss_task_list *tasks = ss_job_tasks(job.get(), SS_BLOCK_LAYER, SS_PASS_FORWARD);
  int64_t rings = 0;
  for (int64_t i = 0; i < tasks->count; ++i) {
    const ss_task *task = &tasks->task[i];
    if (!task->overlap.one_ring) continue;
    const ss_comm_time piece = ss_job_call_piece(job.get(), SS_BLOCK_LAYER, SS_PASS_FORWARD, task, 0, kInside);
    const double whole_s = ring_s(stated(), task->call[0].kind, kInside, task->call[0].volume_bytes);
    expect_close((double)task->overlap.call_pieces * ss_comm_time_sum(piece), whole_s, 1e-12);
    ++rings;
  }
  EXPECT_GT(rings, 0);
}
