#include "model/fabric/topology_generator.h"

#include <inttypes.h>
#include <string.h>

#include "model/fabric/counts.h"
#include "model/fabric/topologies.h"

/* Ports of a switch, where nothing is said about them. */
#define USUAL_RADIX 64

static const char *const words[SS_FABRIC_KIND_COUNT] = {
#define KIND_WORD(id, word, name, help) [id] = word,
    SS_FABRIC_KIND_LIST(KIND_WORD)
#undef KIND_WORD
};

static const char *const options[SS_DESIGN_OPTIONS] = {
#define OPTION_NAME(id, option, argument, help) "--" option,
    SS_DESIGN_OPTION_LIST(OPTION_NAME, SS_DESIGN_)
#undef OPTION_NAME
};

bool ss_fabric_kind_find(const char *word, ss_fabric_kind *kind)
{
  for (int i = 0; i < SS_FABRIC_KIND_COUNT; ++i)
    if (strcmp(word, words[i]) == 0) {
      *kind = (ss_fabric_kind)i;
      return true;
    }
  return false;
}

unsigned ss_fabric_kind_takes(ss_fabric_kind kind)
{
  return ss_fabric_methods_of(kind)->takes;
}

ss_status ss_topology_read_shape(ss_design_option option, const char *text, ss_topology_request *request,
                                 ss_error *error)
{
  int kind = 0;
  while (kind < SS_FABRIC_KIND_COUNT && !(ss_fabric_kind_takes((ss_fabric_kind)kind) & (1u << option))) ++kind;
  SS_ASSERT(option >= SS_DESIGN_SIZES && kind < SS_FABRIC_KIND_COUNT);
  request->size[option] = 1;
  return ss_fabric_methods_of((ss_fabric_kind)kind)->read_shape(text, &request->shape, error);
}

static ss_status check_domains(const ss_topology_request *r, ss_error *error)
{
  if (r->gpus % r->domain_size != 0)
    return ss_count_refuse_divisor("--domain", r->domain_size, "does not divide --gpus", r->gpus, error);
  if (r->nics_per_domain % r->domain_size != 0 && r->domain_size % r->nics_per_domain != 0) {
    char allowed[SS_DIVISORS_SIZE];
    ss_count_list_divisors(r->domain_size, allowed);
    return ss_error_set(error, SS_ERROR_INPUT, "--nics", 0,
                        "\"%" PRId64 "\": does not suit the %" PRId64
                        " GPUs of a domain; allowed: %s, or a multiple of %" PRId64,
                        r->nics_per_domain, r->domain_size, allowed, r->domain_size);
  }
  const int64_t most = SS_CLUSTER_HOSTS / (r->gpus / r->domain_size);
  if (r->nics_per_domain > most)
    return ss_error_set(error, SS_ERROR_INPUT, "--nics", 0,
                        "\"%" PRId64 "\": makes more than %d NICs; allowed: at most %" PRId64, r->nics_per_domain,
                        SS_CLUSTER_HOSTS, most);
  return SS_OK;
}

/* A shape that is given leaves nothing to sizes. */
static ss_status check_options(const ss_topology_request *r, ss_error *error)
{
  int shape = SS_DESIGN_OPTIONS;
  for (int i = 0; i < SS_DESIGN_OPTIONS; ++i) {
    if (r->size[i] != 0 && !(ss_fabric_kind_takes(r->kind) & (1u << i)))
      return ss_error_set(error, SS_ERROR_INPUT, options[i], 0, "does not apply to --fabric %s", words[r->kind]);
    if (r->size[i] != 0 && i >= SS_DESIGN_SIZES) shape = i;
  }
  if (r->size[SS_DESIGN_RADIX] == 1)
    return ss_error_set(error, SS_ERROR_INPUT, options[SS_DESIGN_RADIX], 0,
                        "\"1\": connects nothing; allowed: 2 ports or more");
  for (int i = 0; shape < SS_DESIGN_OPTIONS && i < SS_DESIGN_SIZES; ++i)
    if (r->size[i] != 0)
      return ss_error_set(error, SS_ERROR_INPUT, options[i], 0, "and %s say the same; allowed: one of the two",
                          options[shape]);
  return SS_OK;
}

ss_status ss_topology_generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  const ss_fabric_methods *methods = ss_fabric_methods_of(request->kind);
  const int64_t *size = request->size;
  ss_status status = check_domains(request, error);
  if (status == SS_OK) status = check_options(request, error);
  if (status != SS_OK) return status;
  const int64_t domains = request->gpus / request->domain_size;
  *design = (ss_topology_design){
      .kind = request->kind,
      .domains = domains,
      .domain_size = request->domain_size,
      .nics_per_domain = request->nics_per_domain,
      .nics = domains * request->nics_per_domain,
      .radix = size[SS_DESIGN_RADIX] != 0 ? size[SS_DESIGN_RADIX] : USUAL_RADIX,
      .taper = size[SS_DESIGN_TAPER] != 0 ? size[SS_DESIGN_TAPER] : 1,
      .shape.topology = methods->topology,
  };
  return methods->generate(request, design, error);
}

double ss_topology_bisection(const ss_topology_design *design)
{
  return ss_fabric_methods_of(design->kind)->bisection(design);
}

void ss_topology_describe(const ss_topology_design *design, char text[SS_DESIGN_TEXT_SIZE])
{
  const int64_t gpus = design->domains * design->domain_size;
  ss_sentence s = ss_sentence_begin(text, SS_DESIGN_TEXT_SIZE);
  ss_sentence_say(&s, "%" PRId64 " domain%s of %" PRId64 " GPU%s with %" PRId64 " NIC%s each: ", design->domains,
                  ss_count_plural(design->domains), design->domain_size, ss_count_plural(design->domain_size),
                  design->nics_per_domain, ss_count_plural(design->nics_per_domain));
  ss_sentence_say(&s, "%" PRId64 " GPUs, %" PRId64 " NICs. ", gpus, design->nics);
  ss_fabric_methods_of(design->kind)->describe(design, &s);
  const int64_t spare = design->hosts - design->nics;
  if (spare > 0)
    ss_sentence_say(&s, " There is room for %" PRId64 " NICs, so that %" PRId64 " %s spare.", design->hosts, spare,
                    spare == 1 ? "is" : "are");
}
