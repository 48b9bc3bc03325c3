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

/* Where several stages share a domain, the authors' code charges nothing for the hops that leave it: P / nv_pp - 1 of
 * P - 1. A message is 2 b (l / tp2) (e / tp) bytes, two for each of M micro-batches; the bubble is (P - 1) / M of all
 * that a micro-batch takes. */
double published_time_s(const ss_workload &w, const ss_machine &machine, const ss_strategy &strategy)
{
  const ss_candidate &c = strategy.candidate;
  if (c.inside.pp == 1) return strategy.estimate.iteration_s;
  const ss_network network = ss_network_of(&machine);
  const double bytes = 2.0 * (double)(c.micro_batch * w.model.sequence / c.tp2 * w.model.hidden / c.tp);
  const double fast_s = ss_comm_time_sum(ss_message_time(&network, false, bytes));
  const double m = (double)(w.training.global_batch / c.dp / c.micro_batch), hops = (double)(c.pp - 1);
  const double fast_share = 1.0 - ((double)(c.pp / c.inside.pp) - 1.0) / hops;
  const double charged_s = 2.0 * m * fast_share * fast_s;
  return strategy.estimate.iteration_s - (1.0 + hops / m) * (strategy.estimate.pp_comm_s - charged_s);
}

void check_best(xmlNode *row)
{
  const ss_workload workload = load_workload(row);
  const ss_machine machine = load_machine(row);
  const bool second_axis = text(row, "tensor") == "2d";
  ss_search_options options = options_of((int64_t)number(row, "gpus"), second_axis ? two_d : one_d);
  options.top = 300;
  const Search search(workload, machine, options);
  ASSERT_GT(search->count, 0);
  const ss_strategy *best = &search.best();
  EXPECT_LT(best->estimate.iteration_s / number(row, "iteration-s") - 1.0, 0.02);
  for (int64_t i = 1; i < search->count; ++i)
    if (published_time_s(workload, machine, search.best(i)) < published_time_s(workload, machine, *best))
      best = &search.best(i);
  expect_close(published_time_s(workload, machine, *best), number(row, "iteration-s"), 1e-9);
  expect_close(best->memory.total_bytes, 1e9 * number(row, "memory-gb"), 1e-9);
  EXPECT_EQ(best->candidate.dp, number(row, "dp"));
  EXPECT_EQ(best->candidate.tp, number(row, "tp"));
  EXPECT_EQ(best->candidate.tp2, number(row, "tp2"));
  EXPECT_EQ(best->candidate.pp, number(row, "pp"));
  EXPECT_EQ(best->candidate.micro_batch, number(row, "micro-batch"));
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
