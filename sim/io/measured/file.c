/* Reading files of published measurements. */
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/input/workload.h"
#include "sim/io/assign.h"
#include "sim/io/io.h"
#include "sim/io/measured/figure.h"
#include "sim/io/workload/elements.h"
#include "sim/io/xml/document.h"
#include "sim/io/xml/schema.h"

#define LEAST_S    1e-9
#define MOST_S     1e9
#define MOST_BYTES 1e15
#define MOST_ERROR 1000.0 /* in % */

/* Where the reader is. */
typedef struct reading {
  const ss_document *document;
  ss_measured *measured;
  ss_measured_group *group; /* that is being read */
  ss_workload *workload;    /* what its points start from */
  char platform[SS_PATH_SIZE], sweep[SS_NAME_SIZE];
  ss_error *error;
} reading;

/* Attributes of groups: those that all have, those of one kind, and those that are for readers of the file. */
enum { GROUP_ID, GROUP_TITLE, GROUP_SOURCE, GROUP_BOUND, GROUP_PLATFORM, GROUP_SOFTWARE, GROUP_OF_KIND };
enum { GROUP_SWEEP = GROUP_OF_KIND, GROUP_REGRET };
enum { GROUP_OP = GROUP_OF_KIND, GROUP_LEAST };
#define GROUP_NAMES "id", "title", "source", "bound", "platform", "software"
#define GROUP_TEXTS "where", "basis", "completeness"
static const char *const group_names[][16] = {
    [SS_MEASURED_ITERATIONS] = {GROUP_NAMES, "sweep", "regret", GROUP_TEXTS, NULL},
    [SS_MEASURED_COLLECTIVES] = {GROUP_NAMES, "op", "least-bytes", GROUP_TEXTS, NULL},
    [SS_MEASURED_RUNS] = {GROUP_NAMES, GROUP_TEXTS, NULL},
};

/* Attributes of points: those that all have, and those of one kind. */
enum { POINT_ID, POINT_PLATFORM, POINT_USE, POINT_WHY, POINT_OF_KIND };
enum { POINT_ITERATION = POINT_OF_KIND, POINT_MEMORY, POINT_SWEEP };
enum { POINT_LIMIT = POINT_OF_KIND + SS_RUN_FIGURES };
#define POINT_NAMES                                  "id", "platform", "use", "why"
#define RUN_FIGURE_NAME(id, attribute, time, of_all) attribute,
static const char *const point_names[][24] = {
    [SS_MEASURED_ITERATIONS] = {POINT_NAMES, "iteration", "memory", "sweep", GROUP_TEXTS, NULL},
    [SS_MEASURED_RUNS] = {POINT_NAMES, SS_RUN_FIGURE_LIST(RUN_FIGURE_NAME) "limit", GROUP_TEXTS, NULL},
};
#undef RUN_FIGURE_NAME

static ss_status refuse_missing(const reading *r, const ss_value *value)
{
  return ss_value_refuse_missing(value, r->error);
}

static ss_status read_text(const reading *r, const ss_value *value, char *copy, size_t size)
{
  return value->text != NULL ? ss_value_text(value, copy, size, r->error) : refuse_missing(r, value);
}

static ss_status read_quantity(const reading *r, const ss_value *value, ss_unit unit, double range[2], double *quantity)
{
  if (value->text == NULL) return refuse_missing(r, value);
  return ss_value_quantity(value, unit, range[0], range[1], quantity, r->error);
}

