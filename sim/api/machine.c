/* Machines of the library: made once, and shared by jobs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/spelling.h"
#include "sim/api/api.h"

/* Takes one "PROPERTY=VALUE", as --set takes it of a platform. */
static ss_status assign(ss_machine *machine, const char *text, ss_error *error)
{
  const size_t size = strlen(text) + sizeof "platform.";
  char *override = malloc(size);
  if (override == NULL) return ss_api_refuse_memory("a property", error);
  (void)snprintf(override, size, "platform.%s", text);
  const ss_status status = strchr(text, '=') != NULL
                               ? ss_override(override, NULL, machine, error)
                               : ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                                              "\"%.64s\": is no property with a value; allowed: PROPERTY=VALUE", text);
  free(override);
  return status;
}

static ss_status assign_all(ss_machine *machine, const char *const *properties, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && properties != NULL && properties[i] != NULL; ++i)
    status = assign(machine, properties[i], error);
  return status;
}

ss_status ss_api_machine_create(const char *path, stepsim_machine **machine, ss_error *error)
{
  stepsim_machine *made = calloc(1, sizeof *made);
  *machine = NULL;
  if (made == NULL) return ss_api_refuse_memory("a machine", error);
  const ss_status status = ss_machine_load(path, &made->of, error);
  if (status == SS_OK)
    *machine = made;
  else
    stepsim_machine_destroy(made);
  return status;
}

/* Hands a machine over with what differs from it; gives it back where that fails. */
static ss_status hand_over(stepsim_machine *made, const char *const *properties, stepsim_machine **machine,
                           ss_error *error)
{
  const ss_status status = assign_all(&made->of, properties, error);
  if (status == SS_OK)
    *machine = made;
  else
    stepsim_machine_destroy(made);
  return status;
}

stepsim_status stepsim_machine_create(const char *platform, const char *const *properties, stepsim_machine **machine,
                                      stepsim_error *error)
{
  char path[SS_PATH_SIZE];
  ss_error why = {0};
  stepsim_machine *made = NULL;
  if (machine != NULL) *machine = NULL;
  if (platform == NULL || machine == NULL)
    return ss_api_misuse(error, "stepsim_machine_create: platform or machine is NULL");
  ss_status status = ss_api_find_file(SS_SHIPPED_PLATFORMS, platform, path, &why);
  if (status == SS_OK) status = ss_api_machine_create(path, &made, &why);
  if (status == SS_OK) status = hand_over(made, properties, machine, &why);
  return ss_api_return(status, &why, error);
}

stepsim_status stepsim_machine_vary(const stepsim_machine *machine, const char *const *properties,
                                    stepsim_machine **varied, stepsim_error *error)
{
  ss_error why = {0};
  if (varied != NULL) *varied = NULL;
  if (machine == NULL || varied == NULL) return ss_api_misuse(error, "stepsim_machine_vary: machine or varied is NULL");
  stepsim_machine *made = malloc(sizeof *made);
  if (made == NULL) return ss_api_return(ss_api_refuse_memory("a machine", &why), &why, error);
  *made = *machine;
  return ss_api_return(hand_over(made, properties, varied, &why), &why, error);
}

void stepsim_machine_destroy(stepsim_machine *machine)
{
  free(machine);
}

/* --set says what is wrong with a name. */
static stepsim_status refuse_name(const char *property, stepsim_error *error)
{
  char text[SS_TEXT_SIZE];
  ss_error why = {0};
  ss_machine any;
  ss_machine_init(&any);
  (void)snprintf(text, sizeof text, "platform.%s=", property);
  ss_status status = ss_override(text, NULL, &any, &why);
  if (status == SS_OK) status = ss_error_set(&why, SS_ERROR_INPUT, NULL, 0, "\"%.64s\": is no property", property);
  return ss_api_return(status, &why, error);
}

stepsim_status stepsim_machine_get(const stepsim_machine *machine, const char *property, char *value, size_t size,
                                   stepsim_error *error)
{
  char text[SS_PROPERTY_TEXT_SIZE];
  int row = 0;
  if (machine == NULL || property == NULL || value == NULL)
    return ss_api_misuse(error, "stepsim_machine_get: machine, property or value is NULL");
  while (row < SS_PROPERTY_TOTAL && !ss_spells(property, strlen(property), ss_machine_properties()[row].name)) ++row;
  if (row == SS_PROPERTY_TOTAL) return refuse_name(property, error);
  ss_property_text(&machine->of, &ss_machine_properties()[row], text, sizeof text);
  return ss_api_hand_over("stepsim_machine_get", text, value, size, error);
}

static bool is_property(int64_t property)
{
  return property >= 0 && property < SS_PROPERTY_TOTAL;
}

int64_t stepsim_machine_property_count(void)
{
  return SS_PROPERTY_TOTAL;
}

const char *stepsim_machine_property_name(int64_t property)
{
  return is_property(property) ? ss_machine_properties()[property].name : NULL;
}

const char *stepsim_machine_property_help(int64_t property)
{
  return is_property(property) ? ss_machine_properties()[property].help : NULL;
}

const char *stepsim_machine_name(const stepsim_machine *machine)
{
  return machine != NULL ? machine->of.name : NULL;
}

int64_t stepsim_machine_gpus(const stepsim_machine *machine)
{
  return machine != NULL ? machine->of.gpus : 0;
}

int64_t stepsim_machine_domain_gpus(const stepsim_machine *machine)
{
  return machine != NULL ? machine->of.domain_size : 0;
}

int64_t stepsim_machine_nodes(const stepsim_machine *machine)
{
  return machine != NULL ? machine->of.gpus / ss_machine_node_gpus(&machine->of) : 0;
}

double stepsim_machine_memory_bytes(const stepsim_machine *machine)
{
  return machine != NULL ? machine->of.hbm_bytes : NAN;
}

/* NaN for what the machine does not have. */
static double known(double value)
{
  return value > 0.0 ? value : NAN;
}

double stepsim_machine_flop_per_s(const stepsim_machine *machine, stepsim_format format)
{
  if (machine == NULL) return NAN;
  switch (format) {
  case STEPSIM_FORMAT_16_BIT: return machine->of.matrix_flop_per_s;
  case STEPSIM_FORMAT_FP8: return known(machine->of.fp8_flop_per_s);
  case STEPSIM_FORMAT_MXFP8: return known(machine->of.mxfp8_flop_per_s);
  case STEPSIM_FORMAT_NVFP4: return known(machine->of.nvfp4_flop_per_s);
  default: return NAN;
  }
}

double stepsim_machine_bytes_per_s(const stepsim_machine *machine, stepsim_path path)
{
  if (machine == NULL) return NAN;
  switch (path) {
  case STEPSIM_PATH_MEMORY: return machine->of.hbm_bytes_per_s;
  case STEPSIM_PATH_DOMAIN: return machine->of.nvlink_bytes_per_s;
  case STEPSIM_PATH_FABRIC: return machine->of.fabric_bytes_per_s * ss_machine_nics_per_gpu(&machine->of);
  default: return NAN;
  }
}
