#include "sim/import/python/evaluate.h"

#include <string.h>

#include "sim/import/python/builtins.h"
#include "sim/import/python/calls.h"
#include "sim/import/python/fields.h"
#include "sim/import/python/names.h"
#include "sim/import/python/operators.h"

/* Of expressions and calls, with room on any stack. */
enum { MOST_DEPTH = 400 };

static ss_py_value *constant(ss_py *py, const ss_py_node *at)
{
  if (strcmp(at->text, "None") == 0) return ss_py_none(py);
  return ss_py_bool(py, strcmp(at->text, "True") == 0 ? SS_PY_YES : SS_PY_NO, at);
}

static ss_py_value *number(ss_py *py, const ss_py_node *at)
{
  ss_py_value *value = ss_py_new(py, at->kind == SS_PY_FLOAT ? SS_PY_IS_FLOAT : SS_PY_IS_INTEGER);
  value->number = at->number;
  return value;
}

static ss_py_value *text(ss_py *py, const ss_py_node *at)
{
  return ss_py_text(py, at->text);
}

ss_py_value *ss_py_read(ss_py *py, const ss_py_node *at)
{
  const ss_py_entry *own = ss_py_table_named(&py->frame->variables, at->text);
  if (own != NULL) return own->value;
  ss_py_value *value = ss_py_global(py, py->frame->module, at->text);
  if (value != NULL || py->status != SS_OK) return value;
  const bool is_own = ss_py_is_builtin(at->text) || strcmp(at->text, "super") == 0;
  return is_own ? ss_py_outside(py, at->text) : ss_py_unknown(py, at);
}

static ss_py_value *field(ss_py *py, const ss_py_node *at)
{
  ss_py_value *base = ss_py_evaluate(py, at->a);
  ss_py_value *value = base != NULL ? ss_py_field(py, at, base, at->text) : NULL;
  if (value != NULL || base == NULL || py->status != SS_OK) return value;
  return ss_py_stop(py, at, "%s: is a field that %s does not have; allowed: one that it has", ss_py_excerpt(py, at),
                    base->text[0] != '\0' ? base->text : "the value");
}

/* What is called: a function of an object may be one that is not read. */
static ss_py_value *called_by(ss_py *py, const ss_py_node *at)
{
  if (at->kind != SS_PY_FIELD) return ss_py_evaluate(py, at);
  ss_py_value *base = ss_py_evaluate(py, at->a);
  if (base == NULL) return NULL;
  ss_py_value *value = ss_py_field(py, at, base, at->text);
  if (py->status != SS_OK || (value != NULL && value->kind != SS_PY_IS_UNKNOWN)) return value;
  ss_py_value *method = ss_py_new(py, SS_PY_IS_METHOD);
  method->self = base;
  method->text = at->text;
  return method;
}

/* Adds all of a list, or of a dict, to arguments or to a list. */
static bool spread(ss_py *py, ss_py_value *to, const ss_py_value *from, const ss_py_node *at)
{
  if (from->kind == SS_PY_IS_DICT)
    for (int64_t i = 0; i < from->table.count; ++i)
      ss_py_give(py, &to->table, from->table.entry[i].key, from->table.entry[i].value, from->table.entry[i].place);
  else if (ss_py_is_list(from))
    for (int64_t i = 0; i < from->count; ++i) ss_py_append(py->memory, to, from->item[i]);
  else
    to->is_call = true;
  py->steps += from->count + from->table.count;
  return ss_py_step(py, at);
}

static ss_py_value *call(ss_py *py, const ss_py_node *at)
{
  ss_py_value *called = called_by(py, at->a), *arguments = ss_py_new(py, SS_PY_IS_LIST);
  for (const ss_py_node *given = at->first; given != NULL && called != NULL; given = given->next) {
    ss_py_value *value = ss_py_evaluate(py, given->a);
    if (value == NULL) return NULL;
    if (given->kind == SS_PY_STAR) {
      if (!spread(py, arguments, value, at)) return NULL;
    } else if (given->text != NULL)
      ss_py_give(py, &arguments->table, ss_py_text_value(py->memory, given->text), value, ss_py_place_at(py, given));
    else
      ss_py_append(py->memory, arguments, value);
  }
  return called != NULL ? ss_py_call(py, at, called, arguments) : NULL;
}

static ss_py_value *index_of(ss_py *py, const ss_py_node *at)
{
  ss_py_value *whole = ss_py_evaluate(py, at->a), *first = NULL, *last = NULL;
  if (whole == NULL) return NULL;
  if (at->b->kind != SS_PY_SLICE) {
    first = ss_py_evaluate(py, at->b);
    return first != NULL ? ss_py_member(py, at, whole, first) : NULL;
  }
  if (at->b->a != NULL && (first = ss_py_evaluate(py, at->b->a)) == NULL) return NULL;
  if (at->b->b != NULL && (last = ss_py_evaluate(py, at->b->b)) == NULL) return NULL;
  return ss_py_part(py, at, whole, first, last);
}

