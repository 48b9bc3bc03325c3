#include "model/kernel/cost.h"

const char *ss_cost_word(ss_cost cost)
{
  static const char *const words[] = {
#define SS_COST_WORD(id, word, help) word,
      SS_COST_LIST(SS_COST_WORD)
#undef SS_COST_WORD
  };
  return words[cost];
}

ss_cost_traits ss_cost_traits_of(ss_cost cost)
{
  if (cost == SS_COST_CALIBRATED)
    return (ss_cost_traits){.ends_of_model = true, .fp32_gradients = true, .buffers = true};
  const bool code = cost == SS_COST_SC24_CODE;
  return (ss_cost_traits){.as_published = true,
                          .mean_messages = true,
                          .free_slow_hops = code,
                          .spare_panel = true,
                          .slipped_norm = code,
                          .half_all_reduce = code};
}
