/* The list of what a stage moves beside its kernels, and what is asked about it. */
#include "tests/support/fixtures.hpp"

extern "C" {
#include "model/plan/stage_ops.h"
}

using namespace stepsim;

namespace
{

/* The list of a stage, released with the object. */
class Ops
{
public:
  Ops(const Job &job, int64_t stage)
  {
    EXPECT_EQ(ss_stage_ops_init(&ops_, job.get(), stage), SS_OK);
  }
  Ops(const Ops &) = delete;
  Ops &operator=(const Ops &) = delete;
  ~Ops()
  {
    ss_stage_ops_free(&ops_);
  }
  const ss_stage_ops *operator->() const
  {
    return &ops_;
  }
  const ss_stage_ops *get() const
  {
    return &ops_;
  }

private:
  ss_stage_ops ops_ = {};
};

/* Two replicas; a bucket is full with the third layer of its class. */
ss_workload sharded(ss_sharding sharding, bool buckets)
{
  ss_workload w = make_workload();
  w.parallelism.dp = 2;
  w.parallelism.sharding = sharding;
  w.schedule.overlap_dp = SS_YES;
  w.training.global_batch = 8;
  if (!buckets) return w;
  const Job job(w, make_machine({}));
  const double bytes = sharding == SS_SHARDING_NONE ? job->reduce_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE]
                                                    : job->gather_bytes[SS_BLOCK_LAYER][SS_WEIGHTS_DENSE];
  w.schedule.bucket = 2.5 * bytes;
  return w;
}

/* "+3@2": weights of three layers are gathered, the last of them block 2; "-": gradients; "!": a whole class of
 * experts; ahead and behind in words. */
std::string text_of(const Job &job, const Ops &ops, ss_block_kind layer = SS_BLOCK_LAYER)
{
  std::ostringstream text;
  for (int64_t i = 0; i < ops->count; ++i) {
    const ss_stage_op &op = ops->op[i];
    const bool gathers = op.start != SS_OP_BEHIND;
    EXPECT_EQ(op.start == SS_OP_FIRST, i < ops->first);
    EXPECT_EQ(op.kind, gathers ? SS_ALL_GATHER : job->data.reduction);
    const double of_layer_bytes = (gathers ? job->gather_bytes : job->reduce_bytes)[layer][op.weights];
    text << (i > 0 ? " " : "") << (op.start == SS_OP_FIRST ? "first " : "") << (gathers ? '+' : '-')
         << (op.weights == SS_WEIGHTS_EXPERT ? "expert " : "") << op.volume_bytes / of_layer_bytes << '@' << op.chunk
         << '.' << op.block;
  }
  return text.str();
}

std::vector<int32_t> needs_of(const Ops &ops, size_t blocks)
{
  return {ops->needs, ops->needs + blocks};
}

int64_t count_of(const Ops &ops, int64_t block, ss_op_start start)
{
  int64_t count = 0;
  for (const ss_stage_op *op = ss_stage_ops_of_block(ops.get(), block, start); op != nullptr;
       op = ss_stage_ops_next(op)) {
    EXPECT_EQ(op->block, block);
    EXPECT_EQ(op->start, start);
    count++;
  }
  return count;
}

} // namespace

TEST(StageOps, NothingMovesInOneReplica)
{
  const Job job(make_workload(), make_machine({}));
  const Ops ops(job, 0);
  EXPECT_EQ(ops->count, 0);
  EXPECT_EQ(count_of(ops, 0, SS_OP_AHEAD) + count_of(ops, 0, SS_OP_BEHIND), 0);
}

/* From the last block to the first; eight layers are three buckets of three, three and two. */
TEST(StageOps, GradientsGoBlockByBlockOrInBuckets)
{
  const Job job(sharded(SS_SHARDING_NONE, false), make_machine({}));
  const Ops ops(job, 0);
  EXPECT_EQ(text_of(job, ops), "-1@0.7 -1@0.6 -1@0.5 -1@0.4 -1@0.3 -1@0.2 -1@0.1 -1@0.0");
  EXPECT_EQ(ops->op[0].kind, SS_ALL_REDUCE);
  const Job bucketed(sharded(SS_SHARDING_NONE, true), make_machine({}));
  const Ops buckets(bucketed, 0);
  EXPECT_EQ(text_of(bucketed, buckets), "-3@0.5 -3@0.2 -2@0.0");
  EXPECT_EQ(count_of(buckets, 7, SS_OP_BEHIND), 0);
  EXPECT_EQ(count_of(buckets, 5, SS_OP_BEHIND), 1);
  EXPECT_EQ(count_of(buckets, 0, SS_OP_BEHIND), 1);
  EXPECT_EQ(count_of(buckets, 0, SS_OP_AHEAD), 0);
}

/* A block needs the bucket that its weights are in; without overlap, all of them. */
TEST(StageOps, WeightsAreGatheredFirst)
{
  ss_workload w = sharded(SS_SHARDING_OPTIMIZER, true);
  const Job job(w, make_machine({}));
  const Ops ops(job, 0);
  EXPECT_EQ(text_of(job, ops), "first +3@0.2 first +3@0.5 first +2@0.7 -3@0.5 -3@0.2 -2@0.0");
  EXPECT_EQ(ops->first, 3);
  EXPECT_EQ(needs_of(ops, 8), (std::vector<int32_t>{1, 1, 1, 2, 2, 2, 3, 3}));
  w.schedule.overlap_dp = SS_NO;
  const Job apart(w, make_machine({}));
  EXPECT_EQ(needs_of(Ops(apart, 0), 8), std::vector<int32_t>(8, 3));
}

