#include "sim/import/python/operators.h"

#include <math.h>
#include <string.h>

/* Of lists, and bytes of texts. */
enum { MOST_MEMBERS = 65536, MOST_BYTES = 4096 };

static const double largest = 9007199254740992.0; /* 2^53: above, doubles are no whole numbers one by one */

static double power(double base, double exponent)
{
  return pow(base, exponent);
}

static double floored(double a, double b)
{
  return floor(a / b);
}

static double rest(double a, double b)
{
  return a - b * floor(a / b);
}

static double times(double a, double b)
{
  return a * b;
}

static double plus(double a, double b)
{
  return a + b;
}

static double minus(double a, double b)
{
  return a - b;
}

static double over(double a, double b)
{
  return a / b;
}

static const struct {
  const char *sign;
  double (*of)(double a, double b);
  bool divides, is_real; /* the result has a fraction whatever its operands have */
} arithmetic[] = {{"+", plus, false, false},  {"-", minus, false, false},   {"*", times, false, false},
                  {"/", over, true, true},    {"//", floored, true, false}, {"%", rest, true, false},
                  {"**", power, false, false}};

static ss_py_value *of_numbers(ss_py *py, const ss_py_node *at, const char *sign, const ss_py_value *a,
                               const ss_py_value *b)
{
  for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; ++i) {
    if (strcmp(arithmetic[i].sign, sign) != 0) continue;
    if (arithmetic[i].divides && b->number == 0.0) return ss_py_unknown(py, at);
    const double number = arithmetic[i].of(a->number, b->number);
    const bool is_real =
        arithmetic[i].is_real || a->kind == SS_PY_IS_FLOAT || b->kind == SS_PY_IS_FLOAT || number != floor(number);
    if (!(fabs(number) <= largest)) return ss_py_unknown(py, at);
    ss_py_value *value = ss_py_new(py, is_real ? SS_PY_IS_FLOAT : SS_PY_IS_INTEGER);
    value->number = number;
    return value;
  }
  return ss_py_unknown(py, at);
}

static ss_py_value *copy_members(ss_py *py, const ss_py_node *at, ss_py_value *to, const ss_py_value *from)
{
  for (int64_t i = 0; i < from->count; ++i) {
    if (to->count == MOST_MEMBERS) return ss_py_stop(py, at, "makes a list of more than %d members", MOST_MEMBERS);
    if (!ss_py_step(py, at)) return NULL;
    ss_py_append(py->memory, to, from->item[i]);
  }
  return to;
}

static ss_py_value *join_texts(ss_py *py, const ss_py_node *at, const ss_py_value *a, const ss_py_value *b)
{
  if (!ss_py_step(py, at)) return NULL;
  if (strlen(a->text) + strlen(b->text) <= MOST_BYTES) return ss_py_text(py, ss_py_join(py, a->text, b->text, ""));
  return ss_py_stop(py, at, "makes a text of more than %d bytes", MOST_BYTES);
}

static ss_py_value *repeat(ss_py *py, const ss_py_node *at, ss_py_value *list, double times_over)
{
  ss_py_value *whole = ss_py_new(py, list->kind);
  if (list->kind == SS_PY_IS_TEXT) {
    whole->text = "";
    for (int64_t i = 0; whole != NULL && (double)i < times_over && list->text[0] != '\0'; ++i)
      whole = join_texts(py, at, whole, list);
    return whole;
  }
  for (int64_t i = 0; (double)i < times_over && list->count > 0; ++i)
    if (copy_members(py, at, whole, list) == NULL) return NULL;
  return whole;
}

/* What is in both, in one of them, or in the first and not in the second, of sets; of dicts all pairs. */
static ss_py_value *of_sets(ss_py *py, const ss_py_node *at, const char *sign, const ss_py_value *a,
                            const ss_py_value *b)
{
  ss_py_value *whole = ss_py_new(py, SS_PY_IS_SET);
  for (int64_t i = 0; i < a->count; ++i) {
    const ss_py_truth in = ss_py_compare("in", a->item[i], b);
    if (in == SS_PY_OPEN) return ss_py_unknown(py, at);
    if (*sign == '|' || (in == SS_PY_YES) == (*sign == '&')) ss_py_append(py->memory, whole, a->item[i]);
  }
  for (int64_t i = 0; i < b->count && *sign == '|'; ++i)
    if (ss_py_compare("in", b->item[i], a) != SS_PY_YES) ss_py_append(py->memory, whole, b->item[i]);
  return whole;
}