/* <set property= value=/>: applied to a scratch machine first, so that a wrong one is refused at its line. */
static ss_status read_setting(const reading *r, const xmlNode *node, ss_measured_settings *settings)
{
  static const char *const names[] = {"property", "value", NULL};
  ss_value values[2];
  ss_status status = ss_element_attributes(r->document, node, "set", names, values, r->error);
  for (int i = 0; status == SS_OK && i < 2; ++i)
    if (values[i].text == NULL) status = refuse_missing(r, &values[i]);
  if (status != SS_OK) return status;
  ss_value value = values[1];
  ss_value_name(&value, "%s", values[0].text);
  const ss_property *row = ss_machine_property(values[0].text);
  if (row == NULL) return ss_property_refuse(&value, r->error);
  if (settings->count == SS_MEASURED_SETTINGS)
    return ss_error_set(r->error, SS_ERROR_INPUT, value.file, value.line, "more than %d <set>", SS_MEASURED_SETTINGS);
  ss_machine *machine = malloc(sizeof *machine);
  if (machine == NULL) return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a platform");
  ss_machine_init(machine);
  status = ss_machine_assign(machine, row, &value, value.line, r->error);
  free(machine);
  char *text = settings->setting[settings->count].text;
  const int written = snprintf(text, SS_TEXT_SIZE, "platform.%s=%s", values[0].text, values[1].text);
  if (status == SS_OK && written >= SS_TEXT_SIZE)
    return ss_value_refuse(&value, r->error, "is too long; allowed: %d bytes with the name", SS_TEXT_SIZE - 1);
  settings->count++;
  return status;
}

/* <note name= text=/>: the names go to a list; NULL if nobody needs them. */
static ss_status read_note(const reading *r, const xmlNode *node, char notes[SS_TEXT_SIZE])
{
  static const char *const names[] = {"name", "text", NULL};
  ss_value values[2];
  ss_status status = ss_element_attributes(r->document, node, "note", names, values, r->error);
  for (int i = 0; status == SS_OK && i < 2; ++i)
    if (values[i].text == NULL) status = refuse_missing(r, &values[i]);
  if (status != SS_OK || notes == NULL) return status;
  const size_t used = strlen(notes);
  const int written = snprintf(notes + used, SS_TEXT_SIZE - used, "%s%s", used > 0 ? ", " : "", values[0].text);
  if (used + (size_t)written < SS_TEXT_SIZE) return SS_OK;
  return ss_value_refuse(&values[0], r->error, "makes the names of the notes longer than %d bytes", SS_TEXT_SIZE - 1);
}

static ss_status refuse_repeated(const reading *r, const xmlNode *node, int first_line)
{
  return ss_error_set(r->error, SS_ERROR_INPUT, r->document->path, ss_element_line(node),
                      "element <%s> occurs again, after line %d; allowed: once", (const char *)node->name, first_line);
}

/* Whether an element of a workload says something of what a group is about: `run` does of runs. */
static bool is_part(const reading *r, int element)
{
  return element != SS_ELEMENT_run || r->group->kind == SS_MEASURED_RUNS;
}

/* The element of a workload that a node is; SS_ELEMENT_TOTAL where it is none. */
static ss_element find_part(const reading *r, const xmlNode *node)
{
  const ss_element element = ss_element_find((const char *)node->name);
  return is_part(r, element) ? element : SS_ELEMENT_TOTAL;
}

/* Refuses an element that is neither one of a workload nor one of `others`. */
static ss_status refuse_unknown(const reading *r, const xmlNode *node, bool workload, const char *others)
{
  ss_list allowed = {.used = 0};
  for (int i = 0; workload && i < SS_ELEMENT_TOTAL; i++)
    if (is_part(r, i)) ss_list_add(&allowed, "<%s>", ss_element_names[i]);
  ss_list_add(&allowed, "%s", others);
  return ss_element_refuse(r->document, node, allowed.text, r->error);
}

/* An element of a workload, once. */
static ss_status read_part(const reading *r, const xmlNode *node, ss_element element, ss_workload *workload,
                           int first_line[SS_ELEMENT_TOTAL])
{
  if (first_line[element] != 0) return refuse_repeated(r, node, first_line[element]);
  first_line[element] = ss_element_line(node);
  return ss_element_read(r->document, node, element, workload, r->error);
}

/* What a point has beside its attributes: parts of the workload, over those of the group, and notes. */
/* <set/> of a point, beyond those of its group. */
static ss_status read_own_setting(const reading *r, const xmlNode *node, ss_measured_point *point)
{
  if (point->own == NULL) point->own = calloc(1, sizeof *point->own);
  if (point->own == NULL) return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
  return read_setting(r, node, point->own);
}

