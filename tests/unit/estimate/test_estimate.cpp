/* The closed form of an iteration against sums worked out by hand. */
#include "tests/support/fixtures.hpp"
#include "tests/support/pipeline_walk.hpp"

using namespace stepsim;

namespace
{

PlatformSpec with_fabric(double bytes_per_s)
{
  PlatformSpec spec;
  spec.fabric_bytes_per_s = bytes_per_s;
  return spec;
}

ss_machine with_tier(double bytes_per_s)
{
  ss_machine machine = make_machine({});
  machine.offload_bytes = 1e15;
  machine.offload_bytes_per_s = bytes_per_s;
  return machine;
}

ss_workload make_pipeline(ss_pipeline pipeline, int stages, int micro_batches, int chunks = 1)
{
  ss_workload workload = make_workload();
  workload.model.layers = 16;
  workload.parallelism.pp = stages;
  workload.parallelism.interleave = chunks;
  workload.training.global_batch = micro_batches;
  workload.schedule.pipeline = pipeline;
  return workload;
}

ss_workload make_replicas(int replicas, int layers, ss_sharding sharding)
{
  ss_workload workload = make_workload();
  workload.model.layers = layers;
  workload.parallelism.dp = replicas;
  workload.training.global_batch = replicas;
  workload.parallelism.sharding = sharding;
  return workload;
}

/* Seconds of a gather and of a reduction of the weights of so many layers. */
double gather_s(const Job &job, int layers = 1)
{
  return ss_comm_time_sum(ss_job_data_time(job.get(), SS_ALL_GATHER, job->data_span[SS_WEIGHTS_DENSE][0],
                                           layers * job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]));
}

double reduce_s(const Job &job, int layers = 1)
{
  return ss_comm_time_sum(ss_job_data_time(job.get(), SS_REDUCE_SCATTER, job->data_span[SS_WEIGHTS_DENSE][0],
                                           layers * job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]));
}

ss_breakdown estimate(const Job &job)
{
  const ss_breakdown parts = ss_estimate_time(job.get());
  expect_close(ss_breakdown_sum(&parts), parts.iteration_s, 1e-12);
  return parts;
}

} /* namespace */

/* P equal stages, d = 16 / P layers each, f, b, w seconds a micro-batch: an iteration is M (f + b + w) and the bubble,
 * (P - 1) (f + b) for GPipe and 1F1B, eager or not (arXiv 2104.04473 section 2.2.1), 1 / v of that interleaved
 * (section 2.2.2), (P - 1) (f + b - w) for ZB-H1 and (P - 1) (f + b - 2 w) for ZB-H2 (arXiv 2401.10241 table 1; not
 * below 0). Schedules in a V are walked through: what that has to come to is in test_schedule_v. */
TEST(Estimate, BubbleBySchedule)
{
  const ss_machine machine = make_machine(instant_messages());
  const auto check = [&](ss_pipeline pipeline, int stages, int chunks, auto bubble_s) {
    const Job job(make_pipeline(pipeline, stages, 2 * stages, chunks), machine);
    const double d = 16.0 / stages, f = d * job.layer_s(SS_PASS_FORWARD), b = d * job.layer_s(SS_PASS_BACKWARD),
                 w = d * job.layer_s(SS_PASS_WEIGHT);
    const ss_breakdown parts = estimate(job);
    const double expected_s = (stages - 1) * std::max(bubble_s(f, b, w), 0.0);
    EXPECT_NEAR(parts.bubble_s, expected_s, 1e-6 * (f + b + w));
    expect_close(parts.iteration_s, 2 * stages * (f + b + w) + expected_s, 1e-6);
  };
  for (int stages : {2, 4}) {
    check(SS_PIPELINE_GPIPE, stages, 1, [](double f, double b, double) { return f + b; });
    check(SS_PIPELINE_1F1B, stages, 1, [](double f, double b, double) { return f + b; });
    check(SS_PIPELINE_EAGER_1F1B, stages, 1, [](double f, double b, double) { return f + b; });
    check(SS_PIPELINE_INTERLEAVED, stages, 1, [](double f, double b, double) { return f + b; });
    check(SS_PIPELINE_INTERLEAVED, stages, 2, [](double f, double b, double) { return (f + b) / 2; });
    check(SS_PIPELINE_INTERLEAVED, stages, 4, [](double f, double b, double) { return (f + b) / 4; });
    check(SS_PIPELINE_ZERO_BUBBLE_1, stages, 1, [](double f, double b, double w) { return f + b - w; });
    check(SS_PIPELINE_ZERO_BUBBLE_2, stages, 1, [](double f, double b, double w) { return f + b - 2 * w; });
  }
}

