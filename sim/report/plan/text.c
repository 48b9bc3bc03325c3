#include <inttypes.h>
#include <math.h>

#include "model/base/number.h"
#include "model/run/power.h"
#include "model/run/price.h"
#include "sim/report/calibration.h"
#include "sim/report/ignored.h"
#include "sim/report/interval.h"
#include "sim/report/plan/differences.h"
#include "sim/report/plan/fabric.h"
#include "sim/report/plan/run_evidence.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

#define JOULES_PER_KWH   3.6e6
#define SECONDS_PER_HOUR 3600.0
#define SECONDS_PER_DAY  86400.0

/* Columns: a label, a number, and where what a row is begins, beside times and beside measures; within 80. */
enum { LABEL = 20, NUMBER = 12, TIME = 11, SHARE = 9, PART = 13, HELP = PART + 2 * TIME + SHARE + 2, MEASURE = 47 };

/* The unit of all times of a run: the first one of which it has two. */
typedef struct run_unit {
  const char *name;
  double seconds;
} run_unit;

static run_unit unit_for(double total_s)
{
  static const run_unit units[] = {{"days", SECONDS_PER_DAY}, {"hours", SECONDS_PER_HOUR}, {"s", 1.0}};
  size_t i = 0;
  while (i + 1 < sizeof units / sizeof units[0] && total_s < 2.0 * units[i].seconds) ++i;
  return units[i];
}

static void print_label(FILE *stream, const char *label)
{
  (void)fprintf(stream, "  %-*s", LABEL - 2, label);
}

/* A time that people read by itself. */
static const char *time_text(double time_s, char text[32])
{
  if (!isfinite(time_s))
    (void)snprintf(text, 32, "never");
  else if (time_s >= 2.0 * SECONDS_PER_DAY)
    (void)snprintf(text, 32, "%.1f days", time_s / SECONDS_PER_DAY);
  else if (time_s >= 2.0 * SECONDS_PER_HOUR)
    (void)snprintf(text, 32, "%.1f h", time_s / SECONDS_PER_HOUR);
  else if (time_s >= 120.0)
    (void)snprintf(text, 32, "%.1f min", time_s / 60.0);
  else
    (void)snprintf(text, 32, "%.3g s", time_s);
  return text;
}

/* Some digits, or all before the point: an exponent says little to people. */
static const char *number_text(double value, int digits, char text[32])
{
  if (fabs(value) < pow(10.0, digits))
    (void)snprintf(text, 32, "%.*g", digits, value);
  else
    (void)snprintf(text, 32, "%.0f", value);
  return text;
}

/* The same with the sign of a change. */
static const char *change_text(double value, int digits, char text[32])
{
  char size[32];
  (void)snprintf(text, 32, "%c%.30s", value < 0.0 ? '-' : '+', number_text(fabs(value), digits, size));
  return text;
}

static void print_dollars(FILE *stream, const char *label, double dollars)
{
  char count[SS_TABLE_SCALED_SIZE];
  ss_table_count(dollars, count);
  print_label(stream, label);
  (void)fprintf(stream, "%*s USD\n", NUMBER, count);
}

static void print_phase_title(FILE *stream, const ss_plan *plan, const ss_plan_phase *phase)
{
  char head[2 * SS_NAME_SIZE + 8] = "", spare[48] = "", settings[SS_TEXT_SIZE + 8] = "",
                               strategy[SS_TEXT_SIZE + 32] = "";
  char text[4 * SS_TEXT_SIZE], tokens[SS_TABLE_SCALED_SIZE];
  ss_table_count(phase->tokens, tokens);
  if (plan->phases == 1) (void)snprintf(head, sizeof head, "%s on %s: ", plan->workload, plan->platform);
  if (phase->spare_gpus > 0.0) (void)snprintf(spare, sizeof spare, " and %.0f spare", phase->spare_gpus);
  if (phase->settings[0] != '\0') (void)snprintf(settings, sizeof settings, " (%s)", phase->settings);
  if (phase->strategy[0] != '\0') (void)snprintf(strategy, sizeof strategy, "; best strategy: %s", phase->strategy);
  (void)snprintf(text, sizeof text, "%s%s tokens in %.0f iterations of %.4g s on %" PRId64 " GPUs%s%s%s", head, tokens,
                 phase->iterations, phase->iteration.iteration_s, phase->gpus, spare, settings, strategy);
  (void)fprintf(stream, "%*s", plan->phases > 1 ? 2 : 0, "");
  ss_table_print_wrapped(stream, text, plan->phases > 1 ? 2 : 0);
}