/* A list, a tuple or a set; what has members that only a run knows is not known itself. */
static ss_py_value *list(ss_py *py, const ss_py_node *at)
{
  ss_py_value *whole = ss_py_new(py, at->kind == SS_PY_LIST    ? SS_PY_IS_LIST
                                     : at->kind == SS_PY_TUPLE ? SS_PY_IS_TUPLE
                                                               : SS_PY_IS_SET);
  for (const ss_py_node *one = at->first; one != NULL; one = one->next) {
    ss_py_value *value = ss_py_evaluate(py, one->kind == SS_PY_STAR ? one->a : one);
    if (value == NULL) return NULL;
    if (one->kind == SS_PY_STAR) {
      if (!spread(py, whole, value, at)) return NULL;
    } else
      ss_py_append(py->memory, whole, value);
  }
  return whole->is_call ? ss_py_unknown(py, at) : whole;
}

static ss_py_value *dict(ss_py *py, const ss_py_node *at)
{
  ss_py_value *whole = ss_py_new(py, SS_PY_IS_DICT);
  for (const ss_py_node *pair = at->first; pair != NULL; pair = pair->next) {
    ss_py_value *key = pair->a != NULL ? ss_py_evaluate(py, pair->a) : NULL;
    ss_py_value *value = pair->a == NULL || key != NULL ? ss_py_evaluate(py, pair->b) : NULL;
    if (value == NULL) return NULL;
    if (key != NULL)
      ss_py_give(py, &whole->table, key, value, ss_py_place_at(py, pair));
    else if (!spread(py, whole, value, at))
      return NULL;
    whole->is_call |= key != NULL && key->kind == SS_PY_IS_UNKNOWN;
  }
  return whole->is_call ? ss_py_unknown(py, at) : whole;
}

static ss_py_value *unary(ss_py *py, const ss_py_node *at)
{
  if (strcmp(at->text, "not") == 0) {
    const ss_py_truth truth = ss_py_decide(py, at->a);
    return py->status == SS_OK && !py->raised ? ss_py_bool(py, ss_py_not(truth), at) : NULL;
  }
  ss_py_value *a = ss_py_evaluate(py, at->a);
  return a != NULL ? ss_py_unary(py, at, at->text, a) : NULL;
}

static ss_py_value *binary(ss_py *py, const ss_py_node *at)
{
  ss_py_value *a = ss_py_evaluate(py, at->a), *b = a != NULL ? ss_py_evaluate(py, at->b) : NULL;
  return b != NULL ? ss_py_binary(py, at, at->text, a, b) : NULL;
}

/* and, or: the first that decides, or the last. */
static ss_py_value *both(ss_py *py, const ss_py_node *at)
{
  const ss_py_truth decides = strcmp(at->text, "or") == 0 ? SS_PY_YES : SS_PY_NO;
  ss_py_value *a = ss_py_evaluate(py, at->a);
  if (a == NULL) return NULL;
  const ss_py_truth truth = ss_py_truth_of(a);
  if (truth == decides) return a;
  if (truth != SS_PY_OPEN) return ss_py_evaluate(py, at->b);
  return ss_py_unknown(py, at);
}

static ss_py_value *compare(ss_py *py, const ss_py_node *at)
{
  ss_py_truth all = SS_PY_YES;
  ss_py_value *left = ss_py_evaluate(py, at->a);
  for (const ss_py_node *pair = at->first; pair != NULL && left != NULL && all != SS_PY_NO; pair = pair->next) {
    ss_py_value *right = ss_py_evaluate(py, pair->a);
    if (right == NULL) return NULL;
    const ss_py_truth one = ss_py_compare(pair->text, left, right);
    if (one != SS_PY_YES) all = one;
    left = right;
  }
  return left != NULL ? ss_py_bool(py, all, at) : NULL;
}

static ss_py_value *choice(ss_py *py, const ss_py_node *at)
{
  const ss_py_truth truth = ss_py_decide(py, at->b);
  if (py->status != SS_OK || py->raised) return NULL;
  if (truth != SS_PY_OPEN) return ss_py_evaluate(py, truth == SS_PY_YES ? at->a : at->c);
  ss_py_value *a = ss_py_evaluate(py, at->a), *c = a != NULL ? ss_py_evaluate(py, at->c) : NULL;
  if (c == NULL) return NULL;
  return ss_py_same(a, c) ? a : ss_py_unknown(py, at);
}

