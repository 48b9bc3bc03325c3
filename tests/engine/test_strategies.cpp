/* Replays of everything a strategy can say beside the plain pipeline, against numbers derived by hand. */
#include <algorithm>

#include "tests/support/attributes.hpp"
#include "tests/support/fixtures.hpp"

using namespace stepsim;

namespace
{

ss_workload make_pipeline(ss_pipeline pipeline, int stages, int micro_batches)
{
  ss_workload workload = make_workload();
  workload.model.layers = 32;
  workload.parallelism.pp = stages;
  workload.training.global_batch = micro_batches;
  workload.schedule.pipeline = pipeline;
  return workload;
}

double pass_s(const Job &job, ss_pass pass)
{
  return (double)job->workload->model.layers / (double)job->stages * job.layer_s(pass);
}

/* Ranks along some axes; gradients are reduced when everything else is over. */
ss_workload make_group(int tp, int cp, int dp)
{
  ss_workload workload = make_workload();
  workload.parallelism.tp = tp;
  workload.parallelism.cp = cp;
  workload.parallelism.dp = dp;
  workload.training.global_batch = dp;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_dp = SS_NO;
  return workload;
}

void expect_flows_take_their_computed_time(const ss_workload &workload, const PlatformSpec &spec, double relative)
{
  const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
  ss_replay_options alone = {};
  alone.private_links = true;
  const ss_breakdown flows = job.replay_all_flows().breakdown, computed = job.replay(alone).breakdown;
  expect_close(flows.iteration_s, computed.iteration_s, relative);
  expect_close(flows.tp_comm_s + flows.cp_comm_s + flows.ep_comm_s,
               computed.tp_comm_s + computed.cp_comm_s + computed.ep_comm_s, 1e-6);
  expect_close(computed.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
}

} // namespace

/* v chunks per stage: the bubble is (P - 1) (f + b) / v, arXiv 2104.04473 section 2.2.2. */
TEST(Interleaved, BubbleShrinksByTheChunks)
{
  const ss_machine machine = make_machine(instant_messages());
  for (int chunks : {1, 2, 4, 8})
    for (int micro_batches : {4, 8, 20}) {
      ss_workload workload = make_pipeline(SS_PIPELINE_INTERLEAVED, 4, micro_batches);
      workload.parallelism.interleave = chunks;
      const Job job(workload, machine);
      const double step_s = pass_s(job, SS_PASS_FORWARD) + pass_s(job, SS_PASS_BACKWARD);
      const ss_breakdown parts = job.replay().breakdown;
      expect_close(parts.iteration_s, (micro_batches + 3.0 / chunks) * step_s, 1e-8);
      expect_close(ss_estimate_time(job.get()).iteration_s, parts.iteration_s, 1e-8);
    }
}

/* Every message of 1F1B becomes v, and v - 1 more go from the last stage back to the first: each way
 * (P - 1) v + v - 1 per micro-batch. */
TEST(Interleaved, SendsMoreMessages)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_INTERLEAVED, 4, 8);
  workload.parallelism.interleave = 2;
  const Job job(workload, make_machine({}));
  EXPECT_EQ(job.replay().flows, 2 * 8 * (3 * 2 + 1));
}

/* ZB-H1: the bubble is (P - 1) (f + b - w), arXiv 2401.10241 table 2, where weight gradients take no longer than the
 * other passes; in general (P - 1) max(f, b, f + b - w). */
TEST(ZeroBubble, H1HidesWeightGradients)
{
  const ss_machine machine = make_machine(instant_messages());
  for (int micro_batches : {8, 16}) {
    const Job zero(make_pipeline(SS_PIPELINE_ZERO_BUBBLE_1, 4, micro_batches), machine);
    const double f = pass_s(zero, SS_PASS_FORWARD), b = pass_s(zero, SS_PASS_BACKWARD),
                 w = pass_s(zero, SS_PASS_WEIGHT);
    const double expected_s = micro_batches * (f + b + w) + 3 * std::max({f, b, f + b - w});
    expect_close(zero.replay().breakdown.iteration_s, expected_s, 1e-8);
    expect_close(ss_estimate_time(zero.get()).iteration_s, expected_s, 1e-8);
  }
}

