#include "sim/report/plan/run_evidence.h"

#include <inttypes.h>
#include <string.h>

#include "model/measured/run_evidence.h"
#include "sim/report/json.h"
#include "sim/report/table.h"

enum { MOST_RATIOS = 128 };

static const char *const names[SS_QUALITIES] = {
    [SS_QUALITY_TIME] = "time",
    [SS_QUALITY_GOODPUT] = "goodput",
    [SS_QUALITY_INTERRUPTIONS] = "interruptions",
    [SS_QUALITY_ENERGY] = "energy",
};

void ss_run_evidence_print(FILE *stream)
{
  char text[512] = "Published runs, measured over predicted:";
  for (int i = 0; i < SS_QUALITIES; ++i) {
    double ratio[MOST_RATIOS];
    const int64_t count = ss_run_evidence_of((ss_run_quality)i, ratio, MOST_RATIOS);
    const size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, "%s %s %.2f to %.2f, median %.2f (%" PRId64 ")", i > 0 ? ";" : "",
                   names[i], ratio[0], ratio[count - 1], ratio[count / 2], count);
  }
  ss_table_print_sentence(stream, "%s.", text);
}

json_t *ss_run_evidence_json(bool *complete)
{
  json_t *object = json_object();
  for (int i = 0; i < SS_QUALITIES; ++i) {
    double ratio[MOST_RATIOS];
    json_t *array = json_array();
    const int64_t count = ss_run_evidence_of((ss_run_quality)i, ratio, MOST_RATIOS);
    for (int64_t j = 0; j < count; ++j) ss_json_append(array, json_real(ratio[j]), complete);
    ss_json_add(object, names[i], array, complete);
  }
  return object;
}