/* Adds what a comprehension makes of a member. */
static bool add_each(ss_py *py, const ss_py_node *at, ss_py_value *whole)
{
  const bool has_pairs = at->a->kind == SS_PY_PAIR;
  ss_py_value *key = has_pairs ? ss_py_evaluate(py, at->a->a) : NULL;
  ss_py_value *value = has_pairs && key == NULL ? NULL : ss_py_evaluate(py, has_pairs ? at->a->b : at->a);
  if (value == NULL) return false;
  if (has_pairs)
    ss_py_give(py, &whole->table, key, value, ss_py_place_at(py, at));
  else if (whole->kind != SS_PY_IS_SET || ss_py_compare("in", value, whole) != SS_PY_YES)
    ss_py_append(py->memory, whole, value);
  return true;
}

static ss_py_value *each(ss_py *py, const ss_py_node *at)
{
  const ss_py_kind kind = *at->text == ':' ? SS_PY_IS_DICT : *at->text == '{' ? SS_PY_IS_SET : SS_PY_IS_LIST;
  ss_py_value *from = ss_py_evaluate(py, at->b), *whole = ss_py_new(py, kind);
  if (from == NULL) return NULL;
  if (!ss_py_is_list(from)) return ss_py_unknown(py, at);
  for (int64_t i = 0; i < from->count; ++i) {
    if (!ss_py_assign(py, at->first, from->item[i])) return NULL;
    const ss_py_truth takes = at->c != NULL ? ss_py_decide(py, at->c) : SS_PY_YES;
    if (py->status != SS_OK || py->raised) return NULL;
    if (takes == SS_PY_OPEN) return ss_py_unknown(py, at);
    if (takes == SS_PY_YES && !add_each(py, at, whole)) return NULL;
  }
  return whole;
}

/* What is not understood of a text ends no program. */
static ss_py_value *part_of(ss_py *py, const ss_py_node *part)
{
  ss_error why = {0}, *error = py->error;
  const int depth = py->depth;
  py->error = &why;
  ss_py_value *value = ss_py_evaluate(py, part->a);
  py->error = error;
  py->depth = depth;
  if (py->status == SS_OK) return value;
  py->status = SS_OK;
  return ss_py_unknown(py, part->a);
}

static ss_py_value *format(ss_py *py, const ss_py_node *at)
{
  const char *whole = at->body != NULL ? "" : NULL;
  for (const ss_py_node *part = at->body; part != NULL && whole != NULL; part = part->next) {
    const ss_py_value *value = part->kind == SS_PY_PAIR ? part_of(py, part) : NULL;
    if (part->kind == SS_PY_PAIR && value == NULL) return NULL;
    const char *shown = value != NULL ? ss_py_shown(py, value, part->number != 0.0) : "";
    whole = shown != NULL && strlen(whole) < SS_PATH_SIZE ? ss_py_join(py, whole, part->text, shown) : NULL;
  }
  return whole != NULL ? ss_py_text(py, whole) : ss_py_unknown(py, at);
}

static ss_py_value *star(ss_py *py, const ss_py_node *at)
{
  return ss_py_unknown(py, at);
}

/* Expressions by their kinds; of lambda nobody needs the value. */
static ss_py_value *(*const kinds[])(ss_py *py, const ss_py_node *at) = {
    [SS_PY_CONSTANT] = constant, [SS_PY_INTEGER] = number,  [SS_PY_FLOAT] = number,   [SS_PY_TEXT] = text,
    [SS_PY_FORMAT] = format,     [SS_PY_READ] = ss_py_read, [SS_PY_FIELD] = field,    [SS_PY_CALL] = call,
    [SS_PY_INDEX] = index_of,    [SS_PY_SLICE] = star,      [SS_PY_LIST] = list,      [SS_PY_TUPLE] = list,
    [SS_PY_SET] = list,          [SS_PY_DICT] = dict,       [SS_PY_PAIR] = star,      [SS_PY_STAR] = star,
    [SS_PY_UNARY] = unary,       [SS_PY_BINARY] = binary,   [SS_PY_BOTH] = both,      [SS_PY_COMPARE] = compare,
    [SS_PY_CHOICE] = choice,     [SS_PY_EACH] = each,       [SS_PY_FUNCTION_] = star,
};

/* Enters what is nested; false where that is too deep, or the evaluation has ended. */
static bool enter(ss_py *py, const ss_py_node *at)
{
  if (!ss_py_step(py, at)) return false;
  if (py->depth >= MOST_DEPTH)
    (void)ss_py_stop(py, at, "is nested too deep, or calls itself; allowed: %d levels", MOST_DEPTH);
  if (py->status != SS_OK) return false;
  ++py->depth;
  return true;
}