/* The two parts of backward take together what it takes as one. */
TEST(ZeroBubble, SplitsBackward)
{
  const ss_machine machine = make_machine({});
  const Job zero(make_pipeline(SS_PIPELINE_ZERO_BUBBLE_1, 4, 8), machine, SS_COST_CALIBRATED);
  const Job plain(make_pipeline(SS_PIPELINE_1F1B, 4, 8), machine, SS_COST_CALIBRATED);
  EXPECT_GT(zero.layer_s(SS_PASS_WEIGHT), 0);
  expect_close(zero.layer_s(SS_PASS_BACKWARD) + zero.layer_s(SS_PASS_WEIGHT), plain.layer_s(SS_PASS_BACKWARD), 1e-9);
}

/* ZB-H2: a stage waits for (P - 1) max(0, b - f, f + b - 2 w) between its own first and last pass. */
TEST(ZeroBubble, H2HasNextToNoBubble)
{
  const ss_machine machine = make_machine(instant_messages());
  for (int micro_batches : {8, 16}) {
    const Job zero(make_pipeline(SS_PIPELINE_ZERO_BUBBLE_2, 4, micro_batches), machine);
    const double f = pass_s(zero, SS_PASS_FORWARD), b = pass_s(zero, SS_PASS_BACKWARD),
                 w = pass_s(zero, SS_PASS_WEIGHT);
    const double expected_s = micro_batches * (f + b + w) + 3 * std::max({0.0, b - f, f + b - 2 * w});
    expect_close(zero.replay().breakdown.iteration_s, expected_s, 1e-8);
    expect_close(ss_estimate_time(zero.get()).iteration_s, expected_s, 1e-8);
  }
}

/* Keys and values gathered, or passed around beside attention: inside a domain, across domains and both, flows take
 * the time of the formulas. */
TEST(Context, FlowsTakeTheirComputedTime)
{
  for (ss_cp_exchange exchange : all_of<ss_cp_exchange>)
    for (int cp : {2, 4, 8}) {
      ss_workload workload = make_group(1, cp, 1);
      workload.parallelism.cp_exchange = exchange;
      SCOPED_TRACE(testing::Message() << "cp " << cp << ", exchange " << exchange);
      expect_flows_take_their_computed_time(workload, {}, 1e-9);
    }
}

/* The ring hides behind attention what the gather exposes. */
TEST(Context, RingHidesWhatTheGatherExposes)
{
  ss_workload workload = make_group(1, 4, 1);
  workload.model.sequence = 16384;
  workload.parallelism.cp_exchange = SS_CP_GATHER;
  const ss_machine machine = make_machine({});
  const ss_breakdown gather = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown;
  workload.parallelism.cp_exchange = SS_CP_RING;
  const ss_breakdown ring = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown;
  EXPECT_GT(gather.cp_comm_s, 0);
  EXPECT_LT(ring.cp_comm_s, 0.05 * gather.cp_comm_s);
}

/* 2D and SUMMA, with the second axis inside and across domains. */
TEST(Tensor, FlowsOf2dAndSummaTakeTheirComputedTime)
{
  for (ss_tensor tensor : {SS_TENSOR_2D, SS_TENSOR_SUMMA})
    for (int tp : {2, 4})
      for (int tp2 : {2, 4}) {
        ss_workload workload = make_group(tp, 1, 1);
        workload.parallelism.tensor = tensor;
        workload.parallelism.tp2 = tp2;
        workload.parallelism.panels = 4;
        SCOPED_TRACE(testing::Message() << tp << " x " << tp2 << ", tensor " << tensor);
        expect_flows_take_their_computed_time(workload, {}, 1e-9);
      }
}

/* Tensor-parallel collectives in pieces beside their products. */
TEST(Tensor, OverlappedFlowsTakeTheirComputedTime)
{
  for (ss_tp_overlap overlap : {SS_TP_OVERLAP_BACKWARD, SS_TP_OVERLAP_PIPE, SS_TP_OVERLAP_RING,
                                SS_TP_OVERLAP_USER_BUFFERS, SS_TP_OVERLAP_SYMMETRIC})
    for (int tp : {2, 4, 8}) {
      ss_workload workload = make_group(tp, 1, 1);
      workload.schedule.overlap_tp = overlap;
      SCOPED_TRACE(testing::Message() << "tp " << tp << ", overlap " << overlap);
      expect_flows_take_their_computed_time(workload, {}, 1e-9);
    }
}

/* Dispatch and combine of a mixture of experts, inside a domain, across and both. */
TEST(Experts, FlowsTakeTheirComputedTime)
{
  for (int ep : {2, 4, 8})
    for (ss_expert_groups groups : all_of<ss_expert_groups>) {
      ss_workload workload = make_group(1, 1, 8);
      workload.model.experts = 8;
      workload.parallelism.ep = ep;
      workload.parallelism.expert_groups = groups;
      SCOPED_TRACE(testing::Message() << "ep " << ep << ", groups " << groups);
      expect_flows_take_their_computed_time(workload, {}, 1e-9);
    }
}

