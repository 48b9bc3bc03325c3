#include "sim/report/utilisation.h"

#include <math.h>
#include <stdlib.h>

/* Changes below this are rounding: a flow that ends as an equal one begins. */
#define RESOLUTION 1e-9

bool ss_utilisation_init(ss_utilisation *utilisation, int64_t ranks)
{
  const size_t gauges = (size_t)(ranks * SS_PORT_COUNT);
  *utilisation =
      (ss_utilisation){.gauges = calloc(gauges, sizeof(ss_gauge)), .changed = calloc(gauges, sizeof(int64_t))};
  return utilisation->gauges != NULL && utilisation->changed != NULL;
}

void ss_utilisation_free(ss_utilisation *utilisation)
{
  free(utilisation->gauges);
  free(utilisation->changed);
  *utilisation = (ss_utilisation){0};
}

void ss_utilisation_change(ss_utilisation *utilisation, const ss_link_sample *load, double time_s)
{
  const int64_t index = load->rank * SS_PORT_COUNT + (int64_t)load->port;
  ss_gauge *gauge = &utilisation->gauges[index];
  gauge->flows += load->flows;
  SS_ASSERT(gauge->flows >= 0);
  /* An idle port is exactly idle, whatever the sum has gathered in rounding. */
  gauge->fraction = gauge->flows == 0 ? 0.0 : fmax(gauge->fraction + load->fraction, 0.0);
  utilisation->time_s = time_s;
  if (gauge->changed) return;
  gauge->changed = true;
  utilisation->changed[utilisation->changes++] = index;
}

void ss_utilisation_settle(ss_utilisation *utilisation, double time_s, const ss_trace_format *format, ss_trace *trace)
{
  if (utilisation->changes == 0 || utilisation->time_s >= time_s) return;
  for (int64_t i = 0; i < utilisation->changes; i++) {
    const int64_t index = utilisation->changed[i];
    ss_gauge *gauge = &utilisation->gauges[index];
    gauge->changed = false;
    /* Mean rates of flows that overlap in part can add up to more than a port carries. */
    const double shown = fmin(gauge->fraction, 1.0);
    const bool stopped = shown == 0.0 && gauge->written != 0.0;
    if (!stopped && fabs(shown - gauge->written) <= RESOLUTION) continue;
    gauge->written = shown;
    format->utilisation(trace, index / SS_PORT_COUNT, (ss_port)(index % SS_PORT_COUNT), utilisation->time_s, shown);
  }
  utilisation->changes = 0;
}
