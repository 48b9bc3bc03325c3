/* What runs beside compute, against a plain walk through every pass of every block of an iteration. */
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/estimate/stage_exposure.h"
#include "model/plan/stage_ops.h"
}

using namespace stepsim;

namespace
{

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 100;
#else
constexpr int kCases = 2000;
#endif

const double kNever = std::numeric_limits<double>::infinity();

/* One pass of one block of one micro-batch, in the order of work. */
struct Step {
  ss_pass pass;
  ss_block_kind kind;
  size_t block;       /* of the stage */
  size_t copy;        /* of the stage and micro-batch */
  size_t fetches;     /* up to here, with this one */
  bool first, closes; /* of the first micro-batch; the pass is over with it */
  bool last;          /* of the last micro-batch */
  double gathered_s = -kNever, requested_s = 0.0, read_s = -kNever; /* when what it needs is there */
};

/* What a step loses to the data stream: kernels, and collectives on the same NICs. */
struct Loss {
  double slowed_s = 0.0, shared_s = 0.0;
};

/* A stage that runs its order of work on its own, from stage_exposure.h: one step after the other, nothing left out. */
class PlainWalk
{
public:
  ss_exposure exposed = {};

  PlainWalk(const ss_job *job, int64_t stage, int64_t micro_batches, double lead_s)
      : job_(*job), stage_(stage), plan_(job->data), overlaps_(job->workload->schedule.overlap_dp == SS_YES),
        prefetch_((size_t)job->workload->schedule.prefetch)
  {
    list_steps(micro_batches);
    compute_s_ = data_s_ = read_s_ = -lead_s;
    weights_s_.assign(blocks_, 0.0);
    if (plan_.gathers_at_start) gather_at_start();
    fetch_up_to(0, prefetch_);
    read_up_to(1 + prefetch_);
    compute_s_ = 0.0;
    for (Step &step : steps_) run(step);
    for (const Step &step : steps_)
      if (reduces(step) && !plan_.reduces_each_pass && !overlaps_) reduce(step);
    exposed.tail_s = std::max(data_s_ - compute_s_, 0.0);
    if (job->offload.gradients) exposed.offload_s += std::max(write_s_ - std::max(data_s_, compute_s_), 0.0);
  }

private:
  const ss_job &job_;
  int64_t stage_;
  ss_data_plan plan_;
  bool overlaps_;
  size_t prefetch_, blocks_ = 0, gathers_ = 0, requests_ = 0, reads_ = 0;
  std::vector<Step> steps_;
  std::vector<size_t> fetches_; /* the steps that weights or activations are needed for */
  std::vector<double> weights_s_, written_s_;
  double compute_s_, data_s_, read_s_, write_s_ = 0.0, bucket_bytes_[SS_WEIGHTS] = {};

  void list_steps(int64_t micro_batches)
  {
    ss_pipeline_shape shape = job_.shape;
    shape.micro_batches = micro_batches;
    std::vector<size_t> first = {0};
    for (int64_t c = 0; c < job_.chunks; c++) first.push_back(first.back() + count({stage_, c}));
    blocks_ = first.back();
    written_s_.assign((size_t)micro_batches * blocks_, kNever);
    std::vector<ss_work> order((size_t)ss_schedule_length(&shape));
    ss_schedule_emit(&shape, stage_, order.data());
    for (const ss_work &work : order) {
      const ss_chunk chunk = {stage_, work.chunk};
      for (size_t place = 0; place < count(chunk); place++) {
        const int64_t index = ss_job_block_at(&job_, chunk, work.pass, (int64_t)place);
        Step step = {};
        step.pass = work.pass;
        step.kind = ss_job_block_kind(&job_, chunk, index);
        step.block = first[(size_t)work.chunk] + (size_t)index;
        step.copy = (size_t)work.micro_batch * blocks_ + step.block;
        step.first = work.micro_batch == 0;
        step.last = work.micro_batch == micro_batches - 1;
        step.closes = place == count(chunk) - 1;
        if (work.pass != SS_PASS_WEIGHT) fetches_.push_back(steps_.size());
        step.fetches = fetches_.size();
        steps_.push_back(step);
      }
    }
  }

