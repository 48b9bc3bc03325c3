#include "model/collective/routing.h"

/* Of `places` that have equal shares of the experts, those that get some of the choices: each is missed with the
 * probability that all choices fall on the others (hypergeometric). */
static double places_met(double places, double experts, int64_t choices)
{
  double missed = 1.0;
  for (int64_t i = 0; i < choices && missed > 0.0; ++i) {
    const double left = experts - (double)i, others = left - experts / places;
    missed = others > 0.0 ? missed * others / left : 0.0;
  }
  return places * (1.0 - missed);
}

/* The domains that a token chooses its experts from. */
static double open_domains(const ss_routing *routing, ss_span span)
{
  return (double)(routing->domains > 0 && routing->domains < span.domains ? routing->domains : span.domains);
}

static double met_by_choice(const ss_routing *routing, ss_span span, double places_of_domain)
{
  if (routing->choices == 0) return 1.0;
  const double domains = open_domains(routing, span);
  const double experts = (double)routing->experts * domains / (double)span.domains;
  return places_met(domains * places_of_domain, experts, routing->choices) / (double)routing->choices;
}

double ss_routing_domains(const ss_routing *routing, ss_span span)
{
  return met_by_choice(routing, span, 1.0);
}

double ss_routing_ranks(const ss_routing *routing, ss_span span)
{
  return met_by_choice(routing, span, (double)span.size / (double)span.domains);
}
