#include "sim/io/platform/gpu_speed.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/input/gpu_speed.h"
#include "model/input/origin.h"
#include "sim/io/value.h"

/* The property as it was given. */
static ss_value value_of(const ss_machine *machine)
{
  const int line = machine->line[SS_PROPERTY_gpu_speed];
  const bool overridden = line == SS_LINE_OVERRIDE;
  ss_value value = {
      .text = machine->gpu_speed, .file = overridden ? SS_OVERRIDE_FILE : machine->file, .line = overridden ? 0 : line};
  ss_value_name(&value, "%s", ss_machine_properties()[SS_PROPERTY_gpu_speed].name);
  return value;
}

/* A GPU of `speed` that an earlier entry also names; -1 if there is none. */
static int64_t named_before(const ss_machine *machine, const ss_gpu_speed *speed)
{
  ss_gpu_speed other;
  int length;
  const char *text = ss_list_entry(machine->gpu_speed, &length);
  for (; text + length != speed->end; text = ss_list_entry(other.end, &length)) {
    SS_ASSERT(ss_gpu_speed_read(text, length, &other));
    const int64_t first = other.first > speed->first ? other.first : speed->first;
    if (first <= other.last && first <= speed->last) return first;
  }
  return -1;
}

static ss_status check_entry(const ss_machine *machine, const char *text, int length, ss_gpu_speed *speed,
                             ss_error *error)
{
  const ss_value value = value_of(machine);
  if (!ss_gpu_speed_read(text, length, speed)) {
    char entry[64];
    (void)snprintf(entry, sizeof entry, "%.*s", length, text);
    return ss_value_refuse(&value, error, "has \"%s\", which is no GPU with its speed; allowed: %s",
                           ss_quote_of(entry).text, SS_GPU_SPEED_FORM);
  }
  if (speed->last >= machine->gpus)
    return ss_value_refuse(&value, error, "names GPU %" PRId64 ", which is not there; allowed: 0 to %" PRId64,
                           speed->last, machine->gpus - 1);
  const int64_t twice = named_before(machine, speed);
  if (twice < 0) return SS_OK;
  return ss_value_refuse(&value, error, "names GPU %" PRId64 " twice; allowed: every GPU once", twice);
}

ss_status ss_gpu_speed_check(const ss_machine *machine, ss_error *error)
{
  ss_status status = SS_OK;
  ss_gpu_speed speed;
  int length;
  const char *text = ss_list_entry(machine->gpu_speed, &length);
  while (status == SS_OK && length > 0) {
    status = check_entry(machine, text, length, &speed, error);
    if (status == SS_OK) text = ss_list_entry(speed.end, &length);
  }
  return status;
}
