#include "sim/report/iteration/routes.h"

#include <inttypes.h>

#include "sim/report/json.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

/* Pairs that have another way than by the rule, in percent. */
static double others_percent(const ss_route_summary *routes)
{
  return ss_table_percent((double)routes->others, (double)routes->pairs);
}

void ss_routes_print(FILE *stream, const ss_prediction *prediction)
{
  const ss_route_summary *routes = prediction->routes;
  if (routes == NULL) return;
  ss_table_print_sentence(stream,
                          "Routes of %s: replays follow them (%.3g %% of pairs of NICs go another way than by "
                          "destination); to the closed form each message has its cables to itself.",
                          routes->file, others_percent(routes));
}

void ss_report_routes(FILE *stream, const ss_route_summary *routes)
{
  enum { NAME_WIDTH = 24, COUNT_WIDTH = 8, MEAN_WIDTH = 10, RULE_WIDTH = 16 };
  ss_table_print_sentence(stream,
                          "routes of %s: %" PRId64 " entries; %" PRId64 " of %" PRId64
                          " pairs of NICs (%.3g %%) go another way than by destination",
                          routes->file, routes->entries, routes->others, routes->pairs, others_percent(routes));
  (void)fprintf(stream, "  %-*s%*s%*s%*s  %s\n", NAME_WIDTH, "destinations of a link", COUNT_WIDTH, "most", MEAN_WIDTH,
                "mean", RULE_WIDTH, "most by rule", "busiest");
  for (int i = 0; i < routes->kinds; ++i) {
    const ss_route_links *links = &routes->kind[i];
    char name[2 * SS_LINK_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s %s", links->word, links->direction);
    (void)fprintf(stream, "  %-*s%*" PRId64 "%*.1f%*" PRId64 "  %s\n", NAME_WIDTH, name, COUNT_WIDTH, links->most,
                  MEAN_WIDTH, links->mean, RULE_WIDTH, links->most_by_rule, links->busiest);
  }
}

static json_t *links_json(const ss_route_links *links, bool *complete)
{
  json_t *object = json_object();
  ss_json_add(object, "level", json_string(links->word), complete);
  ss_json_add(object, "direction", json_string(links->direction), complete);
  ss_json_add(object, "busiest", json_string(links->busiest), complete);
  ss_json_add(object, "most", json_integer(links->most), complete);
  ss_json_add_real(object, "mean", links->mean, complete);
  ss_json_add(object, "most_by_rule", json_integer(links->most_by_rule), complete);
  return object;
}

json_t *ss_routes_json(const ss_route_summary *routes, bool *complete)
{
  json_t *object = json_object(), *links = json_array();
  ss_json_add(object, "file", json_string(routes->file), complete);
  ss_json_add(object, "entries", json_integer(routes->entries), complete);
  ss_json_add(object, "pairs", json_integer(routes->pairs), complete);
  ss_json_add(object, "other_pairs", json_integer(routes->others), complete);
  for (int i = 0; i < routes->kinds; ++i) ss_json_append(links, links_json(&routes->kind[i], complete), complete);
  ss_json_add(object, "destinations", links, complete);
  return object;
}