static void print_title(FILE *stream, const ss_plan *plan)
{
  if (plan->phases > 1)
    (void)fprintf(stream, "%s on %s: %" PRId64 " phases\n", plan->workload, plan->platform, plan->phases);
  for (int64_t i = 0; i < plan->phases; ++i) print_phase_title(stream, plan, &plan->phase[i]);
  const ss_calibrated platform = {plan->platform, plan->calibration};
  ss_calibration_print(stream, &platform, 1);
  ss_ignored_print(stream, plan->only_replayed);
  if (plan->phases == 1) ss_interval_print(stream, &plan->interval, "Iteration", plan->phase[0].iteration.iteration_s);
  ss_run_evidence_print(stream);
}

/* Closed form, and the share of it, beside the mean of the trials. */
static void print_time_row(FILE *stream, run_unit unit, const char *label, double time_s, double whole_s,
                           double played_s)
{
  (void)fprintf(stream, "  %-*s%*.3f%*.2f %%%*.3f", PART - 2, label, TIME, time_s / unit.seconds, SHARE - 2,
                100.0 * time_s / whole_s, TIME, played_s / unit.seconds);
}

static void print_times(FILE *stream, const ss_plan *plan, run_unit unit)
{
  const ss_whole_run_time *mean = &plan->mean, *played = &plan->campaign.mean;
  (void)fprintf(stream, "\n  %-*s%*s%*s%*s  mean of %" PRId64 " trials from seed %" PRId64 "\n", PART - 2, unit.name,
                TIME, "closed form", SHARE, "", TIME, "trials", plan->campaign.trials, plan->campaign.seed);
#define PRINT_PART(field, label, help)                                                                                 \
  if (mean->field >= 5e-6 * mean->total_s || played->field >= 5e-6 * played->total_s) {                                \
    print_time_row(stream, unit, label, mean->field, mean->total_s, played->field);                                    \
    (void)fprintf(stream, "  ");                                                                                       \
    ss_table_print_wrapped(stream, help, HELP);                                                                        \
  }
  SS_WHOLE_RUN_PART_LIST(PRINT_PART)
#undef PRINT_PART
  print_time_row(stream, unit, "all", mean->total_s, mean->total_s, played->total_s);
  (void)fputc('\n', stream);
}

/* Where there are ten thousands of a unit, nobody reads thousandths of it. */
static int decimals(double value)
{
  return value < 1e4 ? 3 : 1;
}

static void print_quantiles(FILE *stream, const ss_quantiles *total_s, run_unit unit)
{
  print_label(stream, "of the trials");
#define PRINT_QUANTILE(field, share, label)                                                                            \
  (void)fprintf(stream, "  %s %.*f %s", label, decimals(total_s->field / unit.seconds), total_s->field / unit.seconds, \
                unit.name);
  SS_QUANTILE_LIST(PRINT_QUANTILE)
#undef PRINT_QUANTILE
  (void)fputc('\n', stream);
}