/* The closed form of a V takes what its order takes with the same passes. */
TEST(Estimate, WalksThroughAV)
{
  const ss_machine machine = make_machine(instant_messages());
  for (const ss_pipeline pipeline : {SS_PIPELINE_V_MIN, SS_PIPELINE_V_HALF, SS_PIPELINE_V_ZB, SS_PIPELINE_DUALPIPE_V})
    for (const int stages : {2, 4, 8})
      for (const int m : {1, stages, 2 * stages + 1, 100}) {
        const Job job(make_pipeline(pipeline, stages, m), machine);
        const double d = 16.0 / stages;
        const PassTimes times = {d * job.layer_s(SS_PASS_FORWARD), d * job.layer_s(SS_PASS_BACKWARD),
                                 d * job.layer_s(SS_PASS_WEIGHT)};
        expect_close(estimate(job).iteration_s,
                     PipelineWalk(pipeline_shape(pipeline, stages, m, 2), times).iteration_s(), 1e-6);
      }
}

/* Short iterations have no weight gradients to fill the bubble with: M - 1 of them, and the last one is left in the
 * end; (M + P - 1) (f + b) + w up to M = P for ZB-H1, M = 2 P - 1 for ZB-H2. */
TEST(Estimate, ShortIterationsFillLess)
{
  const ss_machine machine = make_machine(instant_messages());
  for (ss_pipeline pipeline : {SS_PIPELINE_ZERO_BUBBLE_1, SS_PIPELINE_ZERO_BUBBLE_2})
    for (int m : {1, 2, 4}) {
      const Job job(make_pipeline(pipeline, 4, m), machine);
      const double f = 4 * job.layer_s(SS_PASS_FORWARD), b = 4 * job.layer_s(SS_PASS_BACKWARD),
                   w = 4 * job.layer_s(SS_PASS_WEIGHT);
      expect_close(estimate(job).iteration_s, (m + 3) * (f + b) + w, 1e-6);
    }
}

/* ZeRO-2 without overlap reduces in the weight passes: with d layers, they take w + d r, and fill so much more. */
TEST(Estimate, ReductionsInWeightPassesFillTheBubbleToo)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_ZERO_BUBBLE_1, 4, 8);
  workload.parallelism.dp = 2;
  workload.training.global_batch = 16;
  workload.parallelism.sharding = SS_SHARDING_GRADIENTS;
  workload.schedule.overlap_dp = SS_NO;
  const Job job(workload, make_machine({}));
  const double g = 4 * gather_s(job), f = 4 * job.layer_s(SS_PASS_FORWARD), b = 4 * job.layer_s(SS_PASS_BACKWARD),
               w = 4 * (job.layer_s(SS_PASS_WEIGHT) + reduce_s(job)),
               messages_s = 2 * ss_job_hop_s(job.get(), ss_placement_crosses(&job->placement, 0, 1), SS_CARGO_STATES);
  const ss_breakdown parts = estimate(job);
  expect_close(parts.dp_comm_s, g + 8 * 4 * reduce_s(job), 1e-9);
  EXPECT_GT(f + b, w);
  expect_close(parts.iteration_s, g + 8 * (f + b + w + messages_s) + 3 * (f + b - w + messages_s), 1e-9);
}

/* Experts on the second of two stages only: it is done with its last pass a backward pass of the first stage earlier,
 * but has so much more to reduce that the iteration ends with it. Its turn of t sets the pace; it starts a forward pass
 * and a message after the first. */