  size_t count(ss_chunk chunk) const
  {
    return (size_t)ss_job_block_count(&job_, chunk);
  }

  void collective(int group, ss_collective kind, double bytes)
  {
    if (bytes <= 0.0) return;
    const ss_comm_time time =
        ss_job_data_time(&job_, kind, ss_job_data_span(&job_, (ss_data_group)group, stage_), bytes);
    data_s_ = std::max(data_s_, compute_s_) + ss_comm_time_sum(time);
  }

  /* Among the holders that share a copy, and what copies add up. */
  void collectives(int weights, ss_collective kind, double bytes)
  {
    const int64_t shards = ss_job_shards(&job_, (ss_weights)weights);
    if (shards > 1) collective(weights, kind, bytes);
    if (kind != SS_ALL_GATHER && job_.placement.copies > 1)
      collective(weights + SS_WEIGHTS, SS_ALL_REDUCE, bytes / (double)shards);
  }

  /* Puts bytes into a bucket; true when it has been sent. */
  bool fill(int weights, ss_collective kind, double bytes, bool closes)
  {
    const ss_weights of = (ss_weights)weights;
    if ((kind == SS_ALL_GATHER ? ss_job_shards(&job_, of) : ss_job_holders(&job_, of)) == 1) return false;
    bucket_bytes_[weights] += bytes;
    if (!closes && bucket_bytes_[weights] < plan_.bucket_bytes) return false;
    collectives(weights, kind, bucket_bytes_[weights]);
    bucket_bytes_[weights] = 0.0;
    return true;
  }

  void gather_at_start()
  {
    std::vector<size_t> waiting[SS_WEIGHTS];
    size_t block = 0;
    for (int64_t c = 0; c < job_.chunks; c++)
      for (size_t i = 0; i < count({stage_, c}); i++, block++)
        for (int weights = 0; weights < SS_WEIGHTS; weights++) {
          const ss_block_kind kind = ss_job_block_kind(&job_, {stage_, c}, (int64_t)i);
          const double trained = job_.block[kind].trained[weights];
          const bool adapters = job_.workload->training.lora_rank > 0; /* what is stepped, in 16 bits */
          const double bytes = adapters ? 2 * trained : trained > 0 ? job_.gather_bytes[kind][weights] : 0;
          if (bytes > 0.0) waiting[weights].push_back(block);
          if (!fill(weights, SS_ALL_GATHER, bytes, i + 1 == count({stage_, c}))) continue;
          for (const size_t held : waiting[weights]) weights_s_[held] = std::max(weights_s_[held], data_s_);
          waiting[weights].clear();
        }
    if (!job_.overlaps_first) weights_s_.assign(blocks_, data_s_);
  }

  void gather_up_to(size_t end)
  {
    for (; plan_.gathers_each_pass && gathers_ < std::min(end, fetches_.size()); gathers_++) {
      Step &step = steps_[fetches_[gathers_]];
      const bool gathers = ss_pass_gathers(&job_, step.kind, step.pass);
      for (int weights = 0; gathers && weights < SS_WEIGHTS; weights++) {
        const double bytes = job_.gather_bytes[step.kind][weights];
        collectives(weights, SS_ALL_GATHER, bytes);
        if (bytes > 0.0) step.gathered_s = data_s_;
      }
    }
  }

