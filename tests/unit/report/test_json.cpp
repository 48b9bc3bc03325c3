/* Predictions as JSON, and what links carried as CSV. */
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <jansson.h>

#include "tests/support/predictions.hpp"
#include "tests/support/scratch.hpp"

extern "C" {
#include "sim/report/report.h"
}

using namespace stepsim;

namespace
{

std::vector<std::string> keys_of(json_t *object)
{
  std::vector<std::string> keys;
  const char *key = nullptr;
  json_t *value = nullptr;
  json_object_foreach(object, key, value) keys.push_back(key);
  return keys;
}

double number(json_t *root, const char *object, const char *key)
{
  return json_number_value(json_object_get(json_object_get(root, object), key));
}

/* Writes a prediction as --json does. */
ss_status write_json(const char *path, const ss_prediction *prediction, ss_error *error)
{
  char *text = nullptr;
  ss_status status = ss_report_json_text(prediction, &text, error);
  if (status == SS_OK) status = ss_report_lines(path, text, error);
  free(text);
  return status;
}

class Json : public testing::Test
{
protected:
  Scratch scratch;
  std::string path = scratch.path("prediction.json");
  ss_error error{};
  json_t *root = nullptr;

  void write(const ss_prediction &prediction)
  {
    ASSERT_EQ(write_json(path.c_str(), &prediction, &error), SS_OK) << error.message;
    root = json_load_file(path.c_str(), JSON_REJECT_DUPLICATES, nullptr);
    ASSERT_NE(root, nullptr);
  }
  void TearDown() override
  {
    json_decref(root);
  }
};

const std::vector<std::string> breakdown_keys = {"iteration_s", "compute_s", "memory_s",  "tp_comm_s", "cp_comm_s",
                                                 "ep_comm_s",   "dp_comm_s", "pp_comm_s", "bubble_s",  "optimizer_s",
                                                 "offload_s",   "host_s",    "other_s"};

const std::vector<std::string> memory_keys = {"stage",
                                              "weights_bytes",
                                              "gradients_bytes",
                                              "optimizer_bytes",
                                              "activations_bytes",
                                              "gathered_bytes",
                                              "unreduced_bytes",
                                              "placeholders_bytes",
                                              "recompute_bytes",
                                              "logits_bytes",
                                              "messages_bytes",
                                              "total_bytes",
                                              "capacity_bytes",
                                              "reserved_bytes",
                                              "offloaded_bytes",
                                              "offload_capacity_bytes",
                                              "fits"};

TEST_F(Json, KeysAreThoseOfTheContract)
{
  write(simulated());
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_of(root), (Keys{"stepsim", "workload", "platform", "calibration", "gpus", "micro_batches", "estimate",
                                 "interval", "simulation", "explanation", "critical", "replay", "memory", "metrics"}));
  EXPECT_EQ(keys_of(json_object_get(root, "interval")),
            (Keys{"share", "low_s", "high_s", "rows", "publishers", "like"}));
  EXPECT_EQ(keys_of(json_object_get(root, "estimate")), breakdown_keys);
  EXPECT_EQ(keys_of(json_object_get(root, "simulation")), breakdown_keys);
  EXPECT_EQ(keys_of(json_object_get(root, "explanation")),
            (Keys{"contention_s", "slowed_s", "latency_s", "stages_s", "overlap_s", "schedule_s"}));
  EXPECT_EQ(keys_of(json_object_get(root, "critical")), (Keys{"stage", "replica"}));
  Keys with_stages = memory_keys;
  with_stages.push_back("stages");
  EXPECT_EQ(keys_of(json_object_get(root, "memory")), with_stages);
  EXPECT_EQ(keys_of(json_object_get(root, "metrics")),
            (Keys{"parameters", "active_parameters", "model_flop_per_iteration", "mfu", "hfu", "tokens_per_s_per_gpu",
                  "useful", "useful_tokens_per_s_per_gpu", "days", "peak_flop_per_s", "products_peak_flop_per_s",
                  "products"}));
}

TEST_F(Json, WhatTheReplaySaw)
{
  using Keys = std::vector<std::string>;
  write(contended());
  json_t *replay = json_object_get(root, "replay");
  EXPECT_EQ(keys_of(replay),
            (Keys{"flows", "folded", "exposed", "links", "links_used", "links_total", "critical_path"}));
  EXPECT_EQ(json_integer_value(json_object_get(replay, "flows")), 1000);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(replay, "folded"), "cells")), 128);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(replay, "folded"), "simulated")), 16);
  EXPECT_EQ(keys_of(json_object_get(replay, "exposed")), (Keys{"latency_s", "bandwidth_s", "shared_s"}));
  EXPECT_EQ(number(replay, "exposed", "shared_s"), 0.21);
  json_t *links = json_object_get(replay, "links");
  ASSERT_EQ(json_array_size(links), 3u);
  json_t *link = json_array_get(links, 1);
  EXPECT_EQ(keys_of(link), (Keys{"name", "alike", "bytes_per_s", "bytes", "utilisation", "peak"}));
  EXPECT_STREQ(json_string_value(json_object_get(link, "name")), "nic-0:out");
  EXPECT_EQ(json_integer_value(json_object_get(link, "alike")), 256);
  EXPECT_EQ(json_number_value(json_object_get(link, "peak")), 0.75);
  json_t *found = json_object_get(replay, "critical_path");
  EXPECT_EQ(keys_of(found),
            (Keys{"compute_s", "calls_s", "data_s", "message_s", "offload_s", "host_s", "moves", "legs"}));
  json_t *legs = json_object_get(found, "legs");
  ASSERT_EQ(json_array_size(legs), 4u);
  json_t *leg = json_array_get(legs, 2);
  EXPECT_EQ(keys_of(leg), (Keys{"from_stage", "to_stage", "replica", "gpu", "time_s", "visits"}));
  EXPECT_EQ(json_integer_value(json_object_get(leg, "to_stage")), 4);
  EXPECT_EQ(json_number_value(json_object_get(leg, "time_s")), 0.84);
  EXPECT_TRUE(json_is_null(json_object_get(json_array_get(legs, 1), "replica")));
}

