/* Where ranks and groups of ranks sit, against positions worked out by hand. */
#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "tests/support/fixtures.hpp"
#include "tests/support/pipeline_walk.hpp"

using namespace stepsim;

namespace
{

/* tp 2, cp 2, dp 4, pp 2: 32 ranks. */
ss_workload four_axes()
{
  ss_workload w = make_workload();
  w.parallelism.tp = 2;
  w.parallelism.cp = 2;
  w.parallelism.dp = 4;
  w.parallelism.pp = 2;
  return w;
}

class Placed
{
public:
  Placed(const ss_workload &workload, const ss_machine &machine)
  {
    ss_error error = {};
    const ss_room room = {&machine, nullptr};
    EXPECT_EQ(ss_placement_init(&placement, &workload, room, nullptr, &error), SS_OK) << error.message;
  }
  Placed(const Placed &) = delete;
  Placed &operator=(const Placed &) = delete;
  ~Placed()
  {
    ss_placement_free(&placement);
  }
  ss_placement placement = {};
};

void set_order(ss_workload &workload, const char *order)
{
  std::snprintf(workload.placement.order, sizeof workload.placement.order, "%s", order);
}

void set_domain(ss_workload &workload, const char *domain)
{
  std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "%s", domain);
}

} /* namespace */

/* On a torus of domains, the dimensions that groups fill are computed from coordinates; where GPUs are listed, they are
 * counted. Both say the same, in any order of axes and for any torus. */
TEST(Placement, ComputedDimensionsOfATorusAreThoseThatAreCounted)
{
  int64_t filled = 0;
  for (const char *order : {"tp,cp,dp,pp", "dp,tp,cp,pp", "pp,cp,tp,dp", "cp,dp,pp,tp"})
    for (const char *sizes : {"2,2,2,4", "4,8", "8,2,2", "2,4,4", "32", "2,2,2,2,2"})
      for (int domain : {1, 2}) {
        PlatformSpec spec;
        spec.gpus = 32 * domain;
        spec.domain = spec.nics = domain;
        spec.topology = "topology=\"TORUS\" topo_parameters=\"" + std::string(domain == 1 ? "" : "2,") + sizes + "\"";
        ss_workload w = four_axes();
        w.parallelism.dp *= domain;
        w.training.global_batch = w.parallelism.dp;
        set_order(w, order);
        set_domain(w, domain == 1 ? "tp=1" : "dp=2");
        const Job job(w, make_machine(spec));
        ASSERT_TRUE(job->placement.even);
        const Placed listed(w, make_machine(spec));
        const ss_placement *p = &listed.placement;
        std::vector<int32_t> gpu(64);
        ss_placement_tensor_group(p, {0, 1, 1, 1}, gpu.data());
        const ss_span tensor = ss_span_of(gpu.data(), p->tp, domain, &p->lattice);
        EXPECT_TRUE(ss_span_is_like(tensor, job->span[SS_GROUP_TENSOR])) << order << " " << sizes;
        ss_placement_context_group(p, {1, 0, 1, 0}, gpu.data());
        const ss_span context = ss_span_of(gpu.data(), p->cp, domain, &p->lattice);
        EXPECT_TRUE(ss_span_is_like(context, job->span[SS_GROUP_CONTEXT])) << order << " " << sizes;
        const int64_t holders = ss_placement_data_group(p, 1, 1, gpu.data());
        const ss_span data = ss_span_of(gpu.data(), holders, domain, &p->lattice);
        EXPECT_TRUE(ss_span_is_like(data, ss_job_data_span(job.get(), SS_DATA_DENSE, 1))) << order << " " << sizes;
        filled += (tensor.torus.axes != 0) + (context.torus.axes != 0) + (data.torus.axes != 0);
      }
  EXPECT_GT(filled, 30);
}

/* Where dimensions are no powers of two, groups may end in the middle of one: then they are counted, and where they are
 * not, all lie as the first one does. */