/* Two ranks in two domains, top-2 of 512 tokens of 1024 x 2 bytes, half of which stays: forward two all-to-alls a
 * layer, backward as many, 8 layers. */
TEST(Experts, AllToAllByHand)
{
  PlatformSpec spec;
  spec.domain = 1;
  spec.nics = 1;
  ss_workload workload = make_group(1, 1, 2);
  workload.model.experts = 4;
  workload.parallelism.ep = 2;
  workload.training.imbalance = 1;
  const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
  const double exchange_s = 5e-6 + 0.5 * (2 * 512 * 1024 * 2.0) / (0.7 * 25e9);
  expect_close(job.replay_all_flows().breakdown.ep_comm_s, 8 * 4 * exchange_s, 1e-9);
  expect_close(ss_estimate_time(job.get()).ep_comm_s, 8 * 4 * exchange_s, 1e-9);
}

/* Four domains of a GPU with two NICs: 3/4 of the volume leaves through both. 4 exchanges in each of 8 layers. */
TEST(Experts, AllToAllUsesAllNicsOfAGpu)
{
  PlatformSpec spec;
  spec.domain = 1;
  spec.nics = 2;
  ss_workload workload = make_group(1, 1, 4);
  workload.model.experts = workload.parallelism.ep = 4;
  workload.model.expert_ffn = 4096;
  workload.model.top_k = 1;
  const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
  const double exchange_s = 3 * 5e-6 + 0.75 * (2 * 512 * 1024.0) / (2 * 0.7 * 25e9);
  expect_close(job.replay_all_flows().breakdown.ep_comm_s, 8 * 4 * exchange_s, 1e-9);
  expect_close(ss_estimate_time(job.get()).ep_comm_s, 8 * 4 * exchange_s, 1e-9);
}

/* One layer on one GPU, its activations in the second tier: forward, write, read, backward, with nothing beside. */
TEST(Offload, ActivationsOfOneLayerByHand)
{
  ss_workload workload = make_workload();
  workload.model.layers = 1;
  workload.training.offload_activations = SS_YES;
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 10e9;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double move_s = job->block[SS_BLOCK_LAYER].stored_bytes / 10e9;
  const ss_breakdown parts = job.replay().breakdown;
  expect_close(parts.offload_s, 2 * move_s, 1e-9);
  expect_close(parts.iteration_s,
               job.layer_s(SS_PASS_FORWARD) + 2 * move_s + job.layer_s(SS_PASS_BACKWARD) + parts.optimizer_s, 1e-9);
  expect_close(ss_estimate_time(job.get()).iteration_s, parts.iteration_s, 1e-9);
}

/* Weights from the second tier, which is far too slow: every pass over every layer waits for its weights, and all but
 * the last layer's compute is hidden behind the next read; the optimizer step then waits for the new weights to leave.
 */
TEST(Offload, WeightsLimitThePace)
{
  ss_workload workload = make_workload();
  workload.training.offload_weights = SS_YES;
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 1e9;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double read_s = 2 * job->block[SS_BLOCK_LAYER].parameters[SS_WEIGHTS_DENSE] / 1e9;
  const ss_breakdown parts = job.replay().breakdown;
  expect_close(parts.iteration_s, (16 + 8) * read_s + job.layer_s(SS_PASS_BACKWARD), 1e-9);
  expect_close(ss_estimate_time(job.get()).iteration_s, parts.iteration_s, 1e-6);
}

/* One layer, sharded over two replicas, its activations in the second tier: weights are gathered (g) beside the read of
 * the activations, which starts when they are written: forward f, write and read 2 m > g, backward b, reduction r. */
TEST(Offload, ReadsBesideTheGatherOfTheSameLayer)
{
  PlatformSpec spec;
  spec.domain = spec.nics = 1;
  ss_workload workload = make_group(1, 1, 2);
  workload.model.layers = 1;
  workload.parallelism.sharding = SS_SHARDING_PARAMETERS;
  workload.training.offload_activations = SS_YES;
  workload.schedule.prefetch = 0;
  ss_machine machine = make_machine(spec);
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 1e9;
  const ss_block layer = Job(workload, machine, SS_COST_CALIBRATED)->block[SS_BLOCK_LAYER];
  const double half_bytes = 0.5 * layer.parameters[SS_WEIGHTS_DENSE];
  const double gather_s = 5e-6 + 2 * half_bytes / (0.7 * 25e9), reduce_s = 5e-6 + 4 * half_bytes / (0.7 * 25e9);
  const double move_s = 0.75 * gather_s;
  machine.offload_bytes_per_s = layer.stored_bytes / move_s;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const ss_breakdown parts = job.replay().breakdown;
  expect_close(parts.dp_comm_s, 2 * gather_s + reduce_s, 1e-9);
  expect_close(parts.offload_s, 2 * move_s - gather_s, 1e-9);
  expect_close(ss_estimate_time(job.get()).iteration_s, parts.iteration_s, 1e-9);
}