TEST_F(Json, ValuesReadBackToTheLastBit)
{
  ss_prediction p = simulated();
  p.stage_replicas = p.simulated_stage_replicas = 8;
  p.workload = "a \"quoted\" n\303\266me";
  p.estimate.iteration_s = 0.1 + 0.2;
  p.simulation.pp_comm_s = 1.0 / 3.0;
  p.metrics.model_flop_per_iteration = 1e18 / 7.0;
  write(p);
  EXPECT_STREQ(json_string_value(json_object_get(root, "stepsim")), SS_VERSION);
  EXPECT_STREQ(json_string_value(json_object_get(root, "workload")), p.workload);
  EXPECT_STREQ(json_string_value(json_object_get(root, "platform")), "perlmutter");
  EXPECT_EQ(json_integer_value(json_object_get(root, "gpus")), 512);
  EXPECT_EQ(json_integer_value(json_object_get(root, "micro_batches")), 48);
  EXPECT_EQ(number(root, "estimate", "iteration_s"), 0.1 + 0.2);
  EXPECT_EQ(number(root, "simulation", "pp_comm_s"), 1.0 / 3.0);
  EXPECT_EQ(number(root, "explanation", "overlap_s"), -0.125);
  EXPECT_EQ(number(root, "critical", "stage"), 15);
  EXPECT_EQ(number(root, "critical", "replica"), 2);
  EXPECT_EQ(number(root, "memory", "optimizer_bytes"), 12.0 * 1073741824.0);
  EXPECT_TRUE(json_is_true(json_object_get(json_object_get(root, "memory"), "fits")));
  EXPECT_EQ(number(root, "metrics", "model_flop_per_iteration"), 1e18 / 7.0);
  EXPECT_EQ(number(root, "metrics", "days"), 34.5);
  EXPECT_EQ(read_file(path).substr(read_file(path).size() - 2), "}\n");
  EXPECT_EQ(scratch.entries(), std::vector<std::string>{"prediction.json"});
}

TEST_F(Json, HasNoSimulationWithoutOne)
{
  ss_prediction p = simulated();
  p.simulated = false;
  p.metrics.mfu = std::numeric_limits<double>::infinity();
  write(p);
  for (const char *key : {"simulation", "explanation", "critical", "offload"})
    EXPECT_EQ(json_object_get(root, key), nullptr);
  EXPECT_TRUE(json_is_null(json_object_get(json_object_get(root, "metrics"), "mfu")));
}

TEST_F(Json, MemoryOfEveryStage)
{
  const Stages stages({16.0, 80.0});
  write(stages.prediction);
  json_t *memory = json_object_get(root, "memory"), *list = json_object_get(memory, "stages");
  EXPECT_EQ(number(root, "memory", "stage"), 1);
  EXPECT_EQ(number(root, "memory", "total_bytes"), 80.0 * 1073741824.0);
  ASSERT_EQ(json_array_size(list), 2u);
  for (size_t stage = 0; stage < 2; stage++) {
    json_t *entry = json_array_get(list, stage);
    EXPECT_EQ(keys_of(entry), memory_keys);
    EXPECT_EQ(json_integer_value(json_object_get(entry, "stage")), static_cast<json_int_t>(stage));
    EXPECT_EQ(json_is_true(json_object_get(entry, "fits")), stage == 0);
  }
}

TEST_F(Json, OffloadIsThereWhenItHappens)
{
  write(offloading());
  EXPECT_EQ(keys_of(json_object_get(root, "offload")),
            (std::vector<std::string>{"read_bytes", "written_bytes", "needed_bytes_per_s", "optimizer_bytes_per_s",
                                      "available_bytes_per_s"}));
  EXPECT_EQ(number(root, "offload", "needed_bytes_per_s"), 8e9);
  EXPECT_EQ(number(root, "memory", "offloaded_bytes"), 96.0 * 1073741824.0);
}

