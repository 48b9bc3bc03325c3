/* Overrides from the command line: ELEMENT.ATTRIBUTE=VALUE, or =default. */
#include <stdio.h>
#include <string.h>

#include "model/base/spelling.h"
#include "model/input/workload.h"
#include "sim/io/assign.h"
#include "sim/io/io.h"
#include "sim/io/workload/elements.h"
#include "sim/io/workload/synonyms.h"

#define PLATFORM     "platform"
#define DEFAULT_WORD "default"

/* "element.name=text", taken apart. */
typedef struct assignment {
  char element[SS_NAME_SIZE], name[SS_NAME_SIZE];
  const char *text;
} assignment;

/* Names have no '_': who writes one means '-'. */
static bool copy_part(char part[SS_NAME_SIZE], const char *begin, const char *end)
{
  const size_t length = (size_t)(end - begin);
  if (length >= SS_NAME_SIZE) return false;
  for (size_t i = 0; i < length; ++i) part[i] = begin[i];
  part[length] = '\0';
  for (char *at = part; *at != '\0'; ++at)
    if (*at == '_') *at = '-';
  return true;
}

static bool split(const char *text, assignment *parts)
{
  const char *dot = text + strcspn(text, ".="), *equals = strchr(text, '=');
  if (*dot != '.' || equals == NULL) return false;
  parts->text = equals + 1;
  return copy_part(parts->element, text, dot) && copy_part(parts->name, dot + 1, equals);
}

/* The full names of what is called `name` in a workload or a machine, each where there is one, or elsewhere. */
static ss_list full_names(const char *name, bool workload, bool machine)
{
  const char *elsewhere = ss_synonym(name);
  ss_list meant = {.used = 0};
  if (elsewhere != NULL) ss_list_add(&meant, "%s", elsewhere);
  for (int i = 0; workload && i < SS_ELEMENT_TOTAL; i++)
    if (ss_workload_attribute(ss_element_names[i], name) != NULL)
      ss_list_add(&meant, "%s.%s", ss_element_names[i], name);
  if (machine && ss_machine_property(name) != NULL) ss_list_add(&meant, PLATFORM ".%s", name);
  return meant;
}

bool ss_override_named(const char *name, size_t length, char full[SS_TEXT_SIZE])
{
  char plain[SS_NAME_SIZE];
  if (!copy_part(plain, name, name + length)) return false;
  const ss_list meant = full_names(plain, true, true);
  const int written = snprintf(full, SS_TEXT_SIZE, "%s", meant.text);
  return meant.used > 0 && strchr(meant.text, ',') == NULL && written < SS_TEXT_SIZE;
}

/* What somebody may have meant who left out the element: " (did you mean A.NAME or B.NAME?)", or nothing. */
static ss_hint hint_of_element(const char *text, const ss_workload *workload, const ss_machine *machine)
{
  ss_hint hint = {""};
  char name[SS_NAME_SIZE];
  if (!copy_part(name, text, text + strcspn(text, "="))) return hint;
  const ss_list meant = full_names(name, workload != NULL, machine != NULL);
  if (meant.used > 0) (void)snprintf(hint.text, sizeof hint.text, " (did you mean %.120s?)", meant.text);
  return hint;
}

static ss_status refuse_element(const char *text, const char *element, const ss_workload *workload,
                                const ss_machine *machine, ss_error *error)
{
  const char *names[SS_ELEMENT_TOTAL + 2];
  ss_list allowed = {.used = 0};
  int count = 0;
  for (; workload != NULL && count < SS_ELEMENT_TOTAL; count++) names[count] = ss_element_names[count];
  if (machine != NULL) names[count++] = PLATFORM;
  names[count] = NULL;
  for (int i = 0; i < count; i++) ss_list_add(&allowed, "%s", names[i]);
  return ss_error_set(error, SS_ERROR_INPUT, SS_OVERRIDE_FILE, 0, "\"%s\": has an unknown element%s; allowed: %s",
                      ss_quote_of(text).text, ss_hint_of(element, names).text, count > 0 ? allowed.text : "none here");
}

/* A machine is not there, where a workload is put together by itself. */
static ss_status refuse_platform(const char *text, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, SS_OVERRIDE_FILE, 0,
                      "\"%s\": is of the machine, and this is of a workload; allowed: ELEMENT.ATTRIBUTE=VALUE",
                      ss_quote_of(text).text);
}

/* What overrides of what is there look like. */
static const char *forms_of(const ss_workload *workload, const ss_machine *machine)
{
  if (machine == NULL) return "ELEMENT.ATTRIBUTE=VALUE";
  return workload != NULL ? "ELEMENT.ATTRIBUTE=VALUE or platform.PROPERTY=VALUE" : "platform.PROPERTY=VALUE";
}

/* Refuses a name that is another one's elsewhere. */
static ss_status refuse_synonym(const assignment *parts, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, SS_OVERRIDE_FILE, 0, "unknown attribute %s.%s=\"%s\"; allowed: %s",
                      parts->element, parts->name, ss_quote_of(parts->text).text, ss_synonym(parts->name));
}

static ss_status override_machine(const assignment *parts, ss_machine *machine, ss_error *error)
{
  ss_value value = {.text = parts->text, .file = SS_OVERRIDE_FILE};
  ss_value_name(&value, "%s", parts->name);
  const ss_property *row = ss_machine_property(parts->name);
  if (row == NULL && ss_synonym(parts->name) != NULL) return refuse_synonym(parts, error);
  if (row == NULL) return ss_property_refuse(&value, error);
  return ss_machine_assign(machine, row, &value, SS_LINE_OVERRIDE, error);
}

/* A model may be called so. */
static bool has_default(const ss_attribute *row)
{
  return row->fallback != SS_REQUIRED && row != &ss_workload_attributes()[SS_AT_model_name];
}

static ss_status override_workload(const assignment *parts, ss_element element, ss_workload *workload, ss_error *error)
{
  ss_value value = {.text = parts->text, .file = SS_OVERRIDE_FILE};
  ss_value_name(&value, "%s.%s", parts->element, parts->name);
  const ss_attribute *row = ss_workload_attribute(parts->element, parts->name);
  if (row != NULL && strcmp(parts->text, DEFAULT_WORD) == 0 && has_default(row)) {
    ss_workload_reset(workload, (ss_attribute_index)(row - ss_workload_attributes()));
    return SS_OK;
  }
  if (row != NULL) return ss_workload_assign(workload, row, &value, SS_LINE_OVERRIDE, error);
  if (ss_synonym(parts->name) != NULL) return refuse_synonym(parts, error);
  const char *names[SS_ATTRIBUTE_TOTAL + 1];
  ss_element_attribute_names(element, names);
  return ss_attribute_refuse(&value, names, error);
}

ss_status ss_override(const char *text, ss_workload *workload, ss_machine *machine, ss_error *error)
{
  assignment parts;
  if (!split(text, &parts))
    return ss_error_set(error, SS_ERROR_INPUT, SS_OVERRIDE_FILE, 0, "\"%s\": is not an override%s; allowed: %s",
                        ss_quote_of(text).text, hint_of_element(text, workload, machine).text,
                        forms_of(workload, machine));
  if (machine != NULL && strcmp(parts.element, PLATFORM) == 0) return override_machine(&parts, machine, error);
  if (machine == NULL && strcmp(parts.element, PLATFORM) == 0) return refuse_platform(text, error);
  const ss_element element = ss_element_find(parts.element);
  if (workload == NULL || element == SS_ELEMENT_TOTAL)
    return refuse_element(text, parts.element, workload, machine, error);
  return override_workload(&parts, element, workload, error);
}