TEST(Placement, GroupsOnATorusLieAlikeOrAreCounted)
{
  int even = 0, counted = 0;
  for (const char *order : {"tp,cp,dp,pp", "pp,dp,cp,tp", "dp,tp,pp,cp"})
    for (const char *sizes : {"6,5", "3,10", "5,2,3"})
      for (const auto &axes :
           std::vector<std::array<int64_t, 3>>{{2, 4, 1}, {2, 3, 5}, {1, 6, 5}, {2, 5, 3}, {1, 2, 5}}) {
        PlatformSpec spec;
        spec.gpus = 30;
        spec.domain = spec.nics = 1;
        spec.topology = "topology=\"TORUS\" topo_parameters=\"" + std::string(sizes) + "\"";
        ss_workload w = make_workload();
        w.parallelism.tp = axes[0];
        w.parallelism.dp = w.training.global_batch = axes[1];
        w.parallelism.pp = axes[2];
        w.model.layers = 30;
        set_order(w, order);
        set_domain(w, "tp=1");
        const Job job(w, make_machine(spec));
        const Placed listed(w, make_machine(spec));
        const ss_placement *p = &listed.placement;
        (job->placement.even ? even : counted)++;
        std::vector<int32_t> gpu(64);
        for (int64_t stage = 0; job->placement.even && stage < p->pp; ++stage) {
          for (int64_t replica = 0; replica < p->dp; ++replica) {
            ss_placement_tensor_group(p, {0, 0, replica, stage}, gpu.data());
            EXPECT_TRUE(ss_span_is_like(ss_span_of(gpu.data(), p->tp, 1, &p->lattice), job->span[SS_GROUP_TENSOR]));
          }
          const int64_t holders = ss_placement_data_group(p, stage, 0, gpu.data());
          const ss_span data = ss_span_of(gpu.data(), holders, 1, &p->lattice);
          EXPECT_TRUE(ss_span_is_like(data, ss_job_data_span(job.get(), SS_DATA_DENSE, stage)))
              << order << " " << sizes;
        }
      }
  EXPECT_GT(even, 10);
  EXPECT_GT(counted, 10);
}

/* In the default order a rank sits on the GPU of its number: tp + 2 (cp + 2 (dp + 4 pp)). */
TEST(Placement, RanksCountUpByAxis)
{
  const Placed p(four_axes(), machine_of(32, 4));
  EXPECT_EQ(ss_placement_rank(&p.placement, {1, 0, 0, 0}), 1);
  EXPECT_EQ(ss_placement_rank(&p.placement, {0, 1, 0, 0}), 2);
  EXPECT_EQ(ss_placement_rank(&p.placement, {0, 0, 1, 0}), 4);
  EXPECT_EQ(ss_placement_rank(&p.placement, {1, 1, 2, 1}), 1 + 2 * (1 + 2 * (2 + 4 * 1)));
  for (int rank = 0; rank < 32; ++rank) EXPECT_EQ(p.placement.gpu[rank], rank);
}

/* The second tensor axis of 2d and summa sits where context parallelism does. */
TEST(Placement, TheSecondTensorAxisIsTheSequence)
{
  ss_workload w = four_axes();
  w.parallelism.cp = 1;
  w.parallelism.tp2 = 2;
  w.parallelism.tensor = SS_TENSOR_2D;
  set_order(w, "dp,tp2,tp,pp");
  const Placed p(w, machine_of(32, 4));
  EXPECT_EQ(p.placement.cp, 2);
  EXPECT_EQ(ss_placement_gpu(&p.placement, {0, 0, 3, 0}), 3);
  EXPECT_EQ(ss_placement_gpu(&p.placement, {0, 1, 0, 0}), 4);
  EXPECT_EQ(ss_placement_gpu(&p.placement, {1, 0, 0, 0}), 8);
}

TEST(Placement, GroupsAlongTheAxes)
{
  const Placed p(four_axes(), machine_of(32, 4));
  std::vector<int32_t> gpu(2);
  ss_placement_tensor_group(&p.placement, {1, 1, 3, 1}, gpu.data());
  EXPECT_EQ(gpu, (std::vector<int32_t>{30, 31}));
  ss_placement_context_group(&p.placement, {1, 1, 3, 1}, gpu.data());
  EXPECT_EQ(gpu, (std::vector<int32_t>{29, 31}));
}

