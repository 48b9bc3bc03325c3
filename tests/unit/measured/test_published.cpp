/* The closed form against the numbers that its authors published: every column of every row. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include <cstdlib>

#include "tests/support/published.hpp"
#include "tests/support/source.hpp"

using namespace stepsim;

namespace
{

std::string text(xmlNode *node, const char *name)
{
  xmlChar *value = xmlGetProp(node, BAD_CAST name);
  EXPECT_NE(value, nullptr) << name;
  const std::string result = value != nullptr ? (const char *)value : "";
  xmlFree(value);
  return result;
}

double number(xmlNode *node, const char *name)
{
  return std::strtod(text(node, name).c_str(), nullptr);
}

/* What only some layouts of tensor parallelism have is 1 in the others. */
int64_t count(xmlNode *node, const char *name)
{
  return xmlHasProp(node, BAD_CAST name) != nullptr ? (int64_t)number(node, name) : 1;
}

ss_tensor tensor_of(xmlNode *row)
{
  for (const ss_tensor tensor : all_of<ss_tensor>)
    if (text(row, "tensor") == ss_word(SS_AT_parallelism_tensor, tensor)) return tensor;
  ADD_FAILURE() << "unknown tensor=\"" << text(row, "tensor") << '"';
  return SS_TENSOR_1D;
}

ss_workload workload_of(xmlNode *row)
{
  ss_workload workload;
  ss_error error = {};
  const std::string path = source_path("workloads/" + text(row, "model") + ".xml");
  EXPECT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_OK) << error.message;
  workload.training.global_batch = 4096;
  workload.training.micro_batch = count(row, "micro-batch");
  workload.training.recompute = SS_RECOMPUTE_NONE;
  workload.parallelism.tensor = tensor_of(row);
  workload.parallelism.tp = count(row, "tp");
  workload.parallelism.tp2 = count(row, "tp2");
  workload.parallelism.pp = count(row, "pp");
  workload.parallelism.dp = count(row, "dp");
  if (workload.parallelism.tensor == SS_TENSOR_SUMMA) workload.parallelism.panels = count(row, "panels");
  std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "tp=%lld,tp2=%lld,dp=%lld,pp=%lld",
                (long long)count(row, "nv-tp"), (long long)count(row, "nv-tp2"), (long long)count(row, "nv-dp"),
                (long long)count(row, "nv-pp"));
  ss_workload_derive(&workload);
  return workload;
}

ss_machine machine_of(xmlNode *row)
{
  ss_machine machine;
  ss_error error = {};
  const std::string path = source_path("platforms/" + text(row, "platform") + ".xml");
  EXPECT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << error.message;
  return machine;
}

void check_every_column(xmlNode *row)
{
  const Job job(workload_of(row), machine_of(row), SS_COST_SC24);
  const ss_breakdown parts = ss_estimate_time(job.get());
  expect_close(parts.iteration_s, number(row, "iteration-s"), 1e-9);
  expect_close(parts.compute_s, number(row, "compute-s"), 1e-9);
  expect_close(parts.memory_s, number(row, "memory-s"), 1e-9);
  expect_close(parts.tp_comm_s, number(row, "tp-comm-s"), 1e-9);
  expect_close(parts.dp_comm_s, number(row, "dp-comm-s"), 1e-9);
  expect_close(parts.pp_comm_s, number(row, "pp-comm-s"), 1e-9);
  expect_close(parts.bubble_s, number(row, "bubble-s"), 1e-9);
  expect_close(ss_estimate_memory(job.get()).total_bytes, 1e9 * number(row, "memory-gb"), 1e-9);
}

/* All rows of a file with the costs of the authors' code, which has their slips. Returns how many there were. */
int check_rows_of_code(const std::string &name)
{
  int rows = 0;
  for (const PublishedSearch &search : published_searches(name))
    for (const PublishedRow &row : search.rows) {
      SCOPED_TRACE(testing::Message() << name << ":" << row.line);
      const Job job(published_strategy(search, row), published_machine(search), SS_COST_SC24_CODE);
      const ss_breakdown parts = ss_estimate_time(job.get());
      expect_close(parts.iteration_s, row.iteration_s, 1e-11);
      expect_close(parts.compute_s, row.compute_s, 1e-11);
      expect_close(parts.memory_s, row.memory_s, 1e-11);
      expect_close(parts.tp_comm_s, row.tp_comm_s, 1e-11);
      expect_close(parts.dp_comm_s, row.dp_comm_s, 1e-11);
      expect_close(parts.pp_comm_s, row.pp_comm_s, 1e-11);
      expect_close(ss_estimate_memory(job.get()).total_bytes, 1e9 * row.memory_gb, 1e-11);
      ++rows;
    }
  return rows;
}

