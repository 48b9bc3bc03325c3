/* TOML 1.0 (toml.io/en/v1.0.0), but for what ss_toml_read says. Debian has no library for C, but for C++ only. */
#include "sim/import/files/toml.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16, TEXT_SIZE = 4096, NUMBER_SIZE = 64 };

typedef struct reader {
  ss_settings *settings;
  const char *at;
  int line, depth;
  char table[SS_SETTING_KEY_SIZE]; /* that the keys are in */
  json_t *tables;                  /* the names of those that have begun; owned */
} reader;

static ss_status refuse(const reader *r, ss_error *error, const char *problem)
{
  return ss_error_set(error, SS_ERROR_INPUT, r->settings->source->path, r->line, "%s", problem);
}

static ss_status lack_memory(const reader *r, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, r->settings->source->path, 0, "out of memory for TOML");
}

static void pass_blanks(reader *r)
{
  r->at += strspn(r->at, " \t");
}

/* Passes blanks and a comment, up to the end of the line. */
static void pass_rest(reader *r)
{
  pass_blanks(r);
  if (*r->at == '#') r->at += strcspn(r->at, "\n");
  if (r->at[0] == '\r' && r->at[1] == '\n') ++r->at;
}

/* Passes blanks, comments and ends of lines. */
static void pass_lines(reader *r)
{
  for (pass_rest(r); *r->at == '\n'; pass_rest(r)) {
    ++r->line;
    ++r->at;
  }
}

