#include "sim/import/dialects/dialect_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/input/origin.h"
#include "sim/import/dialects/branches.h"
#include "sim/import/dialects/dialect.h"
#include "sim/import/dialects/known_settings.h"
#include "sim/import/dialects/layout_parts.h"
#include "sim/import/models/model_classes.h"

/* What is taken at the moment. */
typedef struct taking {
  ss_sheet *sheet;
  const ss_dialect *dialect;
  const ss_setting *setting;
  char text[SS_TEXT_SIZE]; /* of its value, or of the first of a list; lists are joined with blanks in `all` */
  char all[SS_TEXT_SIZE];
} taking;

static ss_status refuse(const taking *t, ss_error *error, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, ss_setting_path(t->sheet->settings, t->setting),
                      ss_setting_line(t->setting), "%.64s%s%.64s: %s", t->setting->key, t->all[0] != '\0' ? "=" : "",
                      t->all, problem);
}

static bool is_zero_or_one(const json_t *value)
{
  return json_is_number(value) && (json_number_value(value) == 0.0 || json_number_value(value) == 1.0);
}

/* Whether a flag has a value that is one: values of the environment are texts. The word behind one on a command line
 * may be another argument. */
static bool is_flag(const ss_setting *setting)
{
  static const char *const words[] = {"true", "false", "0", "1"};
  const json_t *value = setting->value;
  bool is = setting->is_next || json_is_boolean(value) || is_zero_or_one(value);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) is = is || ss_setting_is_word(value, words[i]);
  return is;
}

/* A text, without the quotes that are for a shell which it passes. */
static void write_text(const char *value, char text[SS_TEXT_SIZE])
{
  const size_t length = strlen(value);
  const bool quoted = length > 1 && strchr("'\"", value[0]) != NULL && value[length - 1] == value[0];
  (void)snprintf(text, SS_TEXT_SIZE, "%.*s", (int)(quoted ? length - 2 : length), value + quoted);
}

/* Writes a scalar as a user would; what has no room is cut. */
static void write_scalar(const json_t *value, char text[SS_TEXT_SIZE])
{
  text[0] = '\0';
  if (json_is_string(value)) write_text(json_string_value(value), text);
  if (json_is_integer(value)) (void)snprintf(text, SS_TEXT_SIZE, "%lld", (long long)json_integer_value(value));
  if (json_is_real(value)) (void)snprintf(text, SS_TEXT_SIZE, "%.17g", json_real_value(value));
  if (json_is_boolean(value)) (void)snprintf(text, SS_TEXT_SIZE, "%s", json_is_true(value) ? "true" : "false");
}

static void write_texts(taking *t)
{
  const json_t *value = t->setting->value;
  size_t used = 0;
  write_scalar(json_is_array(value) ? json_array_get(value, 0) : value, t->text);
  memcpy(t->all, t->text, sizeof t->all);
  for (size_t i = 0; i < json_array_size(value) && used < sizeof t->all; ++i) {
    char member[SS_TEXT_SIZE];
    write_scalar(json_array_get(value, i), member);
    used += (size_t)snprintf(t->all + used, sizeof t->all - used, "%s%s", used > 0 ? " " : "", member);
  }
}

/* A number in decimal. Behind that of an argument may stand other words, but not another number. */
static bool is_number(const taking *t, double *number)
{
  char *end;
  *number = strtod(t->text, &end);
  if (json_is_number(json_array_get(t->setting->value, 1))) return false;
  return (isdigit((unsigned char)t->text[0]) || t->text[0] == '.') && *end == '\0' && *number <= 1e15 &&
         strspn(t->text, "0123456789.eE+-") == strlen(t->text);
}

static bool is_whole(const taking *t, double least, double most, double *number)
{
  return is_number(t, number) && *number == (double)(int64_t)*number && *number >= least && *number <= most;
}

static ss_status refuse_second(const taking *t, double earlier, int line, ss_error *error)
{
  char problem[SS_MESSAGE_SIZE / 4];
  (void)snprintf(problem, sizeof problem, "was %.15g in line %d; allowed: one value", earlier, line);
  return refuse(t, error, problem);
}

