#include "sim/io/platform/topology.h"

#include "model/fabric/topology_parameters.h"

const char *const ss_topology_words[SS_TOPOLOGY_COUNT + 1] = {
#define SS_TOPOLOGY_WORD(id, word, name) word,
    SS_TOPOLOGY_LIST(SS_TOPOLOGY_WORD)
#undef SS_TOPOLOGY_WORD
        NULL};

ss_status ss_topology_read(const ss_value *value, int64_t hosts, ss_shape *shape, ss_error *error)
{
  const char *word = ss_topology_words[shape->topology], *form = ss_topology_form(shape->topology);
  if (form == NULL) {
    if (value->text == NULL) return SS_OK;
    return ss_value_refuse(value, error, "needs a topology other than %s; allowed: leave it out", word);
  }
  if (value->text == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, value->file, value->line,
                        "%s is missing with topology=\"%s\"; allowed: %s", value->subject, word, form);
  ss_error problem = {0};
  if (ss_topology_parse(value->text, hosts, shape, &problem) == SS_OK) return SS_OK;
  return ss_value_refuse(value, error, "%s", problem.message);
}
