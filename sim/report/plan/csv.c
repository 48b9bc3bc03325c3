/* A run as CSV: a row for the whole, each phase, measure and number of GPUs. */
#include <inttypes.h>
#include <math.h>

#include "sim/report/output.h"
#include "sim/report/report.h"

/* What a row is of. */
typedef struct row {
  const char *kind, *name, *strategy;
  int64_t gpus;
  const ss_whole_run_time *mean;
  const ss_bill *bill;
  ss_bill_known known;
} row;

/* A number, or nothing where it is unknown. */
static void print_known(ss_output *output, bool known, double value)
{
  if (known) ss_output_print(output, "%.17g", value);
  ss_output_print(output, ",");
}

static void print_row(ss_output *output, const row *r)
{
  ss_output_print_field(output, r->kind);
  ss_output_print(output, ",");
  ss_output_print_field(output, r->name);
  ss_output_print(output, ",%" PRId64, r->gpus);
#define PRINT_PART(field, label, help) ss_output_print(output, ",%.17g", r->mean->field);
  SS_WHOLE_RUN_PART_LIST(PRINT_PART)
#undef PRINT_PART
  ss_output_print(output, ",%.17g,%.17g,%.17g,%.17g,", r->mean->total_s, ss_whole_run_goodput(r->mean),
                  r->mean->interruptions, r->bill->gpu_s);
  print_known(output, r->known.energy, r->bill->energy_j);
  print_known(output, r->known.carbon, r->bill->carbon_kg);
  print_known(output, r->known.dollars, ss_bill_dollars(r->bill));
  ss_output_print_field(output, r->strategy);
  ss_output_print(output, "\n");
}

static void print_header(ss_output *output)
{
  ss_output_print(output, "kind,name,gpus");
#define PRINT_PART(field, label, help) ss_output_print(output, "," #field);
  SS_WHOLE_RUN_PART_LIST(PRINT_PART)
#undef PRINT_PART
  ss_output_print(output, ",total_s,goodput,interruptions,gpu_s,energy_j,carbon_kg,usd,strategy\n");
}

static void print_plan(ss_output *output, const ss_plan *plan)
{
  const int64_t gpus = ss_plan_longest(plan)->gpus;
  const ss_bill_known known = ss_bill_known_of(plan->machine);
  print_row(output,
            &(row){"plan", "closed form", ss_plan_longest(plan)->strategy, gpus, &plan->mean, &plan->bill, known});
  for (int64_t i = 0; i < plan->phases; ++i) {
    const ss_plan_phase *phase = &plan->phase[i];
    print_row(output,
              &(row){"phase", phase->settings, phase->strategy, phase->gpus, &phase->mean, &phase->bill, known});
  }
  for (int64_t i = 0; i < plan->worths; ++i) {
    const ss_worth *worth = &plan->worth[i];
    print_row(output, &(row){"measure", ss_measure_key(worth->measure), "", gpus, &worth->mean, &worth->bill, known});
  }
}

ss_status ss_report_plan_csv(const char *path, const ss_plan *plan, const ss_plan_sizes *sizes, ss_error *error)
{
  ss_output output = {0};
  ss_status status = ss_output_open(&output, path, error);
  if (status != SS_OK) return status;
  print_header(&output);
  print_plan(&output, plan);
  for (int64_t i = 0; i < sizes->count; ++i) {
    const ss_plan_size *size = &sizes->size[i];
    if (size->refusal[0] == '\0')
      print_row(&output, &(row){"gpus", "", size->strategy, size->gpus, &size->mean, &size->bill,
                                ss_bill_known_of(plan->machine)});
  }
  status = ss_output_close(&output, error);
  ss_output_free(&output);
  return status;
}
