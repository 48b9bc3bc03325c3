/* Prints random jobs as JSON, one a line, for simulate.py: what a workload says of its schedule, the tasks of its
 * blocks with the seconds of their kernels and the bytes of their collectives, its placement, the links, and how long
 * the replay says that an iteration takes. print_jobs FIRST COUNT: the jobs of so many seeds from FIRST on. */
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "tests/support/random_jobs.hpp"

extern "C" {
#include "model/fabric/fabric.h"
#include "model/input/gpu_speed.h"
}

using namespace stepsim;

unsigned stepsim::seed = 0;

namespace
{

/* JSON as it is written: what is between two commas is one call. */
class Json
{
public:
  void open(const char *bracket)
  {
    comma();
    std::fputs(bracket, stdout);
    first_ = true;
  }
  void close(const char *bracket)
  {
    std::fputs(bracket, stdout);
    first_ = false;
  }
  Json &key(const std::string &name)
  {
    comma();
    std::printf("\"%s\": ", name.c_str());
    first_ = true;
    return *this;
  }
  void number(double value)
  {
    comma();
    std::printf("%.17g", value);
  }
  void text(const std::string &value)
  {
    comma();
    std::printf("\"%s\"", value.c_str());
  }
  void list(int64_t count, const std::function<void(int64_t)> &print)
  {
    open("[");
    for (int64_t i = 0; i < count; ++i) print(i);
    close("]");
  }

private:
  void comma()
  {
    if (!first_) std::fputs(", ", stdout);
    first_ = false;
  }
  bool first_ = true;
};

/* What the simulator in Python knows of: rings, no experts, no agreement on scales, which is no flow of the replay; few
 * passes, since it is slow. */
ss_workload draw(std::mt19937 &random)
{
  for (;;) {
    ss_workload w = draw_workload(random);
    w.schedule.overlap_ep = SS_EP_OVERLAP_NONE; /* the simulator there has no passes in pairs */
    w.training.amax_reduction = SS_AMAX_NONE;
    w.model.layers = pick(random, {4, 8});
    w.model.experts = w.model.shared_experts = w.model.dense_layers = 0;
    w.model.top_k = 2;
    w.model.expert_ffn = w.model.ffn;
    w.model.tied_embeddings = pick_switch(random);
    w.model.mtp_modules = pick(random, {0, 0, 1, 2});
    w.training.capacity_factor = 0;
    w.training.imbalance = 1;
    w.parallelism.ep = 1;
    w.parallelism.cp_exchange = pick(random, {SS_CP_GATHER, SS_CP_RING});
    w.schedule.all_reduce = w.schedule.all_gather = w.schedule.reduce_scatter = SS_ALGORITHM_RING;
    w.schedule.all_to_all = SS_ALGORITHM_AUTO;
    w.training.global_batch = w.parallelism.dp * w.training.micro_batch * pick(random, {1, 2, 3, 4, 6, 8});
    if (ss_workload_gpus(&w) <= 16 && ss_workload_check(&w, nullptr) == SS_OK) return with_host_step(random, w);
  }
}

/* 16 GPUs on a flat fabric or a tapered tree, with NICs of their own or shared; with latency or without. */
ss_machine draw_machine(std::mt19937 &random)
{
  PlatformSpec spec;
  spec.gpus = 16;
  spec.domain = pick(random, {2, 4, 8});
  spec.nics = pick(random, {spec.domain / 2, spec.domain});
  spec.nvlink_latency_s = pick(random, {0.0, 2.5e-6});
  spec.fabric_latency_s = pick(random, {0.0, 5e-6, 50e-6});
  spec.fabric_bytes_per_s = pick(random, {2.5e9, 25e9});
  if (coin(random)) {
    const int leaf = spec.nics, leaves = spec.gpus / spec.domain;
    spec.topology = "topology=\"FAT_TREE\" topo_parameters=\"2;" + std::to_string(leaf) + "," + std::to_string(leaves) +
                    ";1," + std::to_string(std::max(1, leaf / pick(random, {1, 2}))) + ";1,1\"";
  }
  ss_machine machine = make_machine(spec);
  machine.fp8_flop_per_s = machine.mxfp8_flop_per_s = 2 * machine.matrix_flop_per_s;
  machine.nvfp4_flop_per_s = 4 * machine.matrix_flop_per_s;
  machine.offload_bytes = 1e12;
  machine.offload_bytes_per_s = pick(random, {5e9, 100e9});
  const char *slow = pick(random, {"", "", "0:0.9", "3:0.7 5-6:0.95"});
  std::snprintf(machine.gpu_speed, sizeof machine.gpu_speed, "%s", slow);
  return machine;
}

void print_attributes(Json &json, const ss_workload &workload)
{
  json.key("workload").open("{");
  for (const ss_attribute_index attribute : all_attributes()) {
    const ss_attribute &row = row_of(attribute);
    const char *field = reinterpret_cast<const char *>(&workload) + row.offset;
    json.key(std::string(row.element) + "." + row.name);
    switch (row.type) {
    case SS_ATTRIBUTE_TEXT: json.text(field); break;
    case SS_ATTRIBUTE_COUNT: json.number(static_cast<double>(value_of(workload, attribute))); break;
    case SS_ATTRIBUTE_REAL: json.number(*reinterpret_cast<const double *>(field)); break;
    case SS_ATTRIBUTE_CHOICE: json.text(row.words[value_of(workload, attribute)]); break;
    case SS_ATTRIBUTE_SET: json.text(words_of_set(workload, attribute)); break;
    }
  }
  json.close("}");
}

void print_task(Json &json, const ss_job *job, ss_block_kind kind, ss_pass pass, const ss_task &task)
{
  static const char *const collectives[] = {"all-gather", "reduce-scatter", "all-reduce",
                                            "broadcast",  "reduce",         "all-to-all"};
  json.open("{");
  const double kernel_s = task.computes ? ss_duration_sum(ss_job_kernel_piece(job, kind, pass, &task)) : 0.0;
  json.key("kernel_s").number(kernel_s);
  if (task.calls > 0)
    json.key("calls").list(task.calls, [&](int64_t i) {
      json.open("[");
      json.text(ss_group_name(task.call[i].group));
      json.text(collectives[task.call[i].kind]);
      json.number(task.call[i].volume_bytes);
      json.close("]");
    });
  if (task.overlap.kernel_pieces > 0) {
    json.key("kernel_pieces").number(static_cast<double>(task.overlap.kernel_pieces));
    json.key("call_pieces").number(static_cast<double>(task.overlap.call_pieces));
    json.key("lag").number(static_cast<double>(task.overlap.lag));
    json.key("kernel_first").number(task.overlap.kernel_first);
    json.key("one_ring").number(task.overlap.one_ring);
  }
  json.close("}");
}

void print_kinds(Json &json, const ss_job *job)
{
  json.key("kinds").list(SS_BLOCK_COUNT, [&](int64_t i) {
    const ss_block_kind kind = static_cast<ss_block_kind>(i);
    json.open("{");
    json.key("gather_bytes").number(job->gather_bytes[kind][SS_WEIGHTS_DENSE]);
    json.key("reduce_bytes").number(job->reduce_bytes[kind][SS_WEIGHTS_DENSE]);
    json.key("read_bytes").list(SS_PASSES, [&](int64_t pass) { json.number(job->offload.read_bytes[kind][pass]); });
    json.key("write_bytes").list(SS_PASSES, [&](int64_t pass) { json.number(job->offload.write_bytes[kind][pass]); });
    json.key("passes").list((job->kinds & SS_BLOCK_BIT(kind)) != 0 ? SS_PASSES : 0, [&](int64_t pass) {
      const ss_task_list *tasks = ss_job_tasks(job, kind, static_cast<ss_pass>(pass));
      json.list(tasks->count,
                [&](int64_t t) { print_task(json, job, kind, static_cast<ss_pass>(pass), tasks->task[t]); });
    });
    json.close("}");
  });
}

void print_stages(Json &json, const ss_job *job)
{
  json.key("blocks").list(job->stages, [&](int64_t stage) {
    json.list(job->chunks, [&](int64_t index) {
      const ss_chunk chunk = {stage, index};
      json.list(ss_job_block_count(job, chunk), [&](int64_t i) { json.number(ss_job_block_kind(job, chunk, i)); });
    });
  });
  json.key("optimizer_s").list(job->stages, [&](int64_t s) { json.number(ss_job_optimizer(job, s).optimizer_s); });
  json.key("exchange_s").list(job->stages, [&](int64_t s) { json.number(ss_job_optimizer(job, s).exchange_s); });
  json.key("offload_s").list(job->stages, [&](int64_t s) { json.number(ss_job_optimizer(job, s).offload_s); });
  json.key("message_bytes").number(job->message_bytes[SS_CARGO_STATES]);
  json.key("tied_bytes").number(job->tied_bytes);
  json.key("has_ends").number(job->has_ends);
}

/* GPUs by rank, capacities of links, and the links from NIC to NIC. */
void print_machine(Json &json, const ss_job *job)
{
  const ss_machine &machine = *job->machine;
  const ss_placement &at = job->placement;
  json.key("gpus").list(at.tp * at.cp * at.dp * at.pp, [&](int64_t rank) { json.number(at.gpu[rank]); });
  std::vector<double> speed(static_cast<size_t>(machine.gpus));
  ss_gpu_speeds(machine.gpu_speed, machine.gpus, speed.data());
  json.key("speed").list(machine.gpus, [&](int64_t gpu) { json.number(speed[static_cast<size_t>(gpu)]); });
  json.key("offload_bytes_per_s").number(machine.offload_bytes_per_s);
  json.key("domain_size").number(static_cast<double>(machine.domain_size));
  json.key("nics_per_domain").number(static_cast<double>(machine.nics_per_domain));
  json.key("nvlink_latency_s").number(machine.nvlink_latency_s);
  json.key("fabric_latency_s").number(machine.fabric_latency_s);
  ss_fabric *fabric = nullptr;
  ss_error error = {};
  if (ss_fabric_create(&fabric, &machine, &error) != SS_OK) throw std::runtime_error(error.message);
  const int64_t nics = machine.gpus / machine.domain_size * machine.nics_per_domain;
  json.key("bytes_per_s").list(ss_fabric_links(fabric), [&](int64_t link) {
    json.number(ss_fabric_bytes_per_s(fabric, link));
  });
  json.key("nic_routes").list(nics, [&](int64_t from) {
    json.list(nics, [&](int64_t to) {
      int32_t link[SS_ROUTE_LINKS_MAX];
      const int count = from == to ? 0 : ss_fabric_route(fabric, true, from, to, link);
      json.list(count, [&](int64_t i) { json.number(link[i]); });
    });
  });
  ss_fabric_destroy(fabric);
}

void print_job(unsigned seed)
{
  std::mt19937 random(seed);
  const ss_workload workload = draw(random);
  const Job job(workload, draw_machine(random), pick(random, {SS_COST_CALIBRATED, SS_COST_SC24}));
  Json json;
  json.open("{");
  json.key("seed").number(seed);
  json.key("replay_s").number(job.replay().breakdown.iteration_s);
  json.key("estimate_s").number(ss_estimate_time(job.get()).iteration_s);
  json.key("micro_batches").number(static_cast<double>(job->micro_batches));
  print_attributes(json, workload);
  print_kinds(json, job.get());
  print_stages(json, job.get());
  print_machine(json, job.get());
  json.close("}\n");
}

} // namespace

int main(int argc, char **argv)
{
  if (argc != 3) {
    std::fprintf(stderr, "usage: print_jobs FIRST COUNT\n");
    return 2;
  }
  const unsigned first = static_cast<unsigned>(std::atoi(argv[1])), count = static_cast<unsigned>(std::atoi(argv[2]));
  for (unsigned i = first; i < first + count; ++i) print_job(i);
  return 0;
}
