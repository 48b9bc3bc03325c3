#include "model/kernel/format.h"

const ss_format_row *ss_format_row_of(ss_format format)
{
  static const ss_format_row rows[] = {
#define SS_FORMAT_ROW(id, engine, value_bytes, scale_bytes, activations, weights)                                      \
  {engine, value_bytes, (value_bytes) + (scale_bytes) / (activations), (value_bytes) + (scale_bytes) / (weights)},
      SS_FORMAT_LIST(SS_FORMAT_ROW)
#undef SS_FORMAT_ROW
  };
  return &rows[format];
}
