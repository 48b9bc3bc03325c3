/* A workload between a file and its attributes: what several settings say together, before or after it is worked out.
 */
#ifndef STEPSIM_SIM_IMPORT_DIALECTS_SHEET_H
#define STEPSIM_SIM_IMPORT_DIALECTS_SHEET_H

#include <stdbool.h>

#include "sim/import/dialects/setting_row.h"
#include "sim/import/models/draft.h"

/* A value that no setting has given. */
#define SS_NOT_GIVEN (-1.0)

typedef struct ss_sheet {
  ss_import *import; /* that is filled; NULL where settings are written */
  ss_workload *workload;
  const char *path;
  const struct ss_settings *settings; /* of the file that is read; borrowed */
  double value[SS_VALUES];            /* SS_NOT_GIVEN where it is not given */
  int value_line[SS_VALUES];
  const ss_setting_row *value_row[SS_VALUES]; /* that has given it; NULL: none */
  char text[SS_SHEET_TEXTS][SS_TEXT_SIZE];    /* empty where it is not given */
  int text_line[SS_SHEET_TEXTS];
  bool is_set[SS_ATTRIBUTE_TOTAL]; /* by the file that is read, or one that it goes over */
  ss_emit_nodes nodes;             /* where settings are written */
} ss_sheet;

/* What several settings say together: read, and written; either may be NULL. */
typedef struct ss_joint {
  ss_status (*read)(ss_sheet *sheet, ss_error *error);
  void (*write)(ss_sheet *sheet);
} ss_joint;

/* A sheet without values. */
void ss_sheet_init(ss_sheet *sheet, ss_import *import, ss_workload *workload, const char *path);

/* Takes from an earlier file what the one that is read does not say. */
void ss_sheet_inherit(ss_sheet *sheet, const ss_sheet *earlier);

/* A value as a whole number; what is not given, or not above 0, is `fallback`. */
int64_t ss_sheet_given(const ss_sheet *sheet, ss_sheet_value which, int64_t fallback);

/* Gives a value that is above 0; else it stays as it is. */
void ss_sheet_give(ss_sheet *sheet, ss_sheet_value which, double value);

/* Sets an attribute of what is read, at the line of a value. */
void ss_sheet_set(ss_sheet *sheet, ss_attribute_index index, int64_t number, ss_sheet_value from);

/* The same of a number that has to be within the attribute's bounds: SS_ERROR_INPUT. */
ss_status ss_sheet_set_within(ss_sheet *sheet, ss_attribute_index index, double number, ss_sheet_value from,
                              ss_error *error);

/* Sets an attribute that is a text, at a line; nothing where it is too long: SS_ERROR_INPUT. */
ss_status ss_sheet_set_text(ss_sheet *sheet, ss_attribute_index index, const char *text, int line, ss_error *error);

/* Names a model that has no name after its file, without folder and extension, which is no number. */
void ss_sheet_name_model(const ss_sheet *sheet);

/* Refuses a number that a setting gave, with its key. Always SS_ERROR_INPUT. */
ss_status ss_sheet_refuse_number(const ss_sheet *sheet, ss_sheet_value which, const char *problem, ss_error *error);

/* Refuses a text that was kept. Always SS_ERROR_INPUT. */
ss_status ss_sheet_refuse(const ss_sheet *sheet, ss_sheet_text which, const char *problem, ss_error *error);

#endif