static void print_spread(FILE *stream, const ss_plan *plan, run_unit unit)
{
  const ss_campaign *campaign = &plan->campaign;
  print_quantiles(stream, &campaign->total_s, unit);
  if (!campaign->uneven) return;
  print_label(stream, "of steps");
#define PRINT_QUANTILE(field, share, label)                                                                            \
  (void)fprintf(stream, "  %s %+.2f %%", label, 100.0 * (campaign->step.field - 1.0));
  SS_QUANTILE_LIST(PRINT_QUANTILE)
#undef PRINT_QUANTILE
  (void)fprintf(stream, "\n%*s  from the mean, by noise and stalls of the platform\n", LABEL, "");
}

/* What trials came to on hosts that fail, and step by step why that is not the closed form. */
static void print_simgrid(FILE *stream, const ss_plan *plan, run_unit unit)
{
  const ss_simgrid_campaign *simgrid = &plan->simgrid;
  ss_plan_difference step[SS_PLAN_SIMGRID_STEPS];
  char text[128];
  if (simgrid->trials == 0) return;
  ss_plan_simgrid_differences(plan, step);
  (void)fprintf(stream, "\nOn hosts of SimGrid that fail, mean of the first %" PRId64 " trials, %s\n", simgrid->trials,
                unit.name);
  (void)snprintf(text, sizeof text, "standard error %.3f; less closed form %+.3f", simgrid->error_s / unit.seconds,
                 (simgrid->mean_s - plan->mean.total_s) / unit.seconds);
  (void)fprintf(stream, "  %-*s%*.3f  ", LABEL - 2, "all", TIME, simgrid->mean_s / unit.seconds);
  ss_table_print_wrapped(stream, text, LABEL + TIME + 2);
  print_quantiles(stream, &simgrid->total_s, unit);
  for (int i = 0; i < SS_PLAN_SIMGRID_STEPS; ++i) {
    const double time = round(1e3 * step[i].seconds / unit.seconds) / 1e3 + 0.0; /* no -0.000 */
    (void)fprintf(stream, "  %s %-*s%+*.3f  ", i == 0 ? "less" : "then", LABEL - 7, step[i].label, TIME, time);
    ss_table_print_wrapped(stream, step[i].why, LABEL + TIME + 2);
  }
}

/* Why closed form and trials differ, where they do. */
static void print_differences(FILE *stream, const ss_plan *plan, run_unit unit)
{
  ss_plan_difference difference[SS_PLAN_PARTS];
  const int count = ss_plan_differences(plan, difference);
  if (count > 0) (void)fprintf(stream, "\nTrials less closed form, where they differ by 0.1 %% of the run\n");
  for (int i = 0; i < count; ++i) {
    (void)fprintf(stream, "  %-*s%+*.3f  ", PART - 2, difference[i].label, TIME, difference[i].seconds / unit.seconds);
    ss_table_print_wrapped(stream, difference[i].why, PART + TIME + 2);
  }
  if (ss_plan_closed_form_is_off(plan))
    ss_table_print_sentence(stream,
                            "Energy, cost and what measures are worth are those of the closed form, which is off "
                            "by more than 1 %% here: go by the trials.");
}

static void print_failures(FILE *stream, const ss_plan_phase *phase)
{
  const ss_failures *failures = &phase->parts.failures;
  const double rate_per_s = ss_failures_rate_per_s(failures);
  char every[32];
  (void)fprintf(stream, "\nInterruptions: %.1f, one in %s\n", phase->mean.interruptions,
                time_text(1.0 / rate_per_s, every));
  for (int i = 0; i < SS_FAILURES; ++i) {
    if (failures->rate_per_s[i] == 0.0) continue;
    print_label(stream, ss_failure_label((ss_failure)i));
    (void)fprintf(stream, "%*.1f%*.1f %%  of %.0f\n", NUMBER - 4,
                  phase->mean.interruptions * failures->rate_per_s[i] / rate_per_s, 9,
                  100.0 * failures->rate_per_s[i] / rate_per_s, failures->parts[i]);
  }
}

