#include "sim/io/assign.h"

#include <string.h>

#include "model/base/spelling.h"
#include "model/input/workload.h"

static ss_status assign_count(const ss_value *value, double minimum, double maximum, char *field, ss_error *error)
{
  int64_t count;
  const ss_status status = ss_value_count(value, (int64_t)minimum, (int64_t)maximum, &count, error);
  if (status == SS_OK) memcpy(field, &count, sizeof count);
  return status;
}

static ss_status assign_real(const ss_value *value, const ss_attribute *row, char *field, ss_error *error)
{
  double real;
  const ss_status status = ss_value_real(value, row->minimum, row->maximum, &real, error);
  if (status == SS_OK) memcpy(field, &real, sizeof real);
  return status;
}

static ss_status assign_choice(const ss_value *value, const ss_attribute *row, char *field, ss_error *error)
{
  int choice;
  const ss_status status = ss_value_word(value, row->words, &choice, error);
  if (status == SS_OK) memcpy(field, &choice, sizeof choice);
  return status;
}

static ss_status assign_set(const ss_value *value, const ss_attribute *row, char *field, ss_error *error)
{
  ss_word_set set;
  const ss_status status = ss_value_words(value, row->words, &set, error);
  if (status == SS_OK) memcpy(field, &set, sizeof set);
  return status;
}

static ss_status assign_quantity(const ss_value *value, const ss_property *row, char *field, ss_error *error)
{
  double quantity;
  const ss_status status = ss_value_quantity(value, row->unit, row->minimum, row->maximum, &quantity, error);
  if (status == SS_OK) memcpy(field, &quantity, sizeof quantity);
  return status;
}

static ss_status assign_curve(const ss_value *value, const ss_property *row, char *field, ss_error *error)
{
  ss_curve curve;
  const ss_status status = ss_value_curve(value, row->unit, row->maximum, &curve, error);
  if (status == SS_OK) memcpy(field, &curve, sizeof curve);
  return status;
}

ss_status ss_workload_assign(ss_workload *workload, const ss_attribute *row, const ss_value *value, int line,
                             ss_error *error)
{
  char *field = (char *)workload + row->offset;
  ss_status status = SS_OK;
  switch (row->type) {
  case SS_ATTRIBUTE_TEXT: status = ss_value_text(value, field, SS_TEXT_SIZE, error); break;
  case SS_ATTRIBUTE_COUNT: status = assign_count(value, row->minimum, row->maximum, field, error); break;
  case SS_ATTRIBUTE_REAL: status = assign_real(value, row, field, error); break;
  case SS_ATTRIBUTE_CHOICE: status = assign_choice(value, row, field, error); break;
  case SS_ATTRIBUTE_SET: status = assign_set(value, row, field, error); break;
  }
  if (status == SS_OK) workload->line[row - ss_workload_attributes()] = line;
  return status;
}

ss_status ss_machine_assign(ss_machine *machine, const ss_property *row, const ss_value *value, int line,
                            ss_error *error)
{
  char *field = (char *)machine + row->offset;
  ss_status status = SS_OK;
  switch (row->type) {
  case SS_PROPERTY_TEXT: status = ss_value_text(value, field, row->size, error); break;
  case SS_PROPERTY_COUNT: status = assign_count(value, row->minimum, row->maximum, field, error); break;
  case SS_PROPERTY_QUANTITY: status = assign_quantity(value, row, field, error); break;
  case SS_PROPERTY_CURVE: status = assign_curve(value, row, field, error); break;
  }
  if (status == SS_OK) machine->line[row - ss_machine_properties()] = line;
  return status;
}

ss_status ss_property_refuse(const ss_value *value, ss_error *error)
{
  ss_list allowed = {.used = 0};
  ss_near near = ss_near_to(value->subject);
  for (int i = 0; i < SS_PROPERTY_TOTAL; i++) {
    ss_list_add(&allowed, "%s", ss_machine_properties()[i].name);
    ss_near_offer(&near, ss_machine_properties()[i].name);
  }
  return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line, "unknown property %s=\"%s\"%s; allowed: %s",
                      value->subject, ss_quote_of(value->text).text, ss_near_hint(&near).text, allowed.text);
}