static ss_py_value *of_dicts(ss_py *py, const ss_py_value *a, const ss_py_value *b)
{
  ss_py_value *whole = ss_py_new(py, SS_PY_IS_DICT);
  ss_py_table_copy(py->memory, &whole->table, &a->table);
  for (int64_t i = 0; i < b->table.count; ++i)
    ss_py_give(py, &whole->table, b->table.entry[i].key, b->table.entry[i].value, b->table.entry[i].place);
  return whole;
}

ss_py_value *ss_py_binary(ss_py *py, const ss_py_node *at, const char *sign, ss_py_value *a, ss_py_value *b)
{
  const bool adds = strcmp(sign, "+") == 0, repeats = strcmp(sign, "*") == 0;
  if (ss_py_is_number(a) && ss_py_is_number(b)) return of_numbers(py, at, sign, a, b);
  if (adds && a->kind == SS_PY_IS_TEXT && b->kind == SS_PY_IS_TEXT) return join_texts(py, at, a, b);
  if (adds && a->kind == b->kind && (a->kind == SS_PY_IS_LIST || a->kind == SS_PY_IS_TUPLE)) {
    ss_py_value *whole = copy_members(py, at, ss_py_new(py, a->kind), a);
    return whole != NULL ? copy_members(py, at, whole, b) : NULL;
  }
  const bool a_lists = ss_py_is_list(a) || a->kind == SS_PY_IS_TEXT, b_lists = ss_py_is_list(b);
  if (repeats && a_lists && ss_py_is_number(b)) return repeat(py, at, a, b->number);
  if (repeats && b_lists && ss_py_is_number(a)) return repeat(py, at, b, a->number);
  const bool joins = *sign == '|' || *sign == '&' || *sign == '-';
  if (joins && a->kind == SS_PY_IS_SET && b->kind == SS_PY_IS_SET) return of_sets(py, at, sign, a, b);
  if (*sign == '|' && a->kind == SS_PY_IS_DICT && b->kind == SS_PY_IS_DICT) return of_dicts(py, a, b);
  return ss_py_unknown(py, at);
}

ss_py_value *ss_py_unary(ss_py *py, const ss_py_node *at, const char *sign, ss_py_value *a)
{
  if (!ss_py_is_number(a) || *sign == '~') return ss_py_unknown(py, at);
  ss_py_value *value = ss_py_new(py, a->kind == SS_PY_IS_BOOL ? SS_PY_IS_INTEGER : a->kind);
  value->number = *sign == '-' ? -a->number : a->number;
  return value;
}

static ss_py_truth truth(bool is)
{
  return is ? SS_PY_YES : SS_PY_NO;
}

static ss_py_truth contains(const ss_py_value *whole, const ss_py_value *member)
{
  ss_py_truth found = SS_PY_NO;
  if (whole->kind == SS_PY_IS_TEXT && member->kind == SS_PY_IS_TEXT)
    return truth(strstr(whole->text, member->text) != NULL);
  if (member->kind == SS_PY_IS_UNKNOWN) return SS_PY_OPEN;
  if (whole->kind == SS_PY_IS_DICT) return truth(ss_py_table_find(&whole->table, member) != NULL);
  if (!ss_py_is_list(whole)) return SS_PY_OPEN;
  for (int64_t i = 0; i < whole->count; ++i) {
    const ss_py_truth one = ss_py_equal(whole->item[i], member);
    if (one == SS_PY_YES) return SS_PY_YES;
    if (one == SS_PY_OPEN) found = SS_PY_OPEN;
  }
  return found;
}

/* Of None and of truth values it is equality; what a call outside gives may be None. */
static ss_py_truth is(const ss_py_value *a, const ss_py_value *b)
{
  if (a->kind == SS_PY_IS_NAME && b->kind == SS_PY_IS_NONE && ss_py_is_class_name(a->text)) return SS_PY_NO;
  const bool is_plain = a->kind == SS_PY_IS_NONE || b->kind == SS_PY_IS_NONE || a->kind == SS_PY_IS_BOOL;
  const ss_py_value *other = a->kind == SS_PY_IS_NONE ? b : a;
  if (is_plain && a->kind != b->kind && other->kind == SS_PY_IS_OBJECT && other->is_call && !other->is_model)
    return SS_PY_OPEN;
  if (is_plain && a->kind != b->kind && a->kind != SS_PY_IS_UNKNOWN && b->kind != SS_PY_IS_UNKNOWN &&
      a->kind != SS_PY_IS_NAME && b->kind != SS_PY_IS_NAME)
    return SS_PY_NO;
  return ss_py_equal(a, b);
}

