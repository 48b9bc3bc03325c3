#include "sim/import/measured/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

ss_timed_step *ss_timed_steps_add(ss_timed_steps *steps)
{
  ss_timed_step *grown = ss_grown(steps->step, steps->count, &steps->room, sizeof *grown);
  if (grown == NULL) return NULL;
  steps->step = grown;
  ss_timed_step *step = &steps->step[steps->count++];
  *step = (ss_timed_step){.weight = 1.0};
  return step;
}

bool ss_step_set(ss_timed_step *step, const char *name, const char *value)
{
  if (step->settings == SS_STEP_SETTINGS || strlen(name) >= SS_STEP_NAME_SIZE || strlen(value) >= SS_STEP_VALUE_SIZE)
    return false;
  ss_step_setting *setting = &step->setting[step->settings++];
  (void)snprintf(setting->name, sizeof setting->name, "%s", name);
  (void)snprintf(setting->value, sizeof setting->value, "%s", value);
  return true;
}

void ss_timed_steps_free(ss_timed_steps *steps)
{
  free(steps->step);
  *steps = (ss_timed_steps){.count = 0};
}
