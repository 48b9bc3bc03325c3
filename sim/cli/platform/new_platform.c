#include "sim/cli/platform/new_platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/origin.h"
#include "sim/io/io.h"
#include "sim/io/shipped.h"

static const char *const option_names[SS_BUILD_COUNT] = {
#define BUILD_NAME(id, name, argument, help) "--" name,
    SS_BUILD_LIST(BUILD_NAME)
#undef BUILD_NAME
};

/* GPUs and NICs of a domain, at most, as the properties of a machine have it. */
#define MOST_OF_DOMAIN 1000000

/* The option of `platform` that is one of a design. */
static const ss_build of_design[SS_DESIGN_OPTIONS] = {
#define DESIGN_OPTION(id, name, argument, help) id,
    SS_DESIGN_OPTION_LIST(DESIGN_OPTION, SS_BUILD_)
#undef DESIGN_OPTION
};

/* Reads an option that is a number, if it is given. */
static ss_status read_count(const ss_options *options, ss_build option, int64_t most, int64_t *count, ss_error *error)
{
  const char *text = options->platform.build[option];
  if (text == NULL) return SS_OK;
  char *end;
  const long long value = strtoll(text, &end, 10);
  if (*text < '0' || *text > '9' || value < 1 || value > most || *end != '\0')
    return ss_error_set(error, SS_ERROR_INPUT, option_names[option], 0,
                        "\"%s\": out of range or not a number; allowed: 1 to %" PRId64, text, most);
  *count = value;
  return SS_OK;
}

static ss_status read_kind(const char *text, ss_topology_request *request, ss_error *error)
{
  if (ss_fabric_kind_find(text, &request->kind)) return SS_OK;
#define KIND_WORD(id, word, table, help) " " word
  return ss_error_set(error, SS_ERROR_INPUT, option_names[SS_BUILD_FABRIC], 0,
                      "\"%s\": unknown; allowed:" SS_FABRIC_KIND_LIST(KIND_WORD), text);
#undef KIND_WORD
}

ss_status ss_new_platform_request(const ss_options *options, ss_topology_request *request, ss_error *error)
{
  *request = (ss_topology_request){.kind = SS_FABRIC_KIND_FAT_TREE};
  ss_status status = read_count(options, SS_BUILD_GPUS, SS_CLUSTER_HOSTS, &request->gpus, error);
  if (status == SS_OK) status = read_count(options, SS_BUILD_DOMAIN, MOST_OF_DOMAIN, &request->domain_size, error);
  if (status == SS_OK) status = read_count(options, SS_BUILD_NICS, MOST_OF_DOMAIN, &request->nics_per_domain, error);
  for (int i = 0; status == SS_OK && i < SS_DESIGN_SIZES; ++i)
    status = read_count(options, of_design[i], SS_CLUSTER_HOSTS, &request->size[i], error);
  const char *kind = options->platform.build[SS_BUILD_FABRIC];
  if (status == SS_OK && kind != NULL) status = read_kind(kind, request, error);
  for (int i = SS_DESIGN_SIZES; status == SS_OK && i < SS_DESIGN_OPTIONS; ++i) {
    const char *shape = options->platform.build[of_design[i]];
    if (shape != NULL) status = ss_topology_read_shape((ss_design_option)i, shape, request, error);
  }
  return status;
}

ss_status ss_new_platform_domain(const ss_machine *machine, ss_topology_request *request, ss_error *error)
{
  const bool like = request->domain_size == 0;
  if (like) request->domain_size = machine->domain_size;
  if (request->domain_size <= 0)
    return ss_error_set(error, SS_ERROR_INPUT, option_names[SS_BUILD_DOMAIN], 0,
                        "is missing; allowed: the GPUs of a domain, or --like");
  if (like && request->gpus % request->domain_size != 0)
    return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                        "\"%" PRId64 "\": is no number of domains of %" PRId64
                        " GPUs, which the machine has that it is like; allowed: a multiple of %" PRId64
                        ", or --domain beside it",
                        request->gpus, request->domain_size, request->domain_size);
  if (request->nics_per_domain == 0) request->nics_per_domain = like ? machine->nics_per_domain : request->domain_size;
  return SS_OK;
}