static ss_status read_point_parts(const reading *r, const xmlNode *node, ss_measured_point *point)
{
  int first_line[SS_ELEMENT_TOTAL] = {0};
  ss_status status = SS_OK;
  for (const xmlNode *child = ss_element_first(node); status == SS_OK && child != NULL;
       child = ss_element_next(child)) {
    const ss_element element = find_part(r, child);
    if (element != SS_ELEMENT_TOTAL)
      status = read_part(r, child, element, point->workload, first_line);
    else if (ss_element_is(child, "note"))
      status = read_note(r, child, point->notes);
    else if (ss_element_is(child, "set"))
      status = read_own_setting(r, child, point);
    else
      status = refuse_unknown(r, child, true, "<note>, <set>");
  }
  for (int i = 0; status == SS_OK && i < SS_WORKLOAD_FILES; i++)
    if (ss_workload_file(point->workload, i)[0] != '\0')
      status = ss_workload_refuse(point->workload, ss_workload_files[i], r->error,
                                  "places the ranks of a measurement; allowed: order, domain and segment");
  return status;
}

/* Reads whether a measurement is used and, if not, why. */
static ss_status read_use(const reading *r, const ss_value *use, const ss_value *why, ss_measured_point *point)
{
  static const char *const words[] = {"no", "yes", NULL};
  int used = 1;
  ss_status status = use->text != NULL ? ss_value_word(use, words, &used, r->error) : SS_OK;
  if (status != SS_OK) return status;
  point->used = used != 0;
  if (!point->used) return read_text(r, why, point->why, sizeof point->why);
  if (why->text != NULL)
    return ss_value_refuse(why, r->error, "belongs to a point that is used; allowed: only with use=\"no\"");
  return SS_OK;
}

static ss_status refuse_known(const reading *r, const ss_value *id)
{
  for (int64_t i = r->group->first; i < r->measured->points - 1; ++i)
    if (strcmp(r->measured->point[i].id, id->text) == 0)
      return ss_value_refuse(id, r->error, "is in this group already, at line %d", r->measured->point[i].line);
  return SS_OK;
}

static ss_measured_point *add_point(const reading *r, const xmlNode *node)
{
  ss_measured_point *point = ss_measured_add_point(r->measured);
  if (point == NULL) {
    (void)ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
    return NULL;
  }
  r->group->count++;
  point->group = r->measured->groups - 1;
  point->line = ss_element_line(node);
  point->used = true;
  point->memory_bytes = NAN;
  (void)snprintf(point->platform, sizeof point->platform, "%s", r->platform);
  (void)snprintf(point->sweep, sizeof point->sweep, "%s", r->sweep);
  return point;
}

static ss_status read_iteration(const reading *r, const ss_value *values, ss_measured_point *point)
{
  double seconds[2] = {LEAST_S, MOST_S}, bytes[2] = {1.0, MOST_BYTES};
  ss_status status = read_quantity(r, &values[POINT_ITERATION], SS_UNIT_SECONDS, seconds, &point->measured_s);
  if (status == SS_OK && values[POINT_MEMORY].text != NULL)
    status = read_quantity(r, &values[POINT_MEMORY], SS_UNIT_BYTES, bytes, &point->memory_bytes);
  if (status == SS_OK && values[POINT_SWEEP].text != NULL)
    status = read_text(r, &values[POINT_SWEEP], point->sweep, sizeof point->sweep);
  return status;
}

static ss_status read_point_values(const reading *r, const ss_value *values, ss_measured_point *point)
{
  ss_status status = read_text(r, &values[POINT_ID], point->id, sizeof point->id);
  if (status == SS_OK) status = refuse_known(r, &values[POINT_ID]);
  if (status == SS_OK)
    status = r->group->kind == SS_MEASURED_RUNS
                 ? ss_measured_figure_read(r->document, &values[POINT_OF_KIND], point, r->error)
                 : read_iteration(r, values, point);
  if (status == SS_OK && r->group->kind == SS_MEASURED_RUNS)
    status = ss_measured_limit_read(&values[POINT_LIMIT], point, r->error);
  if (status == SS_OK && values[POINT_PLATFORM].text != NULL)
    status = ss_document_beside(r->document, &values[POINT_PLATFORM], point->platform, r->error);
  if (status == SS_OK && point->platform[0] == '\0') status = refuse_missing(r, &values[POINT_PLATFORM]);
  return status == SS_OK ? read_use(r, &values[POINT_USE], &values[POINT_WHY], point) : status;
}

