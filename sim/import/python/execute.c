#include "sim/import/python/execute.h"

#include <string.h>

#include "sim/import/python/branches.h"
#include "sim/import/python/evaluate.h"
#include "sim/import/python/names.h"
#include "sim/import/python/operators.h"

/* Of blocks and calls, with room on any stack. */
enum { MOST_DEPTH = 400 };

static ss_py_flow after(const ss_py *py)
{
  return py->status == SS_OK && !py->raised ? SS_PY_GOES_ON : SS_PY_ENDS;
}

static ss_py_flow evaluate(ss_py *py, const ss_py_node *at)
{
  if (at->a->kind != SS_PY_TEXT) (void)ss_py_evaluate(py, at->a);
  return after(py);
}

static ss_py_flow assign(ss_py *py, const ss_py_node *at)
{
  ss_py_value *value = ss_py_evaluate(py, at->a);
  for (const ss_py_node *target = at->first; target != NULL && value != NULL; target = target->next)
    if (!ss_py_assign(py, target, value)) break;
  return after(py);
}

static ss_py_flow augment(ss_py *py, const ss_py_node *at)
{
  ss_py_value *a = ss_py_evaluate(py, at->a), *b = a != NULL ? ss_py_evaluate(py, at->b) : NULL;
  ss_py_value *value = b != NULL ? ss_py_binary(py, at->a, at->text, a, b) : NULL;
  if (value != NULL) (void)ss_py_assign(py, at->a, value);
  return after(py);
}

static ss_py_flow declare(ss_py *py, const ss_py_node *at)
{
  ss_py_value *value = at->b != NULL ? ss_py_evaluate(py, at->b) : NULL;
  if (value != NULL) (void)ss_py_assign(py, at->a, value);
  return after(py);
}

static ss_py_flow give_back(ss_py *py, const ss_py_node *at)
{
  py->frame->returned = at->a != NULL ? ss_py_evaluate(py, at->a) : ss_py_none(py);
  return py->frame->returned != NULL ? SS_PY_RETURNS : SS_PY_ENDS;
}

/* raise ERROR(TEXT): the text. */
static ss_py_flow raise(ss_py *py, const ss_py_node *at)
{
  const ss_py_node *given = at->a != NULL && at->a->kind == SS_PY_CALL ? at->a->first : NULL;
  const bool is_text = given != NULL && (given->a->kind == SS_PY_TEXT || given->a->kind == SS_PY_FORMAT);
  const ss_py_value *text = is_text ? ss_py_evaluate(py, given->a) : NULL;
  if (after(py) == SS_PY_ENDS) return SS_PY_ENDS;
  (void)ss_py_raise(py, at, text != NULL && text->kind == SS_PY_IS_TEXT ? text->text : "");
  return SS_PY_ENDS;
}

static ss_py_flow check(ss_py *py, const ss_py_node *at)
{
  const ss_py_truth truth = ss_py_decide(py, at->a);
  return truth == SS_PY_NO && after(py) == SS_PY_GOES_ON ? raise(py, at) : after(py);
}

static ss_py_flow pass(ss_py *py, const ss_py_node *at)
{
  (void)at;
  return after(py);
}

static ss_py_flow leave(ss_py *py, const ss_py_node *at)
{
  (void)py;
  return at->kind == SS_PY_BREAK ? SS_PY_BREAKS : SS_PY_CONTINUES;
}

static ss_py_flow refuse(ss_py *py, const ss_py_node *at)
{
  (void)ss_py_stop(py, at,
                   "\"%.40s\": is a statement that is not understood, and may change the configuration; allowed: "
                   "assignments, calls, if, for, try, return and import",
                   at->text);
  return SS_PY_ENDS;
}

static ss_py_flow define(ss_py *py, const ss_py_node *at)
{
  ss_py_value *value = ss_py_defined(py, py->frame->module, at);
  ss_py_put_named(py, &py->frame->variables, at->text, value, ss_py_place_at(py, at));
  return after(py);
}

