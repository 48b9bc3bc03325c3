/* Small workloads and machines for tests, and platform files to replay them on. */
#ifndef STEPSIM_TESTS_SUPPORT_FIXTURES_HPP
#define STEPSIM_TESTS_SUPPORT_FIXTURES_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"

extern "C" {
#include "model/estimate/estimate.h"
#include "model/fabric/topologies.h"
#include "model/input/workload.h"
#include "model/plan/check/workload_check.h"
#include "model/plan/job_setup.h"
#include "model/plan/optimizer.h"
#include "model/plan/placement_groups.h"
#include "model/plan/stage_hops.h"
#include "model/plan/task_time.h"
#include "model/plan/transfer_time.h"
#include "sim/engine/replay.h"
}

namespace stepsim
{

/* What a test platform is made of; a non-blocking fabric unless `topology` says otherwise. */
struct PlatformSpec {
  int gpus = 16, domain = 4, nics = 4;
  double nvlink_bytes_per_s = 300e9, fabric_bytes_per_s = 25e9, nvlink_latency_s = 2.5e-6, fabric_latency_s = 5e-6;
  std::string topology; /* attributes of the fabric cluster */
};

/* Links so fast that messages do not show beside a deep model: 1 MiB in 1.5 picoseconds. */
inline PlatformSpec instant_messages()
{
  PlatformSpec spec;
  spec.fabric_bytes_per_s = spec.nvlink_bytes_per_s = 1e18;
  spec.fabric_latency_s = spec.nvlink_latency_s = 0;
  return spec;
}

/* The value of an attribute, empty where it is not there. */
inline std::string attribute_of(const std::string &attributes, const std::string &name)
{
  const size_t at = (" " + attributes).find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 2;
  return attributes.substr(begin, attributes.find('"', begin) - begin);
}

/* What sim/io reads from the attributes of a fabric cluster, for tests without it, unchecked; backbones in GBps. */
inline ss_shape shape_of(const std::string &attributes)
{
  static const char *const words[] = {
#define TOPOLOGY_WORD(id, word, name) word,
      SS_TOPOLOGY_LIST(TOPOLOGY_WORD)
#undef TOPOLOGY_WORD
  };
  ss_shape shape = {};
  const std::string sharing = attribute_of(attributes, "sharing_policy"), backbone = attribute_of(attributes, "bb_bw");
  if (sharing == "SHARED") shape.sharing = SS_SHARING_SHARED;
  if (sharing == "FATPIPE") shape.sharing = SS_SHARING_FATPIPE;
  for (int i = 0; i < SS_TOPOLOGY_COUNT; ++i)
    if (attribute_of(attributes, "topology") == words[i]) shape.topology = static_cast<ss_topology>(i);
  const ss_topology_methods *methods = ss_topology_methods_of(shape.topology);
  ss_number_lists lists;
  if (methods->read != nullptr) {
    EXPECT_TRUE(ss_number_lists_parse(attribute_of(attributes, "topo_parameters").c_str(), &lists)) << attributes;
    EXPECT_TRUE(methods->read(&lists, &shape)) << attributes;
  }
  if (backbone != "") shape.as.flat.backbone_bytes_per_s = 1e9 * std::stod(backbone);
  return shape;
}

/* An A100-like machine on a platform file that is written to the temporary folder of the tests. */
inline ss_machine make_machine(const PlatformSpec &spec)
{
  static int number = 0;
  ss_machine machine;
  ss_machine_init(&machine);
  machine.gpus = spec.gpus;
  machine.domain_size = spec.domain;
  machine.nics_per_domain = spec.nics;
  machine.matrix_flop_per_s = 312e12;
  machine.vector_flop_per_s = 78e12;
  machine.hbm_bytes_per_s = 1555e9;
  machine.hbm_bytes = 80e9;
  machine.nvlink_efficiency = machine.fabric_efficiency = 0.7;
  machine.zone_nvlink_bytes_per_s = machine.nvlink_bytes_per_s = spec.nvlink_bytes_per_s;
  machine.zone_fabric_bytes_per_s = machine.fabric_bytes_per_s = spec.fabric_bytes_per_s;
  machine.nvlink_latency_s = spec.nvlink_latency_s;
  machine.fabric_latency_s = spec.fabric_latency_s;
  machine.shape = shape_of(spec.topology);
  std::snprintf(machine.name, sizeof machine.name, "test");
  const std::string path = common_scratch().path("platform-" + std::to_string(number++) + ".xml");
  std::snprintf(machine.file, sizeof machine.file, "%s", path.c_str());
  char nvlink[256], fabric[512];
  std::snprintf(nvlink, sizeof nvlink, "radical=\"0-%d\" speed=\"1Tf\" bw=\"%.17gBps\" lat=\"%.17gs\"", spec.gpus - 1,
                spec.nvlink_bytes_per_s, spec.nvlink_latency_s);
  std::snprintf(fabric, sizeof fabric, "radical=\"0-%d\" speed=\"1f\" bw=\"%.17gBps\" lat=\"%.17gs\" %s",
                spec.gpus / spec.domain * spec.nics - 1, spec.fabric_bytes_per_s, spec.fabric_latency_s,
                spec.topology.c_str());
  std::ofstream(path) << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                      << "<platform version=\"4.1\">\n<zone id=\"test\" routing=\"Full\">\n"
                      << "<cluster id=\"nvlink\" prefix=\"gpu-\" suffix=\"\" " << nvlink << "/>\n"
                      << "<cluster id=\"fabric\" prefix=\"nic-\" suffix=\"\" " << fabric
                      << "/>\n</zone>\n</platform>\n";
  return machine;
}

/* A machine of so many GPUs in domains of a size, with so many NICs each; with one for each GPU. */
inline ss_machine machine_of(int gpus, int domain, int nics)
{
  PlatformSpec spec;
  spec.gpus = gpus;
  spec.domain = domain;
  spec.nics = nics;
  return make_machine(spec);
}
inline ss_machine machine_of(int gpus, int domain)
{
  return machine_of(gpus, domain, domain);
}

/* The machine with protocols of NCCL: round numbers near those of platforms/perlmutter.xml. */
inline ss_machine with_protocols(ss_machine machine)
{
  machine.collective_start_s = 15e-6;
  machine.simple_nvlink_s = 12e-6;
  machine.simple_fabric_s = 25e-6;
  machine.tree_fabric_s = 44e-6;
  machine.ll_nvlink_s = 0.5e-6;
  machine.ll_fabric_s = 6.5e-6;
  machine.ll_fabric_bytes_per_s = 6.8e9;
  return machine;
}

/* A small transformer: 8 layers, hidden 1024, 8 heads, 512 tokens, no vocabulary; everything on one GPU. */
inline ss_workload make_workload()
{
  ss_workload workload;
  ss_workload_init(&workload);
  workload.model.layers = 8;
  workload.model.hidden = 1024;
  workload.model.heads = 8;
  workload.model.sequence = 512;
  workload.training.global_batch = 1;
  ss_workload_derive(&workload);
  return workload;
}

/* Free GPUs: the first ones of each domain. */
class FreeGpus
{
public:
  FreeGpus(const ss_machine &machine, const std::vector<int> &counts)
  {
    std::vector<char> is_free(static_cast<size_t>(machine.gpus), 0);
    for (size_t domain = 0; domain < counts.size(); ++domain)
      for (int gpu = 0; gpu < counts[domain]; ++gpu)
        is_free[domain * static_cast<size_t>(machine.domain_size) + static_cast<size_t>(gpu)] = 1;
    EXPECT_EQ(ss_free_gpus_init(&gpus_, &machine, reinterpret_cast<const bool *>(is_free.data())), SS_OK);
  }
  FreeGpus(const FreeGpus &) = delete;
  FreeGpus &operator=(const FreeGpus &) = delete;
  ~FreeGpus()
  {
    ss_free_gpus_free(&gpus_);
  }
  const ss_free_gpus *get() const
  {
    return &gpus_;
  }

private:
  ss_free_gpus gpus_ = {};
};

/* For a closed form that is compared with a replay on private links. */
inline ss_what_if own_links()
{
  ss_what_if what_if = {};
  what_if.own_links = true;
  return what_if;
}

/* A job with what it borrows, released with the object. */
class Job
{
public:
  Job(const ss_workload &workload, const ss_machine &machine, ss_cost cost = SS_COST_SC24, ss_what_if what_if = {},
      const int32_t *ranks = nullptr, const ss_free_gpus *free_gpus = nullptr)
      : workload_(workload), machine_(machine)
  {
    ss_error error = {};
    ss_job_options options = {};
    options.cost = cost;
    options.what_if = what_if;
    options.ranks = ranks;
    options.free_gpus = free_gpus;
    if (ss_workload_check(&workload_, &error) != SS_OK ||
        ss_job_init(&job_, &workload_, &machine_, options, &error) != SS_OK)
      throw std::runtime_error(error.message);
  }
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;
  ~Job()
  {
    ss_job_free(&job_);
  }
  const ss_job *get() const
  {
    return &job_;
  }
  const ss_job *operator->() const
  {
    return &job_;
  }

  /* Seconds of one pass of one layer. */
  double layer_s(ss_pass pass) const
  {
    return ss_duration_sum(job_.pass[SS_BLOCK_LAYER][pass]);
  }

  ss_replay_result replay(ss_replay_options options = {}) const
  {
    ss_replay_result result = {};
    ss_error error = {};
    EXPECT_EQ(ss_replay(&job_, &options, &result, &error), SS_OK) << error.message;
    return result;
  }
  ss_replay_result replay_all_flows() const
  {
    ss_replay_options options = {};
    options.flows = SS_FLOWS_ALL;
    return replay(options);
  }

private:
  ss_workload workload_;
  ss_machine machine_;
  ss_job job_ = {};
};

/* Equal up to a relative error. */
inline void expect_close(double actual, double expected, double relative)
{
  EXPECT_NEAR(actual, expected, relative * std::abs(expected)) << "relative error " << (actual - expected) / expected;
}

} /* namespace stepsim */

#endif
