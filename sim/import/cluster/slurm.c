#include "sim/import/cluster/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS = 16 };

/* What may stand before '=': X(enumerator, "name"). Slurm minds no case. */
#define KEY_LIST(X)                                                                                                    \
  X(KEY_SWITCH, "SwitchName")                                                                                          \
  X(KEY_BLOCK, "BlockName")                                                                                            \
  X(KEY_NODES, "Nodes")                                                                                                \
  X(KEY_SWITCHES, "Switches")                                                                                          \
  X(KEY_SPEED, "LinkSpeed")                                                                                            \
  X(KEY_SIZES, "BlockSizes")

typedef enum key {
#define KEY_ID(id, name) id,
  KEY_LIST(KEY_ID)
#undef KEY_ID
      KEYS
} key;

bool ss_slurm_is(const char *text)
{
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    line += strspn(line, "\r\n \t");
    if (strncasecmp(line, "SwitchName=", 11) == 0 || strncasecmp(line, "BlockName=", 10) == 0) return true;
  }
  return false;
}

static ss_slurm_group *add_group(ss_slurm *slurm)
{
  ss_slurm_group *grown = realloc(slurm->group, (size_t)(slurm->count + 1) * sizeof *grown);
  if (grown == NULL) return NULL;
  slurm->group = grown;
  grown[slurm->count] = (ss_slurm_group){.parent = -1};
  return &grown[slurm->count++];
}

static int64_t find_group(const ss_slurm *slurm, const char *name)
{
  for (int64_t i = 0; i < slurm->count; ++i)
    if (strcmp(slurm->group[i].name, name) == 0) return i;
  return -1;
}

/* Blocks have the nodes that the file says; the sizes that jobs may ask for are only checked. */
static ss_status check_sizes(ss_slurm *slurm, const ss_printed *printed, const char *text, ss_error *error)
{
  char first[16];
  int64_t size;
  slurm->has_sizes = true;
  (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ","), text);
  if (!ss_printed_count(first, SS_MOST_HOSTS, &size) || size < 1)
    return ss_printed_refuse(printed, error, "BlockSizes are not numbers from 1 on; allowed: such as 18,36");
  return SS_OK;
}

