/* Data parallelism beside compute: what is exposed, against hand-derived sums. */
#include "tests/support/timelines.hpp"

using namespace stepsim;

namespace
{

ss_workload make_data_parallel(int replicas, int layers, ss_sharding sharding)
{
  ss_workload workload = make_workload();
  workload.model.layers = layers;
  workload.parallelism.dp = replicas;
  workload.training.global_batch = replicas;
  workload.parallelism.sharding = sharding;
  return workload;
}

double gather_s(const Job &job)
{
  return ss_comm_time_sum(ss_job_data_time(job.get(), SS_ALL_GATHER, job->data_span[SS_WEIGHTS_DENSE][0],
                                           job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]));
}

double reduce_s(const Job &job)
{
  return ss_comm_time_sum(ss_job_data_time(job.get(), SS_REDUCE_SCATTER, job->data_span[SS_WEIGHTS_DENSE][0],
                                           job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]));
}

/* Fabric speeds for which a layer's gather is hidden by its forward pass, and for which it is not. */
const double kFabrics[] = {2e9, 25e9, 400e9, 4000e9};

PlatformSpec with_fabric(double bytes_per_s)
{
  PlatformSpec spec;
  spec.fabric_bytes_per_s = bytes_per_s;
  return spec;
}

/* Layers and start times of the data-parallel slices of rank 0. */
struct DataSlices {
  std::vector<int64_t> layers;
  std::vector<double> starts_s;
};

DataSlices data_slices_of(const Job &job)
{
  DataSlices slices;
  ss_timeline timeline = silent_timeline(&slices);
  timeline.begin = [](void *self, const ss_slice *slice) {
    if (slice->rank != 0 || slice->stream != SS_STREAM_DATA) return;
    static_cast<DataSlices *>(self)->layers.push_back(slice->layer);
    static_cast<DataSlices *>(self)->starts_s.push_back(slice->time_s);
  };
  (void)replay_heard(job, timeline);
  return slices;
}

} // namespace

/* ZeRO-1: the first gather and the last reduction show, and of the others what a layer cannot hide:
 * t(W) + (d - 1) max(t(W) - t_layer, 0) each way (arXiv 2410.00273). */
TEST(Sharding, OptimizerExposesWhatALayerCannotHide)
{
  for (double fabric : kFabrics)
    for (ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_GRADIENTS}) {
      const Job job(make_data_parallel(8, 12, sharding), make_machine(with_fabric(fabric)));
      const double g = gather_s(job), r = reduce_s(job);
      const double expected_s = g + 11 * std::max(g - job.layer_s(SS_PASS_FORWARD), 0.0) + r +
                                11 * std::max(r - job.layer_s(SS_PASS_BACKWARD), 0.0);
      expect_close(job.replay().breakdown.dp_comm_s, expected_s, 1e-9);
      expect_close(ss_estimate_time(job.get()).dp_comm_s, expected_s, 1e-9);
    }
}

/* FSDP: every layer more costs max(tf, t_gather) forward and max(tb, t_gather + t_reduce) backward. */
TEST(Sharding, FsdpSteadyStateIsTheSlowerOfLayerAndGather)
{
  for (double fabric : kFabrics) {
    const ss_machine machine = make_machine(with_fabric(fabric));
    const Job few(make_data_parallel(8, 20, SS_SHARDING_PARAMETERS), machine);
    const Job many(make_data_parallel(8, 50, SS_SHARDING_PARAMETERS), machine);
    const double forward_s = std::max(few.layer_s(SS_PASS_FORWARD), gather_s(few));
    const double backward_s = std::max(few.layer_s(SS_PASS_BACKWARD), gather_s(few) + reduce_s(few));
    const double more_s = many.replay().breakdown.iteration_s - few.replay().breakdown.iteration_s;
    expect_close(more_s, 30 * (forward_s + backward_s), 1e-9);
  }
}