/* What is reduced when all passes are over hides no read of the passes: two replicas take as long as one, and the
 * all-reduce of all 8 layers, of 2 steps of half their gradients. */
TEST(Offload, ReductionsAtTheEndHideNoReads)
{
  PlatformSpec spec;
  spec.domain = spec.nics = 1;
  ss_machine machine = make_machine(spec);
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 10e9;
  ss_workload workload = make_group(1, 1, 1);
  workload.training.offload_activations = SS_YES;
  const double alone_s = ss_estimate_time(Job(workload, machine, SS_COST_CALIBRATED).get()).iteration_s;
  workload.parallelism.dp = workload.training.global_batch = 2;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double reduce_s = 5e-6 + 8 * job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE] / (0.7 * 25e9);
  expect_close(ss_estimate_time(job.get()).iteration_s, alone_s + reduce_s, 1e-9);
  expect_close(job.replay().breakdown.iteration_s, alone_s + reduce_s, 1e-9);
}

/* Two stages of one layer, one micro-batch: while the first waits for the second, it reads back what it has written.
 * Forward f, write and read m, backward b, message h: the second stage has f + h behind it when its forward pass ends
 * f later; it writes and reads, 2 m, its backward pass takes b, h later the first one has all that it needs. */
TEST(Offload, ReadsBackWhileItWaitsForAMessage)
{
  ss_workload workload = make_workload();
  workload.model.layers = workload.parallelism.pp = 2;
  workload.training.offload_activations = SS_YES;
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = 10e9;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double move_s = job->block[SS_BLOCK_LAYER].stored_bytes / 10e9;
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  const ss_breakdown parts = job.replay().breakdown;
  expect_close(parts.iteration_s,
               2 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD) + move_s + message_s) +
                   parts.optimizer_s,
               1e-9);
}

namespace
{

/* Two long layers, so that each is reduced beside the backward pass of the one before. */
ss_workload make_reducing(int replicas)
{
  ss_workload workload = make_group(1, 1, replicas);
  workload.model.layers = 2;
  workload.model.sequence = 16384;
  workload.schedule.overlap_dp = SS_YES;
  return workload;
}

/* A NIC for each GPU. */
ss_machine make_domains_of(int gpus)
{
  PlatformSpec spec;
  spec.domain = spec.nics = gpus;
  return make_machine(spec);
}

} // namespace

/* Two replicas, two layers: the reduction of the second layer, r, runs beside the backward pass of the first, b > r,
 * which then goes on at 1 - c: it takes c r more. */
TEST(Slowdown, CommunicationTakesSomeOfTheGpu)
{
  const ss_workload workload = make_reducing(2);
  ss_machine machine = make_domains_of(1);
  const double before_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
  machine.fabric_compute_cost = 0.25;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double reduce_s = 5e-6 + job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE] / (0.7 * 25e9);
  ASSERT_GT(job.layer_s(SS_PASS_BACKWARD), 2 * reduce_s);
  const ss_breakdown parts = job.replay().breakdown;
  expect_close(parts.iteration_s - before_s, 0.25 * reduce_s, 1e-6);
  expect_close(ss_estimate_time(job.get()).iteration_s, parts.iteration_s, 1e-9);
}

/* The same with two replicas in each of two domains: their ring goes over NVLink, too. */
TEST(Slowdown, RingsOfSeveralInADomainTakeWhatNvlinkTakes)
{
  const ss_workload workload = make_reducing(4);
  ss_machine machine = make_domains_of(2);
  const double before_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
  machine.nvlink_compute_cost = 0.25;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const double hidden_s = (job.replay().breakdown.iteration_s - before_s) / 0.25;
  const ss_comm_time reduce = ss_job_data_time(job.get(), job->data.reduction, job->data_span[SS_WEIGHTS_DENSE][0],
                                               job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]);
  ASSERT_GT(job.layer_s(SS_PASS_BACKWARD), 2 * ss_comm_time_sum(reduce));
  expect_close(hidden_s, ss_comm_time_sum(reduce), 1e-6);
  expect_close(ss_estimate_time(job.get()).iteration_s, job.replay().breakdown.iteration_s, 1e-9);
}

