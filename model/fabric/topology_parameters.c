#include "model/fabric/topology_parameters.h"

#include <inttypes.h>

#include "model/fabric/topologies.h"

const char *ss_topology_form(ss_topology topology)
{
  return ss_topology_methods_of(topology)->form;
}

static ss_status check_sizes(const ss_shape *shape, int64_t hosts, ss_error *error)
{
  const ss_topology_methods *methods = ss_topology_methods_of(shape->topology);
  const int64_t described = methods->hosts(shape);
  if (described != hosts)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0,
                        "describes %" PRId64 " hosts; allowed: %" PRId64 ", as radical says", described, hosts);
  const double links = methods->links(shape);
  if (links > SS_CLUSTER_LINKS)
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "needs %.0f links; allowed: at most %d", links,
                        SS_CLUSTER_LINKS);
  return SS_OK;
}

ss_status ss_topology_parse(const char *text, int64_t hosts, ss_shape *shape, ss_error *error)
{
  const ss_topology_methods *methods = ss_topology_methods_of(shape->topology);
  SS_ASSERT(methods->form != NULL);
  ss_number_lists lists;
  if (!ss_number_lists_parse(text, &lists))
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "is not a list of numbers from 1 to %d; allowed: %s",
                        SS_CLUSTER_HOSTS, methods->form);
  if (!methods->read(&lists, shape))
    return ss_error_set(error, SS_ERROR_INPUT, NULL, 0, "is not a %s; allowed: %s", methods->noun, methods->form);
  const ss_status status = methods->check != NULL ? methods->check(shape, error) : SS_OK;
  return status == SS_OK ? check_sizes(shape, hosts, error) : status;
}

void ss_topology_print(const ss_shape *shape, char text[SS_TOPOLOGY_TEXT_SIZE])
{
  const ss_topology_methods *methods = ss_topology_methods_of(shape->topology);
  ss_sentence sentence = ss_sentence_begin(text, SS_TOPOLOGY_TEXT_SIZE);
  if (methods->print != NULL) methods->print(shape, &sentence);
}