static ss_py_flow import(ss_py *py, const ss_py_node *at)
{
  for (const ss_py_node *alias = at->first; alias != NULL; alias = alias->next) {
    ss_py_value *value = ss_py_imported(py, py->frame->module, at, alias);
    const char *name = alias->alias != NULL ? alias->alias : alias->text, *dot = strchr(name, '.');
    if (value == NULL) return SS_PY_ENDS;
    if (dot == NULL) ss_py_put_named(py, &py->frame->variables, name, value, ss_py_place_at(py, at));
  }
  return after(py);
}

/* A loop over a list, or over the keys of a dict. */
static ss_py_flow loop(ss_py *py, const ss_py_node *at)
{
  const ss_py_value *all = ss_py_evaluate(py, at->a);
  if (all == NULL) return SS_PY_ENDS;
  const bool is_dict = all->kind == SS_PY_IS_DICT;
  if (!is_dict && !ss_py_is_list(all)) {
    if (py->is_quiet) return SS_PY_GOES_ON;
    (void)ss_py_stop(py, at,
                     "for ... in %s: is a loop over what only a run knows, and may change the configuration; allowed: "
                     "a list that is known",
                     ss_py_excerpt(py, at->a));
    return SS_PY_ENDS;
  }
  for (int64_t i = 0; i < (is_dict ? all->table.count : all->count); ++i) {
    ss_py_value *member = is_dict ? (ss_py_value *)all->table.entry[i].key : all->item[i];
    if (!ss_py_assign(py, at->first, member)) return SS_PY_ENDS;
    const ss_py_flow flow = ss_py_execute(py, at->body);
    if (flow == SS_PY_BREAKS) break;
    if (flow == SS_PY_RETURNS || flow == SS_PY_ENDS) return flow;
  }
  return after(py);
}

/* What is tried, and what follows where the program itself ends it. */
static ss_py_flow try(ss_py *py, const ss_py_node *at)
{
  ss_py_flow flow = ss_py_execute(py, at->body);
  if (flow == SS_PY_ENDS && py->raised && py->status == SS_OK && at->other != NULL) {
    py->raised = false;
    flow = ss_py_execute(py, at->other);
  }
  if (flow != SS_PY_GOES_ON || at->last == NULL) return flow;
  return ss_py_execute(py, at->last);
}

/* Executes one branch, and what is behind the branches where it `goes_on` to it; all is as before. */
static ss_py_flow follow(ss_py *py, const ss_py_node *branch, const ss_py_node *behind, ss_py_branch *left,
                         ss_py_value **returned)
{
  ss_py_branch_begin(py, left);
  ss_py_flow flow = ss_py_execute(py, branch);
  if (flow == SS_PY_GOES_ON && behind != NULL) flow = ss_py_execute(py, behind);
  *returned = py->frame->returned;
  py->frame->returned = NULL;
  ss_py_branch_end(py, left);
  if (flow == SS_PY_ENDS && py->status == SS_OK) py->raised = false;
  return flow;
}

/* Both branches return: what they return in common. */
static ss_py_flow return_both(ss_py *py, ss_py_value *one, ss_py_value *other, const ss_py_node *condition)
{
  py->frame->returned = ss_py_same(one, other) ? one : ss_py_unknown(py, condition);
  return SS_PY_RETURNS;
}

/* What is taken to hold: a condition, or that it does not. */
static const char *held(ss_py *py, const ss_py_node *condition, bool holds)
{
  const bool is_not = condition->kind == SS_PY_UNARY && strcmp(condition->text, "not") == 0;
  if (is_not) return held(py, condition->a, !holds);
  return ss_py_join(py, holds ? "" : "not ", ss_py_excerpt(py, condition), "");
}

/* One branch returns, and the other one goes on with what is behind both. Where that goes on as well, out of blocks
 * that it is in, the one that goes on is taken, and said. */
