#include "sim/import/python/branches.h"

#include <string.h>

void ss_py_branch_begin(ss_py *py, ss_py_branch *branch)
{
  *branch = (ss_py_branch){.journal = {.since = py->born, .outer = py->journal}};
  py->journal = &branch->journal;
}

static const ss_py_left *find(const ss_py_branch *branch, const ss_py_table *table, const ss_py_value *key)
{
  for (int64_t i = 0; i < branch->count; ++i)
    if (branch->left[i].table == table && ss_py_same(branch->left[i].key, key)) return &branch->left[i];
  return NULL;
}

void ss_py_branch_end(ss_py *py, ss_py_branch *branch)
{
  const ss_py_journal *journal = &branch->journal;
  py->journal = journal->outer;
  branch->left = ss_scratch_take(py->memory, (size_t)(journal->count + 1) * sizeof *branch->left);
  for (int64_t i = 0; i < journal->count; ++i) {
    const ss_py_change *change = &journal->change[i];
    const ss_py_entry *entry = ss_py_table_find(change->table, change->key);
    if (entry == NULL || find(branch, change->table, change->key) != NULL) continue;
    branch->left[branch->count++] = (ss_py_left){change->table, change->key, entry->value, entry->place};
  }
  for (int64_t i = journal->count - 1; i >= 0; --i) {
    const ss_py_change *change = &journal->change[i];
    ss_py_entry *entry = ss_py_table_find(change->table, change->key);
    if (entry == NULL) continue;
    entry->value = change->before;
    entry->place = change->place;
    if (change->before == NULL) ss_py_table_take_out(change->table, entry);
  }
}

/* Takes what one branch has left, which the other one has or has not. */
static void merge_one(ss_py *py, const ss_py_left *left, const ss_py_left *right, const ss_py_node *condition)
{
  const ss_py_entry *before = ss_py_table_find(left->table, left->key);
  const ss_py_value *other = right != NULL ? right->value : before != NULL ? before->value : NULL;
  const bool is_alone = other == NULL, is_same = other != NULL && ss_py_same(left->value, other);
  const bool is_taken = is_same || (is_alone && !py->is_quiet);
  const bool matters = left->key->kind != SS_PY_IS_TEXT || py->asks->matters(py->asks->of, left->key->text);
  if (is_alone && is_taken && matters && left->table != &py->frame->variables)
    ss_py_say_at(py, SS_PY_NOTE_UNDECIDED, ss_py_join(py, "if ", ss_py_excerpt(py, condition), ""), condition);
  ss_py_put(py, left->table, left->key, is_taken ? left->value : ss_py_unknown(py, condition), left->place);
}

void ss_py_branches_merge(ss_py *py, const ss_py_branch *one, const ss_py_branch *other, const ss_py_node *condition)
{
  for (int64_t i = 0; i < one->count; ++i)
    merge_one(py, &one->left[i], find(other, one->left[i].table, one->left[i].key), condition);
  for (int64_t i = 0; i < other->count; ++i)
    if (find(one, other->left[i].table, other->left[i].key) == NULL) merge_one(py, &other->left[i], NULL, condition);
}
