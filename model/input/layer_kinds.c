#include "model/input/layer_kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "model/input/letters.h"

#define BLANKS " \t\n"

static const ss_attribute_index attributes[SS_LAYER_FIELDS] = {
#define SS_LAYER_FIELD_ROW(field) SS_AT_model_##field,
    SS_LAYER_FIELD_LIST(SS_LAYER_FIELD_ROW)
#undef SS_LAYER_FIELD_ROW
};

static const ss_attribute *row_of(int field)
{
  return &ss_workload_attributes()[attributes[field]];
}

/* What is being read, and where to say what is wrong with it. */
typedef struct reader {
  const char *at;
  char *problem;
  size_t size;
} reader;

static bool fail(const reader *r, const char *what, const char *text, size_t length)
{
  if (r->problem == NULL) return false;
  char known[SS_TEXT_SIZE] = "";
  for (int field = 0; field < SS_LAYER_FIELDS; ++field) {
    const size_t used = strlen(known);
    (void)snprintf(known + used, sizeof known - used, "%s%s", field > 0 ? ", " : "", row_of(field)->name);
  }
  (void)snprintf(r->problem, r->size, "%s \"%.*s\" (a kind has name=value of %s)", what, (int)length, text, known);
  return false;
}

static bool read_word(const ss_attribute *row, const char *text, size_t length, int64_t *value)
{
  for (int i = 0; row->words[i] != NULL; ++i) {
    *value = i;
    if (strlen(row->words[i]) == length && strncmp(row->words[i], text, length) == 0) return true;
  }
  return false;
}

static bool read_count(const ss_attribute *row, const char *text, size_t length, int64_t *value)
{
  char *end;
  errno = 0;
  const long long count = strtoll(text, &end, 10);
  *value = count;
  return errno == 0 && end == text + length && (double)count >= row->minimum && (double)count <= row->maximum;
}

/* Reads name=value. */
static bool read_field(reader *r, ss_layer_kind *kind)
{
  const char *text = r->at;
  const size_t length = strcspn(text, BLANKS ";"), name = strcspn(text, "=" BLANKS ";");
  r->at += length;
  for (int field = 0; field < SS_LAYER_FIELDS && name < length; ++field) {
    const ss_attribute *row = row_of(field);
    if (strlen(row->name) != name || strncmp(row->name, text, name) != 0) continue;
    if (kind->has[field]) return fail(r, "has twice", text, name);
    kind->has[field] = true;
    const char *value = text + name + 1;
    const size_t left = length - name - 1;
    const bool is_word = row->type == SS_ATTRIBUTE_CHOICE;
    return (is_word ? read_word : read_count)(row, value, left, &kind->value[field]) ||
           fail(r, "has a value that is not allowed", text, length);
  }
  return fail(r, "has an unknown", text, length);
}

int64_t ss_layer_kind_called(const ss_layer_kinds *kinds, char name)
{
  int64_t i = 0;
  while (i < kinds->count && kinds->kind[i].name != name) ++i;
  return i;
}

static bool read_kind(reader *r, ss_layer_kinds *kinds)
{
  const size_t length = strcspn(r->at, BLANKS ";");
  const char name = *r->at;
  if (length != 1 || strchr("(),0123456789", name) != NULL) return fail(r, "has no letter but", r->at, length);
  if (ss_layer_kind_called(kinds, name) < kinds->count) return fail(r, "has twice the kind", r->at, length);
  if (kinds->count == SS_LAYER_KINDS_MAX) return fail(r, "has more than 6 kinds with", r->at, length);
  ss_layer_kind *kind = &kinds->kind[kinds->count++];
  *kind = (ss_layer_kind){.name = name};
  r->at += length;
  for (r->at += strspn(r->at, BLANKS); *r->at != '\0' && *r->at != ';'; r->at += strspn(r->at, BLANKS))
    if (!read_field(r, kind)) return false;
  return true;
}

bool ss_layer_kinds_read(const char *text, ss_layer_kinds *kinds, char *problem, size_t size)
{
  reader r = {text, problem, size};
  kinds->count = 0;
  for (r.at += strspn(r.at, BLANKS ";"); *r.at != '\0'; r.at += strspn(r.at, BLANKS ";"))
    if (!read_kind(&r, kinds)) return false;
  return true;
}