/* Sets an attribute. Branches of a script are all taken, and have to agree. */
static ss_status put(const taking *t, ss_attribute_index index, int64_t number, ss_error *error)
{
  int64_t earlier;
  memcpy(&earlier, (const char *)t->sheet->workload + ss_workload_attributes()[index].offset, sizeof earlier);
  if (t->sheet->is_set[index] && earlier != number)
    return refuse_second(t, (double)earlier, t->sheet->workload->line[index], error);
  t->sheet->is_set[index] = true;
  ss_import_set(t->sheet->import, index, number, t->setting->line);
  return SS_OK;
}

static ss_status take_count(const taking *t, const ss_setting_row *row, ss_error *error)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  char problem[SS_MESSAGE_SIZE / 4];
  double number;
  if (is_whole(t, attribute->minimum, attribute->maximum, &number))
    return put(t, row->attribute, (int64_t)number, error);
  (void)snprintf(problem, sizeof problem,
                 "is not a whole number from %.15g to %.15g; allowed: one, or a variable that the file gives one",
                 attribute->minimum, attribute->maximum);
  return refuse(t, error, problem);
}

/* Dropouts and axes, which several settings say, or one of them again. */
static bool is_of_several(const ss_setting_row *row)
{
  return row->which == SS_VALUE_DROPOUT || row->which == SS_VALUE_OTHER_AXIS;
}

/* Keeps a number; of several the largest. */
static void keep_number(const taking *t, const ss_setting_row *row, double number)
{
  if (is_of_several(row) && number < t->sheet->value[row->which]) return;
  t->sheet->value[row->which] = number;
  t->sheet->value_line[row->which] = t->setting->line;
  t->sheet->value_row[row->which] = row;
}

/* The least number that a row allows beside -1. */
static int64_t least_of(const ss_setting_row *row)
{
  if (row->number >= 0) return row->number;
  return row->use == SS_SETTING_REAL ? 0 : 1;
}

/* Whether a row allows the number that the value is. */
static bool is_allowed(const taking *t, const ss_setting_row *row, double *number)
{
  const double least = (double)least_of(row), most = (double)row->otherwise;
  if (row->number < 0 && strcmp(t->text, "-1") == 0) {
    *number = 0.0;
    return true;
  }
  if (row->use != SS_SETTING_REAL) return is_whole(t, least, most, number);
  return is_number(t, number) && *number >= least && *number <= most;
}

static ss_status refuse_number(const taking *t, const ss_setting_row *row, ss_error *error)
{
  char problem[SS_MESSAGE_SIZE / 4];
  (void)snprintf(problem, sizeof problem, "is not a %s; allowed: %s%d to %d",
                 row->use != SS_SETTING_REAL ? "whole number" : "number", row->number < 0 ? "-1, or " : "",
                 (int)least_of(row), (int)row->otherwise);
  return refuse(t, error, problem);
}

static ss_status take_number(const taking *t, const ss_setting_row *row, ss_error *error)
{
  double number;
  if (!is_allowed(t, row, &number)) return refuse_number(t, row, error);
  if (!is_of_several(row) && t->sheet->value_row[row->which] == row && t->sheet->value[row->which] != number)
    return refuse_second(t, t->sheet->value[row->which], t->sheet->value_line[row->which], error);
  keep_number(t, row, number);
  return SS_OK;
}

/* Nodes, or their GPUs: a variable, a range, a word such as gpu, or -1 for all, is a number where the job runs only. Of
 * several launchers the last one says it. */
