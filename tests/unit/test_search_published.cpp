/* The best that the authors of arXiv 2410.00273 found in the same spaces. */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include <cstdlib>

#include "tests/support/searches.hpp"

extern "C" {
#include "sim/io/io.h"
}

using namespace stepsim;

namespace
{

std::string text(xmlNode *node, const char *name)
{
  xmlChar *value = xmlGetProp(node, BAD_CAST name);
  const std::string result = value != nullptr ? (const char *)value : "1"; /* what only some layouts have */
  xmlFree(value);
  return result;
}

double number(xmlNode *node, const char *name)
{
  return std::strtod(text(node, name).c_str(), nullptr);
}

ss_workload load_workload(xmlNode *row)
{
  ss_workload workload;
  ss_error error = {};
  const std::string path = STEPSIM_SOURCE_DIR "/workloads/" + text(row, "model") + ".xml";
  EXPECT_EQ(ss_workload_load(path.c_str(), &workload, &error), SS_OK) << error.message;
  workload.training.global_batch = 4096;
  workload.training.recompute = SS_RECOMPUTE_NONE;
  ss_workload_derive(&workload);
  return workload;
}

ss_machine load_machine(xmlNode *row)
{
  ss_machine machine;
  ss_error error = {};
  const std::string path = STEPSIM_SOURCE_DIR "/platforms/" + text(row, "platform") + ".xml";
  EXPECT_EQ(ss_machine_load(path.c_str(), &machine, &error), SS_OK) << error.message;
  return machine;
}

void check_best(xmlNode *row)
{
  const ss_workload workload = load_workload(row);
  const ss_machine machine = load_machine(row);
  const bool second_axis = text(row, "tensor") == "2d";
  ss_search_options options = options_of((int64_t)number(row, "gpus"), second_axis ? two_d : one_d);
  options.cost = SS_COST_SC24_CODE;
  const Search search(workload, machine, options);
  ASSERT_GT(search->count, 0);
  const ss_strategy &best = search.best();
  expect_close(best.estimate.iteration_s, number(row, "iteration-s"), 1e-12);
  expect_close(best.memory.total_bytes, 1e9 * number(row, "memory-gb"), 1e-12);
  EXPECT_EQ(best.candidate.dp, number(row, "dp"));
  EXPECT_EQ(best.candidate.tp, number(row, "tp"));
  EXPECT_EQ(best.candidate.tp2, number(row, "tp2"));
  EXPECT_EQ(best.candidate.pp, number(row, "pp"));
  EXPECT_EQ(best.candidate.micro_batch, number(row, "micro-batch"));
  /* With what leaves a domain charged, the best is no more than 2 % slower. */
  options.cost = SS_COST_SC24;
  const Search charged(workload, machine, options);
  EXPECT_GE(charged.best().estimate.iteration_s, best.estimate.iteration_s);
  EXPECT_LT(charged.best().estimate.iteration_s / best.estimate.iteration_s - 1.0, 0.02);
}

/* The authors' norm keeps a twelfth of what it should, up to 9 % of the memory: that is added to what there is. */
void check_best_summa(xmlNode *row)
{
  ss_machine machine = load_machine(row);
  machine.hbm_bytes *= 1.09;
  const Search search(load_workload(row), machine, options_of((int64_t)number(row, "gpus"), summa));
  ASSERT_GT(search->count, 0);
  expect_close(search.best().estimate.iteration_s, number(row, "iteration-s"), 0.06);
}

} /* namespace */

TEST(SearchPublished, FindsTheSame)
{
  xmlDoc *document = xmlReadFile(STEPSIM_SOURCE_DIR "/validation/closed-form-best.xml", nullptr, XML_PARSE_NONET);
  ASSERT_NE(document, nullptr);
  int rows = 0;
  for (xmlNode *row = xmlDocGetRootElement(document)->children; row != nullptr; row = row->next) {
    if (row->type != XML_ELEMENT_NODE) continue;
    SCOPED_TRACE(testing::Message() << "line " << xmlGetLineNo(row));
    if (text(row, "tensor") == "summa")
      check_best_summa(row);
    else
      check_best(row);
    ++rows;
  }
  EXPECT_EQ(rows, 39);
  xmlFreeDoc(document);
}