  void read_up_to(size_t end)
  {
    const ss_offload_plan &plan = job_.offload;
    if (!plan.active) return;
    for (; requests_ < std::min(end, fetches_.size()); requests_++)
      steps_[fetches_[requests_]].requested_s = compute_s_;
    for (; reads_ < requests_; reads_++) {
      Step &step = steps_[fetches_[reads_]];
      const bool was_written = step.pass == SS_PASS_BACKWARD && plan.write_bytes[step.kind][SS_PASS_FORWARD] > 0.0;
      const double there_s = was_written ? written_s_[step.copy] : -kNever;
      if (there_s == kNever) return;
      const double bytes = plan.read_bytes[step.kind][step.pass];
      if (bytes <= 0.0) continue;
      read_s_ = std::max({read_s_, step.requested_s, there_s}) + bytes / plan.bytes_per_s;
      step.read_s = read_s_;
    }
  }

  void fetch_up_to(size_t fetches, size_t ahead)
  {
    gather_up_to(fetches + (overlaps_ ? ahead : 0));
    read_up_to(fetches + ahead);
  }

  bool reduces(const Step &step) const
  {
    return plan_.active && step.pass == plan_.reducing_pass && (plan_.reduces_each_pass || step.last);
  }

  void reduce(const Step &step)
  {
    for (int weights = 0; weights < SS_WEIGHTS; weights++)
      fill(weights, plan_.reduction, job_.reduce_bytes[step.kind][weights], step.closes);
  }

  double wait_until(double ready_s)
  {
    const double wait_s = std::max(ready_s - compute_s_, 0.0);
    compute_s_ += wait_s;
    return wait_s;
  }

  double cost_of(int group) const
  {
    const ss_span span = ss_job_data_span(&job_, (ss_data_group)group, stage_);
    return span.size > 1 ? ss_machine_compute_cost(job_.machine, ss_span_transport(span)) : 0.0;
  }

  /* The mean over all that is moved. */
  double mean(const std::function<double(int, ss_comm_time)> &of) const
  {
    ss_stage_ops ops;
    double sum = 0.0, time_s = 0.0;
    EXPECT_EQ(ss_stage_ops_init(&ops, &job_, stage_), SS_OK);
    for (const ss_stage_op *op = ops.op; op < ops.op + ops.count; ++op) {
      const ss_span span = ss_job_data_span(&job_, op->group, stage_);
      const double times = op->start == SS_OP_AHEAD ? 2.0 : 1.0;
      const ss_comm_time time = ss_job_data_time(&job_, op->kind, span, op->volume_bytes);
      sum += times * of(op->group, time);
      time_s += times * ss_comm_time_sum(time);
    }
    ss_stage_ops_free(&ops);
    return time_s > 0.0 ? sum / time_s : 0.0;
  }

  double data_cost() const
  {
    return mean([this](int group, ss_comm_time time) { return cost_of(group) * ss_comm_time_sum(time); });
  }

  /* How much of each port of NVLink what is moved takes, while it does. */
  static double nvlink_use(ss_comm_time time)
  {
    return time.nvlink_s > 0.0 ? time.nvlink_s / time.transfer_s : 0.0;
  }

  /* What a step and what is moved lose to one another while the data stream is busy all along: on NICs as long as bytes
   * of both go through them, a share for each flow; on NVLink, of which a collective inside a domain takes all, up to
   * half of that time. */
  void share_links(const Step &step, double &shared_s, double &delay_s) const
  {
    if (ss_job_has_own_links(&job_)) return;
    const ss_link_time &links = job_.links[step.kind][step.pass];
    const double nics = mean([](int, ss_comm_time time) { return time.nic_s; });
    const double flow = mean([](int, ss_comm_time time) { return time.yields_s; });
    const double longer_s = nics > 0.0 ? ss_link_time_longer_s(&links, nics / flow) : 0.0;
    const double takes = mean([](int, ss_comm_time time) {
      const double use = nvlink_use(time);
      return time.transfer_s * (use > 0.5 ? 1.0 : use / (1.0 - use));
    });
    const double yields = mean([](int, ss_comm_time time) {
      const double use = nvlink_use(time);
      return use > 0.5 ? time.transfer_s * (2.0 - 1.0 / use) : 0.0;
    });
    shared_s = nics * longer_s + takes * links.nvlink_s;
    delay_s = nics * links.nic_s + yields * links.nvlink_s;
  }

