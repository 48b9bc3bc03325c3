#include "model/prediction.h"

double ss_breakdown_sum(const ss_breakdown *breakdown)
{
  double sum_s = 0.0;
#define SS_PART_ADD(field, label, help) sum_s += breakdown->field;
  SS_PART_LIST(SS_PART_ADD)
#undef SS_PART_ADD
  return sum_s;
}
