#include "sim/import/dialects/megatron_graphs.h"

/* CUDA graphs: of the iteration, as newer releases and older ones say it, or of parts of layers; where no parts are
 * given, of whole layers (CudaGraphModule in megatron/core/transformer/enums.py), of which experts are only where their
 * tokens are padded. */
ss_status ss_megatron_read_graphs(ss_sheet *s, ss_error *error)
{
  ss_workload *w = s->workload;
  const int64_t layers = s->value[SS_VALUE_GRAPHS_LAYERS] > 0.0 ? 2 : 0;
  const int64_t graphs = ss_sheet_given(s, SS_VALUE_GRAPHS, layers),
                whole = ss_sheet_given(s, SS_VALUE_GRAPHS_WHOLE, 0);
  const bool of_iteration = graphs == 3 || (graphs == 2 && whole == 2);
  (void)error;
  if (graphs == 0) return SS_OK;
  ss_sheet_set(s, SS_AT_training_host, of_iteration ? SS_HOST_GRAPHS : SS_HOST_EAGER, SS_VALUE_GRAPHS);
  if (graphs != 2 || of_iteration || w->training.graphs != 0) return SS_OK;
  const int experts = w->training.capacity_factor > 0.0 ? SS_GRAPH_MOE : SS_GRAPH_MOE_ROUTER;
  w->training.graphs =
      (ss_word_set)(SS_WORD_BIT(SS_GRAPH_ATTN) | SS_WORD_BIT(w->model.experts == 0 ? SS_GRAPH_MLP : experts));
  w->line[SS_AT_training_graphs] = s->value_line[SS_VALUE_GRAPHS];
  return SS_OK;
}

/* Where nobody says, there are none. */
void ss_megatron_write_graphs(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  if (w->training.host == SS_HOST_EAGER && w->training.graphs != 0) s->value[SS_VALUE_GRAPHS] = 2.0;
}