TEST(Estimate, IterationEndsWithTheStageThatIsDoneLast)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.model.experts = 8;
  workload.model.dense_layers = 8;
  workload.parallelism.dp = 4;
  workload.training.global_batch = 32;
  workload.parallelism.sharding = SS_SHARDING_NONE;
  workload.schedule.overlap_dp = SS_NO;
  const Job job(workload, make_machine({}), SS_COST_CALIBRATED);
  const auto pass_s = [&](ss_block_kind kind, ss_pass pass) { return 8 * ss_duration_sum(job->pass[kind][pass]); };
  const double t = pass_s(SS_BLOCK_EXPERT, SS_PASS_FORWARD) + pass_s(SS_BLOCK_EXPERT, SS_PASS_BACKWARD);
  double reductions_s = 0;
  for (ss_weights weights : {SS_WEIGHTS_DENSE, SS_WEIGHTS_EXPERT})
    reductions_s += ss_comm_time_sum(ss_job_data_time(job.get(), SS_ALL_REDUCE,
                                                      ss_job_data_span(job.get(), (ss_data_group)weights, 1),
                                                      8 * job->reduce_bytes[SS_BLOCK_EXPERT][weights]));
  const double hop_s = ss_job_hop_s(job.get(), ss_placement_crosses(&job->placement, 0, 1), SS_CARGO_STATES);
  const ss_breakdown parts = estimate(job);
  expect_close(parts.dp_comm_s, reductions_s, 1e-9);
  expect_close(parts.optimizer_s, ss_job_optimizer(job.get(), 1).optimizer_s, 1e-12);
  expect_close(parts.iteration_s - parts.dp_comm_s - parts.optimizer_s,
               8 * (t + hop_s) + pass_s(SS_BLOCK_LAYER, SS_PASS_FORWARD) + hop_s, 1e-9);
}

/* Five layers on the last of four stages: it sets the pace, M t(5) and the three others of 3, 4 and 4 layers to fill;
 * 8 micro-batches. Layers take f + b each. */
TEST(Estimate, SlowestStageSetsThePace)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 8);
  workload.parallelism.first_stage_layers = 3;
  workload.parallelism.last_stage_layers = 5;
  const Job job(workload, make_machine(instant_messages()));
  const double layer_s = job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD);
  expect_close(estimate(job).iteration_s, (8 * 5 + 3 + 4 + 4) * layer_s, 1e-6);
  expect_close(estimate(job).bubble_s, (8 * 5 + 3 + 4 + 4 - 8 * 3) * layer_s, 1e-6);
}

/* Those before a slow last stage run ahead of it, as far as their schedule lets them: one after the other comes to wait
 * for it, which takes hundreds of micro-batches where it is slower by little. It is busy from its first pass to its
 * last, so that each micro-batch more takes its time. */
TEST(Estimate, StagesRunAheadOfASlowOne)
{
  const ss_machine machine = make_machine(instant_messages());
  for (const ss_pipeline pipeline : {SS_PIPELINE_ZERO_BUBBLE_1, SS_PIPELINE_ZERO_BUBBLE_2})
    for (const int last : {25, 26, 40}) {
      const auto iteration_s = [&](int micro_batches) {
        ss_workload workload = make_pipeline(pipeline, 4, micro_batches);
        workload.model.layers = 72 + last;
        workload.parallelism.first_stage_layers = 24;
        workload.parallelism.last_stage_layers = last;
        const Job job(workload, machine);
        const double micro_batch_s =
            job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD) + job.layer_s(SS_PASS_WEIGHT);
        return std::pair(estimate(job).iteration_s, last * micro_batch_s);
      };
      const auto [short_s, own_s] = iteration_s(16);
      for (const int more : {1, 100, 1000}) {
        const double longer_s = iteration_s(16 + more).first;
        expect_close(longer_s, short_s + more * own_s, 1e-9); /* messages are not quite instant */
      }
    }
}

/* 13 layers on the first of four stages, one on each other: while it waits for the first gradient, it has three more
 * forward passes to do, and at the end three more backward passes, each longer than all the others take together. It
 * never waits. */
TEST(Estimate, SlowFirstStageHidesTheOthers)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 8);
  workload.parallelism.first_stage_layers = 13;
  workload.parallelism.last_stage_layers = 1;
  const Job job(workload, make_machine(instant_messages()));
  const double layer_s = job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD);
  ASSERT_EQ(job->workload->model.layers, 16);
  expect_close(estimate(job).iteration_s, 8 * 13 * layer_s, 1e-6);
}