TEST_F(Json, TrialsAndSlowParts)
{
  const Variants variants;
  ss_prediction p = simulated();
  p.trials = &variants.trials;
  p.slow_parts = &variants.parts;
  write(p);
  using Keys = std::vector<std::string>;
  json_t *trials = json_object_get(root, "trials"), *part = json_array_get(json_object_get(root, "slow_parts"), 0);
  EXPECT_EQ(keys_of(trials), (Keys{"seed", "n", "mean_s", "std_s", "min_s", "p5_s", "p50_s", "p95_s", "max_s",
                                   "iteration_s", "longest_chain"}));
  EXPECT_EQ(json_real_value(json_array_get(json_object_get(trials, "iteration_s"), 1)), 11.5);
  json_t *pacer = json_array_get(json_object_get(trials, "longest_chain"), 0);
  EXPECT_EQ(keys_of(pacer), (Keys{"gpu", "stage", "replica", "mean_s", "most_in_trials"}));
  EXPECT_EQ(json_integer_value(json_object_get(pacer, "gpu")), 60);
  EXPECT_EQ(json_real_value(json_object_get(pacer, "mean_s")), 5.5);
  EXPECT_EQ(keys_of(part), (Keys{"property", "entry", "without_s", "cost_s", "sentence"}));
  EXPECT_EQ(json_real_value(json_object_get(part, "cost_s")), 2.1);
}

TEST_F(Json, ReplacesAnOlderFile)
{
  std::ofstream(path) << "older";
  write(simulated());
  EXPECT_EQ(scratch.entries(), std::vector<std::string>{"prediction.json"});
}

TEST_F(Json, NamesWhatCannotBeWritten)
{
  const ss_prediction p = simulated();
  EXPECT_EQ(write_json("/dev/full", &p, &error), SS_ERROR_OUTPUT);
  EXPECT_EQ(error.code, SS_ERROR_OUTPUT);
  EXPECT_STREQ(error.message, "cannot write \"/dev/full\": No space left on device");
  const std::string missing = scratch.path("none/x.json");
  EXPECT_EQ(write_json(missing.c_str(), &p, &error), SS_ERROR_OUTPUT);
  EXPECT_EQ(std::string(error.message), "cannot write \"" + missing + "\": No such file or directory");
  EXPECT_TRUE(scratch.entries().empty());
}

TEST_F(Json, WritesToStandardOutput)
{
  testing::internal::CaptureStdout();
  const ss_prediction p = simulated();
  EXPECT_EQ(write_json("-", &p, &error), SS_OK);
  const std::string printed = testing::internal::GetCapturedStdout();
  root = json_loads(printed.c_str(), 0, nullptr);
  ASSERT_NE(root, nullptr) << printed;
  EXPECT_EQ(number(root, "estimate", "compute_s"), 6.0);
}

TEST_F(Json, AFullStandardOutputIsAnError)
{
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (freopen("/dev/full", "w", stdout) == nullptr) _exit(2);
    const ss_prediction p = simulated();
    _exit(write_json("-", &p, &error) == SS_ERROR_OUTPUT ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/* ---- what links carried, as CSV */

class Links : public testing::Test
{
protected:
  Scratch scratch;
  std::string path = scratch.path("links.csv");
  ss_error error{};
  ss_link_writer writer{};

  void TearDown() override
  {
    ss_link_writer_destroy(&writer);
  }
  void tell()
  {
    const double boundary_s[] = {0.0, 0.5, 1.25}, utilisation[] = {1.0, 1.0 / 3.0};
    const ss_busy_link link = {"leaf-2:up-5", 4, 25e9, 1.5625e10, 0.5, 1.0, 0};
    writer.open(writer.self, boundary_s, 2);
    writer.link(writer.self, &link, utilisation, 2);
  }
};

TEST_F(Links, AreRowsWithAColumnPerSlice)
{
  ASSERT_EQ(ss_link_writer_create(path.c_str(), &writer, &error), SS_OK) << error.message;
  tell();
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_EQ(writer.close(writer.self, &error), SS_OK) << error.message;
  EXPECT_EQ(read_file(path), "link,alike,bytes_per_s,bytes,utilisation,peak,0..0.5,0.5..1.25\n"
                             "leaf-2:up-5,4,25000000000,15625000000,0.5,1,1,0.333333\n");
}

TEST_F(Links, LeaveNothingBehindWithoutAnEnd)
{
  ASSERT_EQ(ss_link_writer_create(path.c_str(), &writer, &error), SS_OK) << error.message;
  tell();
  ss_link_writer_destroy(&writer);
  EXPECT_TRUE(scratch.entries().empty());
}

TEST_F(Links, NameWhatCannotBeWritten)
{
  EXPECT_EQ(ss_link_writer_create(scratch.path("none/links.csv").c_str(), &writer, &error), SS_ERROR_OUTPUT);
  EXPECT_NE(std::string(error.message).find("none/links.csv"), std::string::npos) << error.message;
  ASSERT_EQ(ss_link_writer_create("/dev/full", &writer, &error), SS_OK) << error.message;
  tell();
  EXPECT_EQ(writer.close(writer.self, &error), SS_ERROR_OUTPUT);
  EXPECT_NE(std::string(error.message).find("/dev/full"), std::string::npos) << error.message;
}

} /* namespace */