static ss_status take_ranks(const taking *t, const ss_setting_row *row, ss_error *error)
{
  char text[SS_TEXT_SIZE + SS_SETTING_KEY_SIZE + 2];
  double number;
  if (is_allowed(t, row, &number)) {
    keep_number(t, row, number);
    return SS_OK;
  }
  const bool is_range = strspn(t->text, "0123456789:-,") == strlen(t->text) && strpbrk(t->text + 1, ":-,") != NULL;
  const bool is_all = strcmp(t->text, "-1") == 0, is_word = strchr("0123456789+-.", t->text[0]) == NULL;
  if (!is_range && !is_all && !is_word && strchr(t->text, '$') == NULL) return refuse_number(t, row, error);
  (void)snprintf(text, sizeof text, "%s=%s", t->setting->key, t->all);
  t->sheet->value_row[row->which] = row; /* it is said, though not how many */
  return ss_import_note(t->sheet->import, SS_NOTE_UNREAD, text, error);
}

/* Refuses what is no flag, and notes what is behind one and only a run knows to be arguments or not. */
static ss_status check_flag(const taking *t, ss_error *error)
{
  if (!is_flag(t->setting)) return refuse(t, error, "is neither true nor false; allowed: one of them");
  return t->setting->is_open ? ss_import_note(t->sheet->import, SS_NOTE_OPEN, t->text, error) : SS_OK;
}

static ss_status take_flag(const taking *t, const ss_setting_row *row, ss_error *error)
{
  const ss_status status = check_flag(t, error);
  if (status != SS_OK) return status;
  const int64_t number = ss_setting_is_false(t->setting->value) ? row->otherwise : row->number;
  if (number < 0) return SS_OK; /* it says nothing */
  t->sheet->is_set[row->attribute] = true;
  ss_import_set(t->sheet->import, row->attribute, number, t->setting->line);
  return SS_OK;
}

static ss_status take_set(const taking *t, const ss_setting_row *row, ss_error *error)
{
  const ss_attribute *attribute = &ss_workload_attributes()[row->attribute];
  char words[SS_TEXT_SIZE], *rest = NULL;
  ss_word_set set = 0;
  memcpy(words, t->all, sizeof words);
  for (char *word = strtok_r(words, " ,[]", &rest); word != NULL; word = strtok_r(NULL, " ,[]", &rest)) {
    int i = 0;
    if (row->text != NULL && strcmp(row->text, word) == 0) {
      set = (ss_word_set)(set | row->number);
      continue;
    }
    while (attribute->words[i] != NULL && strcmp(attribute->words[i], word) != 0) ++i;
    if (attribute->words[i] == NULL) {
      char problem[SS_MESSAGE_SIZE / 2] = "";
      (void)snprintf(problem, sizeof problem, "%.32s is unknown; allowed:", word);
      for (i = 0; attribute->words[i] != NULL; ++i) {
        const size_t used = strlen(problem);
        (void)snprintf(problem + used, sizeof problem - used, " %s", attribute->words[i]);
      }
      return refuse(t, error, problem);
    }
    set = (ss_word_set)(set | SS_WORD_BIT(i));
  }
  memcpy((char *)t->sheet->workload + attribute->offset, &set, sizeof set);
  t->sheet->workload->line[row->attribute] = t->setting->line;
  return SS_OK;
}

/* A word, or, where the row has none, whatever is on: what is off does not undo what another one has picked. */
static ss_status take_pick(const taking *t, const ss_setting_row *row, ss_error *error)
{
  const double picked = t->sheet->value[row->which];
  const ss_status status = row->text == NULL ? check_flag(t, error) : SS_OK;
  if (status != SS_OK) return status;
  if (ss_setting_is_false(t->setting->value) && picked > 0.0 && picked != (double)row->number) return SS_OK;
  keep_number(t, row, ss_setting_is_false(t->setting->value) ? 0.0 : (double)row->number);
  return SS_OK;
}

static ss_status keep_text(const taking *t, const ss_setting_row *row, ss_error *error)
{
  if (strlen(t->all) + 1 == sizeof t->all) return refuse(t, error, "is too long");
  memcpy(t->sheet->text[row->which], t->all, sizeof t->all);
  t->sheet->text_line[row->which] = t->setting->line;
  return SS_OK;
}