/* How slow the job is with a slow part, for how long, and how slow while the part is switched off. */
static void print_slowness(FILE *stream, const ss_slow *slow)
{
  char place[64] = "", off[96] = "", stays[32], text[256];
  const double stays_s = ss_slow_stays_s(slow);
  if (slow->place != NULL) (void)snprintf(place, sizeof place, "of %.6g %s: ", slow->parts, slow->place);
  if (!ss_slow_is_of_node(slow->kind) && stays_s < slow->mean_s)
    (void)snprintf(off, sizeof off, ", then switched off at %.4g %% until it is mended", 100.0 * slow->off_speed);
  (void)snprintf(text, sizeof text, "%sthe job at %.4g %% of its speed for %s%s", place, 100.0 * slow->speed,
                 time_text(stays_s, stays), off);
  ss_table_print_wrapped(stream, text, LABEL + NUMBER - 2);
}

/* Parts that become slow: how often, how slow the job is meanwhile, and for how long. */
static void print_slow(FILE *stream, const ss_plan_phase *phase)
{
  const ss_whole_run *run = &phase->parts.run;
  (void)fprintf(stream, "\nSlow parts: %.1f\n", ss_whole_run_slow_per_s(run) * phase->mean.total_s);
  for (int i = 0; i < run->slows; ++i) {
    const ss_slow *slow = &run->slow[i];
    if (slow->rate_per_s == 0.0) continue;
    print_label(stream, ss_slow_label(slow->kind));
    (void)fprintf(stream, "%*.1f  ", NUMBER - 4, slow->rate_per_s * phase->mean.total_s);
    print_slowness(stream, slow);
  }
}

/* One time where all take as long. */
static const char *recovery_text(const ss_breakage *breakage, char text[96])
{
  char of_node[32], other[32];
  (void)time_text(breakage->node_recovery_s, of_node);
  (void)time_text(breakage->recovery_s, other);
  if (breakage->node_recovery_s == breakage->recovery_s)
    (void)snprintf(text, 96, "%s", other);
  else
    (void)snprintf(text, 96, "%s where a node is lost, else %s", of_node, other);
  return text;
}

static void print_checkpoint(FILE *stream, const ss_plan_phase *phase)
{
  const ss_checkpoint *checkpoint = &phase->parts.checkpoint;
  const ss_whole_run *run = &phase->parts.run;
  const double rate_per_s = run->breakage.rate_per_s;
  char interval[32], best[32], young[32], daly[32], recovery[96], text[320];
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream, "Checkpoints: %.4g TB, %.3g s of pause and %.3g s beside the work, read in %.3g s",
                          checkpoint->bytes / 1e12, checkpoint->pause_s, checkpoint->write_s, checkpoint->read_s);
  (void)snprintf(text, sizeof text, "one in %s of work; best %s (Young %s, Daly %s); recovery takes %s",
                 time_text(run->rhythm.interval_s, interval),
                 time_text(ss_interval_best_s(checkpoint->pause_s, rate_per_s, phase->parts.least_interval_s), best),
                 time_text(ss_interval_young_s(checkpoint->pause_s, rate_per_s), young),
                 time_text(ss_interval_daly_s(checkpoint->pause_s, rate_per_s), daly),
                 recovery_text(&run->breakage, recovery));
  (void)fprintf(stream, "  ");
  ss_table_print_wrapped(stream, text, 2);
  if (phase->parts.interval_s > 0.0 && phase->parts.interval_s < run->rhythm.interval_s)
    ss_table_print_sentence(stream,
                            "  The %s of run.interval are shorter than an iteration or the write of a checkpoint.",
                            time_text(phase->parts.interval_s, interval));
}

static void print_amount(FILE *stream, const char *label, double amount, const char *unit)
{
  print_label(stream, label);
  (void)fprintf(stream, "%*.6g %s\n", NUMBER, amount, unit);
}

