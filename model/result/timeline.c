#include "model/result/timeline.h"

const char *ss_stream_name(ss_stream stream)
{
  static const char *const names[] = {
#define SS_STREAM_NAME(id, name) name,
      SS_STREAM_LIST(SS_STREAM_NAME)
#undef SS_STREAM_NAME
  };
  return names[stream];
}

const char *ss_port_name(ss_port port)
{
  static const char *const names[] = {
#define SS_PORT_NAME(id, name) name,
      SS_PORT_LIST(SS_PORT_NAME)
#undef SS_PORT_NAME
  };
  return names[port];
}

bool ss_selection_has(const ss_selection *selection, int64_t index)
{
  for (int64_t i = 0; i < selection->count; i++) {
    const int64_t first = selection->range[i].first;
    if (index < first || index > selection->range[i].last) continue;
    if ((index - first) % selection->range[i].step == 0) return true;
  }
  return selection->count == 0;
}