/* Interleaved on 4 stages with 2 chunks: stage 0 sends both its chunks' activations on to stage 1, and the gradients of
 * chunk 1 back to stage 3, across domains when there is one GPU in each: 3 messages a micro-batch, while those in the
 * middle send 4. These set the pace, and are filled and drained through stage 0: a chunk and its message each way. All
 * stages together send 7 activations and 7 gradients; if each added half of its turn, less that of the slowest one, it
 * would take longer than it does, as stages with fewer messages wait for others while these send. */
TEST(Estimate, ChunksSendMoreMessages)
{
  PlatformSpec spec;
  spec.domain = spec.nics = 1;
  const Job job(make_pipeline(SS_PIPELINE_INTERLEAVED, 4, 8, 2), make_machine(spec), SS_COST_CALIBRATED);
  const double message_s = 5e-6 + 2.0 * 512 * 1024 / (0.7 * 25e9);
  const double stage_s = 4 * (job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD));
  const ss_breakdown parts = estimate(job);
  const double iteration_s = parts.iteration_s - parts.optimizer_s, turns_s = 8 * (stage_s + 4 * message_s);
  EXPECT_GE(parts.pp_comm_s, 8 * 3 * message_s * (1.0 - 1e-12));
  EXPECT_GE(iteration_s, turns_s + stage_s / 2 + message_s);
  EXPECT_LE(iteration_s, turns_s + (3 * stage_s + (14 - 4) * message_s) / 2);
}

/* arXiv 2410.00273: two messages a micro-batch on every stage, whatever it sends; v times as many with v chunks. */
TEST(Estimate, PublishedMessages)
{
  const ss_machine machine = make_machine({});
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  expect_close(estimate(Job(make_pipeline(SS_PIPELINE_1F1B, 4, 8), machine)).pp_comm_s, 8 * 2 * message_s, 1e-12);
  expect_close(estimate(Job(make_pipeline(SS_PIPELINE_INTERLEAVED, 4, 8, 2), machine)).pp_comm_s, 8 * 4 * message_s,
               1e-12);
}

/* Buckets of at least two and a half layers are three layers. ZeRO-1 exposes the first gather and the last reduction,
 * and of the three others what three layers cannot hide; one bucket for all shows all of itself. */
TEST(Estimate, BucketsGoTogether)
{
  for (double fabric : {2e9, 25e9, 400e9, 4000e9}) {
    ss_workload workload = make_replicas(8, 12, SS_SHARDING_OPTIMIZER);
    const ss_machine machine = make_machine(with_fabric(fabric));
    const Job single(workload, machine);
    const double layer_bytes = single->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
    EXPECT_DOUBLE_EQ(layer_bytes, single->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]);
    const double f = single.layer_s(SS_PASS_FORWARD), b = single.layer_s(SS_PASS_BACKWARD);
    const auto exposed_s = [&](double bucket_bytes) {
      workload.schedule.bucket = bucket_bytes;
      return estimate(Job(workload, machine)).dp_comm_s;
    };
    const auto expected_s = [&](int layers) {
      const double g = gather_s(single, layers), r = reduce_s(single, layers), others = 12 / layers - 1;
      return g + others * std::max(g - layers * f, 0.0) + r + others * std::max(r - layers * b, 0.0);
    };
    expect_close(exposed_s(0), expected_s(1), 1e-9);
    expect_close(exposed_s(layer_bytes), expected_s(1), 1e-9);
    expect_close(exposed_s(2.5 * layer_bytes), expected_s(3), 1e-9);
    expect_close(exposed_s(100 * layer_bytes), expected_s(12), 1e-9);
  }
}

/* Nothing beside compute: every gather and every reduction shows, all at once or in buckets; one byte is a bucket of
 * its own. */
TEST(Estimate, WithoutOverlapEverythingShows)
{
  ss_workload workload = make_replicas(8, 12, SS_SHARDING_OPTIMIZER);
  workload.schedule.overlap_dp = SS_NO;
  const Job job(workload, make_machine({}));
  expect_close(estimate(job).dp_comm_s, gather_s(job, 12) + reduce_s(job, 12), 1e-12);
  workload.schedule.bucket = 1;
  expect_close(estimate(Job(workload, make_machine({}))).dp_comm_s, 12 * (gather_s(job) + reduce_s(job)), 1e-12);
  workload.schedule.bucket = 4 * job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
  expect_close(estimate(Job(workload, make_machine({}))).dp_comm_s, 3 * (gather_s(job, 4) + reduce_s(job, 4)), 1e-12);
}

