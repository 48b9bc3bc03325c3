#include "model/collective/routing.h"

/* The probability that all choices, of `experts`, fall on others than a share of them (hypergeometric). */
static double missed(double share, double experts, int64_t choices)
{
  double all = 1.0;
  for (int64_t i = 0; i < choices && all > 0.0; ++i) {
    const double left = experts - (double)i, others = left - share;
    all = others > 0.0 ? all * others / left : 0.0;
  }
  return all;
}

/* Of `places` that have equal shares of the experts, those that get some of the choices, which may be idle ones. */
static double places_met(double places, double experts, const ss_routing *routing)
{
  return places * (1.0 - missed(experts / places, experts + (double)routing->idle, routing->choices));
}

static double ways_to_choose(int64_t some, int64_t of)
{
  double ways = some <= of ? 1.0 : 0.0;
  for (int64_t i = 0; i < some && ways > 0.0; ++i) ways *= (double)(of - i) / (double)(i + 1);
  return ways;
}

/* Places that hold whole groups, or, where there are more of them, a part of one. */
static double met_in_groups(const ss_routing *routing, double places)
{
  const double share = (double)routing->experts / (double)routing->groups;
  const double experts = share * (double)routing->open_groups;
  if (places >= (double)routing->groups)
    return places_met(places * (double)routing->open_groups / (double)routing->groups, experts, routing);
  const int64_t all = routing->groups, open = routing->open_groups, held = (int64_t)((double)all / places + 0.5);
  double never = 0.0;
  for (int64_t here = 0; here <= held && here <= open; ++here)
    never += ways_to_choose(here, held) * ways_to_choose(open - here, all - held) / ways_to_choose(open, all) *
             missed(share * (double)here, experts, routing->choices);
  return places * (1.0 - never);
}

/* The domains that a token chooses its experts from. */
static double open_domains(const ss_routing *routing, ss_span span)
{
  return (double)(routing->domains > 0 && routing->domains < span.domains ? routing->domains : span.domains);
}

static double met_by_choice(const ss_routing *routing, ss_span span, double places_of_domain)
{
  if (routing->choices == 0) return 1.0;
  if (routing->groups > 0)
    return met_in_groups(routing, places_of_domain * (double)span.domains) / (double)routing->choices;
  const double domains = open_domains(routing, span);
  const double experts = (double)routing->experts * domains / (double)span.domains;
  const double somewhere = (double)routing->experts / (double)(routing->experts + routing->idle);
  return places_met(domains * places_of_domain, experts, routing) / (somewhere * (double)routing->choices);
}

double ss_routing_domains(const ss_routing *routing, ss_span span)
{
  return met_by_choice(routing, span, 1.0);
}

double ss_routing_ranks(const ss_routing *routing, ss_span span)
{
  return met_by_choice(routing, span, (double)span.size / (double)span.domains);
}
