#include "model/measured/predicted.h"

const char *ss_predictor_label(ss_predictor predictor)
{
  static const char *const labels[] = {
#define SS_PREDICTOR_LABEL(id, label, field) label,
      SS_PREDICTOR_LIST(SS_PREDICTOR_LABEL)
#undef SS_PREDICTOR_LABEL
  };
  return labels[predictor];
}

const char *ss_predictor_field(ss_predictor predictor)
{
  static const char *const fields[] = {
#define SS_PREDICTOR_FIELD(id, label, field) field,
      SS_PREDICTOR_LIST(SS_PREDICTOR_FIELD)
#undef SS_PREDICTOR_FIELD
  };
  return fields[predictor];
}