/* Appends a code point in UTF-8. */
static size_t put_code(char *text, unsigned long code)
{
  size_t size = 0;
  if (code < 0x80) {
    text[size++] = (char)code;
  } else if (code < 0x800) {
    text[size++] = (char)(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    text[size++] = (char)(0xe0 | code >> 12);
    text[size++] = (char)(0x80 | (code >> 6 & 0x3f));
  } else {
    text[size++] = (char)(0xf0 | code >> 18);
    text[size++] = (char)(0x80 | (code >> 12 & 0x3f));
    text[size++] = (char)(0x80 | (code >> 6 & 0x3f));
  }
  if (code >= 0x80) text[size++] = (char)(0x80 | (code & 0x3f));
  return size;
}

/* Reads the digits of \u and \U. */
static bool read_code(reader *r, int digits, unsigned long *code)
{
  *code = 0;
  for (int i = 0; i < digits; ++i, ++r->at) {
    if (!isxdigit((unsigned char)*r->at)) return false;
    const char digit[2] = {*r->at, '\0'};
    *code = 16 * *code + strtoul(digit, NULL, 16);
  }
  return *code > 0 && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
}

/* Reads what is behind a backslash into `text`, and moves past it; 0 bytes where there is no such thing. */
static size_t read_escape(reader *r, char *text)
{
  static const char names[] = "btnfr\"\\", bytes[] = "\b\t\n\f\r\"\\";
  const char letter = *r->at;
  const char *name = letter != '\0' ? strchr(names, letter) : NULL;
  unsigned long code;
  if (name != NULL) {
    ++r->at;
    text[0] = bytes[name - names];
    return 1;
  }
  if (letter != 'u' && letter != 'U') return 0;
  ++r->at;
  return read_code(r, letter == 'u' ? 4 : 8, &code) ? put_code(text, code) : 0;
}

/* Reads a string in quotes of either kind. */
static ss_status read_text(reader *r, char text[TEXT_SIZE], ss_error *error)
{
  const char quote = *r->at;
  size_t used = 0;
  if (r->at[1] == quote && r->at[2] == quote)
    return refuse(r, error, "has a string of several lines; allowed: one line");
  for (++r->at; *r->at != quote;) {
    const unsigned char byte = (unsigned char)*r->at;
    if (byte == '\0' || byte == '\n') return refuse(r, error, "has a string without its end");
    if ((byte < ' ' && byte != '\t') || byte == 0x7f) return refuse(r, error, "has a control character in a string");
    if (used + 4 >= TEXT_SIZE) return refuse(r, error, "has a string that is too long");
    ++r->at;
    if (byte == '\\' && quote == '"') {
      const size_t size = read_escape(r, text + used);
      if (size == 0)
        return refuse(r, error, "has an unknown escape in a string; allowed: \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX");
      used += size;
    } else {
      text[used++] = (char)byte;
    }
  }
  ++r->at;
  text[used] = '\0';
  return SS_OK;
}

static bool is_bare(char byte)
{
  return isalnum((unsigned char)byte) || byte == '_' || byte == '-';
}

/* Reads names with dots between them, which are behind `table`. */
static ss_status read_key(reader *r, const char *table, char key[SS_SETTING_KEY_SIZE], ss_error *error)
{
  char name[TEXT_SIZE], before[SS_SETTING_KEY_SIZE];
  (void)snprintf(key, SS_SETTING_KEY_SIZE, "%s", table);
  for (;; ++r->at) {
    ss_status status = SS_OK;
    size_t length = 0;
    pass_blanks(r);
    while (is_bare(r->at[length])) ++length;
    if (*r->at == '"' || *r->at == '\'') {
      status = read_text(r, name, error);
    } else if (length == 0 || length >= TEXT_SIZE) {
      return refuse(r, error, "has no key where one is expected; allowed: letters, digits, - and _, or quotes");
    } else {
      memcpy(name, r->at, length);
      name[length] = '\0';
      r->at += length;
    }
    memcpy(before, key, sizeof before);
    if (status == SS_OK) status = ss_setting_join(r->settings, before, name, r->line, key, error);
    pass_blanks(r);
    if (status != SS_OK || *r->at != '.') return status;
  }
}

/* A number without its underscores, each of which has digits on both sides; false where it is none. */
static bool copy_number(const char *text, size_t length, char number[NUMBER_SIZE])
{
  size_t used = 0;
  if (length == 0 || length >= NUMBER_SIZE) return false;
  for (size_t i = 0; i < length; ++i) {
    const bool between = i > 0 && isxdigit((unsigned char)text[i - 1]) && isxdigit((unsigned char)text[i + 1]);
    if (text[i] == '_' && (!between || i + 1 == length)) return false;
    if (text[i] != '_') number[used++] = text[i];
  }
  number[used] = '\0';
  return true;
}

/* A whole number with a prefix of its base; NULL where it is none. */
static json_t *based_of(const char *number)
{
  static const char letters[] = "xob";
  static const int bases[] = {16, 8, 2};
  const char *letter = number[0] == '0' && number[1] != '\0' ? strchr(letters, number[1]) : NULL;
  char *end;
  if (letter == NULL || !isxdigit((unsigned char)number[2])) return NULL;
  errno = 0;
  const long long count = strtoll(number + 2, &end, bases[letter - letters]);
  return *end == '\0' && errno == 0 ? json_integer(count) : NULL;
}

/* Whether text is digits, a fraction and an exponent as TOML has them: without leading zeros, with digits around a
 * point. */
static bool is_decimal(const char *at, bool *real)
{
  at += *at == '+' || *at == '-';
  const size_t whole = strspn(at, "0123456789");
  if (whole == 0 || (whole > 1 && at[0] == '0')) return false;
  at += whole;
  *real = *at != '\0';
  if (*at == '.') {
    const size_t digits = strspn(at + 1, "0123456789");
    if (digits == 0) return false;
    at += 1 + digits;
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    at += *at == '+' || *at == '-';
    const size_t digits = strspn(at, "0123456789");
    if (digits == 0) return false;
    at += digits;
  }
  return *at == '\0';
}

static json_t *decimal_of(const char *number)
{
  bool real;
  if (!is_decimal(number, &real)) return NULL;
  errno = 0;
  if (real) return json_real(strtod(number, NULL));
  const long long count = strtoll(number, NULL, 10);
  return errno == 0 ? json_integer(count) : NULL;
}

/* Reads a truth value or a number. */
static ss_status read_word(reader *r, json_t **value, ss_error *error)
{
  char number[NUMBER_SIZE];
  const size_t length = strcspn(r->at, " \t\r\n,]}#");
  const char *word = r->at;
  *value = NULL;
  r->at += length;
  if (length == 4 && strncmp(word, "true", 4) == 0) *value = json_true();
  if (length == 5 && strncmp(word, "false", 5) == 0) *value = json_false();
  if (*value != NULL) return SS_OK;
  if (copy_number(word, length, number)) {
    *value = based_of(number);
    if (*value == NULL) *value = decimal_of(number);
  }
  if (*value != NULL) return SS_OK;
  return refuse(r, error, "has a value that is none; allowed: true, false, a finite number, a string, [ ] or { }");
}

static ss_status read_value(reader *r, const char *key, json_t **value, ss_error *error);

/* Reads [VALUE, ...], over several lines. */
static ss_status read_array(reader *r, const char *key, json_t *list, ss_error *error)
{
  ++r->at;
  for (pass_lines(r); *r->at != ']'; pass_lines(r)) {
    json_t *member;
    const int64_t before = r->settings->count;
    const ss_status status = read_value(r, key, &member, error);
    if (status != SS_OK) return status;
    if (member == NULL || r->settings->count > before)
      return refuse(r, error, "has tables in an array; allowed: values");
    if (json_array_append_new(list, member) != 0) return lack_memory(r, error);
    pass_lines(r);
    if (*r->at == ',')
      ++r->at;
    else if (*r->at != ']')
      return refuse(r, error, "has no comma between values of an array");
  }
  ++r->at;
  return SS_OK;
}

static ss_status read_pair(reader *r, const char *table, ss_error *error);

/* Reads {KEY = VALUE, ...}, on one line; its members have settings of their own. Without any it is an empty list. */
static ss_status read_inline(reader *r, const char *key, ss_error *error)
{
  ss_status status = SS_OK;
  ++r->at;
  pass_blanks(r);
  if (*r->at == '}') status = ss_settings_add_once(r->settings, key, json_array(), r->line, error);
  while (status == SS_OK && *r->at != '}') {
    status = read_pair(r, key, error);
    pass_blanks(r);
    if (status == SS_OK && *r->at != ',' && *r->at != '}')
      return refuse(r, error, "has no comma in a table of one line");
    if (status == SS_OK && *r->at == ',') {
      ++r->at;
      pass_blanks(r);
      if (*r->at == '}') return refuse(r, error, "has a comma at the end of a table of one line");
    }
  }
  if (status == SS_OK) ++r->at;
  return status;
}

/* Reads the value of a key; NULL for that of a table, whose members are added. */
static ss_status read_value(reader *r, const char *key, json_t **value, ss_error *error)
{
  char text[TEXT_SIZE];
  ss_status status;
  *value = NULL;
  if (r->depth == MOST_DEPTH) return refuse(r, error, "is nested too deep");
  ++r->depth;
  if (*r->at == '"' || *r->at == '\'') {
    status = read_text(r, text, error);
    if (status == SS_OK && (*value = json_string(text)) == NULL) status = refuse(r, error, "is not UTF-8");
  } else if (*r->at == '[') {
    *value = json_array();
    status = *value != NULL ? read_array(r, key, *value, error) : lack_memory(r, error);
  } else {
    status = *r->at == '{' ? read_inline(r, key, error) : read_word(r, value, error);
  }
  --r->depth;
  if (status == SS_OK) return SS_OK;
  json_decref(*value);
  *value = NULL;
  return status;
}

static ss_status read_pair(reader *r, const char *table, ss_error *error)
{
  char key[SS_SETTING_KEY_SIZE];
  json_t *value;
  const int line = r->line;
  ss_status status = read_key(r, table, key, error);
  if (status != SS_OK) return status;
  if (*r->at != '=') return refuse(r, error, "has no = behind a key");
  ++r->at;
  pass_blanks(r);
  status = read_value(r, key, &value, error);
  if (status != SS_OK || value == NULL) return status;
  return ss_settings_add_once(r->settings, key, value, line, error);
}

/* Reads [TABLE]. */
static ss_status read_header(reader *r, ss_error *error)
{
  if (r->at[1] == '[') return refuse(r, error, "has an array of tables; allowed: [TABLE]");
  ++r->at;
  const ss_status status = read_key(r, "", r->table, error);
  if (status != SS_OK) return status;
  if (*r->at != ']') return refuse(r, error, "has no ] behind the name of a table");
  ++r->at;
  if (json_object_get(r->tables, r->table) != NULL || ss_settings_find(r->settings, r->table) != NULL)
    return refuse(r, error, "begins a table again, or one with the name of a key; allowed: each once");
  return json_object_set_new(r->tables, r->table, json_true()) == 0 ? SS_OK : lack_memory(r, error);
}

ss_status ss_toml_read(ss_settings *settings, ss_error *error)
{
  reader r = {.settings = settings, .at = settings->source->text, .line = 1, .tables = json_object()};
  ss_status status = r.tables != NULL ? SS_OK : lack_memory(&r, error);
  if (status == SS_OK) pass_lines(&r);
  while (status == SS_OK && *r.at != '\0') {
    status = *r.at == '[' ? read_header(&r, error) : read_pair(&r, r.table, error);
    pass_rest(&r);
    if (status == SS_OK && *r.at != '\n' && *r.at != '\0') status = refuse(&r, error, "goes on behind a value");
    if (status == SS_OK) pass_lines(&r);
  }
  json_decref(r.tables);
  return status;
}
