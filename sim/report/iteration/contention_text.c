#include <inttypes.h>
#include <string.h>

#include "sim/report/iteration/contention.h"

/* What is listed at most. Links must be at least half as busy as the first. */
#define LISTED_LINKS 8
#define LISTED_LEGS  2

/* Percent of the whole below which a part is not listed: it would show as 0.0. */
#define LEAST_PERCENT 0.05

/* Columns of that table. */
#define LINK_WIDTH        36
#define CAPACITY_WIDTH    15
#define UTILISATION_WIDTH 14

/* A section of times, and a row of it. */
typedef struct time_row {
  const char *label, *help;
  double time_s;
} time_row;

typedef struct time_section {
  const char *title;
  const time_row *row; /* [count] */
  int count;
  double whole_s; /* what they are a part of */
} time_section;

/* Prints a section, if any of its rows shows anything. */
static bool print_section(FILE *stream, ss_table_unit unit, const time_section *section)
{
  bool printed = false;
  for (int i = 0; i < section->count; ++i) {
    const time_row *row = &section->row[i];
    if (ss_table_percent(row->time_s, section->whole_s) < LEAST_PERCENT) continue;
    if (!printed) (void)fprintf(stream, "\n%s\n", section->title);
    ss_table_print_row(stream, unit, row->label, row->time_s, section->whole_s, row->help);
    printed = true;
  }
  return printed;
}

static void print_exposed(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  const time_row rows[] = {
#define EXPOSED_ROW(field, label, help) {label, help, prediction->exposed.field},
      SS_EXPOSED_LIST(EXPOSED_ROW)
#undef EXPOSED_ROW
  };
  const time_section section = {"Exposed communication of the rank that finishes last (% of the iteration)", rows,
                                sizeof rows / sizeof rows[0], prediction->simulation.iteration_s};
  (void)print_section(stream, unit, &section);
}

static void print_link(FILE *stream, const ss_busy_link *link)
{
  char label[SS_LINK_NAME_SIZE + 32];
  if (link->alike > 1)
    (void)snprintf(label, sizeof label, "%s and %" PRId64 " alike", link->name, link->alike - 1);
  else
    (void)snprintf(label, sizeof label, "%s", link->name);
  (void)fprintf(stream, "  %-*s%*.2f GB/s%*.1f %%%*.1f %%\n", LINK_WIDTH - 2, label, CAPACITY_WIDTH - 5,
                link->bytes_per_s / 1e9, UTILISATION_WIDTH - 2, 100.0 * link->utilisation, UTILISATION_WIDTH - 2,
                100.0 * link->peak);
}

static void print_links(FILE *stream, const ss_busy_links *links)
{
  if (links->count == 0) return;
  (void)fprintf(stream, "\n%-*s%*s%*s%*s\n", LINK_WIDTH, "Busiest links", CAPACITY_WIDTH, "capacity", UTILISATION_WIDTH,
                "utilisation", UTILISATION_WIDTH, "at its peak");
  for (int64_t i = 0; i < links->count && i < LISTED_LINKS; ++i) {
    if (links->link[i].utilisation < 0.5 * links->link[0].utilisation) return;
    print_link(stream, &links->link[i]);
  }
}

static void describe_leg(const ss_critical_path_leg *leg, char *text, size_t size)
{
  char place[64];
  if (leg->from_stage != leg->to_stage)
    (void)snprintf(place, sizeof place, "stage %" PRId64 " -> %" PRId64, leg->from_stage, leg->to_stage);
  else
    (void)snprintf(place, sizeof place, "stage %" PRId64, leg->from_stage);
  if (leg->replica == SS_PATH_ALL_REPLICAS)
    (void)snprintf(text, size, "%s, data parallel", place);
  else if (leg->from_stage != leg->to_stage)
    (void)snprintf(text, size, "%s of replica %" PRId64, place, leg->replica);
  else
    (void)snprintf(text, size, "%s of replica %" PRId64 " (GPU %" PRId64 ")", place, leg->replica, leg->gpu);
  if (leg->visits > 1) {
    const size_t length = strlen(text);
    (void)snprintf(text + length, size - length, ", %" PRId64 " times", leg->visits);
  }
}

/* A path that never leaves its place has no legs to tell apart. */
static void print_legs(FILE *stream, const ss_critical_path *path, ss_table_unit unit, double whole_s)
{
  const char *label = "longest";
  for (int64_t i = 0; path->legs > 1 && i < path->legs && i < LISTED_LEGS; ++i) {
    char text[160];
    if (ss_table_percent(path->leg[i].time_s, whole_s) < LEAST_PERCENT) return;
    describe_leg(&path->leg[i], text, sizeof text);
    ss_table_print_row(stream, unit, label, path->leg[i].time_s, whole_s, text);
    label = "";
  }
}

static void print_path(FILE *stream, const ss_critical_path *path, ss_table_unit unit)
{
  const time_row rows[] = {
#define PATH_ROW(field, label, help) {label, help, path->field},
      SS_PATH_LIST(PATH_ROW)
#undef PATH_ROW
  };
  time_section section = {"Critical path, traced back from the end of the iteration (% of the iteration)", rows,
                          sizeof rows / sizeof rows[0], 0.0};
  for (int i = 0; i < section.count; ++i) section.whole_s += rows[i].time_s;
  if (print_section(stream, unit, &section)) print_legs(stream, path, unit, section.whole_s);
}

void ss_contention_print(FILE *stream, const ss_prediction *prediction, ss_table_unit unit)
{
  print_exposed(stream, prediction, unit);
  print_links(stream, &prediction->links);
  print_path(stream, &prediction->path, unit);
}
