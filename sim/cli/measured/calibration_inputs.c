#include "sim/cli/measured/calibration_inputs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ss_status out_of_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
}

ss_status ss_calibration_note(ss_calibration_inputs *inputs, ss_error *error, const char *format, ...)
{
  char text[SS_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char **grown = realloc(inputs->note, (size_t)(inputs->notes + 1) * sizeof *grown);
  if (grown == NULL) return out_of_memory(error);
  inputs->note = grown;
  grown[inputs->notes] = strdup(text);
  return grown[inputs->notes++] != NULL ? SS_OK : out_of_memory(error);
}

void ss_calibration_print_notes(const ss_calibration_inputs *inputs, FILE *stream)
{
  for (int64_t i = 0; i < inputs->notes; ++i) (void)fprintf(stream, "%s\n", inputs->note[i]);
}

/* Ids tell groups apart: that of a file has its name without folders. */
ss_measured_group *ss_calibration_group(ss_calibration_inputs *inputs, ss_measured_kind kind, const char *file,
                                        int line, ss_error *error)
{
  ss_measured *measured = &inputs->measured;
  ss_measured_group *group = ss_measured_add_group(measured);
  if (group == NULL) {
    (void)out_of_memory(error);
    return NULL;
  }
  group->kind = kind;
  (void)snprintf(group->file, sizeof group->file, "%s", file);
  group->line = line;
  group->bound = group->regret_bound = NAN;
  group->first = measured->points;
  return group;
}

bool ss_calibration_grow(ss_calibration_inputs *inputs)
{
  double *grown = realloc(inputs->weight, (size_t)(inputs->measured.points + 1) * sizeof *grown);
  if (grown == NULL) return false;
  inputs->weight = grown;
  return true;
}

ss_measured_point *ss_calibration_point(ss_calibration_inputs *inputs, int line, double measured_s, double weight,
                                        ss_error *error)
{
  ss_measured *measured = &inputs->measured;
  ss_measured_point *point = ss_calibration_grow(inputs) ? ss_measured_add_point(measured) : NULL;
  if (point == NULL) {
    (void)out_of_memory(error);
    return NULL;
  }
  inputs->weight[measured->points - 1] = weight;
  measured->group[measured->groups - 1].count++;
  point->group = measured->groups - 1;
  point->line = line;
  point->used = true;
  point->measured_s = measured_s;
  point->memory_bytes = NAN;
  (void)snprintf(point->platform, sizeof point->platform, "%s", inputs->platform);
  return point;
}

void ss_calibration_inputs_free(ss_calibration_inputs *inputs)
{
  for (int64_t i = 0; i < inputs->notes; ++i) free(inputs->note[i]);
  free(inputs->note);
  free(inputs->weight);
  ss_measured_free(&inputs->measured);
  *inputs = (ss_calibration_inputs){.notes = 0};
}