/* Two stages with two chunks of two layers each: gathered ahead of every pass, reduced behind it. */
TEST(StageOps, FullyShardedChunks)
{
  ss_workload w = sharded(SS_SHARDING_PARAMETERS, false);
  w.parallelism.pp = 2;
  w.parallelism.interleave = 2;
  w.schedule.pipeline = SS_PIPELINE_INTERLEAVED;
  const Job job(w, make_machine({}));
  for (int64_t stage = 0; stage < 2; ++stage) {
    const Ops ops(job, stage);
    EXPECT_EQ(text_of(job, ops), "+1@0.1 -1@0.1 +1@0.0 -1@0.0 +1@1.3 -1@1.3 +1@1.2 -1@1.2");
    EXPECT_EQ(count_of(ops, 2, SS_OP_AHEAD), 1);
    /* part c P + s of the model: the second layer of the second chunk */
    EXPECT_EQ(ss_stage_op_layer(job.get(), stage, &ops->op[4]), 4 + 2 * stage + 1);
  }
}

/* Experts over all replicas are held once, and stay. */
TEST(StageOps, ExpertsGoByThemselvesOrStay)
{
  ss_workload w = sharded(SS_SHARDING_NONE, false);
  w.model.layers = 2;
  w.model.experts = 4;
  const Job shared(w, make_machine({}));
  EXPECT_EQ(text_of(shared, Ops(shared, 0), SS_BLOCK_EXPERT), "-1@0.1 -expert 1@0.1 -1@0.0 -expert 1@0.0");
  w.parallelism.ep = 2;
  const Job split(w, make_machine({}));
  EXPECT_EQ(text_of(split, Ops(split, 0), SS_BLOCK_EXPERT), "-1@0.1 -1@0.0");
}

/* Which passes move data, by sharding and overlap: four micro-batches. */
TEST(StageOps, PassesThatMoveData)
{
  const auto moves = [](ss_sharding sharding, ss_switch overlap, ss_pipeline pipeline) {
    ss_workload w = sharded(sharding, false);
    w.schedule.overlap_dp = overlap;
    w.schedule.pipeline = pipeline;
    if (pipeline != SS_PIPELINE_1F1B) w.parallelism.pp = 2;
    const Job job(w, make_machine({}));
    std::string text;
    for (const ss_pass pass : {SS_PASS_FORWARD, SS_PASS_BACKWARD, SS_PASS_WEIGHT})
      for (const int64_t micro_batch : {0, 1, 3}) {
        const ss_work work = {pass, 0, micro_batch, false, false};
        text += ss_pass_moves_data(job.get(), &work) ? 'x' : '-';
      }
    return text + (ss_reduces_at_end(job.get()) ? " end" : "");
  };
  EXPECT_EQ(moves(SS_SHARDING_NONE, SS_YES, SS_PIPELINE_1F1B), "-----x---");
  EXPECT_EQ(moves(SS_SHARDING_NONE, SS_NO, SS_PIPELINE_1F1B), "--------- end");
  EXPECT_EQ(moves(SS_SHARDING_OPTIMIZER, SS_YES, SS_PIPELINE_1F1B), "x----x---");
  EXPECT_EQ(moves(SS_SHARDING_OPTIMIZER, SS_NO, SS_PIPELINE_1F1B), "x-------- end");
  EXPECT_EQ(moves(SS_SHARDING_GRADIENTS, SS_NO, SS_PIPELINE_1F1B), "x--xxx---");
  EXPECT_EQ(moves(SS_SHARDING_PARAMETERS, SS_YES, SS_PIPELINE_1F1B), "xxxxxx---");
  EXPECT_EQ(moves(SS_SHARDING_GRADIENTS, SS_YES, SS_PIPELINE_ZERO_BUBBLE_1), "x-----xxx");
  EXPECT_EQ(moves(SS_SHARDING_NONE, SS_YES, SS_PIPELINE_ZERO_BUBBLE_1), "--------x");
}

/* With collectives beside compute, weights are gathered as far ahead as the second tier is read; else not ahead. */
TEST(StageOps, FetchesAhead)
{
  ss_workload w = sharded(SS_SHARDING_PARAMETERS, false);
  w.schedule.prefetch = 3;
  const Job beside(w, make_machine({}));
  EXPECT_EQ(ss_gathers_ahead(beside.get(), false), 3);
  EXPECT_EQ(ss_reads_ahead(beside.get(), false), 3);
  EXPECT_EQ(ss_gathers_ahead(beside.get(), true), 6); /* of both passes of a pair */
  w.schedule.overlap_dp = SS_NO;
  const Job apart(w, make_machine({}));
  EXPECT_EQ(ss_gathers_ahead(apart.get(), false), 0);
  EXPECT_EQ(ss_reads_ahead(apart.get(), false), 3);
  EXPECT_TRUE(ss_pass_fetches(SS_PASS_FORWARD) && ss_pass_fetches(SS_PASS_BACKWARD) &&
              !ss_pass_fetches(SS_PASS_WEIGHT));
}