/* Two stages, two chunks of d = 4 layers on each, M = 2: forward 0 0 1 1, backward 1 1 0 0 on the first stage. On a
 * fast network the first gather and the last reduction show. On a slow one, all 2 d gathers but the 3 d - 1 layers that
 * run before the last layer of chunk 1 needs its weights, and all 2 d reductions but the 3 d - 1 layers after the first
 * one of chunk 1 that is done with the last micro-batch. */
TEST(Estimate, ChunksGatherAndReduceInTurn)
{
  for (double fabric : {4000e9, 0.05e9}) {
    ss_workload workload = make_pipeline(SS_PIPELINE_INTERLEAVED, 2, 4, 2);
    workload.parallelism.dp = 2;
    workload.placement.order[0] = '\0';
    std::snprintf(workload.placement.order, sizeof workload.placement.order, "pp,tp,cp,dp");
    PlatformSpec spec = with_fabric(fabric);
    spec.domain = 2;
    spec.nics = 2;
    const Job job(workload, make_machine(spec));
    const double g = gather_s(job), r = reduce_s(job), f = job.layer_s(SS_PASS_FORWARD),
                 b = job.layer_s(SS_PASS_BACKWARD);
    const double expected_s = fabric > 1e12 ? g + r : 8 * g - 11 * f + 8 * r - 11 * b;
    expect_close(estimate(job).dp_comm_s, expected_s, 1e-9);
  }
}

/* Gradients are complete after the weight pass: its layers, not those of backward, hide the reductions. */
TEST(Estimate, ZeroBubbleReducesAfterTheWeightPass)
{
  for (double fabric : {2e9, 25e9}) {
    ss_workload workload = make_pipeline(SS_PIPELINE_ZERO_BUBBLE_1, 2, 8);
    workload.parallelism.dp = 4;
    workload.training.global_batch = 32;
    workload.parallelism.sharding = SS_SHARDING_NONE;
    const Job job(workload, make_machine(with_fabric(fabric)));
    const double r = ss_comm_time_sum(ss_job_data_time(job.get(), SS_ALL_REDUCE, job->data_span[SS_WEIGHTS_DENSE][0],
                                                       job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]));
    expect_close(estimate(job).dp_comm_s, r + 7 * std::max(r - job.layer_s(SS_PASS_WEIGHT), 0.0), 1e-9);
  }
}

/* Experts are gathered and reduced over the ranks that hold the same, two of four replicas; the rest over all four; one
 * after the other, each all at once. */
TEST(Estimate, ExpertsHaveTheirOwnDataParallelGroups)
{
  ss_workload workload = make_replicas(4, 8, SS_SHARDING_OPTIMIZER);
  workload.model.experts = 8;
  workload.parallelism.ep = 2;
  workload.schedule.overlap_dp = SS_NO;
  const Job job(workload, make_machine({}));
  const double *parameters = job->block[SS_BLOCK_EXPERT].parameters;
  const auto ring_s = [](int n, double bytes) { return (n - 1) * 2.5e-6 + (n - 1.0) / n * bytes / (0.7 * 300e9); };
  const double dense_s = ring_s(4, 8 * 2 * parameters[SS_WEIGHTS_DENSE]);
  const double experts_s = ring_s(2, 8 * 2 * parameters[SS_WEIGHTS_EXPERT]);
  EXPECT_GT(experts_s, dense_s);
  expect_close(estimate(job).dp_comm_s, 2 * (dense_s + experts_s), 1e-12);
}

/* Weights in the second tier, one micro-batch through 8 layers and back, prefetch 1: a read of every layer each way,
 * only the first shows when they are fast, all but the layers beside them when they are slow. */
TEST(Estimate, WeightsAreReadAhead)
{
  ss_workload workload = make_workload();
  workload.training.offload_weights = SS_YES;
  for (double bandwidth : {1e13, 1e9}) {
    const Job job(workload, with_tier(bandwidth));
    const double read_s = job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE] / bandwidth;
    const double f = job.layer_s(SS_PASS_FORWARD), b = job.layer_s(SS_PASS_BACKWARD);
    const double expected_s = bandwidth > 1e12 ? read_s : 16 * read_s - 8 * f - 7 * b;
    expect_close(estimate(job).offload_s, expected_s, 1e-9);
  }
}