/* Data-parallel collectives cost what they cost over NVLink, where that is more than of other traffic; where no two
 * replicas share a domain, nothing. */
TEST(Slowdown, DataParallelCollectivesTakeWhatIsTheirs)
{
  const ss_workload workload = make_reducing(4);
  for (const int domain : {1, 2}) {
    ss_machine machine = make_domains_of(domain);
    const double before_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s;
    machine.nvlink_compute_cost = 0.1;
    const double nvlink_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s - before_s;
    machine.data_parallel_compute_cost = 0.25;
    const Job job(workload, machine, SS_COST_CALIBRATED);
    const double data_s = job.replay().breakdown.iteration_s - before_s;
    EXPECT_NEAR(data_s, 2.5 * nvlink_s, 1e-9 * before_s);
    EXPECT_EQ(data_s > 0.0, domain > 1);
    expect_close(ss_estimate_time(job.get()).iteration_s, before_s + data_s, 1e-9);
    machine.nvlink_compute_cost = 0.4;
    const double larger_s = Job(workload, machine, SS_COST_CALIBRATED).replay().breakdown.iteration_s - before_s;
    EXPECT_NEAR(larger_s, 4.0 * nvlink_s, 1e-9 * before_s);
  }
}

/* Weights that are gathered once: all of them ahead of the first pass without overlap-gather, where the gather of the
 * second layer was beside the first one, while reductions stay beside backward. */
TEST(Gathers, ThatMayNotOverlapAreAwaited)
{
  for (const ss_sharding sharding : {SS_SHARDING_NONE, SS_SHARDING_OPTIMIZER, SS_SHARDING_GRADIENTS}) {
    ss_workload workload = make_reducing(2);
    workload.parallelism.sharding = sharding;
    workload.schedule.overlap_gather = SS_YES;
    const Job beside(workload, make_domains_of(1), SS_COST_CALIBRATED);
    workload.schedule.overlap_gather = SS_NO;
    const Job ahead(workload, make_domains_of(1), SS_COST_CALIBRATED);
    const double gather_s = 2 * 0.5 * ahead->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE] / (0.7 * 25e9);
    const double added_s = ahead.replay().breakdown.iteration_s - beside.replay().breakdown.iteration_s;
    if (sharding == SS_SHARDING_NONE) {
      EXPECT_EQ(added_s, 0.0);
    } else {
      EXPECT_GT(added_s, 0.0);
      EXPECT_LT(added_s, gather_s);
    }
    expect_close(ss_estimate_time(ahead.get()).iteration_s, ahead.replay().breakdown.iteration_s, 1e-6);
  }
}

/* A bucket as large as the model: nothing is reduced before the last layer is done, and all at once. */
TEST(Bucket, OfEverythingIsReducedAtTheEnd)
{
  PlatformSpec spec;
  spec.domain = 1;
  spec.nics = 1;
  ss_workload workload = make_group(1, 1, 2);
  workload.schedule.overlap_dp = SS_YES;
  workload.schedule.bucket = 1e15;
  const Job job(workload, make_machine(spec), SS_COST_CALIBRATED);
  const double bytes = 8 * job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
  expect_close(job.replay().breakdown.dp_comm_s, 2 * 5e-6 / 2 + bytes / (0.7 * 25e9), 1e-9);
  expect_close(ss_estimate_time(job.get()).dp_comm_s, job.replay().breakdown.dp_comm_s, 1e-9);
}

/* Without sequence parallel every tensor rank sends all activations, or its share, which the receivers gather. */
TEST(PipelineRsAg, SendsSharesAndGathers)
{
  PlatformSpec spec;
  spec.domain = 2;
  spec.nics = 2;
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 1);
  workload.parallelism.tp = 2;
  workload.parallelism.sequence_parallel = SS_NO;
  const double message_bytes = 2.0 * 512 * 1024;
  const ss_breakdown whole = Job(workload, make_machine(spec)).replay().breakdown;
  workload.schedule.pipeline_rs_ag = SS_YES;
  const ss_breakdown shares = Job(workload, make_machine(spec)).replay().breakdown;
  const double saved_s = 2 * 0.5 * message_bytes / (0.7 * 25e9);
  const double gather_s = 2 * (2.5e-6 + 0.5 * message_bytes / (0.7 * 300e9));
  expect_close(whole.iteration_s - shares.iteration_s, saved_s - gather_s, 1e-6);
}
