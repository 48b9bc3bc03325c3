#include "sim/import/dialects/sheet.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/input/origin.h"

void ss_sheet_init(ss_sheet *sheet, ss_import *import, ss_workload *workload, const char *path)
{
  *sheet = (ss_sheet){.import = import, .workload = workload, .path = path};
  for (int i = 0; i < SS_VALUES; ++i) sheet->value[i] = SS_NOT_GIVEN;
}

void ss_sheet_inherit(ss_sheet *sheet, const ss_sheet *earlier)
{
  for (int i = 0; i < SS_VALUES; ++i) {
    if (sheet->value_row[i] != NULL || earlier->value_row[i] == NULL) continue;
    sheet->value[i] = earlier->value[i];
    sheet->value_line[i] = earlier->value_line[i];
    sheet->value_row[i] = earlier->value_row[i];
  }
  for (int i = 0; i < SS_SHEET_TEXTS; ++i) {
    if (sheet->text[i][0] != '\0' || earlier->text[i][0] == '\0') continue;
    memcpy(sheet->text[i], earlier->text[i], sizeof sheet->text[i]);
    sheet->text_line[i] = earlier->text_line[i];
  }
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) sheet->is_set[i] = sheet->is_set[i] || earlier->is_set[i];
}

int64_t ss_sheet_given(const ss_sheet *sheet, ss_sheet_value which, int64_t fallback)
{
  return sheet->value[which] >= 1.0 ? (int64_t)sheet->value[which] : fallback;
}

void ss_sheet_give(ss_sheet *sheet, ss_sheet_value which, double value)
{
  if (value > 0.0) sheet->value[which] = value;
}

void ss_sheet_set(ss_sheet *sheet, ss_attribute_index index, int64_t number, ss_sheet_value from)
{
  const int line = sheet->value_line[from];
  ss_import_set(sheet->import, index, number, line > 0 ? line : 1);
}

ss_status ss_sheet_set_within(ss_sheet *sheet, ss_attribute_index index, double number, ss_sheet_value from,
                              ss_error *error)
{
  const ss_attribute *row = &ss_workload_attributes()[index];
  if (number >= row->minimum && number <= row->maximum) {
    ss_sheet_set(sheet, index, (int64_t)number, from);
    return SS_OK;
  }
  return ss_error_set(error, SS_ERROR_INPUT, sheet->path, sheet->value_line[from],
                      "%s.%s is %.15g by this; allowed: %.15g to %.15g", row->element, row->name, number, row->minimum,
                      row->maximum);
}

ss_status ss_sheet_set_text(ss_sheet *sheet, ss_attribute_index index, const char *text, int line, ss_error *error)
{
  const ss_attribute *row = &ss_workload_attributes()[index];
  if (strlen(text) >= SS_TEXT_SIZE)
    return ss_error_set(error, SS_ERROR_INPUT, sheet->path, line, "%s.%s is longer than %d bytes", row->element,
                        row->name, SS_TEXT_SIZE - 1);
  SS_ASSERT(row->type == SS_ATTRIBUTE_TEXT);
  memcpy((char *)sheet->workload + row->offset, text, strlen(text) + 1);
  sheet->workload->line[index] = line > 0 ? line : 1;
  return SS_OK;
}

ss_status ss_sheet_refuse_number(const ss_sheet *sheet, ss_sheet_value which, const char *problem, ss_error *error)
{
  SS_ASSERT(sheet->value_row[which] != NULL);
  return ss_error_set(error, SS_ERROR_INPUT, sheet->path, sheet->value_line[which], "%s=%.15g: %s",
                      sheet->value_row[which]->key, sheet->value[which], problem);
}

ss_status ss_sheet_refuse(const ss_sheet *sheet, ss_sheet_text which, const char *problem, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, sheet->path, sheet->text_line[which], "\"%.64s\": %s", sheet->text[which],
                      problem);
}

void ss_sheet_name_model(const ss_sheet *sheet)
{
  ss_workload *w = sheet->workload;
  const char *slash = strrchr(sheet->path, '/');
  const char *name = slash != NULL ? slash + 1 : sheet->path, *dot = strrchr(name, '.');
  if (w->line[SS_AT_model_name] != SS_LINE_DEFAULT) return;
  const size_t length = dot != NULL && isalpha((unsigned char)dot[1]) ? (size_t)(dot - name) : strlen(name);
  (void)snprintf(w->model.name, SS_TEXT_SIZE, "%.*s", (int)(length < SS_TEXT_SIZE ? length : SS_TEXT_SIZE - 1), name);
  w->line[SS_AT_model_name] = 1;
}
