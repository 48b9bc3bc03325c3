/* Reading fit files: which measurements, and which constants are free. */
#include <math.h>
#include <stdio.h>

#include "sim/io/assign.h"
#include "sim/io/io.h"
#include "sim/io/xml/document.h"
#include "sim/io/xml/schema.h"

/* Where the reader is. */
typedef struct reading {
  const ss_document *document;
  ss_fit_plan *plan;
  ss_error *error;
} reading;

static ss_status refuse_more(const reading *r, const xmlNode *node, int most)
{
  return ss_error_set(r->error, SS_ERROR_INPUT, r->document->path, ss_element_line(node), "more than %d <%s>", most,
                      (const char *)node->name);
}

enum { MEASURED_FILE, MEASURED_GROUPS, MEASURED_SWEEPS, MEASURED_PLATFORM, MEASURED_VALUES };

/* Names of what counts of a file of measurements. */
static ss_status read_chosen(const reading *r, const ss_value *value, bool of_log, char list[SS_TEXT_SIZE])
{
  if (value->text == NULL) return SS_OK;
  if (snprintf(list, SS_TEXT_SIZE, "%s", value->text) >= SS_TEXT_SIZE)
    return ss_value_refuse(value, r->error, "is too long; allowed: at most 255 bytes");
  if (of_log) return ss_value_refuse(value, r->error, "is of a log, which has no ids; allowed: with measurements");
  return SS_OK;
}

static ss_status read_measured(const reading *r, const xmlNode *node)
{
  static const char *const names[] = {"file", "groups", "sweeps", "platform", NULL};
  ss_fit_plan *plan = r->plan;
  ss_value values[MEASURED_VALUES];
  ss_status status = ss_element_attributes(r->document, node, "measured", names, values, r->error);
  if (status != SS_OK) return status;
  const ss_value *file = &values[MEASURED_FILE], *platform = &values[MEASURED_PLATFORM];
  const bool of_log = platform->text != NULL;
  if (file->text == NULL) return ss_value_refuse_missing(file, r->error);
  if (plan->measured_count == SS_FIT_FILES) return refuse_more(r, node, SS_FIT_FILES);
  const int64_t index = plan->measured_count++;
  plan->measured_line[index] = ss_element_line(node);
  status = read_chosen(r, &values[MEASURED_GROUPS], of_log, plan->groups[index]);
  if (status == SS_OK) status = read_chosen(r, &values[MEASURED_SWEEPS], of_log, plan->sweeps[index]);
  if (status == SS_OK) status = ss_document_beside(r->document, file, plan->measured[index], r->error);
  if (status != SS_OK || !of_log) return status;
  return ss_document_beside(r->document, platform, plan->platform[index], r->error);
}

enum { CONSTANT_PROPERTY, CONSTANT_FROM, CONSTANT_TO, CONSTANT_START, CONSTANT_REPLACES, CONSTANT_VALUES };

/* The row of a property that is a quantity and that no other constant has; NULL, with an error, if there is none. */
static const ss_property *find_property(const reading *r, const ss_value *value)
{
  const ss_property *row = ss_machine_property(value->text);
  if (row == NULL) {
    (void)ss_property_refuse(value, r->error);
    return NULL;
  }
  if (row->type != SS_PROPERTY_QUANTITY) {
    (void)ss_value_refuse(value, r->error, "is not a quantity; allowed: a property that is a number with its unit");
    return NULL;
  }
  for (int64_t i = 0; i < r->plan->constants; ++i) {
    const ss_fit_constant *known = &r->plan->constant[i];
    if (known->property != row) continue;
    (void)ss_value_refuse(value, r->error, "occurs again, after line %d; allowed: once", known->line);
    return NULL;
  }
  return row;
}

