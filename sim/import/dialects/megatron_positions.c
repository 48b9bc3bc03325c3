#include "sim/import/dialects/megatron_positions.h"

#include "model/input/origin.h"

/* What the file says; of a model like GPT that says nothing learned vectors, as arguments.py has it. */
static ss_position position_of(const ss_sheet *s)
{
  const bool plain = s->workload->model.mlp == SS_MLP_GELU && s->is_set[SS_AT_model_layers];
  const ss_position said = (ss_position)ss_sheet_given(s, SS_VALUE_POSITION, plain ? SS_POSITION_LEARNED : 0);
  if (s->value[SS_VALUE_ROPE] > 0.0) return SS_POSITION_ROPE;
  return said == SS_POSITION_LEARNED && s->value[SS_VALUE_UNPLACED] > 0.0 ? SS_POSITION_NONE : said;
}

/* Sets what is not as it is. */
static void change(ss_sheet *s, ss_attribute_index index, int64_t from, int64_t to, ss_sheet_value by)
{
  if (from != to) ss_sheet_set(s, index, to, by);
}

/* A model without a vocabulary has no embedding to add vectors to. */
static void set_positions(ss_sheet *s, ss_position position)
{
  const ss_workload *w = s->workload;
  const bool learned = position == SS_POSITION_LEARNED && w->model.vocabulary > 0;
  const int64_t room = ss_sheet_given(s, SS_VALUE_ROOM, 0);
  change(s, SS_AT_model_positions, w->model.positions, learned ? room : 0, SS_VALUE_ROOM);
}

static void set_rotary(ss_sheet *s, ss_position position)
{
  const ss_workload *w = s->workload;
  const bool turns = position == SS_POSITION_ROPE, would = w->model.mlp != SS_MLP_GELU;
  const ss_model_rotary own = turns ? SS_MODEL_ROTARY_YES : SS_MODEL_ROTARY_NO;
  change(s, SS_AT_model_rotary, w->model.rotary, turns == would ? SS_MODEL_ROTARY_AUTO : own, SS_VALUE_POSITION);
}

ss_status ss_megatron_read_positions(ss_sheet *s, ss_error *error)
{
  const ss_position position = position_of(s);
  const bool unbiased = s->value[SS_VALUE_UNBIASED] > 0.0 || s->value[SS_VALUE_BIASED] == 0.0;
  (void)error;
  if (position > 0) {
    set_positions(s, position);
    set_rotary(s, position);
  }
  if (unbiased && s->workload->model.mlp == SS_MLP_GELU)
    change(s, SS_AT_model_biases, s->workload->model.biases, SS_MODEL_BIASES_NO,
           s->value[SS_VALUE_UNBIASED] > 0.0 ? SS_VALUE_UNBIASED : SS_VALUE_BIASED);
  return SS_OK;
}

void ss_megatron_write_positions(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  const ss_position without = ss_workload_is_rotary(w) ? SS_POSITION_ROPE : SS_POSITION_NONE;
  ss_sheet_give(s, SS_VALUE_ROOM, (double)w->model.positions);
  ss_sheet_give(s, SS_VALUE_POSITION, w->model.positions > 0 ? SS_POSITION_LEARNED : without);
}
