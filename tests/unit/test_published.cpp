/* The closed form against the numbers that its authors published: every column of every row. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include <cstdlib>

#include "tests/support/fixtures.hpp"

extern "C" {
#include "sim/io/io.h"
}

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

int64_t count(xmlNode *node, const char *name)
{
  return (int64_t)number(node, name);
}

ss_workload workload_of(xmlNode *row)
{
  ss_workload workload;
  ss_error error = {};
  const std::string path = STEPSIM_SOURCE_DIR "/workloads/" + text(row, "model") + ".xml";
  EXPECT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_OK) << error.message;
  workload.training.global_batch = 4096;
  workload.training.micro_batch = count(row, "micro-batch");
  workload.parallelism.tp = count(row, "tp");
  workload.parallelism.pp = count(row, "pp");
  workload.parallelism.dp = count(row, "dp");
  std::snprintf(workload.placement.domain, sizeof workload.placement.domain, "tp=%lld,dp=%lld,pp=%lld",
                (long long)count(row, "nv-tp"), (long long)count(row, "nv-dp"), (long long)count(row, "nv-pp"));
  ss_workload_derive(&workload);
  return workload;
}

void check(xmlNode *row)
{
  ss_machine machine;
  ss_error error = {};
  const std::string path = STEPSIM_SOURCE_DIR "/platforms/" + text(row, "platform") + ".xml";
  ASSERT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << error.message;
  const Job job(workload_of(row), machine, SS_COST_SC24);
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

} /* namespace */

TEST(Published, ClosedForm1d)
{
  xmlDoc *document = xmlReadFile(STEPSIM_SOURCE_DIR "/validation/closed-form-1d.xml", nullptr, XML_PARSE_NONET);
  ASSERT_NE(document, nullptr);
  int rows = 0;
  for (xmlNode *row = xmlDocGetRootElement(document)->children; row != nullptr; row = row->next) {
    if (row->type != XML_ELEMENT_NODE) continue;
    SCOPED_TRACE(testing::Message() << "line " << xmlGetLineNo(row));
    check(row);
    ++rows;
  }
  EXPECT_EQ(rows, 27);
  xmlFreeDoc(document);
}