ss_status ss_slurm_add(ss_slurm *slurm, const ss_printed *printed, bool block, const char *name, ss_error *error)
{
  if (slurm->count > 0 && slurm->is_blocks != block)
    return ss_printed_refuse(printed, error, "mixes switches and blocks; allowed: one of the two");
  if (find_group(slurm, name) >= 0 || name[0] == '\0' || strlen(name) >= SS_HOST_SIZE)
    return ss_printed_refuse(printed, error, "\"%.40s\" is there already, or no name; allowed: a name of its own",
                             name);
  ss_slurm_group *group = add_group(slurm);
  if (group == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for switches");
  (void)ss_printed_copy(group->name, sizeof group->name, name);
  group->line = printed->line;
  slurm->is_blocks = block;
  return SS_OK;
}

ss_status ss_slurm_add_names(ss_slurm *slurm, const ss_printed *printed, bool nodes, const char *list, ss_error *error)
{
  ss_slurm_group *group = &slurm->group[slurm->count - 1];
  ss_names *names = nodes ? &group->nodes : &group->switches;
  const int64_t before = names->count;
  const ss_status status = ss_names_expand(names, list, printed, error);
  slurm->names += names->count - before;
  if (status != SS_OK || slurm->names <= SS_MOST_HOSTS) return status;
  return ss_printed_refuse(printed, error, "is behind more names than a file may have; allowed: %d", SS_MOST_HOSTS);
}

static ss_status read_word(ss_slurm *slurm, const ss_printed *printed, bool *begun, char *word, ss_error *error)
{
#define KEY_NAME(id, name) name,
  static const char *const keys[] = {KEY_LIST(KEY_NAME)};
#undef KEY_NAME
  char *value = strchr(word, '=');
  int kind = KEYS;
  if (value != NULL) {
    *value++ = '\0';
    for (kind = 0; kind < KEYS && strcasecmp(keys[kind], word) != 0; ++kind) continue;
  }
  const bool begins = kind == KEY_SWITCH || kind == KEY_BLOCK;
  const bool needs = kind == KEY_NODES || kind == KEY_SWITCHES || kind == KEY_SPEED;
  if (kind == KEYS || (begins && *begun) || (needs && !*begun))
    return ss_printed_refuse(printed, error,
                             "\"%.40s\" is not expected; allowed: SwitchName=NAME or BlockName=NAME with Nodes=LIST, "
                             "Switches=LIST and LinkSpeed=N, and BlockSizes=LIST",
                             word);
  slurm->has_speeds = slurm->has_speeds || kind == KEY_SPEED;
  if (kind == KEY_SPEED) return SS_OK;
  if (kind == KEY_SIZES) return check_sizes(slurm, printed, value, error);
  if (begins) {
    *begun = true;
    return ss_slurm_add(slurm, printed, kind == KEY_BLOCK, value, error);
  }
  return ss_slurm_add_names(slurm, printed, kind == KEY_NODES, value, error);
}

/* Links switches to those above them. */
static ss_status find_parents(ss_slurm *slurm, const ss_source *source, ss_error *error)
{
  for (int64_t i = 0; i < slurm->count; ++i)
    for (int64_t k = 0; k < slurm->group[i].switches.count; ++k) {
      const char *name = slurm->group[i].switches.name[k];
      const int64_t child = find_group(slurm, name);
      if (child < 0 || child == i || slurm->group[child].parent >= 0)
        return ss_error_set(error, SS_ERROR_INPUT, source->path, slurm->group[i].line,
                            "switch %.40s is not there, or below two; allowed: each below one", name);
      slurm->group[child].parent = i;
    }
  return SS_OK;
}

/* How many switches are on the way from a leaf to the top. */
static int64_t depth_of(const ss_slurm *slurm, int64_t group)
{
  int64_t depth = 0;
  for (; group >= 0 && depth <= slurm->count; group = slurm->group[group].parent) ++depth;
  return depth;
}

static ss_status find_levels(ss_slurm *slurm, const ss_source *source, ss_error *error)
{
  for (int64_t i = 0; i < slurm->count; ++i) {
    const ss_slurm_group *group = &slurm->group[i];
    if ((group->nodes.count == 0) == (group->switches.count == 0))
      return ss_error_set(error, SS_ERROR_INPUT, source->path, group->line,
                          "%.40s has neither nodes nor switches, or both; allowed: one of the two", group->name);
    if (group->nodes.count == 0) continue;
    const int64_t depth = depth_of(slurm, i);
    if (depth > slurm->count || (slurm->levels > 0 && depth != slurm->levels))
      return ss_error_set(
          error, SS_ERROR_INPUT, source->path, group->line,
          "%.40s has %lld switches from its nodes to the top, others %lld; allowed: a tree whose leaves "
          "are all as deep",
          group->name, (long long)depth, (long long)slurm->levels);
    slurm->levels = depth;
  }
  return SS_OK;
}

/* A node, and the switch or block that it is in. */
typedef struct node {
  const char *name;
  const ss_slurm_group *group;
} node;

/* By name, and as the file has them. */
static int compare_nodes(const void *left, const void *right)
{
  const node *a = left, *b = right;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order : (a->group > b->group) - (a->group < b->group);
}

/* Each node has one place. */
static ss_status check_nodes(const ss_slurm *slurm, const ss_source *source, ss_error *error)
{
  int64_t nodes = 0;
  ss_status status = SS_OK;
  node *all = malloc(((size_t)slurm->names + 1) * sizeof *all);
  if (all == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for nodes");
  for (int64_t i = 0; i < slurm->count; ++i)
    for (int64_t k = 0; k < slurm->group[i].nodes.count; ++k)
      all[nodes++] = (node){slurm->group[i].nodes.name[k], &slurm->group[i]};
  qsort(all, (size_t)nodes, sizeof *all, compare_nodes);
  for (int64_t i = 1; status == SS_OK && i < nodes; ++i)
    if (strcmp(all[i - 1].name, all[i].name) == 0)
      status = ss_error_set(error, SS_ERROR_INPUT, source->path, all[i].group->line,
                            "%s is a node of %s, too; allowed: each node once", all[i].name, all[i - 1].group->name);
  free(all);
  return status;
}

ss_status ss_slurm_link(ss_slurm *slurm, const ss_source *source, ss_error *error)
{
  ss_status status = check_nodes(slurm, source, error);
  if (status == SS_OK) status = find_parents(slurm, source, error);
  return status == SS_OK ? find_levels(slurm, source, error) : status;
}

ss_status ss_slurm_read(const ss_source *source, ss_slurm *slurm, ss_error *error)
{
  ss_printed printed = ss_printed_of(source);
  ss_status status = SS_OK;
  *slurm = (ss_slurm){.count = 0};
  for (char *line = ss_printed_next(&printed); status == SS_OK && line != NULL; line = ss_printed_next(&printed)) {
    char *word[WORDS];
    bool begun = false;
    line[strcspn(line, "#")] = '\0';
    const int count = ss_printed_words(line, word, WORDS);
    if (count > WORDS) status = ss_printed_refuse(&printed, error, "has more than %d words; allowed: fewer", WORDS);
    for (int i = 0; status == SS_OK && i < count; ++i) status = read_word(slurm, &printed, &begun, word[i], error);
  }
  return status == SS_OK ? ss_slurm_link(slurm, source, error) : status;
}

void ss_slurm_free(ss_slurm *slurm)
{
  for (int64_t i = 0; i < slurm->count; ++i) {
    ss_names_free(&slurm->group[i].nodes);
    ss_names_free(&slurm->group[i].switches);
  }
  free(slurm->group);
  *slurm = (ss_slurm){.count = 0};
}