/* Activations: in the turn from forward to backward the last layer's are written and read again. Slow, each of the 8
 * layers is written behind the other from the end of the first, then each read, the last layer's first. */
TEST(Estimate, ActivationsAreWrittenBeforeTheyAreRead)
{
  ss_workload workload = make_workload();
  workload.training.offload_activations = SS_YES;
  for (double bandwidth : {1e13, 1e9}) {
    const Job job(workload, with_tier(bandwidth));
    const double way_s = job->block[SS_BLOCK_LAYER].stored_bytes / bandwidth;
    const double f = job.layer_s(SS_PASS_FORWARD), b = job.layer_s(SS_PASS_BACKWARD);
    const double expected_s = bandwidth > 1e12 ? 2 * way_s : f + 8 * way_s + 8 * way_s + b - 8 * (f + b);
    expect_close(estimate(job).offload_s, expected_s, 1e-9);
  }
}

/* Reads of r that take longer than the layers, 4 on each of four stages, set the pace: 800 on each. The first pass
 * takes 4 r on the first stage. The others have read two layers by then: 2 r each, so that the last one starts after 8
 * r and has 798 left, one after the other. While they wait for the last gradient, the others have read one of 4 layers.
 */
TEST(Estimate, OffloadSlowsThePipeline)
{
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 4, 100);
  workload.training.offload_weights = SS_YES;
  ss_machine machine = make_machine(instant_messages());
  machine.offload_bytes = 1e15;
  machine.offload_bytes_per_s = 1e9;
  const Job job(workload, machine);
  const double read_s = job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE] / 1e9;
  expect_close(estimate(job).iteration_s, (8 + 798 + 3 * 3) * read_s, 1e-3);
}

/* Optimizer states in the second tier: 12 bytes a parameter each way, as far as that takes longer than HBM. */
TEST(Estimate, OptimizerStatesComeFromTheSecondTier)
{
  ss_workload workload = make_workload();
  workload.training.offload_optimizer = SS_YES;
  const Job job(workload, with_tier(1e9), SS_COST_CALIBRATED);
  const ss_breakdown parts = estimate(job);
  const double n = 8 * (12.0 * 1024 * 1024 + 10 * 1024);
  expect_close(parts.offload_s, 12 * n / 1e9 - parts.optimizer_s, 1e-9);
}

/* Kernels run at (1 - cost) while collectives run beside them, so that for every hidden second they need `cost` more;
 * slower kernels hide more. 4 replicas in a domain reduce over NVLink, 8 in two over NVLink and the fabric: the largest
 * cost counts, also that of data-parallel collectives. */
TEST(Estimate, CollectivesSlowKernelsDown)
{
  struct {
    int replicas;
    double fabric_cost, data_cost, cost;
  } const cases[] = {
      {4, 0.3, 0.0, 0.1}, {8, 0.3, 0.0, 0.3}, {8, 0.0, 0.0, 0.1}, {4, 0.0, 0.2, 0.2}, {8, 0.3, 0.2, 0.3}};
  for (const auto &[replicas, fabric_cost, data_cost, cost] : cases)
    for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_PARAMETERS}) {
      ss_machine machine = make_machine({});
      const ss_workload workload = make_replicas(replicas, 12, sharding);
      const Job free(workload, machine);
      machine.nvlink_compute_cost = 0.1;
      machine.fabric_compute_cost = fabric_cost;
      machine.data_parallel_compute_cost = data_cost;
      const ss_breakdown slowed = estimate(Job(workload, machine)), before = estimate(free);
      const double all_s = 12 * ((sharding == SS_SHARDING_PARAMETERS ? 2 : 1) * gather_s(free) + reduce_s(free));
      EXPECT_LE(slowed.dp_comm_s, before.dp_comm_s * (1 + 1e-12));
      expect_close(slowed.other_s - before.other_s, cost * (all_s - slowed.dp_comm_s), 1e-9);
    }
}

