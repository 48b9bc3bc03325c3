#include "model/search/knob_need.h"

#include "model/plan/layers/layer_modules.h"

/* The word that the rows are written in. */
#define VARIES(knob) ((varied & SS_KNOB_BIT(SS_KNOB_##knob)) != 0)

enum {
#define SS_KNOB_NEED(knob, attribute, lacks, problem, allowed) NEED_##knob##_##attribute,
#include "model/search/knob_needs.def"
  NEEDS
};

#define SS_KNOB_NEED(knob, attribute, lacks, problem, allowed)                                                         \
  static bool lacks_##knob##_##attribute(ss_knob_set varied, const ss_workload *own)                                   \
  {                                                                                                                    \
    (void)varied, (void)own;                                                                                           \
    return lacks;                                                                                                      \
  }
#include "model/search/knob_needs.def"

static const ss_knob_need needs[NEEDS] = {
#define SS_KNOB_NEED(knob, attribute, lacks, problem, allowed)                                                         \
  {SS_KNOB_##knob, SS_AT_##attribute, lacks_##knob##_##attribute, problem, allowed},
#include "model/search/knob_needs.def"
};

const ss_knob_need *ss_knob_needs(int64_t *count)
{
  *count = NEEDS;
  return needs;
}
