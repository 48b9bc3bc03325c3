#include "sim/import/cluster/slurm_yaml.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/files/yaml.h"

/* The types of topologies that have switches or blocks with nodes, and what their members are called. */
static const struct {
  const char *list, *name;
  bool is_block;
} types[] = {{"tree.switches.", "switch", false}, {"block.blocks.", "block", true}};

typedef struct reading {
  ss_settings settings;
  ss_printed printed; /* the line of the setting being read */
  ss_slurm *slurm;
  int64_t units; /* topologies of the file */
  int64_t unit;  /* the one that is read */
  size_t type;   /* of the switch or block that was begun last */
  long member;   /* which one of its list that is; -1: none yet */
  ss_error *error;
} reading;

bool ss_slurm_yaml_is(const char *text)
{
  for (const char *at = text; *at != '\0';) {
    at += strspn(at, " \t\r\n");
    if (*at == '#' || strncmp(at, "---", 3) == 0) {
      at += strcspn(at, "\n");
      continue;
    }
    if (*at++ != '-') return false;
    at += strspn(at, " \t");
    return strncmp(at, "topology:", strlen("topology:")) == 0;
  }
  return false;
}

/* The setting UNIT.KEY; NULL where there is none. */
static const ss_setting *find_of_unit(const reading *r, int64_t unit, const char *key)
{
  char whole[SS_SETTING_KEY_SIZE + 32];
  (void)snprintf(whole, sizeof whole, "%" PRId64 ".%s", unit, key);
  return ss_settings_find(&r->settings, whole);
}

/* The first topology that is the cluster's default, else the only one. */
static ss_status choose_unit(reading *r)
{
  r->unit = -1;
  for (; find_of_unit(r, r->units, "topology") != NULL; ++r->units) {
    const ss_setting *is_default = find_of_unit(r, r->units, "cluster_default");
    if (r->unit < 0 && is_default != NULL && json_is_true(is_default->value)) r->unit = r->units;
  }
  if (r->unit < 0 && r->units == 1) r->unit = 0;
  r->slurm->left_out = r->units - 1;
  if (r->unit >= 0) return SS_OK;
  return ss_printed_refuse(&r->printed, r->error,
                           "has %" PRId64 " topologies, and none is the default; allowed: one, or cluster_default: "
                           "true for one",
                           r->units);
}

static ss_status refuse_key(const reading *r, const char *key)
{
  return ss_printed_refuse(&r->printed, r->error,
                           "\"%.60s\" is not expected; allowed: topology, cluster_default, and tree with switches "
                           "(switch, children, nodes) or block with block_sizes and blocks (block, nodes)",
                           key);
}

static ss_status check_sizes(const reading *r, const json_t *sizes)
{
  const json_int_t size = json_integer_value(json_array_get(sizes, 0));
  r->slurm->has_sizes = true;
  if (size < 1 || size > SS_MOST_HOSTS)
    return ss_printed_refuse(&r->printed, r->error, "block_sizes are not numbers from 1 on; allowed: such as 18, 36");
  return SS_OK;
}

/* Adds the switch or block that member `member` of the list is, whose name may stand anywhere among its fields. */
static ss_status begin_member(reading *r, size_t type, long member)
{
  char key[SS_SETTING_KEY_SIZE];
  if (member == r->member && type == r->type) return SS_OK;
  (void)snprintf(key, sizeof key, "%s%ld.%s", types[type].list, member, types[type].name);
  const ss_setting *name = find_of_unit(r, r->unit, key);
  if (name == NULL || !json_is_string(name->value))
    return ss_printed_refuse(&r->printed, r->error, "has no %s: NAME; allowed: one for each", types[type].name);
  r->type = type;
  r->member = member;
  return ss_slurm_add(r->slurm, &r->printed, types[type].is_block, json_string_value(name->value), r->error);
}

/* A field of a switch or block: its name, its nodes, or the switches below it. */
static ss_status read_field(reading *r, size_t type, const char *field, const json_t *value)
{
  const bool is_nodes = strcmp(field, "nodes") == 0;
  if (strcmp(field, types[type].name) == 0) return SS_OK;
  if (!is_nodes && (types[type].is_block || strcmp(field, "children") != 0)) return refuse_key(r, field);
  if (!json_is_string(value))
    return ss_printed_refuse(&r->printed, r->error, "%s is not a list of names; allowed: such as node[001-064,070]",
                             field);
  return ss_slurm_add_names(r->slurm, &r->printed, is_nodes, json_string_value(value), r->error);
}

/* A setting of the topology, whose name is behind that of the unit. */
static ss_status read_setting(reading *r, const char *key, const json_t *value)
{
  if (strcmp(key, "topology") == 0 || strcmp(key, "cluster_default") == 0) return SS_OK;
  if (strcmp(key, "block.block_sizes") == 0) return check_sizes(r, value);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    char *field;
    const size_t length = strlen(types[i].list);
    if (strncmp(key, types[i].list, length) != 0 || !isdigit((unsigned char)key[length])) continue;
    const long member = strtol(key + length, &field, 10);
    if (*field != '.') break;
    const ss_status status = begin_member(r, i, member);
    return status == SS_OK ? read_field(r, i, field + 1, value) : status;
  }
  return refuse_key(r, key);
}

static ss_status read_unit(reading *r)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < r->settings.count; ++i) {
    const ss_setting *setting = &r->settings.setting[i];
    char *key;
    const int64_t unit = strtoll(setting->key, &key, 10);
    r->printed.line = setting->line;
    if (*key != '.' || unit >= r->units)
      status = refuse_key(r, setting->key);
    else if (unit == r->unit)
      status = read_setting(r, key + 1, setting->value);
  }
  if (status != SS_OK || r->slurm->count > 0) return status;
  r->printed.line = find_of_unit(r, r->unit, "topology")->line;
  return ss_printed_refuse(&r->printed, r->error,
                           "is a topology without switches and blocks; allowed: a tree or blocks");
}

ss_status ss_slurm_yaml_read(const ss_source *source, ss_slurm *slurm, ss_error *error)
{
  reading r = {.settings = {.source = source},
               .printed = {.source = source, .line = 1},
               .slurm = slurm,
               .member = -1,
               .error = error};
  *slurm = (ss_slurm){.count = 0};
  ss_status status = ss_yaml_read_root(&r.settings, SS_YAML_LIST, error);
  if (status == SS_OK) status = choose_unit(&r);
  if (status == SS_OK) status = read_unit(&r);
  if (status == SS_OK) status = ss_slurm_link(slurm, source, error);
  ss_settings_free(&r.settings);
  return status;
}