/* A text. What is nothing or a scalar beside lists that a layout is made of stands by itself, behind them. */
static ss_status take_text(const taking *t, const ss_setting_row *row, ss_error *error)
{
  const json_t *value = t->setting->value;
  for (size_t i = 0; i < json_array_size(value); ++i)
    if (json_is_null(json_array_get(value, i)))
      return refuse(t, error, "has a part that is nothing; allowed: a text, or a list of lists of layers");
  return ss_sheet_set_text(t->sheet, row->attribute, t->all, t->setting->line, error);
}

/* Whether a row of a word is that of the value. */
static bool is_word(const taking *t, const ss_setting_row *row)
{
  if (row->text == NULL) return !json_is_string(t->setting->value) || row->use == SS_SETTING_PICK;
  return strcmp(row->text, "*") == 0 || strcmp(row->text, t->text) == 0;
}

/* The row of the value among those that stand together from `row` on; NULL: there is none. */
static const ss_setting_row *row_of(const taking *t, const ss_setting_row *row)
{
  for (const char *key = row->key; row->key != NULL; ++row) {
    if (strcmp(row->key, key) != 0) continue;
    if ((row->use != SS_SETTING_WORD && row->use != SS_SETTING_PICK) || is_word(t, row)) return row;
  }
  return NULL;
}

static ss_status refuse_word(const taking *t, const ss_setting_row *row, ss_error *error)
{
  char problem[SS_MESSAGE_SIZE / 2] = "is unknown; allowed:";
  const char *key = row->key;
  for (; row->key != NULL; ++row) {
    const size_t used = strlen(problem);
    if (strcmp(row->key, key) == 0 && row->text != NULL)
      (void)snprintf(problem + used, sizeof problem - used, " %s", row->text);
  }
  return refuse(t, error, problem);
}

static ss_status note(const taking *t, ss_note_kind kind, const char *text, ss_error *error)
{
  char joined[SS_TEXT_SIZE + SS_SETTING_KEY_SIZE + 2];
  if (text == NULL) return ss_import_note(t->sheet->import, kind, t->setting->key, error);
  (void)snprintf(joined, sizeof joined, "%s: %s", t->setting->key, text);
  return ss_import_note(t->sheet->import, kind, joined, error);
}

static ss_status take(const taking *t, const ss_setting_row *row, ss_error *error)
{
  switch (row->use) {
  case SS_SETTING_COUNT: return take_count(t, row, error);
  case SS_SETTING_TEXT: return take_text(t, row, error);
  case SS_SETTING_PARTS: return ss_layout_part_add(t->sheet, row->attribute, t->setting, error);
  case SS_SETTING_SET: return take_set(t, row, error);
  case SS_SETTING_FLAG: return take_flag(t, row, error);
  case SS_SETTING_WORD:
    if (strcmp(row->text, "*") == 0) return SS_OK;
    t->sheet->is_set[row->attribute] = true;
    ss_import_set(t->sheet->import, row->attribute, row->number, t->setting->line);
    return SS_OK;
  case SS_SETTING_REAL:
  case SS_SETTING_WHOLE: return take_number(t, row, error);
  case SS_SETTING_RANKS: return take_ranks(t, row, error);
  case SS_SETTING_PICK: return take_pick(t, row, error);
  case SS_SETTING_KEEP: return keep_text(t, row, error);
  case SS_SETTING_IDLE: return note(t, SS_NOTE_IDLE, NULL, error);
  case SS_SETTING_LEFT_OUT: return note(t, SS_NOTE_LEFT_OUT, row->text, error);
  case SS_SETTING_MATTERS: return note(t, SS_NOTE_MATTERS, row->text, error);
  case SS_SETTING_RECIPE: return note(t, SS_NOTE_RECIPE, t->all, error);
  case SS_SETTING_REFUSED: break;
  }
  return refuse(t, error, row->text);
}