static void print_energy(FILE *stream, const ss_plan *plan)
{
  const ss_bill *bill = &plan->bill;
  const ss_plan_phase *phase = ss_plan_longest(plan);
  if (plan->machine->gpu_power_w == 0.0) {
    (void)fprintf(stream, "\nEnergy: unknown, as the platform has no gpu-power\n");
    return;
  }
  const ss_power power = ss_power_of(plan->machine);
  const double gpus = (double)phase->gpus, spare_w = phase->spare_gpus * ss_power_idle_w(&power);
  (void)fprintf(stream, "\nEnergy (power of parts is that of the platform, PUE %.3g)\n", power.pue);
  print_amount(stream, "all", bill->energy_j / JOULES_PER_KWH / 1e3, "MWh");
  print_amount(stream, "of that, GPUs", bill->gpu_j / JOULES_PER_KWH / 1e3, "MWh, without PUE");
  if (bill->carbon_kg > 0.0) print_amount(stream, "CO2 equivalents", bill->carbon_kg / 1e3, "t");
  print_amount(stream, "peak", (gpus * ss_power_at_meter_w(&power, SS_DRAWS_COMPUTING) + spare_w) / 1e6,
               "MW, while all GPUs compute: what the feed bears");
  print_amount(stream, "mean of a step",
               (gpus * ss_power_iteration_j(&power, &phase->iteration) / phase->iteration.iteration_s + spare_w) / 1e6,
               "MW");
  print_amount(stream, "while all wait", (gpus * ss_power_at_meter_w(&power, SS_DRAWS_WAITING) + spare_w) / 1e6, "MW");
  if (plan->step.count > 0) {
    print_amount(stream, "most in a replay", plan->step.most_w / 1e6, "MW");
    print_amount(stream, "least in a replay", plan->step.least_w / 1e6, "MW");
    print_amount(stream, "mean of a replay", plan->step.mean_w / 1e6, "MW");
    print_amount(stream, "largest jump", plan->step.swing_w / 1e6, "MW at once");
  }
  print_amount(stream, "in a recovery", (gpus * ss_power_idle_w(&power) + spare_w) / 1e6, "MW");
  ss_plan_print_powerless(stream, plan->machine);
}

static void print_cost(FILE *stream, const ss_plan *plan)
{
  const ss_machine *machine = plan->machine;
  const ss_bill *bill = &plan->bill;
  if (!ss_price_is_known(machine)) {
    (void)fprintf(stream, "\nCost: unknown, as the platform has neither gpu-price nor gpu-hour-price\n");
    return;
  }
  const bool rented = machine->gpu_hour_dollars > 0.0;
  char dollars[SS_TABLE_SCALED_SIZE], hours[SS_TABLE_SCALED_SIZE];
  ss_table_count(ss_bill_dollars(bill), dollars);
  ss_table_count(bill->gpu_s / SECONDS_PER_HOUR, hours);
  (void)fprintf(stream, "\nCost: %s USD, of %s GPU-hours%s\n", dollars, hours, rented ? ", which are rented" : "");
  print_dollars(stream, rented ? "rent" : "machine", bill->machine_dollars);
  if (rented) return;
  if (machine->energy_dollars_per_kwh > 0.0)
    print_dollars(stream, "energy", bill->energy_dollars);
  else
    (void)fprintf(stream, "  energy            not priced: platform.energy-price is not given\n");
  ss_plan_print_fabric(stream, machine);
}

