#include "model/measured/measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"
#include "model/input/workload.h"

const char *ss_measured_word(ss_measured_kind kind)
{
  static const char *const words[] = {
#define SS_MEASURED_WORD(id, element, points) points,
      SS_MEASURED_LIST(SS_MEASURED_WORD)
#undef SS_MEASURED_WORD
  };
  return words[kind];
}

const char *ss_measured_op(ss_collective collective)
{
  static const char *const ops[SS_COLLECTIVE_COUNT] = {
#define SS_MEASURED_OP(id, op) [id] = op,
      SS_MEASURED_OP_LIST(SS_MEASURED_OP)
#undef SS_MEASURED_OP
  };
  return ops[collective];
}

const char *ss_run_figure_time(ss_run_figure figure)
{
  static const char *const times[] = {
#define SS_RUN_FIGURE_TIME(id, attribute, time, of_all) time,
      SS_RUN_FIGURE_LIST(SS_RUN_FIGURE_TIME)
#undef SS_RUN_FIGURE_TIME
  };
  return times[figure];
}

bool ss_run_figure_is_of_all(ss_run_figure figure)
{
  static const bool table[] = {
#define SS_RUN_FIGURE_OF_ALL(id, attribute, time, of_all) of_all,
      SS_RUN_FIGURE_LIST(SS_RUN_FIGURE_OF_ALL)
#undef SS_RUN_FIGURE_OF_ALL
  };
  return table[figure];
}

const char *ss_limit_word(ss_limit limit)
{
#define SS_LIMIT_WORD(id, word, text) [id] = word,
  static const char *const words[] = {SS_LIMIT_LIST(SS_LIMIT_WORD)};
#undef SS_LIMIT_WORD
  return words[limit];
}

const char *ss_limit_text(ss_limit limit)
{
#define SS_LIMIT_TEXT(id, word, text) [id] = text,
  static const char *const texts[] = {SS_LIMIT_LIST(SS_LIMIT_TEXT)};
#undef SS_LIMIT_TEXT
  return texts[limit];
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

static ss_status apply_all(const ss_measured_settings *settings, ss_status (*apply)(void *context, const char *setting),
                           void *context)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < settings->count; ++i) status = apply(context, settings->setting[i].text);
  return status;
}

ss_status ss_measured_apply(const ss_measured *measured, int64_t point,
                            ss_status (*apply)(void *context, const char *setting), void *context)
{
  const ss_measured_point *p = &measured->point[point];
  const ss_status status = apply_all(&measured->group[p->group].settings, apply, context);
  return status == SS_OK && p->own != NULL ? apply_all(p->own, apply, context) : status;
}

/* Whether two workloads have the same values, and the same of them by default. */
static bool agree(const ss_workload *a, const ss_workload *b)
{
  bool same = true;
  for (int i = 0; same && i < SS_ATTRIBUTE_TOTAL; ++i)
    same = (a->line[i] == SS_LINE_DEFAULT) == (b->line[i] == SS_LINE_DEFAULT) &&
           ss_workload_agree(a, b, (ss_attribute_index)i);
  return same;
}

static bool same_settings(const ss_measured_settings *a, const ss_measured_settings *b)
{
  if (a == NULL || b == NULL) return a == b;
  bool same = a->count == b->count;
  for (int64_t i = 0; same && i < a->count; ++i) same = strcmp(a->setting[i].text, b->setting[i].text) == 0;
  return same;
}

/* Whether two points of a group ask for the same prediction; what a collective or a run takes is asked once anyway. */
static bool same_prediction(const ss_measured *measured, const ss_measured_point *a, const ss_measured_point *b)
{
  return measured->group[a->group].kind == SS_MEASURED_ITERATIONS && strcmp(a->platform, b->platform) == 0 &&
         same_settings(a->own, b->own) && agree(a->workload, b->workload);
}

int64_t ss_measured_twin(const ss_measured *measured, int64_t point)
{
  const ss_measured_point *of = &measured->point[point];
  for (int64_t i = measured->group[of->group].first; i < point; ++i)
    if (measured->point[i].used && same_prediction(measured, &measured->point[i], of)) return i;
  return point;
}

/* Refuses the setting of a property, "platform.NAME=". */
static ss_status refuse_named(void *context, const char *setting)
{
  const char *name = context;
  return strncmp(setting, name, strlen(name)) == 0 ? SS_ERROR_INPUT : SS_OK;
}

int64_t ss_measured_setter(const ss_measured *measured, const char *property)
{
  char name[SS_NAME_SIZE];
  (void)snprintf(name, sizeof name, "platform.%s=", property);
  for (int64_t i = 0; i < measured->points; ++i)
    if (ss_measured_apply(measured, i, refuse_named, name) != SS_OK) return i;
  return -1;
}

void ss_measured_free(ss_measured *measured)
{
  for (int64_t i = 0; i < measured->points; ++i) {
    free(measured->point[i].workload);
    free(measured->point[i].own);
  }
  free(measured->point);
  free(measured->group);
  *measured = (ss_measured){.groups = 0};
}
