#include "sim/import/dialects/megatron_adapters.h"

/* What is written where the workload only says that there is some: that of MLPerf's Llama 2 70B. */
#define SOME_DROPOUT 0.1

bool ss_megatron_lists_adapters(const ss_workload *workload)
{
  return workload->training.lora_modules != 0;
}

ss_status ss_megatron_read_adapters(ss_sheet *s, ss_error *error)
{
  (void)error;
  if (!ss_workload_adapts(s->workload)) return SS_OK;
  if (s->value[SS_VALUE_ADAPTER_DROPOUT] > 0.0)
    ss_sheet_set(s, SS_AT_training_lora_dropout, SS_YES, SS_VALUE_ADAPTER_DROPOUT);
  if (s->value[SS_VALUE_FUSED] > 0.0 && s->workload->parallelism.tp == 1)
    ss_sheet_set(s, SS_AT_training_lora_kernels, SS_LORA_FUSED, SS_VALUE_FUSED);
  return SS_OK;
}

void ss_megatron_write_adapters(ss_sheet *s)
{
  const ss_workload *w = s->workload;
  ss_sheet_give(s, SS_VALUE_ADAPTER_DROPOUT, w->training.lora_dropout == SS_YES ? SOME_DROPOUT : 0.0);
  ss_sheet_give(s, SS_VALUE_FUSED, w->training.lora_kernels == SS_LORA_FUSED);
}