static ss_status read_point(const reading *r, const xmlNode *node)
{
  ss_value values[sizeof point_names[0] / sizeof point_names[0][0]];
  ss_status status = ss_element_attributes(r->document, node, "point", point_names[r->group->kind], values, r->error);
  if (status != SS_OK) return status;
  ss_measured_point *point = add_point(r, node);
  if (point == NULL) return SS_ERROR_MEMORY;
  status = read_point_values(r, values, point);
  if (status != SS_OK) return status;
  point->workload = malloc(sizeof *point->workload);
  if (point->workload == NULL)
    return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
  *point->workload = *r->workload;
  status = read_point_parts(r, node, point);
  if (r->group->kind == SS_MEASURED_RUNS && ss_run_figure_is_of_all(point->figure))
    point->measured_s /= (double)ss_workload_gpus(point->workload);
  return status;
}

/* <time bytes= out= in=/> of a run. The time in place is for readers of the file. */
static ss_status read_time(const reading *r, const xmlNode *node, int64_t nodes, int64_t gpus_per_node)
{
  static const char *const names[] = {"bytes", "out", "in", NULL};
  double seconds[2] = {LEAST_S, MOST_S}, bytes[2] = {1.0, MOST_BYTES};
  ss_value values[3];
  ss_status status = ss_element_attributes(r->document, node, "time", names, values, r->error);
  ss_measured_point *point = status == SS_OK ? add_point(r, node) : NULL;
  if (point == NULL) return status == SS_OK ? SS_ERROR_MEMORY : status;
  point->nodes = nodes;
  point->gpus_per_node = gpus_per_node;
  status = read_quantity(r, &values[0], SS_UNIT_BYTES, bytes, &point->volume_bytes);
  if (status == SS_OK) status = read_quantity(r, &values[1], SS_UNIT_SECONDS, seconds, &point->measured_s);
  if (status != SS_OK) return status;
  (void)snprintf(point->sweep, sizeof point->sweep, "%s", values[0].text);
  (void)snprintf(point->id, sizeof point->id, "%" PRId64 "x%" PRId64 " %.64s", nodes, gpus_per_node, values[0].text);
  values[0].text = point->id;
  status = refuse_known(r, &values[0]);
  point->used = point->volume_bytes >= r->group->least_bytes;
  if (!point->used) (void)snprintf(point->why, sizeof point->why, "smaller than the group's least-bytes");
  return status;
}

/* What a run says about all of its times. */
static void apply_run(const ss_measured_point *run, ss_measured_point *point)
{
  if (run->platform[0] != '\0') memcpy(point->platform, run->platform, sizeof point->platform);
  if (run->used) return;
  point->used = false;
  memcpy(point->why, run->why, sizeof point->why);
}

static ss_status read_run(const reading *r, const xmlNode *node)
{
  enum { MOST_NODES = 1000000 };
  static const char *const names[] = {"nodes", "gpus-per-node", "use", "why", "platform", NULL};
  ss_measured_point run = {.used = true};
  const int64_t first = r->measured->points;
  int64_t size[2] = {0};
  ss_value values[5];
  ss_status status = ss_element_attributes(r->document, node, "run", names, values, r->error);
  for (int i = 0; status == SS_OK && i < 2; ++i)
    status = values[i].text != NULL ? ss_value_count(&values[i], 1, MOST_NODES, &size[i], r->error)
                                    : refuse_missing(r, &values[i]);
  if (status == SS_OK) status = read_use(r, &values[2], &values[3], &run);
  if (status == SS_OK && values[4].text != NULL)
    status = ss_document_beside(r->document, &values[4], run.platform, r->error);
  for (const xmlNode *child = ss_element_first(node); status == SS_OK && child != NULL; child = ss_element_next(child))
    status = ss_element_is(child, "time") ? read_time(r, child, size[0], size[1])
                                          : refuse_unknown(r, child, false, "<time>");
  for (int64_t i = first; status == SS_OK && i < r->measured->points; ++i) apply_run(&run, &r->measured->point[i]);
  return status;
}