/* Ranks along cp hold the same weights, those of summa different ones. */
TEST(Placement, WhoHoldsTheSameWeights)
{
  ss_workload w = four_axes();
  std::vector<int32_t> gpu(8);
  const Placed context(w, machine_of(32, 4));
  EXPECT_EQ(ss_placement_shards(&context.placement), 2);
  EXPECT_EQ(ss_placement_data_group(&context.placement, 1, 1, gpu.data()), 8);
  EXPECT_EQ(gpu, (std::vector<int32_t>{17, 19, 21, 23, 25, 27, 29, 31}));
  w.parallelism.cp = 1;
  w.parallelism.tp2 = 2;
  w.parallelism.tensor = SS_TENSOR_SUMMA;
  gpu.resize(4);
  const Placed summa(w, machine_of(32, 4));
  EXPECT_EQ(ss_placement_shards(&summa.placement), 4);
  EXPECT_EQ(ss_placement_data_group(&summa.placement, 0, 3, gpu.data()), 4);
  EXPECT_EQ(gpu, (std::vector<int32_t>{3, 7, 11, 15}));
}

/* tp 2, dp 4, pp 2 on domains of 4: in the default order tp and two replicas share a domain, a stage apart is far. */
TEST(Placement, OrderAndDomainSplit)
{
  const ss_machine machine = machine_of(16, 4);
  const auto spans = [&](const char *order, const char *domain) {
    ss_workload w = make_workload();
    w.parallelism.tp = 2;
    w.parallelism.dp = 4;
    w.parallelism.pp = 2;
    w.training.global_batch = 4;
    set_order(w, order);
    set_domain(w, domain);
    const Job job(w, machine);
    return std::to_string(job->span[SS_GROUP_TENSOR].per_domain) + " " +
           std::to_string(job->data_span[SS_WEIGHTS_DENSE][0].per_domain) + " " + std::to_string(job->slow_hops);
  };
  EXPECT_EQ(spans("tp,cp,dp,pp", ""), "2 2 1.000000");
  EXPECT_EQ(spans("tp,cp,pp,dp", ""), "2 1 0.000000");
  EXPECT_EQ(spans("dp,tp,cp,pp", ""), "1 4 1.000000");
  EXPECT_EQ(spans("tp,cp,dp,pp", "tp=2,dp=2,pp=1"), "2 2 1.000000");
  EXPECT_EQ(spans("tp,cp,dp,pp", "tp=1,dp=2,pp=2"), "1 2 0.000000");
  EXPECT_EQ(spans("tp,cp,dp,pp", "tp=2,pp=2"), "2 1 0.000000");
}

/* 4 stages, two of which share a domain: of 3 hops, P / nv_pp - 1 = 1 is slow; back to the first stage it is one more.
 */
TEST(Placement, SlowHops)
{
  ss_workload w = make_workload();
  w.parallelism.pp = 4;
  w.parallelism.dp = 2;
  set_domain(w, "pp=2,dp=2");
  const Placed p(w, machine_of(16, 4));
  const ss_pipeline_shape one = pipeline_shape(SS_PIPELINE_1F1B, 4, 4, 1);
  const ss_pipeline_shape two = pipeline_shape(SS_PIPELINE_INTERLEAVED, 4, 4, 2);
  EXPECT_DOUBLE_EQ(ss_placement_slow_hops(&p.placement, &one), 1.0 / 3);
  EXPECT_DOUBLE_EQ(ss_placement_slow_hops(&p.placement, &two), 2.0 / 4);
  const bool crosses[] = {false, true, false, true};
  for (int64_t stage = 0; stage < 4; ++stage)
    EXPECT_EQ(ss_placement_crosses(&p.placement, stage, (stage + 1) % 4), crosses[stage]);
}