const char *ss_layer_pattern_fill(const ss_layer_kinds *kinds, const char *pattern, int64_t layers, int8_t *kind_of)
{
  ss_letters letters = ss_letters_of(pattern);
  int64_t length = 0;
  for (char name; ss_letters_next(&letters, &name); ++length) {
    const int64_t kind = ss_layer_kind_called(kinds, name);
    if (kind == kinds->count) return "it has a letter that is none of model.kinds";
    if (length == layers) return "it has more letters than the model has layers";
    if (kind_of != NULL) kind_of[length] = (int8_t)kind;
  }
  if (letters.problem != NULL) return letters.problem;
  if (length == 0) return "it has no letter";
  if (layers % length != 0) return "its length does not divide the layers of the model";
  for (int64_t i = length; i < layers && kind_of != NULL; ++i) kind_of[i] = kind_of[i - length];
  return NULL;
}

static void set(ss_workload *workload, const ss_attribute *row, int64_t value)
{
  char *field = (char *)workload + row->offset;
  const int word = (int)value;
  if (row->type == SS_ATTRIBUTE_CHOICE)
    memcpy(field, &word, sizeof word);
  else
    memcpy(field, &value, sizeof value);
}

ss_workload ss_layer_kind_workload(const ss_workload *workload, const ss_layer_kind *kind)
{
  ss_workload of_kind = *workload;
  for (int field = 0; field < SS_LAYER_FIELDS; ++field) {
    if (!kind->has[field]) continue;
    set(&of_kind, row_of(field), kind->value[field]);
    of_kind.line[attributes[field]] = workload->line[SS_AT_model_kinds];
  }
  of_kind.model.kinds[0] = of_kind.model.pattern[0] = of_kind.model.mtp_kind[0] = '\0';
  return of_kind;
}

static bool is_recurrent(int64_t mixer)
{
  return mixer != SS_MIXER_ATTENTION && mixer != SS_MIXER_COMPRESSED && mixer != SS_MIXER_NONE;
}

/* Whether a field of the model, or of one of its kinds, has a value that `matters`. */
static bool any_layer(const ss_workload *workload, int64_t whole, ss_layer_field field, bool (*matters)(int64_t))
{
  ss_layer_kinds kinds = {.count = 0};
  bool found = matters(whole);
  if (workload->model.kinds[0] == '\0' || !ss_layer_kinds_read(workload->model.kinds, &kinds, NULL, 0)) return found;
  for (int64_t i = 0; i < kinds.count; ++i)
    found = found || (kinds.kind[i].has[field] && matters(kinds.kind[i].value[field]));
  return found;
}

static bool is_positive(int64_t value)
{
  return value > 0;
}

bool ss_workload_is_hybrid(const ss_workload *workload)
{
  return any_layer(workload, workload->model.mixer, SS_LAYER_FIELD_mixer, is_recurrent);
}

static bool is_mamba(int64_t mixer)
{
  return mixer == SS_MIXER_MAMBA || mixer == SS_MIXER_MAMBA_1 || mixer == SS_MIXER_HYBRID;
}

bool ss_workload_has_mamba(const ss_workload *workload)
{
  return any_layer(workload, workload->model.mixer, SS_LAYER_FIELD_mixer, is_mamba);
}

bool ss_workload_has_windows(const ss_workload *workload)
{
  return any_layer(workload, workload->model.window, SS_LAYER_FIELD_window, is_positive);
}

int64_t ss_layer_experts_divisor(const ss_workload *workload)
{
  ss_layer_kinds kinds = {.count = 0};
  int64_t divisor = workload->model.experts;
  SS_ASSERT(ss_layer_kinds_read(workload->model.kinds, &kinds, NULL, 0));
  for (int64_t i = 0; i < kinds.count; ++i)
    if (kinds.kind[i].has[SS_LAYER_FIELD_experts])
      divisor = ss_common_divisor(divisor, kinds.kind[i].value[SS_LAYER_FIELD_experts]);
  return divisor;
}

bool ss_layer_kinds_in_16bit(const ss_workload *workload)
{
  ss_layer_kinds kinds;
  return !ss_layer_kinds_read(workload->model.kinds, &kinds, NULL, 0) || 2 * kinds.count <= SS_LAYER_KINDS_IN_ALL;
}