static ss_status read_collective(const reading *r, const ss_value *value)
{
#define OP_KIND(id, op) id,
#define OP_WORD(id, op) op,
  static const ss_collective kinds[] = {SS_MEASURED_OP_LIST(OP_KIND)};
  static const char *const words[] = {SS_MEASURED_OP_LIST(OP_WORD) NULL};
#undef OP_KIND
#undef OP_WORD
  int kind;
  if (value->text == NULL) return refuse_missing(r, value);
  const ss_status status = ss_value_word(value, words, &kind, r->error);
  if (status == SS_OK) r->group->collective = kinds[kind];
  return status;
}

static ss_status read_collective_values(const reading *r, const ss_value *values)
{
  double bytes[2] = {0.0, MOST_BYTES};
  if (values[GROUP_PLATFORM].text == NULL) return refuse_missing(r, &values[GROUP_PLATFORM]);
  const ss_status status = read_collective(r, &values[GROUP_OP]);
  if (status != SS_OK || values[GROUP_LEAST].text == NULL) return status;
  return read_quantity(r, &values[GROUP_LEAST], SS_UNIT_BYTES, bytes, &r->group->least_bytes);
}

/* Ids tell groups apart in all files. */
static ss_status refuse_known_group(const reading *r, const ss_value *id)
{
  for (int64_t i = 0; i < r->measured->groups - 1; ++i)
    if (strcmp(r->measured->group[i].id, id->text) == 0)
      return ss_value_refuse(id, r->error, "is the id of another group, at %s:%d", r->measured->group[i].file,
                             r->measured->group[i].line);
  return SS_OK;
}

/* A bound in percent; NaN where none is given. */
static ss_status read_bound(const reading *r, const ss_value *value, double *bound)
{
  double percent = NAN;
  const ss_status status = value->text != NULL ? ss_value_real(value, 0.0, MOST_ERROR, &percent, r->error) : SS_OK;
  *bound = percent / 100.0;
  return status;
}

static ss_status read_iteration_values(reading *r, const ss_value *values)
{
  const ss_value *sweep = &values[GROUP_SWEEP];
  const ss_status status = read_bound(r, &values[GROUP_REGRET], &r->group->regret_bound);
  return status == SS_OK && sweep->text != NULL ? read_text(r, sweep, r->sweep, sizeof r->sweep) : status;
}

static ss_status read_group_values(reading *r, const ss_value *values)
{
  ss_measured_group *group = r->group;
  ss_status status = read_text(r, &values[GROUP_ID], group->id, sizeof group->id);
  if (status == SS_OK) status = refuse_known_group(r, &values[GROUP_ID]);
  if (status == SS_OK) status = read_text(r, &values[GROUP_TITLE], group->title, sizeof group->title);
  if (status == SS_OK) status = read_text(r, &values[GROUP_SOURCE], group->source, sizeof group->source);
  if (status == SS_OK) status = read_bound(r, &values[GROUP_BOUND], &group->bound);
  if (status == SS_OK && values[GROUP_SOFTWARE].text != NULL)
    status = read_text(r, &values[GROUP_SOFTWARE], group->software, sizeof group->software);
  if (status == SS_OK && values[GROUP_PLATFORM].text != NULL)
    status = ss_document_beside(r->document, &values[GROUP_PLATFORM], r->platform, r->error);
  if (status != SS_OK) return status;
  group->regret_bound = NAN;
  if (group->kind == SS_MEASURED_COLLECTIVES) return read_collective_values(r, values);
  return group->kind == SS_MEASURED_ITERATIONS ? read_iteration_values(r, values) : SS_OK;
}

