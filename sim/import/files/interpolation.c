#include "sim/import/files/interpolation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/import/shell/variables.h"

/* Far deeper than values stand for one another; a circle of them ends by itself. */
enum { MOST_DEPTH = 64 };

static double multiply(double a, double b)
{
  return a * b;
}

static double divide_ceil(double a, double b)
{
  return ceil(a / b);
}

static double divide_floor(double a, double b)
{
  return floor(a / b);
}

/* launcher_scripts/main.py of NVIDIA/NeMo-Framework-Launcher */
static const struct {
  const char *name;
  double (*value)(double a, double b);
} functions[] = {{"multiply", multiply}, {"divide_ceil", divide_ceil}, {"divide_floor", divide_floor}};

/* What is resolved: the section of a setting, whose name ends at `length` of its key. */
typedef struct place {
  ss_settings *settings;
  const char *key;
  size_t length;
  int depth;
} place;

static json_t *value_of(const place *at, const char *text, size_t length);

static void resolve(ss_settings *settings, ss_setting *setting, int depth);

/* Where the section of the first bytes of a key ends. */
static size_t section_of(const char *key, size_t length)
{
  while (length > 0 && key[length - 1] != '.') --length;
  return length > 0 ? length - 1 : 0;
}

/* The value of another setting, by its whole name or from the section of this one. */
static json_t *other_value(const place *at, const char *name, size_t length)
{
  char key[SS_SETTING_KEY_SIZE];
  size_t section = at->length, dots = 0;
  while (dots < length && name[dots] == '.') ++dots;
  for (size_t i = 1; i < dots; ++i) section = section_of(at->key, section);
  if (dots == 0) section = 0;
  const size_t dot = section > 0, rest = length - dots;
  if (rest == 0 || section + dot + rest >= sizeof key) return NULL;
  memcpy(key, at->key, section);
  key[section] = '.';
  memcpy(key + section + dot, name + dots, rest);
  key[section + dot + rest] = '\0';
  const ss_setting *other = ss_settings_find(at->settings, key);
  if (other == NULL) return NULL;
  resolve(at->settings, &at->settings->setting[other - at->settings->setting], at->depth + 1);
  return json_incref(other->value);
}

/* A number, or what stands for one; NAN: neither. */
static double number_of(const place *at, const char *text, size_t length)
{
  char copy[SS_SETTING_KEY_SIZE];
  while (length > 0 && isspace((unsigned char)text[0])) ++text, --length;
  while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
  if (length == 0 || length >= sizeof copy) return NAN;
  memcpy(copy, text, length);
  copy[length] = '\0';
  json_t *value = copy[0] == '$' ? value_of(at, copy, length) : ss_setting_value(copy);
  const double number = json_is_number(value) ? json_number_value(value) : NAN;
  json_decref(value);
  return number;
}

/* Where the first of two arguments ends, behind what is in braces. */
static size_t first_argument(const char *text, size_t length)
{
  size_t i = 0;
  for (int depth = 0; i < length && (text[i] != ',' || depth > 0); ++i) depth += (text[i] == '{') - (text[i] == '}');
  return i;
}

/* A function of two numbers; NULL: the name is none of one, or it has others. */
static json_t *function_value(const place *at, const char *name, size_t name_length, const char *text, size_t length)
{
  const size_t first = first_argument(text, length), functions_count = sizeof functions / sizeof functions[0];
  size_t i = 0;
  while (i < functions_count &&
         (strlen(functions[i].name) != name_length || strncmp(functions[i].name, name, name_length) != 0))
    ++i;
  if (i == functions_count || first >= length) return NULL;
  const double value =
      functions[i].value(number_of(at, text, first), number_of(at, text + first + 1, length - first - 1));
  if (!isfinite(value)) return NULL;
  return value == trunc(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

/* The value that a file ahead has given a variable; NULL: none has. */
static json_t *given_value(const place *at, const char *name, size_t length)
{
  const ss_shell_variable *variable =
      at->settings->given != NULL ? ss_shell_find(at->settings->given, name, length) : NULL;
  return variable != NULL && variable->is_known ? ss_setting_value(variable->value) : NULL;
}

/* The value that stands for ${...}; NULL where the text stays as it is. */
static json_t *value_of(const place *at, const char *text, size_t length)
{
  char body[SS_SETTING_KEY_SIZE];
  if (length < 4 || length >= sizeof body || strncmp(text, "${", 2) != 0 || text[length - 1] != '}') return NULL;
  memcpy(body, text + 2, length - 3);
  body[length - 3] = '\0';
  const char *colon = strchr(body, ':');
  json_t *given = given_value(at, body, colon != NULL ? (size_t)(colon - body) : length - 3);
  if (given != NULL) return given;
  if (colon == NULL) return strpbrk(body, "{},") == NULL ? other_value(at, body, length - 3) : NULL;
  if (!isupper((unsigned char)body[0]))
    return function_value(at, body, (size_t)(colon - body), colon + 1, strlen(colon + 1));
  return strpbrk(body, "{},") == NULL ? ss_setting_value(colon + 1 + (colon[1] == '-')) : NULL;
}

/* Once, whoever refers to it. */
static void resolve(ss_settings *settings, ss_setting *setting, int depth)
{
  const char *text = json_string_value(setting->value);
  const place at = {settings, setting->key, section_of(setting->key, strlen(setting->key)), depth};
  if (setting->is_resolved || text == NULL || depth == MOST_DEPTH) return;
  setting->is_resolved = true;
  json_t *value = value_of(&at, text, strlen(text));
  if (value == NULL) return;
  json_decref(setting->value);
  setting->value = value;
}

void ss_settings_resolve(ss_settings *settings)
{
  for (int64_t i = 0; i < settings->count; ++i) resolve(settings, &settings->setting[i], 0);
}