/* The closed form walks the same two streams as the replay. */
TEST(Sharding, FsdpClosedFormEqualsReplay)
{
  for (double fabric : kFabrics)
    for (int prefetch : {0, 1, 2, 5})
      for (int micro_batches : {1, 3}) {
        ss_workload workload = make_data_parallel(8, 10, SS_SHARDING_PARAMETERS);
        workload.schedule.prefetch = prefetch;
        workload.training.global_batch *= micro_batches;
        const Job job(workload, make_machine(with_fabric(fabric)), SS_COST_CALIBRATED);
        SCOPED_TRACE(testing::Message() << "fabric " << fabric << " prefetch " << prefetch);
        expect_close(job.replay().breakdown.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
      }
}

/* ZeRO-2 reduces after every micro-batch, so that only a shard of the gradients stays; beside compute or not. */
TEST(Sharding, GradientsAreReducedInEveryPass)
{
  for (ss_switch overlap : {SS_NO, SS_YES})
    for (double fabric : kFabrics) {
      ss_workload workload = make_data_parallel(8, 10, SS_SHARDING_GRADIENTS);
      workload.training.global_batch *= 3;
      workload.schedule.overlap_dp = overlap;
      const Job job(workload, make_machine(with_fabric(fabric)), SS_COST_CALIBRATED);
      const ss_replay_result result = job.replay();
      expect_close(result.breakdown.iteration_s, ss_estimate_time(job.get()).iteration_s, 1e-9);
      if (overlap == SS_NO) expect_close(result.breakdown.dp_comm_s, 10 * (gather_s(job) + 3 * reduce_s(job)), 1e-9);
    }
}

/* FSDP in a pipeline without overlap: what is exposed belongs to the passes, so it is in the fill and drain too:
 * M + P - 1 times. */
TEST(Sharding, FsdpWithoutOverlapSlowsTheWholePipeline)
{
  ss_workload workload = make_data_parallel(4, 8, SS_SHARDING_PARAMETERS);
  workload.parallelism.pp = 4;
  workload.training.global_batch = 4 * 2;
  workload.schedule.overlap_dp = SS_NO;
  PlatformSpec spec;
  spec.fabric_latency_s = spec.nvlink_latency_s = 0;
  const Job job(workload, make_machine(spec));
  const double layer_s =
      job.layer_s(SS_PASS_FORWARD) + job.layer_s(SS_PASS_BACKWARD) + 2 * gather_s(job) + reduce_s(job);
  const double messages_s = 2 * ss_job_hop_s(job.get(), ss_placement_crosses(&job->placement, 0, 1), SS_CARGO_STATES);
  expect_close(ss_estimate_time(job.get()).iteration_s, (2 + 3) * (2 * layer_s + messages_s), 1e-9);
  ss_replay_options options = {};
  options.private_links = true;
  expect_close(job.replay(options).breakdown.iteration_s, (2 + 3) * (2 * layer_s + messages_s), 0.02);
}

/* What may not run beside compute is reduced chunk by chunk from the first, here each from its last block, as
 * Megatron-LM's finalize_model_grads does ("for model_chunk in model"). Stage 0 of 2 has the embedding and layer 0 in
 * its first chunk and layer 2 in its second: layer 0, embedding, layer 2. A ring of two GPUs in domains of their own
 * starts up in one step of 5 us and moves V bytes at 0.7 of 25 GB/s. A layer has 12 h^2 + 10 h parameters of 4 bytes
 * with h = 1024: 5 us + 50372608 / 17.5e9 s; the embedding 32000 h: 5 us + 131072000 / 17.5e9 s. */
TEST(Sharding, ReducesAtTheEndChunkByChunk)
{
  ss_workload workload = make_data_parallel(2, 4, SS_SHARDING_NONE);
  workload.model.vocabulary = 32000;
  workload.parallelism.pp = workload.parallelism.interleave = 2;
  workload.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  workload.schedule.overlap_dp = SS_NO;
  workload.schedule.bucket = 1;
  workload.training.global_batch = 2 * 2;
  const Job job(workload, machine_of(4, 1), SS_COST_CALIBRATED);
  const DataSlices slices = data_slices_of(job);
  ASSERT_EQ(slices.layers, (std::vector<int64_t>{0, -1, 2}));
  const double layer_s = 5e-6 + 50372608 / 17.5e9, embedding_s = 5e-6 + 131072000 / 17.5e9;
  expect_close(slices.starts_s[1] - slices.starts_s[0], layer_s, 1e-9);
  expect_close(slices.starts_s[2] - slices.starts_s[1], embedding_s, 1e-9);
}

/* Without prefetch nothing is hidden. */
TEST(Sharding, FsdpWithoutPrefetchExposesEveryGather)
{
  ss_workload workload = make_data_parallel(8, 10, SS_SHARDING_PARAMETERS);
  workload.schedule.overlap_dp = SS_NO;
  const Job job(workload, make_machine({}));
  expect_close(job.replay().breakdown.dp_comm_s, 10 * (2 * gather_s(job) + reduce_s(job)), 1e-9);
}

/* Gathers go over all replicas: FSDP moves 3 volumes where the optimizer's sharding moves 2. */
TEST(Sharding, FsdpMovesHalfAsMuchAgain)
{
  const ss_machine machine = make_machine({});
  const ss_replay_result fsdp = Job(make_data_parallel(16, 8, SS_SHARDING_PARAMETERS), machine).replay();
  const ss_replay_result zero1 = Job(make_data_parallel(16, 8, SS_SHARDING_OPTIMIZER), machine).replay();
  expect_close(fsdp.fabric_bytes, 1.5 * zero1.fabric_bytes, 1e-12);
}