static void print_worths(FILE *stream, const ss_plan *plan, run_unit unit)
{
  if (plan->worths == 0) return;
  const ss_bill_known known = ss_bill_known_of(plan->machine);
  const int energies = known.energy ? 10 : 0, costs = known.dollars ? 11 : 0;
  (void)fprintf(stream, "\nWhat measures are worth, by closed form\n  %-*s%*s%*s%*s\n", 15 - 2, "", 9, unit.name,
                energies, known.energy ? "MWh" : "", costs, known.dollars ? "1000 USD" : "");
  for (int64_t i = 0; i < plan->worths; ++i) {
    const ss_worth *worth = &plan->worth[i];
    const double energy_j = worth->bill.energy_j - plan->bill.energy_j;
    const double dollars = ss_bill_dollars(&worth->bill) - ss_bill_dollars(&plan->bill);
    char energy[32], cost[32];
    (void)fprintf(stream, "  %-*s%+9.3f%*s%*s  ", 15 - 2, ss_measure_key(worth->measure),
                  (worth->mean.total_s - plan->mean.total_s) / unit.seconds, energies,
                  known.energy ? change_text(energy_j / JOULES_PER_KWH / 1e3, 3, energy) : "", costs,
                  known.dollars ? change_text(dollars / 1e3, 4, cost) : "");
    ss_table_print_wrapped(stream, ss_measure_label(worth->measure), (size_t)energies + (size_t)costs + MEASURE - 21);
  }
}

/* Numbers of GPUs, of which the plan is that of the best. */
static void print_sizes(FILE *stream, const ss_plan_sizes *sizes, ss_bill_known known)
{
  if (sizes->count == 0) return;
  const int64_t best = ss_plan_sizes_best(sizes);
  const run_unit unit = unit_for(sizes->size[best].mean.total_s);
  char budget[48] = "", count[SS_TABLE_SCALED_SIZE];
  ss_table_count(sizes->budget_dollars, count);
  if (sizes->budget_dollars > 0.0) (void)snprintf(budget, sizeof budget, " for %s USD", count);
  ss_table_print_sentence(stream, "Numbers of GPUs, each with its best strategy; * has the least %s%s",
                          sizes->objective == SS_OBJECTIVE_TIME ? unit.name : ss_objective_word(sizes->objective),
                          budget);
  (void)fprintf(stream, "%8s%10s%9s%9s%10s  strategy\n", "GPUs", unit.name, "goodput", "MWh", "1000 USD");
  for (int64_t i = 0; i < sizes->count; ++i) {
    const ss_plan_size *size = &sizes->size[i];
    (void)fprintf(stream, "%c%7" PRId64, i == best ? '*' : ' ', size->gpus);
    char energy[32], cost[32];
    if (size->refusal[0] == '\0')
      (void)fprintf(stream, "%10.3f%7.2f %%%9s%10s  ", size->mean.total_s / unit.seconds,
                    100.0 * ss_whole_run_goodput(&size->mean),
                    known.energy ? number_text(size->bill.energy_j / JOULES_PER_KWH / 1e3, 4, energy) : "",
                    known.dollars ? number_text(ss_bill_dollars(&size->bill) / 1e3, 4, cost) : "");
    else
      (void)fprintf(stream, "  ");
    ss_table_print_wrapped(stream, size->refusal[0] == '\0' ? size->strategy : size->refusal,
                           size->refusal[0] == '\0' ? 48 : 10);
  }
  (void)fputc('\n', stream);
}

void ss_report_plan_text(FILE *stream, const ss_plan *plan, const ss_plan_sizes *sizes)
{
  const run_unit unit = unit_for(plan->mean.total_s);
  print_sizes(stream, sizes, ss_bill_known_of(plan->machine));
  print_title(stream, plan);
  print_times(stream, plan, unit);
  print_spread(stream, plan, unit);
  print_differences(stream, plan, unit);
  print_simgrid(stream, plan, unit);
  for (int64_t i = 0; i < plan->phases; ++i) {
    if (plan->phase[i].parts.run.breakage.rate_per_s > 0.0) print_failures(stream, &plan->phase[i]);
    if (ss_whole_run_slow_per_s(&plan->phase[i].parts.run) > 0.0) print_slow(stream, &plan->phase[i]);
    print_checkpoint(stream, &plan->phase[i]);
  }
  print_energy(stream, plan);
  print_cost(stream, plan);
  print_worths(stream, plan, unit);
}
