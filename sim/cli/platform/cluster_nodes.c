#include "sim/cli/platform/cluster_nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/report/report.h"

/* The node at each place, -1 where none is wanted. The caller frees it; NULL without memory. */
static int64_t *place_nodes(const ss_own_draft *draft)
{
  int64_t *at = malloc((size_t)draft->places * sizeof *at);
  if (at == NULL) return NULL;
  for (int64_t i = 0; i < draft->places; ++i) at[i] = -1;
  for (int64_t i = 0; i < draft->hosts.count; ++i)
    if (draft->job.count == 0 || ss_names_find(&draft->job, draft->hosts.name[i]) >= 0) at[draft->place[i]] = i;
  return at;
}

/* A domain, if any of its nodes is wanted: DOMAIN gpus LIST # names */
static void print_domain(FILE *stream, const ss_cluster_nodes *nodes, const int64_t *at, int64_t domain)
{
  const ss_own_draft *draft = nodes->draft;
  bool any = false;
  for (int64_t k = 0; k < nodes->of_domain; ++k) {
    const int64_t place = domain * nodes->of_domain + k;
    if (place >= draft->places || at[place] < 0) continue;
    if (any)
      (void)fputc(',', stream);
    else
      (void)fprintf(stream, "%" PRId64 " gpus ", domain);
    (void)fprintf(stream, "%" PRId64 "-%" PRId64, k * nodes->node_gpus, (k + 1) * nodes->node_gpus - 1);
    any = true;
  }
  if (!any) return;
  (void)fputs(" #", stream);
  for (int64_t k = 0; k < nodes->of_domain; ++k) {
    const int64_t place = domain * nodes->of_domain + k;
    if (place < draft->places && at[place] >= 0) (void)fprintf(stream, " %s", draft->hosts.name[at[place]]);
  }
  (void)fputc('\n', stream);
}

ss_status ss_cluster_nodes_write(const ss_cluster_nodes *nodes, ss_error *error)
{
  const ss_own_draft *draft = nodes->draft;
  char *text = NULL;
  size_t size;
  if (draft->places == 0)
    return ss_error_set(error, SS_ERROR_INPUT, "--nodes", 0,
                        "no file names nodes; allowed: with a list of hosts, "
                        "topology.conf or ibnetdiscover");
  int64_t *at = place_nodes(draft);
  FILE *stream = at != NULL ? open_memstream(&text, &size) : NULL;
  if (stream == NULL) {
    free(at);
    return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for nodes");
  }
  for (int64_t domain = 0; domain * nodes->of_domain < draft->places; ++domain) print_domain(stream, nodes, at, domain);
  const bool complete = fclose(stream) == 0;
  free(at);
  const ss_status status = complete ? ss_report_bytes(nodes->options->output.nodes, text, error)
                                    : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for nodes");
  free(text);
  return status;
}
