#include "model/collective/given.h"

#include <string.h>

static const ss_attribute_index attributes[] = {
#define SS_COLLECTIVE_GIVEN(id, activity, passes, keeps, given) given,
    SS_COLLECTIVE_LIST(SS_COLLECTIVE_GIVEN)
#undef SS_COLLECTIVE_GIVEN
};

ss_attribute_index ss_collective_attribute(ss_collective kind)
{
  return attributes[kind];
}

ss_algorithm ss_collective_given(const ss_workload *workload, ss_collective kind)
{
  if (attributes[kind] == SS_ATTRIBUTE_TOTAL) return SS_ALGORITHM_AUTO;
  ss_algorithm given;
  memcpy(&given, (const char *)workload + ss_workload_attributes()[attributes[kind]].offset, sizeof given);
  return given;
}