static ss_status read_bounds(const reading *r, const ss_value *values, ss_fit_constant *constant)
{
  const ss_property *row = constant->property;
  const ss_value *to = &values[CONSTANT_TO], *start = &values[CONSTANT_START];
  ss_status status =
      ss_value_quantity(&values[CONSTANT_FROM], row->unit, row->minimum, row->maximum, &constant->from, r->error);
  if (status == SS_OK) status = ss_value_quantity(to, row->unit, row->minimum, row->maximum, &constant->to, r->error);
  if (status == SS_OK && constant->from >= constant->to)
    status = ss_value_refuse(to, r->error, "is not above from=\"%s\"; allowed: a larger one",
                             ss_quote_of(values[CONSTANT_FROM].text).text);
  if (status != SS_OK || start->text == NULL) return status;
  status = ss_value_quantity(start, row->unit, row->minimum, row->maximum, &constant->start, r->error);
  if (status != SS_OK || (constant->start >= constant->from && constant->start <= constant->to)) return status;
  return ss_value_refuse(start, r->error, "is outside of the bounds; allowed: %s to %s",
                         ss_quote_of(values[CONSTANT_FROM].text).text, ss_quote_of(to->text).text);
}

static ss_status read_replaces(const reading *r, const ss_value *value, ss_fit_constant *constant)
{
  static const char *const words[] = {"no", "yes", NULL};
  int word = 0;
  const ss_status status = value->text != NULL ? ss_value_word(value, words, &word, r->error) : SS_OK;
  constant->replaces = word == 1;
  return status;
}

static ss_status read_constant(const reading *r, const xmlNode *node)
{
  static const char *const names[] = {"property", "from", "to", "start", "replaces", NULL};
  ss_fit_plan *plan = r->plan;
  ss_value values[CONSTANT_VALUES];
  ss_fit_constant constant = {.start = NAN, .line = ss_element_line(node)};
  ss_status status = ss_element_attributes(r->document, node, "constant", names, values, r->error);
  for (int i = 0; status == SS_OK && i < CONSTANT_START; ++i)
    if (values[i].text == NULL) status = ss_value_refuse_missing(&values[i], r->error);
  if (status == SS_OK && plan->constants == SS_FIT_CONSTANTS) status = refuse_more(r, node, SS_FIT_CONSTANTS);
  if (status != SS_OK) return status;
  constant.property = find_property(r, &values[CONSTANT_PROPERTY]);
  if (constant.property == NULL) return SS_ERROR_INPUT;
  status = read_bounds(r, values, &constant);
  if (status == SS_OK) status = read_replaces(r, &values[CONSTANT_REPLACES], &constant);
  if (status == SS_OK) plan->constant[plan->constants++] = constant;
  return status;
}

static ss_status read_plan(const reading *r, const xmlNode *root)
{
  ss_status status = SS_OK;
  for (const xmlNode *node = ss_element_first(root); status == SS_OK && node != NULL; node = ss_element_next(node)) {
    const xmlNode *inner = ss_element_first(node);
    const bool measured = ss_element_is(node, "measured");
    if (!measured && !ss_element_is(node, "constant"))
      status = ss_element_refuse(r->document, node, "<measured>, <constant>", r->error);
    else if (inner != NULL)
      status = ss_element_refuse(r->document, inner, "no elements here", r->error);
    else
      status = measured ? read_measured(r, node) : read_constant(r, node);
  }
  if (status != SS_OK || (r->plan->measured_count > 0 && r->plan->constants > 0)) return status;
  return ss_error_set(r->error, SS_ERROR_INPUT, r->document->path, ss_element_line(root),
                      "has no <%s>; allowed: one or more", r->plan->constants > 0 ? "measured" : "constant");
}

ss_status ss_fit_load(const char *path, ss_fit_plan *plan, ss_error *error)
{
  ss_document document;
  *plan = (ss_fit_plan){.constants = 0};
  (void)snprintf(plan->file, sizeof plan->file, "%s", path);
  const reading r = {.document = &document, .plan = plan, .error = error};
  ss_status status = ss_document_open(path, "fit", &document, error);
  if (status == SS_OK) status = ss_document_version(&document, "fit", error);
  if (status == SS_OK) status = read_plan(&r, xmlDocGetRootElement(document.xml));
  if (status == SS_OK) status = ss_document_validate(&document, ss_fit_xsd, error);
  ss_document_close(&document);
  return status;
}