static ss_py_flow execute_open_return(ss_py *py, const ss_py_node *at, bool body_returns)
{
  ss_py_branch first, second;
  ss_py_value *one, *other;
  const ss_py_node *returning = body_returns ? at->body : at->other, *going = body_returns ? at->other : at->body;
  (void)follow(py, returning, NULL, &first, &one);
  ss_py_flow flow = follow(py, going, at->next, &second, &other);
  if (py->status != SS_OK) return SS_PY_ENDS;
  if (flow == SS_PY_GOES_ON && py->depth == py->frame->depth) { /* to the end of the function */
    other = ss_py_none(py);
    flow = SS_PY_RETURNS;
  }
  if (flow == SS_PY_RETURNS) {
    ss_py_branches_merge(py, &first, &second, at->a);
    return return_both(py, one, other, at->a);
  }
  if (flow == SS_PY_ENDS) return ss_py_execute(py, returning); /* the other way, the program ends */
  if (!py->is_quiet && first.count + second.count > 0)
    ss_py_say_at(py, SS_PY_NOTE_UNDECIDED, held(py, at->a, !body_returns), at->a);
  const ss_py_flow taken = ss_py_execute(py, going);
  return taken == SS_PY_GOES_ON && at->next != NULL ? ss_py_execute(py, at->next) : taken;
}

/* Only a run takes one of both branches. A branch in which the program ends is none. `is_done`: what is behind them was
 * executed, too. */
static ss_py_flow execute_open(ss_py *py, const ss_py_node *at, bool *is_done)
{
  ss_py_branch first, second;
  ss_py_value *one, *other;
  *is_done = false;
  const ss_py_flow a = follow(py, at->body, NULL, &first, &one);
  const ss_py_flow b = py->status == SS_OK ? follow(py, at->other, NULL, &second, &other) : SS_PY_ENDS;
  if (py->status != SS_OK) return SS_PY_ENDS;
  if (a == SS_PY_ENDS) return ss_py_execute(py, at->other);
  if (b == SS_PY_ENDS) return ss_py_execute(py, at->body);
  if (a != SS_PY_RETURNS && b != SS_PY_RETURNS && a != b) {
    (void)ss_py_stop(py, at, "if %s: ends a loop, which only a run decides; allowed: a condition that is known",
                     ss_py_excerpt(py, at->a));
    return SS_PY_ENDS;
  }
  if (a == b) {
    ss_py_branches_merge(py, &first, &second, at->a);
    return a == SS_PY_RETURNS ? return_both(py, one, other, at->a) : a;
  }
  *is_done = true;
  return execute_open_return(py, at, a == SS_PY_RETURNS);
}

/* Statements by their kinds, but if. */
static ss_py_flow (*const kinds[])(ss_py *py, const ss_py_node *at) = {
    [SS_PY_EVALUATE] = evaluate, [SS_PY_ASSIGN] = assign, [SS_PY_AUGMENT] = augment, [SS_PY_DECLARE] = declare,
    [SS_PY_RETURN] = give_back,  [SS_PY_RAISE] = raise,   [SS_PY_ASSERT] = check,    [SS_PY_PASS] = pass,
    [SS_PY_OTHER] = refuse,      [SS_PY_BREAK] = leave,   [SS_PY_CONTINUE] = leave,  [SS_PY_FOR] = loop,
    [SS_PY_TRY] = try,           [SS_PY_DEF] = define,    [SS_PY_CLASS] = define,    [SS_PY_IMPORT] = import,
    [SS_PY_FROM] = import,
};

static ss_py_flow execute_if(ss_py *py, const ss_py_node *at, bool *is_done)
{
  const ss_py_truth truth = ss_py_decide(py, at->a);
  if (after(py) == SS_PY_ENDS) return SS_PY_ENDS;
  if (truth == SS_PY_OPEN) return execute_open(py, at, is_done);
  return ss_py_execute(py, truth == SS_PY_YES ? at->body : at->other);
}

ss_py_flow ss_py_execute(ss_py *py, const ss_py_node *first)
{
  ss_py_flow flow = SS_PY_GOES_ON;
  bool is_done = false;
  if (py->depth >= MOST_DEPTH && first != NULL) (void)ss_py_stop(py, first, "is nested too deep, or calls itself");
  if (after(py) == SS_PY_ENDS) return SS_PY_ENDS;
  ++py->depth;
  for (const ss_py_node *at = first; at != NULL && flow == SS_PY_GOES_ON && !is_done; at = at->next) {
    py->frame->line = at->line;
    flow = !ss_py_step(py, at)    ? SS_PY_ENDS
           : at->kind == SS_PY_IF ? execute_if(py, at, &is_done)
                                  : kinds[at->kind](py, at);
  }
  --py->depth;
  return flow;
}
