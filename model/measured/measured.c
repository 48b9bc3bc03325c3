#include "model/measured/measured.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

const char *ss_measured_word(ss_measured_kind kind)
{
  static const char *const words[] = {
#define SS_MEASURED_WORD(id, element, points) points,
      SS_MEASURED_LIST(SS_MEASURED_WORD)
#undef SS_MEASURED_WORD
  };
  return words[kind];
}

const char *ss_run_figure_time(ss_run_figure figure)
{
  static const char *const times[] = {
#define SS_RUN_FIGURE_TIME(id, attribute, time) time,
      SS_RUN_FIGURE_LIST(SS_RUN_FIGURE_TIME)
#undef SS_RUN_FIGURE_TIME
  };
  return times[figure];
}

ss_measured_group *ss_measured_add_group(ss_measured *measured)
{
  ss_measured_group *grown = ss_grown(measured->group, measured->groups, &measured->group_capacity, sizeof *grown);
  if (grown == NULL) return NULL;
  measured->group = grown;
  ss_measured_group *group = &measured->group[measured->groups++];
  memset(group, 0, sizeof *group);
  return group;
}

ss_measured_point *ss_measured_add_point(ss_measured *measured)
{
  ss_measured_point *grown = ss_grown(measured->point, measured->points, &measured->point_capacity, sizeof *grown);
  if (grown == NULL) return NULL;
  measured->point = grown;
  ss_measured_point *point = &measured->point[measured->points++];
  memset(point, 0, sizeof *point);
  return point;
}

bool ss_measured_is_iteration(const ss_measured *measured, int64_t point)
{
  const ss_measured_point *p = &measured->point[point];
  return p->used && p->workload != NULL && measured->group[p->group].kind == SS_MEASURED_ITERATIONS;
}

void ss_measured_free(ss_measured *measured)
{
  for (int64_t i = 0; i < measured->points; ++i) free(measured->point[i].workload);
  free(measured->point);
  free(measured->group);
  *measured = (ss_measured){.groups = 0};
}