/* Messages beside compute, two stages in one domain: each sends one a micro-batch, M + 1 turns of a stage. */
TEST(Estimate, MessagesSlowKernelsDown)
{
  ss_machine machine = make_machine({});
  ss_workload workload = make_pipeline(SS_PIPELINE_1F1B, 2, 8);
  workload.schedule.overlap_pp = SS_YES;
  const double free_s = estimate(Job(workload, machine, SS_COST_CALIBRATED)).iteration_s;
  machine.nvlink_compute_cost = 0.2;
  machine.fabric_compute_cost = 0.9;
  const double message_s = 2.5e-6 + 2.0 * 512 * 1024 / (0.7 * 300e9);
  const ss_breakdown slowed = estimate(Job(workload, machine, SS_COST_CALIBRATED));
  expect_close(slowed.iteration_s - free_s, 9 * 0.2 * message_s, 1e-6);
  workload.schedule.overlap_pp = SS_NO;
  const double blocking_s = estimate(Job(workload, machine, SS_COST_CALIBRATED)).iteration_s;
  EXPECT_GT(blocking_s, free_s); /* and nothing is beside */
  machine.nvlink_compute_cost = 0;
  EXPECT_EQ(estimate(Job(workload, machine, SS_COST_CALIBRATED)).iteration_s, blocking_s);
}

/* Tensor-parallel collectives beside their product. Where the product is longer than they are, in 4 pieces the first or
 * last piece of them shows, and the three others are paid at the cost. */
TEST(Estimate, PiecesSlowTheirProductDown)
{
  PlatformSpec fast;
  fast.nvlink_bytes_per_s = 3e12;
  fast.nvlink_latency_s = 0;
  ss_machine machine = make_machine(fast);
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.tp_redo = SS_NO; /* nothing else is beside a product */
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  const double all_s = estimate(Job(workload, machine, SS_COST_CALIBRATED)).tp_comm_s;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_PIPE;
  const ss_breakdown free = estimate(Job(workload, machine, SS_COST_CALIBRATED));
  machine.nvlink_compute_cost = 0.2;
  const ss_breakdown slowed = estimate(Job(workload, machine, SS_COST_CALIBRATED));
  expect_close(free.tp_comm_s, all_s / 4, 1e-9);
  expect_close(slowed.other_s - free.other_s, 0.2 * 3 * all_s / 4, 1e-9);
  expect_close(slowed.tp_comm_s, free.tp_comm_s, 1e-12);
}

/* Of the reductions of qkv and fc1 in backward, what the gradients of their weights take is hidden: 2 e^2 (l 3 e / 4)
 * and 2 e (l f / 4) flop, in every layer. Links are so slow that all of it is. */
TEST(Estimate, ReductionsBesideGradientsOfWeights)
{
  PlatformSpec slow;
  slow.nvlink_bytes_per_s = 1e9;
  const ss_machine machine = make_machine(slow);
  ss_workload workload = make_workload();
  workload.parallelism.tp = 4;
  workload.parallelism.tp_redo = SS_NO;
  workload.schedule.overlap_tp = SS_TP_OVERLAP_NONE;
  const ss_breakdown exposed = estimate(Job(workload, machine, SS_COST_CALIBRATED));
  workload.schedule.overlap_tp = SS_TP_OVERLAP_BACKWARD;
  const Job job(workload, machine, SS_COST_CALIBRATED);
  const ss_task_list *backward = ss_job_tasks(job.get(), SS_BLOCK_LAYER, SS_PASS_BACKWARD);
  double hidden_s = 0;
  for (int64_t i = 0; i < backward->count; ++i)
    if (backward->task[i].role == SS_ROLE_WEIGHTS && backward->task[i].calls > 0)
      hidden_s += ss_duration_sum(ss_kernel_duration(&machine, SS_COST_CALIBRATED, &backward->task[i].kernel));
  EXPECT_GT(hidden_s, 2.0 * 512 * 1024 * (3 * 1024 + 4096) / 4.0 / machine.matrix_flop_per_s);
  const ss_breakdown parts = estimate(job);
  expect_close(exposed.tp_comm_s - parts.tp_comm_s, 8 * hidden_s, 1e-9);
  expect_close(exposed.iteration_s - parts.iteration_s, 8 * hidden_s, 1e-9);
}