static ss_py_truth order(const char *sign, const ss_py_value *a, const ss_py_value *b)
{
  const bool are_texts = a->kind == SS_PY_IS_TEXT && b->kind == SS_PY_IS_TEXT;
  if (!are_texts && !(ss_py_is_number(a) && ss_py_is_number(b))) return SS_PY_OPEN;
  const double difference = are_texts ? (double)strcmp(a->text, b->text) : a->number - b->number;
  if (difference == 0.0) return truth(sign[1] == '=');
  return truth((difference < 0.0) == (sign[0] == '<'));
}

ss_py_truth ss_py_compare(const char *sign, const ss_py_value *a, const ss_py_value *b)
{
  if (strcmp(sign, "==") == 0) return ss_py_equal(a, b);
  if (strcmp(sign, "!=") == 0) return ss_py_not(ss_py_equal(a, b));
  if (strcmp(sign, "in") == 0) return contains(b, a);
  if (strcmp(sign, "not in") == 0) return ss_py_not(contains(b, a));
  if (strcmp(sign, "is") == 0) return is(a, b);
  if (strcmp(sign, "is not") == 0) return ss_py_not(is(a, b));
  return order(sign, a, b);
}

ss_py_value *ss_py_member(ss_py *py, const ss_py_node *at, ss_py_value *whole, const ss_py_value *index)
{
  const bool is_enumeration = whole->kind == SS_PY_IS_NAME && ss_py_is_class_name(whole->text);
  if (is_enumeration && index->kind == SS_PY_IS_TEXT) {
    ss_py_value *name = ss_py_new(py, SS_PY_IS_NAME);
    name->text = ss_py_join(py, whole->text, ".", index->text);
    return name;
  }
  if (whole->kind == SS_PY_IS_DICT) {
    const ss_py_entry *entry = ss_py_table_find(&whole->table, index);
    return entry != NULL ? entry->value : ss_py_unknown(py, at);
  }
  const double first = index->number < 0.0 ? index->number + (double)whole->count : index->number;
  if (!ss_py_is_list(whole) || !ss_py_is_number(index) || !(first >= 0.0) || !(first < (double)whole->count))
    return ss_py_unknown(py, at);
  return whole->item[(int64_t)first];
}

/* An end of a part: counted from behind where it is negative, and within the list. */
static int64_t bound(int64_t count, const ss_py_value *end, int64_t otherwise)
{
  if (end == NULL || !ss_py_is_number(end)) return otherwise;
  const double at = end->number < 0.0 ? end->number + (double)count : end->number;
  if (!(at > 0.0)) return 0;
  return at < (double)count ? (int64_t)at : count;
}

static ss_py_value *text_part(ss_py *py, const char *text, const ss_py_value *from, const ss_py_value *to)
{
  const int64_t length = (int64_t)strlen(text), first = bound(length, from, 0), last = bound(length, to, length);
  char *part = ss_scratch_take(py->memory, (size_t)(last > first ? last - first : 0) + 1);
  if (last > first) memcpy(part, text + first, (size_t)(last - first));
  part[last > first ? last - first : 0] = '\0';
  return ss_py_text(py, part);
}

ss_py_value *ss_py_part(ss_py *py, const ss_py_node *at, ss_py_value *whole, const ss_py_value *from,
                        const ss_py_value *to)
{
  const bool is_open = (from != NULL && !ss_py_is_number(from)) || (to != NULL && !ss_py_is_number(to));
  if (whole->kind == SS_PY_IS_TEXT && !is_open) return text_part(py, whole->text, from, to);
  if (!ss_py_is_list(whole) || is_open) return ss_py_unknown(py, at);
  ss_py_value *part = ss_py_new(py, whole->kind);
  const int64_t last = bound(whole->count, to, whole->count);
  for (int64_t i = bound(whole->count, from, 0); i < last; ++i) {
    if (!ss_py_step(py, at)) return NULL;
    ss_py_append(py->memory, part, whole->item[i]);
  }
  return part;
}