  /* Kernels run at (1 - cost) as long as the data stream is busy; collectives on links that it uses then take longer,
   * as does what it moves meanwhile. Returns what a pass loses: all of that where the data stream has as much to do as
   * it gets done beside the whole pass, and else a part. */
  Loss lose(const Step &step)
  {
    const double cost = data_cost();
    const ss_duration duration = job_.pass[step.kind][step.pass];
    const double loss_s = ss_duration_kernel_s(duration) * cost / (1.0 - cost);
    double shared_s = 0.0, delay_s = 0.0;
    share_links(step, shared_s, delay_s);
    const double all_s = ss_duration_sum(duration) + loss_s + shared_s - delay_s;
    const auto part = [&](double until_s) { return std::min(std::max(until_s - compute_s_, 0.0) / all_s, 1.0); };
    if (loss_s + shared_s <= 0.0) return {};
    const Loss lost = {loss_s * part(data_s_), shared_s * part(data_s_)};
    data_s_ += delay_s * part(data_s_);
    for (double &due_s : weights_s_) due_s += delay_s * part(due_s);
    for (size_t i = 0; i < gathers_; i++)
      steps_[fetches_[i]].gathered_s += delay_s * part(steps_[fetches_[i]].gathered_s);
    return lost;
  }

  void write_back(const Step &step)
  {
    const double bytes = job_.offload.write_bytes[step.kind][step.pass];
    if (bytes <= 0.0) return;
    write_s_ = std::max(write_s_, compute_s_) + bytes / job_.offload.bytes_per_s;
    written_s_[step.copy] = write_s_;
  }

  void run(Step &step)
  {
    fetch_up_to(step.fetches, 0);
    const double weights_s = step.first && step.pass == SS_PASS_FORWARD ? weights_s_[step.block] : 0.0;
    double data_s = wait_until(std::max(step.gathered_s, weights_s));
    const double offload_s = wait_until(step.read_s);
    fetch_up_to(step.fetches, prefetch_);
    const Loss lost = lose(step);
    compute_s_ += ss_duration_sum(job_.pass[step.kind][step.pass]) + lost.slowed_s + lost.shared_s;
    data_s += lost.shared_s;
    write_back(step);
    if (reduces(step) && (plan_.reduces_each_pass || overlaps_)) {
      reduce(step);
      if (!overlaps_) data_s += wait_until(data_s_);
    }
    exposed.data_s += data_s;
    exposed.offload_s += offload_s;
    exposed.slowed_s += lost.slowed_s;
    if (step.pass == SS_PASS_WEIGHT) exposed.weight_s += data_s + offload_s + lost.slowed_s;
  }
};

void expect_same(const ss_exposure &actual, const ss_exposure &expected, double tolerance_s)
{
  EXPECT_NEAR(actual.data_s, expected.data_s, tolerance_s);
  EXPECT_NEAR(actual.offload_s, expected.offload_s, tolerance_s);
  EXPECT_NEAR(actual.slowed_s, expected.slowed_s, tolerance_s);
  EXPECT_NEAR(actual.weight_s, expected.weight_s, tolerance_s);
  EXPECT_NEAR(actual.tail_s, expected.tail_s, tolerance_s);
}

/* Seconds that a stage computes in a micro-batch. */
double compute_s(const ss_job *job, int64_t stage)
{
  double sum_s = 0.0;
  for (int64_t c = 0; c < job->chunks; c++)
    for (int64_t i = 0; i < ss_job_block_count(job, {stage, c}); i++)
      for (int pass = 0; pass < SS_PASSES; pass++)
        sum_s += ss_duration_sum(job->pass[ss_job_block_kind(job, {stage, c}, i)][pass]);
  return sum_s;
}

/* Random jobs, most of which move something in every pass, with up to 360 micro-batches; no stages that the closed form
 * only walks through together. */
ss_workload busy_workload(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = random_workload(random);
    if (coin(random)) w.parallelism.sharding = pick(random, {SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS});
    if (random() % 4 == 0) w.training.offload_activations = SS_YES;
    if (random() % 4 == 0) w.training.offload_weights = SS_YES;
    if (w.schedule.pipeline == SS_PIPELINE_INTERLEAVED) w.parallelism.interleave = pick(random, {1, 2, 4});
    w.parallelism.pp = pick(random, {1, 2, 3, 4, 6});
    w.placement.segment = SS_DERIVED; /* of another number of GPUs */
    w.training.host = SS_HOST_GRAPHS; /* the plain walk has no host */
    w.schedule.overlap_ep = SS_EP_OVERLAP_NONE;
    w.schedule.prefetch = pick(random, {0, 1, 1, 2, 5, 20});
    if (w.schedule.bucket > 0.0) w.schedule.bucket = pick(random, {5e6, 20e6, 100e6});
    const int64_t micro_batches = w.parallelism.pp * pick(random, {1, 2, 3, 7, 20, 60});
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * micro_batches;
    ss_error error = {};
    if (ss_schedule_of(w.schedule.pipeline)->walks) continue;
    if (ss_workload_gpus(&w) <= 64 && ss_workload_check(&w, &error) == SS_OK) return w;
  }
}

