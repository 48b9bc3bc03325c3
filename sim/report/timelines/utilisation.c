#include "sim/report/timelines/utilisation.h"

#include <math.h>
#include <stdlib.h>

/* Changes below this are rounding: a flow that ends as an equal one begins. */
#define RESOLUTION 1e-9

bool ss_utilisation_init(ss_utilisation *utilisation, int64_t ranks, double interval_s)
{
  const size_t gauges = (size_t)(ranks * SS_PORT_COUNT);
  *utilisation = (ss_utilisation){.gauges = calloc(gauges, sizeof(ss_gauge)),
                                  .changed = calloc(gauges, sizeof(int64_t)),
                                  .late = calloc(gauges, sizeof(int64_t)),
                                  .interval_s = interval_s};
  for (size_t i = 0; utilisation->gauges != NULL && i < gauges; ++i) utilisation->gauges[i].written_s = -interval_s;
  return utilisation->gauges != NULL && utilisation->changed != NULL && utilisation->late != NULL;
}

void ss_utilisation_free(ss_utilisation *utilisation)
{
  free(utilisation->gauges);
  free(utilisation->changed);
  free(utilisation->late);
  *utilisation = (ss_utilisation){0};
}

void ss_utilisation_change(ss_utilisation *utilisation, const ss_link_sample *load, double time_s)
{
  const int64_t index = load->rank * SS_PORT_COUNT + (int64_t)load->port;
  ss_gauge *gauge = &utilisation->gauges[index];
  gauge->area_s += gauge->fraction * (time_s - gauge->since_s);
  gauge->since_s = time_s;
  gauge->flows += load->flows;
  SS_ASSERT(gauge->flows >= 0);
  /* An idle port is exactly idle, whatever the sum has gathered in rounding. */
  gauge->fraction = gauge->flows == 0 ? 0.0 : fmax(gauge->fraction + load->fraction, 0.0);
  utilisation->time_s = time_s;
  if (gauge->changed) return;
  gauge->changed = true;
  utilisation->changed[utilisation->changes++] = index;
}

/* Mean rates of flows that overlap in part can add up to more than a port carries. */
static double shown_of(double fraction)
{
  return fmin(fraction, 1.0);
}

static bool differs(double shown, const ss_gauge *gauge)
{
  const bool stopped = shown == 0.0 && gauge->written != 0.0;
  return stopped || fabs(shown - gauge->written) > RESOLUTION;
}

/* Where the gauges are written. */
typedef struct target {
  const ss_trace_format *format;
  ss_trace *trace;
} target;

static void write_gauge(ss_utilisation *utilisation, int64_t index, double time_s, double shown, target to)
{
  ss_gauge *gauge = &utilisation->gauges[index];
  gauge->written = shown;
  gauge->written_s = gauge->since_s = time_s;
  gauge->area_s = 0.0;
  to.format->utilisation(to.trace, index / SS_PORT_COUNT, (ss_port)(index % SS_PORT_COUNT), time_s, shown);
}

/* Writes what changes rarely at once; the rest is late. */
static void settle_changes(ss_utilisation *utilisation, target to)
{
  for (int64_t i = 0; i < utilisation->changes; i++) {
    const int64_t index = utilisation->changed[i];
    ss_gauge *gauge = &utilisation->gauges[index];
    gauge->changed = false;
    if (gauge->late || !differs(shown_of(gauge->fraction), gauge)) continue;
    if (utilisation->time_s - gauge->written_s >= utilisation->interval_s) {
      write_gauge(utilisation, index, utilisation->time_s, shown_of(gauge->fraction), to);
      continue;
    }
    if (utilisation->lates == 0)
      utilisation->next_s = utilisation->interval_s * (floor(utilisation->time_s / utilisation->interval_s) + 1.0);
    gauge->late = true;
    utilisation->late[utilisation->lates++] = index;
  }
  utilisation->changes = 0;
}

/* Writes the mean of each late gauge until the interval is over; one that goes on otherwise stays late. */
static void write_late(ss_utilisation *utilisation, target to)
{
  const double time_s = utilisation->next_s;
  int64_t left = 0;
  for (int64_t i = 0; i < utilisation->lates; i++) {
    const int64_t index = utilisation->late[i];
    ss_gauge *gauge = &utilisation->gauges[index];
    const double mean = (gauge->area_s + gauge->fraction * (time_s - gauge->since_s)) / (time_s - gauge->written_s);
    const double now = shown_of(gauge->fraction);
    /* What has been like that all the while is exactly that. */
    write_gauge(utilisation, index, time_s, fabs(shown_of(mean) - now) <= RESOLUTION ? now : shown_of(mean), to);
    gauge->late = differs(now, gauge);
    if (gauge->late) utilisation->late[left++] = index;
  }
  utilisation->lates = left;
  utilisation->next_s += utilisation->interval_s;
}

void ss_utilisation_settle(ss_utilisation *utilisation, double time_s, const ss_trace_format *format, ss_trace *trace)
{
  const target to = {format, trace};
  if (utilisation->changes > 0 && utilisation->time_s < time_s) settle_changes(utilisation, to);
  while (utilisation->lates > 0 && utilisation->next_s < time_s) write_late(utilisation, to);
}

void ss_utilisation_finish(ss_utilisation *utilisation, double end_s, const ss_trace_format *format, ss_trace *trace)
{
  const target to = {format, trace};
  ss_utilisation_settle(utilisation, end_s, format, trace);
  settle_changes(utilisation, to);
  for (int64_t i = 0; i < utilisation->lates; i++) {
    const int64_t index = utilisation->late[i];
    write_gauge(utilisation, index, end_s, shown_of(utilisation->gauges[index].fraction), to);
  }
  utilisation->lates = 0;
}