/* Properties that the command has options for. */
static ss_status check_overrides(const ss_machine *machine, ss_error *error)
{
  static const struct {
    const char *property, *allowed;
  } rows[] = {{"domain-size", "--domain"},
              {"nics-per-domain", "--nics"},
              {"rail-domains", "--fabric rail"},
              {"link-speed", "to set it where the platform is used"},
              {"routes", "to set it where the platform is used"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const ss_property *row = ss_machine_property(rows[i].property);
    if (row != NULL && machine->line[row - ss_machine_properties()] == SS_LINE_OVERRIDE)
      return ss_error_set(error, SS_ERROR_INPUT, "--set", 0, "platform.%s is not set here; allowed: %s",
                          rows[i].property, rows[i].allowed);
  }
  return SS_OK;
}

/* Without a machine that it is like, all has to be given that has no default. */
static ss_status check_given(const ss_machine *machine, ss_error *error)
{
  char missing[SS_MESSAGE_SIZE / 2] = "";
  size_t used = 0;
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) {
    const ss_property *row = &ss_machine_properties()[i];
    const bool counted = i == SS_PROPERTY_domain_size || i == SS_PROPERTY_nics_per_domain;
    const bool of_zone = i == SS_PROPERTY_nvlink_bytes_per_s || i == SS_PROPERTY_nvlink_latency_s ||
                         i == SS_PROPERTY_fabric_bytes_per_s || i == SS_PROPERTY_fabric_latency_s;
    const bool needed = of_zone || (row->fallback < 0 && row->type != SS_PROPERTY_TEXT && !counted);
    if (!needed || machine->line[i] != SS_LINE_DEFAULT || used >= sizeof missing) continue;
    used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", used > 0 ? ", " : "", row->name);
  }
  if (used == 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                      "the machine is not complete without %s; allowed: --like PLATFORM, or --set platform.NAME=VALUE "
                      "for each",
                      missing);
}

static ss_status name_machine(const ss_options *options, int64_t count, ss_machine *machine, ss_error *error)
{
  char like[SS_NAME_SIZE], gpus[32];
  (void)snprintf(like, sizeof like, "%s", options->platform.build[SS_BUILD_LIKE] != NULL ? machine->name : "machine");
  (void)snprintf(gpus, sizeof gpus, "-%" PRId64, count);
  const bool given = options->platform.build[SS_BUILD_NAME] != NULL;
  const int length = snprintf(machine->name, sizeof machine->name, "%s%s",
                              given ? options->platform.build[SS_BUILD_NAME] : like, given ? "" : gpus);
  if (length >= 0 && length < SS_NAME_SIZE) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--name", 0, "would be %d characters long; allowed: at most %d", length,
                      SS_NAME_SIZE - 1);
}

ss_status ss_new_platform_machine(const ss_options *options, int64_t gpus, ss_machine *machine, ss_error *error)
{
  const char *like = options->platform.build[SS_BUILD_LIKE];
  char path[SS_PATH_SIZE];
  ss_status status = SS_OK;
  ss_machine_init(machine);
  if (like != NULL) status = ss_shipped_find(SS_SHIPPED_PLATFORMS, like, path, error);
  if (status == SS_OK && like != NULL) status = ss_machine_load(path, machine, error);
  for (int64_t i = 0; status == SS_OK && i < options->common.override_count; ++i)
    status = ss_override(options->common.override[i], NULL, machine, error);
  if (status == SS_OK) status = check_overrides(machine, error);
  if (status == SS_OK && like == NULL) status = check_given(machine, error);
  return status == SS_OK ? name_machine(options, gpus, machine, error) : status;
}