void check_rows(const char *path, int expected, void (*check)(xmlNode *))
{
  xmlDoc *document = xmlReadFile(path, nullptr, XML_PARSE_NONET);
  ASSERT_NE(document, nullptr);
  int rows = 0;
  for (xmlNode *row = xmlDocGetRootElement(document)->children; row != nullptr; row = row->next) {
    if (row->type != XML_ELEMENT_NODE) continue;
    SCOPED_TRACE(testing::Message() << "line " << xmlGetLineNo(row));
    check(row);
    ++rows;
  }
  EXPECT_EQ(rows, expected);
  xmlFreeDoc(document);
}

} /* namespace */

TEST(Published, ClosedForm1d)
{
  check_rows(source_path("validation/closed-form-1d.xml").c_str(), 27, check_every_column);
}

TEST(Published, ClosedForm2d)
{
  check_rows(source_path("validation/closed-form-2d.xml").c_str(), 30, check_every_column);
}

TEST(Published, AllOfSummaWithTheCostsOfTheCode)
{
  EXPECT_EQ(check_rows_of_code("closed-form-summa.txt"), 1555);
}

TEST(Published, BestOf1dAnd2dWithTheCostsOfTheCode)
{
  EXPECT_EQ(check_rows_of_code("closed-form-best.txt"), 204);
}

/* An all-reduce of V bytes over 4 ranks in one domain moves 2 (3 / 4) V; get_time_comm has half of that. Over both
 * kinds of links it has all. */
TEST(Published, HalfAnAllReduceInTheCode)
{
  const PublishedSearch search = {"summa", "gpt3-1t", "b200-nvl8", 128, {}};
  for (const int64_t inside : {4, 2, 1}) {
    PublishedRow row = {0, 1, 4, 2, 16, 2, 4, inside, 2, 4 / inside, 1, 0, 0, 0, 0, 0, 0, 0};
    row.nv_pp = 4 / inside;
    row.nv_dp = 1;
    const ss_workload workload = published_strategy(search, row);
    ss_task task = {};
    task.calls = 1;
    task.call[0] = {SS_GROUP_TENSOR, SS_ALL_REDUCE, 1e9};
    const auto transfer_s = [&](ss_cost cost) {
      const Job job(workload, published_machine(search), cost);
      return ss_job_call_piece(job.get(), SS_BLOCK_LAYER, SS_PASS_FORWARD, &task, 0, job->span[SS_GROUP_TENSOR])
          .transfer_s;
    };
    EXPECT_DOUBLE_EQ(transfer_s(SS_COST_SC24_CODE), (inside == 2 ? 1.0 : 0.5) * transfer_s(SS_COST_SC24));
  }
}

/* What the authors' norm has wrong, b = 2, l = 2048, e = 25600 on 4 x 2 GPUs: it keeps 2 b (l / 2) (l / 4) bytes where
 * it should keep 2 b (l / 2) (e / 4), which is also a message between stages, has 2 (l / 4) parameters instead of 2 (e
 * / 4), and reduces 2 (e / 4) gradients of weights behind its two sums a row. */
TEST(Published, SlipsOfTheCode)
{
  const PublishedSearch search = {"summa", "gpt3-1t", "b200-nvl8", 128, {}};
  const PublishedRow row = {0, 1, 4, 2, 16, 2, 4, 4, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  const ss_workload workload = published_strategy(search, row);
  const Job right(workload, published_machine(search), SS_COST_SC24);
  const Job slipped(workload, published_machine(search), SS_COST_SC24_CODE);
  EXPECT_EQ(right->message_bytes[SS_CARGO_STATES], 2.0 * 2 * 1024 * 6400);
  EXPECT_EQ(slipped->message_bytes[SS_CARGO_STATES], 2.0 * 2 * 1024 * 512);
  const ss_block &norms = right->block[SS_BLOCK_LAYER], &fewer = slipped->block[SS_BLOCK_LAYER];
  EXPECT_EQ(norms.stored_bytes - fewer.stored_bytes, 2 * 2.0 * 2 * 1024 * (6400 - 512));
  EXPECT_EQ(norms.parameters[SS_WEIGHTS_DENSE] - fewer.parameters[SS_WEIGHTS_DENSE], 2 * 2 * (6400 - 512));
  for (const Job *job : {&right, &slipped}) {
    const ss_task_list *backward = ss_job_tasks(job->get(), SS_BLOCK_LAYER, SS_PASS_BACKWARD);
    int reductions = 0;
    for (int64_t i = 0; i < backward->count; ++i) {
      const ss_task &task = backward->task[i];
      if (task.calls == 0 || task.call[0].kind != SS_ALL_REDUCE) continue;
      EXPECT_EQ(task.call[0].volume_bytes, 2.0 * (2 * 2 * 1024 + (job == &slipped ? 2 * 6400 : 0)));
      ++reductions;
    }
    EXPECT_EQ(reductions, 2);
  }
}