bool moves_in_every_pass(const ss_job *job)
{
  return job->data.gathers_each_pass || job->data.reduces_each_pass || job->offload.active;
}

} // namespace

/* Every stage shows what it shows walking through all its micro-batches, to rounding. */
TEST(StageExposure, IterationIsThePlainWalk)
{
  std::mt19937 random(21 + seed);
  for (int i = 0; i < kCases; ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const ss_workload workload = busy_workload(random);
    const Job job(workload, random_machine(random, i % 3 == 0), pick(random, {SS_COST_CALIBRATED, SS_COST_SC24}));
    for (int64_t stage = 0; stage < job->stages; ++stage) {
      SCOPED_TRACE(testing::Message() << "stage " << stage);
      const double lead_s = pick(random, {0.0, 0.0, 1e-3, 0.1});
      const PlainWalk plain(job.get(), stage, job->micro_batches, lead_s);
      expect_same(ss_stage_exposure_of_iteration(job.get(), stage, lead_s), plain.exposed,
                  1e-11 * (double)job->micro_batches * compute_s(job.get(), stage));
    }
  }
}

/* In a long iteration. Where offloaded activations come back after several micro-batches, these may repeat only
 * together, and the mean of so many is not quite that of others: less so with gradients that go to the host, too. */
TEST(StageExposure, MicroBatchIsOneMore)
{
  std::mt19937 random(22 + seed);
  for (int i = 0; i < kCases / 5; ++i) {
    const ss_workload workload = busy_workload(random);
    const Job job(workload, random_machine(random, i % 3 == 0), pick(random, {SS_COST_CALIBRATED, SS_COST_SC24}));
    if (!moves_in_every_pass(job.get())) continue;
    const int64_t many = 240 / job->stages * job->stages;
    const double together = job->offload.gradients ? 1e-2 : 1e-3;
    const double relative = workload.training.offload_activations == SS_YES ? together : 1e-9;
    for (int64_t stage = 0; stage < job->stages; ++stage) {
      SCOPED_TRACE(testing::Message() << "case " << i << ", stage " << stage);
      const ss_exposure less = PlainWalk(job.get(), stage, many, 0.0).exposed;
      const ss_exposure more = PlainWalk(job.get(), stage, 2 * many, 0.0).exposed;
      const auto each_s = [&](double ss_exposure::*part) { return (more.*part - less.*part) / (double)many; };
      const ss_exposure expected = {each_s(&ss_exposure::data_s),
                                    each_s(&ss_exposure::offload_s),
                                    each_s(&ss_exposure::slowed_s),
                                    each_s(&ss_exposure::weight_s),
                                    each_s(&ss_exposure::tail_s),
                                    0.0,
                                    0.0};
      expect_same(ss_stage_exposure_of_micro_batch(job.get(), stage), expected, relative * compute_s(job.get(), stage));
    }
  }
}