/* Rows of what is not taken, and may be off. Of a row that has words, auto is one as others are. */
static const unsigned may_be_off = 1u << SS_SETTING_LEFT_OUT | 1u << SS_SETTING_MATTERS | 1u << SS_SETTING_REFUSED;
static const unsigned takes_words = 1u << SS_SETTING_TEXT | 1u << SS_SETTING_SET | 1u << SS_SETTING_WORD |
                                    1u << SS_SETTING_RANKS | 1u << SS_SETTING_KEEP | 1u << SS_SETTING_IDLE |
                                    1u << SS_SETTING_RECIPE | may_be_off;

/* Rows whose value may be an empty mapping, which says nothing. */
static const unsigned takes_empty = 1u << SS_SETTING_WORD | 1u << SS_SETTING_FLAG | 1u << SS_SETTING_PICK;

/* What only a run knows is left out: where a row has a use for it, that matters. */
static ss_status leave_unknown(const taking *t, const ss_setting_row *row, ss_error *error)
{
  char text[SS_TEXT_SIZE];
  const bool is_idle = row->use == SS_SETTING_IDLE, is_little = row->use == SS_SETTING_LEFT_OUT;
  if (is_idle) return note(t, SS_NOTE_IDLE, NULL, error);
  (void)snprintf(text, sizeof text, "only a run knows %.200s", t->setting->unknown);
  return note(t, is_little ? SS_NOTE_LEFT_OUT : SS_NOTE_MATTERS, text, error);
}

/* Takes a setting; the names of classes and functions that YAML of Python has are noted. */
static ss_status take_setting(taking *t, const ss_setting *setting, ss_error *error)
{
  const ss_setting_row *row = ss_dialect_row(t->dialect, setting->key);
  const bool is_empty = json_is_array(setting->value) && json_array_size(setting->value) == 0;
  t->setting = setting;
  write_texts(t);
  if (row != NULL && setting->unknown != NULL) return leave_unknown(t, row, error);
  if (row == NULL) return note(t, ss_setting_is_off(setting->value) ? SS_NOTE_OFF : SS_NOTE_IDLE, NULL, error);
  if (json_is_null(setting->value) || ((may_be_off & 1u << row->use) != 0 && ss_setting_is_off(setting->value)))
    return SS_OK;
  if (is_empty && (takes_empty & 1u << row->use) != 0) return note(t, SS_NOTE_OFF, NULL, error);
  const ss_setting_row *own = row_of(t, row);
  const bool takes_any = own != NULL && (takes_words & 1u << own->use) != 0;
  if (strcmp(t->text, "auto") == 0 && !takes_any)
    return note(t, SS_NOTE_UNREAD, "auto, which is another program's to choose", error);
  return own != NULL ? take(t, own, error) : refuse_word(t, row, error);
}

/* Leaves a setting that another section goes over; what has no influence on time, or is the same, is worth no note. */
static ss_status leave(taking *t, const ss_setting *setting, ss_error *error)
{
  char text[SS_TEXT_SIZE + SS_SETTING_KEY_SIZE + 2];
  const ss_setting_row *row = ss_dialect_row(t->dialect, setting->key);
  if (row == NULL || row->use == SS_SETTING_IDLE || json_is_null(setting->value)) return SS_OK;
  if (ss_dialect_repeats(t->dialect, t->sheet->settings, setting)) return SS_OK;
  t->setting = setting;
  write_texts(t);
  (void)snprintf(text, sizeof text, "%s=%s", setting->key, t->all);
  return ss_import_note(t->sheet->import, SS_NOTE_OVER, text, error);
}

/* Refuses the first setting that would be another prediction, whatever else the file has. */
static ss_status check_refused(ss_sheet *sheet, const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  taking t = {.sheet = sheet, .dialect = dialect};
  for (int64_t i = 0; i < settings->count; ++i) {
    t.setting = &settings->setting[i];
    const ss_setting_row *row = ss_dialect_row(dialect, t.setting->key);
    if (row == NULL || row->use != SS_SETTING_REFUSED || ss_setting_is_off(t.setting->value)) continue;
    write_texts(&t);
    return refuse(&t, error, row->text);
  }
  return SS_OK;
}