static ss_status read_group_part(const reading *r, const xmlNode *node, int first_line[SS_ELEMENT_TOTAL])
{
  const bool jobs = r->group->kind != SS_MEASURED_COLLECTIVES;
  const char *point = jobs ? "point" : "run";
  const ss_element element = find_part(r, node);
  if (ss_element_is(node, "note")) return read_note(r, node, NULL);
  if (ss_element_is(node, "set")) return read_setting(r, node, &r->group->settings);
  if (ss_element_is(node, point)) return jobs ? read_point(r, node) : read_run(r, node);
  if (element == SS_ELEMENT_TOTAL || !jobs)
    return refuse_unknown(r, node, jobs, jobs ? "<note>, <set>, <point>" : "<note>, <set>, <run>");
  if (r->group->count > 0)
    return ss_error_set(r->error, SS_ERROR_INPUT, r->document->path, ss_element_line(node),
                        "element <%s> comes after a <point>; allowed: before the first", (const char *)node->name);
  return read_part(r, node, element, r->workload, first_line);
}

static ss_status read_group(reading *r, const xmlNode *node, ss_measured_kind kind)
{
  ss_value values[sizeof group_names[0] / sizeof group_names[0][0]];
  int first_line[SS_ELEMENT_TOTAL] = {0};
  ss_status status =
      ss_element_attributes(r->document, node, (const char *)node->name, group_names[kind], values, r->error);
  if (status != SS_OK) return status;
  r->group = ss_measured_add_group(r->measured);
  if (r->group == NULL) return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
  r->group->kind = kind;
  r->group->first = r->measured->points;
  r->group->line = ss_element_line(node);
  (void)snprintf(r->group->file, sizeof r->group->file, "%s", r->document->path);
  r->platform[0] = r->sweep[0] = '\0';
  ss_workload_init(r->workload);
  (void)snprintf(r->workload->file, sizeof r->workload->file, "%s", r->document->path);
  status = read_group_values(r, values);
  for (const xmlNode *child = ss_element_first(node); status == SS_OK && child != NULL; child = ss_element_next(child))
    status = read_group_part(r, child, first_line);
  return status;
}

static ss_status read_groups(reading *r, const xmlNode *root)
{
  static const char *const elements[] = {
#define MEASURED_ELEMENT(id, element, points) element,
      SS_MEASURED_LIST(MEASURED_ELEMENT)
#undef MEASURED_ELEMENT
  };
  ss_status status = SS_OK;
  for (const xmlNode *node = ss_element_first(root); status == SS_OK && node != NULL; node = ss_element_next(node)) {
    int kind = 0;
    while (kind < SS_MEASURED_COUNT && !ss_element_is(node, elements[kind])) ++kind;
    status = kind < SS_MEASURED_COUNT ? read_group(r, node, (ss_measured_kind)kind)
                                      : refuse_unknown(r, node, false, "<iterations>, <collectives>, <runs>");
  }
  return status;
}

ss_status ss_measured_load(const char *path, ss_measured *measured, ss_error *error)
{
  ss_document document;
  ss_workload *workload = malloc(sizeof *workload);
  if (workload == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for measurements");
  reading r = {.document = &document, .measured = measured, .workload = workload, .error = error};
  ss_status status = ss_document_open(path, "measured", &document, error);
  if (status == SS_OK) status = ss_document_version(&document, "measured", error);
  if (status == SS_OK) status = read_groups(&r, xmlDocGetRootElement(document.xml));
  if (status == SS_OK) status = ss_document_validate(&document, ss_measured_xsd, error);
  ss_document_close(&document);
  free(workload);
  return status;
}

ss_status ss_measured_load_folder(const char *folder, ss_measured *measured, ss_error *error)
{
  char pattern[SS_PATH_SIZE];
  glob_t found;
  (void)snprintf(pattern, sizeof pattern, "%s/measured-*.xml", folder);
  if (glob(pattern, 0, NULL, &found) != 0)
    return ss_error_set(error, SS_ERROR_INPUT, folder, 0,
                        "has no measurements; allowed: a folder with files measured-*.xml, or files as arguments");
  ss_status status = SS_OK;
  for (size_t i = 0; status == SS_OK && i < found.gl_pathc; ++i)
    status = ss_measured_load(found.gl_pathv[i], measured, error);
  globfree(&found);
  return status;
}
