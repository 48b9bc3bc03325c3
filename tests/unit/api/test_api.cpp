/* The library as a program sees it: numbers are those of the files' job, and wrong use is an error with a message. */
#include <gtest/gtest.h>
#include <jansson.h>
#include <stepsim.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/library.hpp"
#include "tests/support/scratch.hpp"

namespace
{

TEST_F(Library, SaysWhatItsJsonSays)
{
  ASSERT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  json_t *document = json_loads(stepsim_replay_json(replay), 0, nullptr);
  ASSERT_NE(document, nullptr);
  int64_t numbers = 0;
  for (int64_t column = 0; column < stepsim_column_count(); ++column) {
    const json_t *at = document;
    std::string name = stepsim_column_name(column), rest = name;
    for (size_t dot = 0; at != nullptr && dot != std::string::npos; rest = rest.substr(dot + 1)) {
      dot = rest.find('.');
      at = json_object_get(at, rest.substr(0, dot).c_str());
    }
    const double number = stepsim_replay_number(replay, column);
    if (std::isnan(number)) {
      EXPECT_TRUE(at == nullptr || json_is_null(at)) << name;
    } else {
      EXPECT_EQ(number, json_is_boolean(at) ? json_is_true(at) : json_number_value(at)) << name;
      ++numbers;
    }
  }
  json_decref(document);
  EXPECT_GT(numbers, 60);
}

TEST_F(Library, ColumnsKnobsAndPropertiesAreNamedAndExplained)
{
  std::set<std::string> names;
  for (int64_t column = 0; column < stepsim_column_count(); ++column) {
    EXPECT_TRUE(names.insert(stepsim_column_name(column)).second) << stepsim_column_name(column);
    EXPECT_GT(std::strlen(stepsim_column_unit(column)), 0u);
    EXPECT_GT(std::strlen(stepsim_column_help(column)), 0u);
    EXPECT_EQ(stepsim_column_find(stepsim_column_name(column)), column);
  }
  for (int64_t at = 0; at < stepsim_job_knob_count(); ++at) {
    EXPECT_TRUE(names.insert(stepsim_job_knob_name(at)).second) << stepsim_job_knob_name(at);
    EXPECT_GT(std::strlen(stepsim_job_knob_help(at)), 0u);
  }
  for (int64_t at = 0; at < stepsim_machine_property_count(); ++at) {
    EXPECT_TRUE(names.insert(stepsim_machine_property_name(at)).second) << stepsim_machine_property_name(at);
    EXPECT_GT(std::strlen(stepsim_machine_property_help(at)), 0u);
  }
  for (const int64_t nowhere : {INT64_C(-1), INT64_C(1) << 40}) {
    for (const auto text : {stepsim_column_name, stepsim_column_unit, stepsim_column_help, stepsim_job_knob_name,
                            stepsim_job_knob_help, stepsim_machine_property_name, stepsim_machine_property_help})
      EXPECT_EQ(text(nowhere), nullptr);
  }
  EXPECT_EQ(stepsim_column_find("iteration"), -1);
  EXPECT_EQ(stepsim_column_find(nullptr), -1);
}

/* What functions say is what the columns of the same name say. */
TEST_F(Library, FunctionsSayWhatColumnsSay)
{
  ASSERT_EQ(stepsim_machine_vary(machine, list({"gpu-hour-price=3600"}), &other, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_job_move(job, other, &error), STEPSIM_OK);
  ASSERT_EQ(stepsim_job_set(job, "training.tokens", "1000000", &error), STEPSIM_OK);
  ASSERT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_estimate_create(job, nullptr, &estimate, &error), STEPSIM_OK) << error.message;
  const stepsim_estimate *lent = stepsim_replay_estimate(replay);
  EXPECT_STREQ(stepsim_estimate_json(lent), stepsim_estimate_json(estimate)) << "the closed form of the same job";
  for (const stepsim_estimate *of : {(const stepsim_estimate *)estimate, lent}) {
    EXPECT_EQ(stepsim_estimate_iteration_s(of), number(of, "estimate.iteration_s"));
    EXPECT_EQ(stepsim_estimate_low_s(of), number(of, "interval.low_s"));
    EXPECT_EQ(stepsim_estimate_high_s(of), number(of, "interval.high_s"));
    EXPECT_EQ(stepsim_estimate_mfu(of), number(of, "metrics.mfu"));
    EXPECT_EQ(stepsim_estimate_hfu(of), number(of, "metrics.hfu"));
    EXPECT_EQ(stepsim_estimate_days(of), number(of, "metrics.days"));
    EXPECT_EQ(stepsim_estimate_iteration_dollars(of), number(of, "dollars.iteration"));
    EXPECT_EQ(stepsim_estimate_run_dollars(of), number(of, "dollars.run"));
    EXPECT_EQ(stepsim_estimate_parameters(of), number(of, "metrics.parameters"));
    EXPECT_EQ((double)stepsim_estimate_gpus(of), number(of, "gpus"));
    EXPECT_EQ((double)stepsim_estimate_fits(of), number(of, "memory.fits"));
    EXPECT_EQ(stepsim_estimate_part_s(of, STEPSIM_PART_TENSOR_PARALLEL), number(of, "estimate.tp_comm_s"));
    EXPECT_EQ(stepsim_estimate_memory_bytes(of, STEPSIM_FULLEST_STAGE, STEPSIM_MEMORY_OPTIMIZER),
              number(of, "memory.optimizer_bytes"));
    EXPECT_TRUE(std::isnan(number(of, "simulation.iteration_s")));
  }
  EXPECT_EQ(stepsim_replay_iteration_s(replay), number(replay, "simulation.iteration_s"));
  EXPECT_EQ(stepsim_replay_low_s(replay), number(replay, "interval.low_s"));
  EXPECT_EQ(stepsim_replay_high_s(replay), number(replay, "interval.high_s"));
  EXPECT_EQ(stepsim_replay_mfu(replay), number(replay, "metrics.mfu"));
  EXPECT_EQ(stepsim_replay_hfu(replay), number(replay, "metrics.hfu"));
  EXPECT_EQ(stepsim_replay_days(replay), number(replay, "metrics.days"));
  EXPECT_EQ(stepsim_replay_iteration_dollars(replay), number(replay, "dollars.iteration"));
  EXPECT_EQ(stepsim_replay_run_dollars(replay), number(replay, "dollars.run"));
  EXPECT_EQ(stepsim_replay_part_s(replay, STEPSIM_PART_COMPUTE), number(replay, "simulation.compute_s"));
  /* an iteration has 512 tokens of each of its sequences */
  EXPECT_NEAR(stepsim_replay_tokens_per_s(replay) * stepsim_replay_iteration_s(replay),
              512.0 * std::stod(knob(job, "training.global-batch")), 1e-6);
  /* at 3600 dollars an hour, a second of a GPU costs one */
  EXPECT_DOUBLE_EQ(stepsim_replay_iteration_dollars(replay),
                   stepsim_replay_iteration_s(replay) * (double)stepsim_estimate_gpus(lent));
}

/* Parts and kinds are listed without gaps: they add up to the whole. */
TEST_F(Library, PartsAddUp)
{
  ASSERT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  const stepsim_estimate *of = stepsim_replay_estimate(replay);
  double estimate_s = 0.0, replay_s = 0.0, bytes = 0.0;
  for (int part = STEPSIM_PART_COMPUTE; part <= STEPSIM_PART_OTHER; ++part) {
    estimate_s += stepsim_estimate_part_s(of, (stepsim_part)part);
    replay_s += stepsim_replay_part_s(replay, (stepsim_part)part);
  }
  EXPECT_NEAR(estimate_s, stepsim_estimate_iteration_s(of), 1e-12);
  EXPECT_NEAR(replay_s, stepsim_replay_iteration_s(replay), 1e-12);
  for (int kind = STEPSIM_MEMORY_WEIGHTS; kind < STEPSIM_MEMORY_TOTAL; ++kind)
    bytes += stepsim_estimate_memory_bytes(of, 0, (stepsim_memory)kind);
  EXPECT_DOUBLE_EQ(bytes, stepsim_estimate_memory_bytes(of, 0, STEPSIM_MEMORY_TOTAL));
}

/* The stage that finishes last does something all the time: it runs passes, or waits. Others are done earlier. */
TEST_F(Library, StagesFillTheIteration)
{
  ASSERT_EQ(stepsim_job_set(job, "parallelism.pp", "4", &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_job_set(job, "parallelism.dp", "4", &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_estimate_stages(stepsim_replay_estimate(replay)), 4);
  double longest_s = 0.0;
  for (int64_t stage = 0; stage < 4; ++stage) {
    double sum_s = 0.0;
    for (int part = STEPSIM_STAGE_PASSES; part <= STEPSIM_STAGE_WAIT_DATA; ++part)
      sum_s += stepsim_replay_stage_s(replay, stage, (stepsim_stage_part)part);
    EXPECT_LT(sum_s, stepsim_replay_iteration_s(replay) * (1.0 + 1e-12)) << stage;
    EXPECT_GT(stepsim_replay_stage_s(replay, stage, STEPSIM_STAGE_WAIT_STAGES), 0.0) << stage;
    longest_s = std::fmax(longest_s, sum_s);
  }
  EXPECT_NEAR(longest_s, stepsim_replay_iteration_s(replay), 1e-9);
  for (const int64_t stage : {INT64_C(-1), INT64_C(4)})
    EXPECT_TRUE(std::isnan(stepsim_replay_stage_s(replay, stage, STEPSIM_STAGE_PASSES)));
}

/* A machine says what its file says: Perlmutter has 512 A100 80 GB, four to a node, and a NIC of 25 GB/s for each. */
TEST_F(Library, MachinesAreDescribed)
{
  EXPECT_STREQ(stepsim_machine_name(machine), "perlmutter");
  EXPECT_EQ(stepsim_machine_gpus(machine), 512);
  EXPECT_EQ(stepsim_machine_domain_gpus(machine), 4);
  EXPECT_EQ(stepsim_machine_nodes(machine), 128);
  EXPECT_EQ(stepsim_machine_flop_per_s(machine, STEPSIM_FORMAT_16_BIT), 312e12);
  EXPECT_TRUE(std::isnan(stepsim_machine_flop_per_s(machine, STEPSIM_FORMAT_FP8)));
  EXPECT_EQ(stepsim_machine_bytes_per_s(machine, STEPSIM_PATH_FABRIC), 25e9);
  EXPECT_EQ(stepsim_machine_bytes_per_s(machine, STEPSIM_PATH_DOMAIN), 300e9);
  EXPECT_TRUE(std::isnan(stepsim_machine_bytes_per_s(machine, (stepsim_path)3)));
  ASSERT_EQ(
      stepsim_machine_vary(machine, list({"hbm_capacity=40GB", "nics-per-domain=2", "fp8-flops=1Pf"}), &other, &error),
      STEPSIM_OK)
      << error.message;
  EXPECT_EQ(stepsim_machine_memory_bytes(other), 40e9);
  EXPECT_EQ(stepsim_machine_flop_per_s(other, STEPSIM_FORMAT_FP8), 1e15);
  EXPECT_EQ(stepsim_machine_bytes_per_s(other, STEPSIM_PATH_FABRIC), 12.5e9) << "half of a NIC";
  EXPECT_EQ(property(other, "hbm-capacity"), "40GB");
  EXPECT_EQ(property(machine, "nics-per-domain"), "4") << "stays as it is";
}

/* Jobs on one machine: the machine may be given back before them, and a job before what was predicted of it. */
TEST_F(Library, ObjectsAreGivenBackInAnyOrder)
{
  stepsim_job *jobs[2] = {};
  for (stepsim_job *&one : jobs)
    ASSERT_EQ(stepsim_job_create("bert-large", machine, &one, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_replay_create(jobs[0], nullptr, &replay, &error), STEPSIM_OK) << error.message;
  stepsim_machine_destroy(machine);
  machine = nullptr;
  stepsim_job_destroy(jobs[0]);
  EXPECT_STREQ(stepsim_machine_name(stepsim_job_machine(jobs[1])), "perlmutter");
  ASSERT_EQ(stepsim_estimate_create(jobs[1], nullptr, &estimate, &error), STEPSIM_OK) << error.message;
  stepsim_job_destroy(jobs[1]);
  EXPECT_EQ(stepsim_estimate_iteration_s(estimate), stepsim_estimate_iteration_s(stepsim_replay_estimate(replay)));
  ASSERT_EQ(stepsim_search_create(job, list({"gpus=8", "top=1"}), &search, &error), STEPSIM_OK) << error.message;
  stepsim_job *best = nullptr;
  ASSERT_EQ(stepsim_search_job(search, 0, &best, &error), STEPSIM_OK) << error.message;
  stepsim_search_destroy(search);
  search = nullptr;
  EXPECT_EQ(knob(best, "parallelism.pp").empty(), false);
  stepsim_job_destroy(best);
}

/* Whatever a knob or a property says can be set again, and changes nothing. */
TEST_F(Library, KnobsAndPropertiesAreReadAsTheyAreSet)
{
  for (int64_t at = 0; at < stepsim_job_knob_count(); ++at) {
    const char *name = stepsim_job_knob_name(at);
    stepsim_job *copy = nullptr;
    ASSERT_EQ(stepsim_job_copy(job, &copy, &error), STEPSIM_OK);
    const std::string before = knob(copy, name);
    if (stepsim_job_set(copy, name, before.c_str(), nullptr) == STEPSIM_OK) { /* 0 may stand for "nobody says" */
      EXPECT_EQ(knob(copy, name), before) << name;
    }
    stepsim_job_destroy(copy);
  }
  for (int64_t at = 0; at < stepsim_machine_property_count(); ++at) {
    const std::string name = stepsim_machine_property_name(at), before = property(machine, name.c_str());
    stepsim_machine *again = nullptr;
    if (stepsim_machine_vary(machine, list({(name + "=" + before).c_str()}), &again, nullptr) == STEPSIM_OK) {
      EXPECT_EQ(property(again, name.c_str()), before) << name;
    }
    stepsim_machine_destroy(again);
  }
}

TEST_F(Library, ACopyIsSetByItself)
{
  stepsim_job *copy = nullptr;
  ASSERT_EQ(stepsim_job_copy(job, &copy, &error), STEPSIM_OK);
  ASSERT_EQ(stepsim_job_set(copy, "model.layers", "48", &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(knob(copy, "model.layers"), "48");
  EXPECT_EQ(knob(job, "model.layers"), "24");
  for (const char *tp : {"2", "4"}) {
    ASSERT_EQ(stepsim_job_set(job, "parallelism.tp", tp, &error), STEPSIM_OK) << error.message;
    EXPECT_EQ(knob(job, "parallelism.panels"), tp) << "follows, since the file does not say it";
  }
  ASSERT_EQ(stepsim_machine_vary(machine, list({"domain-size=8", "nics-per-domain=8"}), &other, &error), STEPSIM_OK);
  ASSERT_EQ(stepsim_job_move(copy, other, &error), STEPSIM_OK);
  EXPECT_EQ(stepsim_machine_domain_gpus(stepsim_job_machine(copy)), 8);
  EXPECT_EQ(stepsim_machine_domain_gpus(stepsim_job_machine(job)), 4);
  stepsim_job_destroy(copy);
}

/* The job of a candidate has the strategy that the search has found: its own estimate is what the search says. */
/* Settings of a framework, which a file of them brings back; those that it has no word for are refused. */
TEST_F(Library, JobsAreEmitted)
{
  char *text = nullptr;
  ASSERT_EQ(stepsim_job_set(job, "parallelism.tp", "2", &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_job_emit(job, "megatron", &text, &error), STEPSIM_OK) << error.message;
  EXPECT_NE(std::string(text).find("--tensor-model-parallel-size 2"), std::string::npos) << text;
  stepsim_text_free(text);
  EXPECT_EQ(knob(job, "training.framework"), "any") << "the job is as before";
  EXPECT_EQ(stepsim_job_emit(job, "any", &text, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(stepsim_job_emit(job, "megatrom", &text, &error), STEPSIM_ERROR_INPUT);
  EXPECT_NE(std::string(error.message).find("did you mean megatron?"), std::string::npos) << error.message;
}

/* A flag that is set ends what would go on, and says so; a copy does not hear of it. */
TEST_F(Library, SearchesAndSweepsAreStopped)
{
  const volatile int stopped = 1;
  stepsim_sweep *sweep = nullptr;
  stepsim_job *copy = nullptr;
  stepsim_job_stop_by(job, &stopped);
  EXPECT_EQ(stepsim_search_create(job, list({"gpus=16"}), &search, &error), STEPSIM_ERROR_STOPPED);
  EXPECT_EQ(search, nullptr);
  EXPECT_EQ(stepsim_sweep_create(job, list({"vary=parallelism.tp=1,2"}), &sweep, &error), STEPSIM_ERROR_STOPPED);
  EXPECT_EQ(sweep, nullptr);
  EXPECT_STREQ(stepsim_status_text(error.code), "the caller has stopped it");
  ASSERT_EQ(stepsim_job_copy(job, &copy, &error), STEPSIM_OK);
  EXPECT_EQ(stepsim_search_create(copy, list({"gpus=16"}), &search, &error), STEPSIM_OK) << error.message;
  stepsim_job_destroy(copy);
  stepsim_job_stop_by(job, nullptr);
  EXPECT_EQ(stepsim_sweep_create(job, list({"vary=parallelism.tp=1,2"}), &sweep, &error), STEPSIM_OK) << error.message;
  stepsim_sweep_destroy(sweep);
}

/* A script over a model: 2 GPUs share a layer of 4 replicas, each of which takes 2 x 8 sequences. Knobs go over both.
 */
TEST_F(Library, FilesOfOtherProgramsAreJobs)
{
  const Scratch scratch;
  const std::string model = scratch.path("config.json"), script = scratch.path("launch.sh");
  std::ofstream(model) << R"({"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4, "vocab_size": 32000,
    "num_attention_heads": 8, "intermediate_size": 4096, "max_position_embeddings": 4096, "rope_theta": 500000.0})";
  std::ofstream(script) << "torchrun pretrain_gpt.py --tensor-model-parallel-size 2 --micro-batch-size 2\n";
  const char *files[] = {model.c_str(), script.c_str(), nullptr};
  stepsim_job *imported = nullptr;
  char *notes = nullptr;
  ASSERT_EQ(stepsim_job_import(files, list({"parallelism.dp=4", "training.global-batch=64"}), machine, &imported,
                               &notes, &error),
            STEPSIM_OK)
      << error.message;
  EXPECT_EQ(knob(imported, "model.ffn"), "4096");
  EXPECT_EQ(knob(imported, "parallelism.tp"), "2");
  EXPECT_EQ(knob(imported, "parallelism.dp"), "4");
  EXPECT_NE(std::strstr(notes, "chosen here: "), nullptr) << notes;
  EXPECT_NE(std::strstr(notes, "rope_theta"), nullptr) << notes;
  EXPECT_EQ(notes[std::strlen(notes) - 1], '\n');
  ASSERT_EQ(stepsim_estimate_create(imported, nullptr, &estimate, &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(stepsim_estimate_gpus(estimate), 8);
  stepsim_text_free(notes);
  stepsim_job_destroy(imported);
  std::ofstream(model) << R"({"model_type": "llama", "hidden_size": "wide"})";
  EXPECT_EQ(stepsim_job_import(files, nullptr, machine, &imported, &notes, &error), STEPSIM_ERROR_INPUT);
  EXPECT_EQ(imported, nullptr);
  EXPECT_EQ(notes, nullptr);
}

TEST_F(Library, ASearchGivesJobs)
{
  ASSERT_EQ(stepsim_search_create(job, list({"gpus=16", "top=4", "replay=1", "knobs=recompute"}), &search, &error),
            STEPSIM_OK)
      << error.message;
  ASSERT_EQ(stepsim_search_count(search), 4);
  EXPECT_EQ(stepsim_estimate_gpus(stepsim_search_estimate(search, 0)), 16);
  const stepsim_replay *replayed = stepsim_search_replay(search, 0);
  ASSERT_NE(replayed, nullptr);
  EXPECT_TRUE(std::isfinite(stepsim_replay_iteration_s(replayed)));
  EXPECT_TRUE(std::isnan(number(replayed, "explanation.contention_s"))) << "only a replay by itself explains";
  EXPECT_TRUE(std::isnan(stepsim_replay_stage_s(replayed, 0, STEPSIM_STAGE_PASSES)));
  EXPECT_EQ(stepsim_replay_estimate(replayed), stepsim_search_estimate(search, 0));
  json_t *document = json_loads(stepsim_search_json(search), 0, nullptr), *top = json_object_get(document, "top");
  ASSERT_EQ(json_array_size(top), 4u);
  for (int64_t rank = 0; rank < 4; ++rank) {
    const json_t *of = json_object_get(json_array_get(top, (size_t)rank), "estimate");
    EXPECT_EQ(stepsim_estimate_iteration_s(stepsim_search_estimate(search, rank)),
              json_number_value(json_object_get(of, "iteration_s")))
        << rank;
  }
  json_decref(document);
  stepsim_job *best = nullptr, *read = nullptr;
  ASSERT_EQ(stepsim_search_job(search, 0, &best, &error), STEPSIM_OK) << error.message;
  Scratch scratch;
  ASSERT_EQ(stepsim_job_save(best, scratch.path("best.xml").c_str(), &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_job_create(scratch.path("best.xml").c_str(), machine, &read, &error), STEPSIM_OK);
  for (const stepsim_job *one : {best, read}) {
    stepsim_estimate *again = nullptr;
    ASSERT_EQ(stepsim_estimate_create(one, nullptr, &again, &error), STEPSIM_OK) << error.message;
    EXPECT_EQ(stepsim_estimate_iteration_s(again), stepsim_estimate_iteration_s(stepsim_search_estimate(search, 0)));
    stepsim_estimate_destroy(again);
  }
  stepsim_job_destroy(read);
  stepsim_job_destroy(best);
}

/* The settings are what makes the job into that of a candidate. */
TEST_F(Library, ASearchHasSettings)
{
  ASSERT_EQ(stepsim_search_create(job, list({"gpus=16", "top=4", "knobs=recompute"}), &search, &error), STEPSIM_OK)
      << error.message;
  std::set<std::string> names;
  for (int64_t setting = 0; setting < stepsim_search_setting_count(search); ++setting)
    names.insert(stepsim_search_setting_name(search, setting));
  for (const char *size : {"parallelism.tp", "parallelism.pp", "parallelism.dp", "training.micro-batch"})
    EXPECT_EQ(names.count(size), 1u) << size;
  for (int64_t rank = 0; rank < stepsim_search_count(search); ++rank) {
    stepsim_job *copy = nullptr;
    ASSERT_EQ(stepsim_job_copy(job, &copy, &error), STEPSIM_OK);
    for (int64_t setting = 0; setting < stepsim_search_setting_count(search); ++setting)
      ASSERT_EQ(stepsim_job_set(copy, stepsim_search_setting_name(search, setting),
                                stepsim_search_setting(search, rank, setting), &error),
                STEPSIM_OK)
          << error.message;
    stepsim_estimate *again = nullptr;
    ASSERT_EQ(stepsim_estimate_create(copy, nullptr, &again, &error), STEPSIM_OK) << error.message;
    EXPECT_EQ(stepsim_estimate_iteration_s(again), stepsim_estimate_iteration_s(stepsim_search_estimate(search, rank)));
    stepsim_estimate_destroy(again);
    stepsim_job_destroy(copy);
  }
}

TEST_F(Library, ASearchOfWhatFitsNowhereHasNoCandidates)
{
  ASSERT_EQ(stepsim_machine_vary(machine, list({"hbm-capacity=1GB"}), &other, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_job_move(job, other, &error), STEPSIM_OK) << error.message;
  ASSERT_EQ(stepsim_search_create(job, list({"gpus=4"}), &search, &error), STEPSIM_OK) << error.message;
  EXPECT_EQ(stepsim_search_count(search), 0);
  EXPECT_EQ(stepsim_search_estimate(search, 0), nullptr);
  EXPECT_NE(stepsim_search_json(search), nullptr);
}

/* A replay writes the files that it is asked for. */
TEST_F(Library, AReplayWritesItsTimeline)
{
  Scratch scratch;
  const std::string trace = scratch.path("run.json"), links = scratch.path("links.csv");
  ASSERT_EQ(stepsim_replay_create(job, list({("trace=" + trace).c_str(), "trace-ranks=0", ("links=" + links).c_str()}),
                                  &replay, &error),
            STEPSIM_OK)
      << error.message;
  for (const std::string &path : {trace, links}) {
    struct stat file;
    ASSERT_EQ(stat(path.c_str(), &file), 0) << path;
    EXPECT_GT(file.st_size, 100) << path;
  }
  json_error_t where;
  json_t *document = json_load_file(trace.c_str(), 0, &where);
  EXPECT_NE(json_object_get(document, "traceEvents"), nullptr) << where.text;
  json_decref(document);
}

/* Replays in several threads at a time, of which each waits for a child of its own. */
TEST_F(Library, ThreadsReplay)
{
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "a child of several threads may find the locks of the sanitizer's malloc taken, which are not glibc's";
#endif
  ASSERT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  std::vector<std::thread> threads;
  std::vector<double> seconds(4);
  for (double &time_s : seconds)
    threads.emplace_back([this, &time_s] {
      stepsim_replay *own = nullptr;
      if (stepsim_replay_create(job, nullptr, &own, nullptr) == STEPSIM_OK) time_s = stepsim_replay_iteration_s(own);
      stepsim_replay_destroy(own);
    });
  for (std::thread &thread : threads) thread.join();
  for (const double time_s : seconds) EXPECT_EQ(time_s, stepsim_replay_iteration_s(replay));
}

volatile std::sig_atomic_t handled = 0;
void handle(int)
{
  handled = 1;
}

/* A host has handlers, ignores its children or has something in a buffer: a replay leaves all of that alone. */
TEST_F(Library, AReplayLeavesItsHostAlone)
{
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  stepsim_replay_destroy(replay);
  replay = nullptr;
  std::signal(SIGCHLD, before);
  std::signal(SIGUSR1, handle);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  FILE *buffered = fdopen(ends[1], "w");
  std::fputs("once", buffered);
  EXPECT_EQ(stepsim_replay_create(job, nullptr, &replay, &error), STEPSIM_OK) << error.message;
  std::fclose(buffered);
  char text[16] = "";
  EXPECT_EQ(read(ends[0], text, sizeof text), 4) << "not flushed by a child, too";
  close(ends[0]);
  struct sigaction now;
  sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, handle);
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(Files, AreListed)
{
  char *names = nullptr;
  ASSERT_EQ(stepsim_list("platforms", &names, nullptr), STEPSIM_OK);
  EXPECT_NE(std::strstr(names, "perlmutter\n"), nullptr);
  stepsim_text_free(names);
}

TEST(Version, IsThatOfTheProject)
{
  EXPECT_EQ(std::string(stepsim_version()).rfind(SS_VERSION, 0), 0u);
}

} // namespace