/* A second value of a setting is the one that counts; it is refused where that may matter. */
static ss_status check_again(ss_sheet *sheet, const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < settings->count; ++i) {
    const ss_setting *setting = &settings->setting[i];
    const ss_setting_row *row = setting->again > 0 ? ss_dialect_row(dialect, setting->key) : NULL;
    char text[SS_SETTING_KEY_SIZE + 64];
    if (setting->again == 0) continue;
    if (row == NULL || row->use != SS_SETTING_IDLE)
      return ss_settings_refuse_again(settings, setting, setting->again, error);
    (void)snprintf(text, sizeof text, "%s again in line %d, which counts", setting->key, setting->again);
    status = ss_import_note(sheet->import, SS_NOTE_IDLE, text, error);
  }
  return status;
}

/* What holds without a setting, where no earlier file says it. */
static void apply_defaults(const ss_sheet *s, const ss_dialect *dialect)
{
  for (int i = 0; i < dialect->defaults_count; ++i) {
    const ss_setting_default *row = &dialect->defaults[i];
    if (s->workload->line[row->attribute] != SS_LINE_DEFAULT) continue;
    if (row->of_model && !s->is_set[SS_AT_model_layers]) continue;
    ss_import_set(s->import, row->attribute, row->value, 1);
    s->import->of_release[row->attribute] = row->of_release;
  }
}

static ss_status fill(ss_sheet *sheet, const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  taking t = {.sheet = sheet, .dialect = dialect};
  ss_status status = SS_OK;
  for (int64_t i = 0; status == SS_OK && i < settings->count; ++i)
    status = ss_dialect_is_void(dialect, settings, &settings->setting[i])
                 ? leave(&t, &settings->setting[i], error)
                 : take_setting(&t, &settings->setting[i], error);
  if (status == SS_OK && dialect->builds_up && sheet->import->earlier != NULL)
    ss_sheet_inherit(sheet, sheet->import->earlier);
  if (status == SS_OK) apply_defaults(sheet, dialect);
  for (int i = 0; status == SS_OK && i < *dialect->joint_count; ++i)
    if (dialect->joints[i].read != NULL) status = dialect->joints[i].read(sheet, error);
  if (status == SS_OK) ss_sheet_name_model(sheet);
  return status;
}

/* What a file has said is there for those that go over it, which may have the other half of what belongs together. */
static void keep_sheet(ss_import *import, const ss_dialect *dialect, ss_sheet *sheet)
{
  if (dialect->builds_up) {
    ss_sheet *earlier = import->earlier;
    import->earlier = sheet;
    sheet = earlier;
  }
  free(sheet);
}

ss_status ss_dialect_read(ss_import *import, const ss_dialect *dialect, const ss_settings *settings, ss_error *error)
{
  if (dialect == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, settings->source->path, 0,
                        "has no settings that are known; allowed: a config.json, arguments of Megatron-LM, YAML of "
                        "Megatron-Bridge, NeMo, llm-foundry or MaxText, TOML of TorchTitan, JSON of DeepSpeed");
  ss_sheet *sheet = malloc(sizeof *sheet);
  if (sheet == NULL)
    return ss_error_set(error, SS_ERROR_MEMORY, settings->source->path, 0, "out of memory for settings");
  ss_sheet_init(sheet, import, import->workload, settings->source->path);
  sheet->settings = settings;
  import->has_strategy = true;
  if (ss_dialect_has_strategy(dialect, settings)) import->stacks = dialect->stacks;
  ss_status status = check_refused(sheet, dialect, settings, error);
  if (status == SS_OK) status = ss_known_check(dialect, settings, error);
  if (status == SS_OK) status = check_again(sheet, dialect, settings, error);
  if (status == SS_OK) status = ss_branches_check(import, dialect, settings, error);
  const ss_setting *named = status == SS_OK ? ss_model_class_set(import, settings) : NULL;
  if (status == SS_OK) status = fill(sheet, dialect, settings, error);
  keep_sheet(import, dialect, sheet);
  if (status == SS_OK && named != NULL && import->workload->model.layers == 0)
    return ss_model_class_refuse(settings, named, error);
  return status;
}