ss_py_value *ss_py_evaluate(ss_py *py, const ss_py_node *at)
{
  if (!enter(py, at)) return NULL;
  ss_py_value *value = kinds[at->kind](py, at);
  --py->depth;
  return py->status == SS_OK && !py->raised ? value : NULL;
}

/* Of and and or, one side may decide where the other one is open. */
static ss_py_truth decide_both(ss_py *py, const ss_py_node *at)
{
  const ss_py_truth decides = strcmp(at->text, "or") == 0 ? SS_PY_YES : SS_PY_NO;
  const ss_py_truth a = ss_py_decide(py, at->a);
  if (a == decides || py->status != SS_OK || py->raised) return a;
  const ss_py_truth b = ss_py_decide(py, at->b);
  return b == decides || a != SS_PY_OPEN ? b : SS_PY_OPEN;
}

ss_py_truth ss_py_decide(ss_py *py, const ss_py_node *at)
{
  ss_py_truth truth = SS_PY_OPEN;
  if (!enter(py, at)) return SS_PY_OPEN;
  if (at->kind == SS_PY_BOTH)
    truth = decide_both(py, at);
  else if (at->kind == SS_PY_UNARY && strcmp(at->text, "not") == 0)
    truth = ss_py_not(ss_py_decide(py, at->a));
  else {
    const ss_py_value *value = ss_py_evaluate(py, at);
    if (value != NULL) truth = ss_py_truth_of(value);
  }
  --py->depth;
  return truth;
}

/* What fields or members are set of; what was not given is made. NULL where the evaluation has ended. */
static ss_py_value *to_set(ss_py *py, const ss_py_node *at)
{
  if (at->kind != SS_PY_FIELD) return ss_py_evaluate(py, at);
  if (!enter(py, at)) return NULL;
  ss_py_value *base = to_set(py, at->a);
  --py->depth;
  return base != NULL ? ss_py_field_to_set(py, at, base, at->text) : NULL;
}

static bool refuse_target(ss_py *py, const ss_py_node *target)
{
  (void)ss_py_stop(py, target, "%s: is set, and may be part of the configuration; allowed: fields of it, and names",
                   ss_py_excerpt(py, target));
  return false;
}

/* A pair of a dict, or a member of a list that is no older than a branch which may not be taken. */
static bool assign_member(ss_py *py, const ss_py_node *target, ss_py_value *value)
{
  ss_py_value *whole = ss_py_evaluate(py, target->a);
  ss_py_value *at = whole != NULL && target->b->kind != SS_PY_SLICE ? ss_py_evaluate(py, target->b) : NULL;
  const bool is_old = whole != NULL && py->journal != NULL && whole->born <= py->journal->since;
  if (py->status != SS_OK || py->raised) return false;
  if (whole != NULL && whole->kind == SS_PY_IS_NAME && strcmp(whole->text, "os.environ") == 0) return true;
  if (at == NULL || at->kind == SS_PY_IS_UNKNOWN) return refuse_target(py, target);
  if (whole->kind == SS_PY_IS_DICT) {
    ss_py_put(py, &whole->table, at, value, ss_py_place_at(py, target));
    return true;
  }
  const double first = at->number < 0.0 ? at->number + (double)whole->count : at->number;
  if (whole->kind != SS_PY_IS_LIST || is_old || !(first >= 0.0) || !(first < (double)whole->count))
    return refuse_target(py, target);
  whole->item[(int64_t)first] = value;
  return true;
}

static bool assign_all(ss_py *py, const ss_py_node *target, ss_py_value *value)
{
  int64_t count = 0;
  for (const ss_py_node *one = target->first; one != NULL; one = one->next) ++count;
  const bool is_known = ss_py_is_list(value) && value->count == count;
  int64_t i = 0;
  for (const ss_py_node *one = target->first; one != NULL; one = one->next, ++i)
    if (!ss_py_assign(py, one, is_known ? value->item[i] : ss_py_unknown(py, one))) return false;
  return true;
}

bool ss_py_assign(ss_py *py, const ss_py_node *target, ss_py_value *value)
{
  ss_py_value *base;
  if (!ss_py_step(py, target)) return false;
  switch (target->kind) {
  case SS_PY_READ:
    ss_py_put_named(py, &py->frame->variables, target->text, value, ss_py_place_at(py, target));
    return true;
  case SS_PY_FIELD:
    base = to_set(py, target->a);
    if (base == NULL) return false;
    if (base->kind != SS_PY_IS_OBJECT) return refuse_target(py, target);
    ss_py_put_named(py, &base->table, target->text, value, ss_py_place_at(py, target));
    return true;
  case SS_PY_INDEX: return assign_member(py, target, value);
  case SS_PY_TUPLE:
  case SS_PY_LIST: return assign_all(py, target, value);
  default: return refuse_target(py, target);
  }
}