/* Many micro-batches, deep pipelines and many chunks. */
TEST(StageExposure, OfLongIterations)
{
  struct Case {
    ss_pipeline pipeline;
    int64_t stages, chunks, micro_batches;
  };
  const Case cases[] = {{SS_PIPELINE_GPIPE, 4, 1, 3000},        {SS_PIPELINE_1F1B, 32, 1, 2500},
                        {SS_PIPELINE_EAGER_1F1B, 32, 1, 2500},  {SS_PIPELINE_INTERLEAVED, 8, 12, 400},
                        {SS_PIPELINE_INTERLEAVED, 32, 2, 320},  {SS_PIPELINE_ZERO_BUBBLE_1, 16, 1, 900},
                        {SS_PIPELINE_ZERO_BUBBLE_2, 16, 1, 900}};
  std::mt19937 random(23 + seed);
  for (const Case &c : cases)
    for (const ss_sharding sharding : {SS_SHARDING_OPTIMIZER, SS_SHARDING_GRADIENTS, SS_SHARDING_PARAMETERS}) {
      ss_workload workload = make_workload();
      workload.model.layers = c.stages * c.chunks;
      workload.parallelism.pp = c.stages;
      workload.parallelism.interleave = c.chunks;
      workload.parallelism.dp = 2;
      workload.parallelism.sharding = sharding;
      workload.schedule.pipeline = c.pipeline;
      workload.training.global_batch = 2 * c.micro_batches;
      workload.training.offload_activations = pick_switch(random);
      PlatformSpec spec;
      spec.gpus = 64;
      spec.fabric_bytes_per_s = pick(random, {5e9, 50e9});
      ss_machine machine = make_machine(spec);
      machine.offload_bytes = 1e15;
      machine.offload_bytes_per_s = pick(random, {5e9, 50e9});
      machine.nvlink_compute_cost = machine.fabric_compute_cost = 0.1;
      const Job job(workload, machine, SS_COST_CALIBRATED);
      for (const int64_t stage : {(int64_t)0, c.stages / 2, c.stages - 1}) {
        SCOPED_TRACE(testing::Message() << "schedule " << c.pipeline << ", sharding " << sharding << ", stage "
                                        << stage);
        const PlainWalk plain(job.get(), stage, job->micro_batches, 0.01);
        expect_same(ss_stage_exposure_of_iteration(job.get(), stage, 0.01), plain.exposed,
                    1e-10 * (double)job->micro_batches * compute_s(job.get(), stage));
      }
    }
}

/* However many micro-batches there are, it takes no longer: from some number on, each adds the same. What shows before
 * the first and after the last one is little beside 100,000. */
TEST(StageExposure, OfHundredThousandMicroBatches)
{
  std::mt19937 random(24 + seed);
  for (int i = 0; i < kCases / 10; ++i) {
    ss_workload workload = busy_workload(random);
    workload.training.global_batch =
        workload.parallelism.dp * workload.training.micro_batch * workload.parallelism.pp * 100000;
    const Job job(workload, random_machine(random, i % 3 == 0), SS_COST_CALIBRATED);
    const double all = (double)job->micro_batches;
    const ss_exposure one = ss_stage_exposure_of_micro_batch(job.get(), 0),
                      sum = ss_stage_exposure_of_iteration(job.get(), 0, 0.0);
    expect_same(
        {sum.data_s / all, sum.offload_s / all, sum.slowed_s / all, sum.weight_s / all, sum.tail_s / all, 0.0, 0.0},
        one, 1e-3 * compute_s(job.get(), 0));
  }
}
