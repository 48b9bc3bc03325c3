/* cluster: a platform from descriptions of a machine that its owner has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"
#include "model/input/origin.h"
#include "sim/cli/platform/cluster_nodes.h"
#include "sim/cli/platform/new_platform.h"
#include "sim/cli/shared/commands.h"
#include "sim/cli/shared/comment.h"
#include "sim/cli/shared/exit_status.h"
#include "sim/import/cluster/own_cluster.h"
#include "sim/import/cluster/own_routes.h"
#include "sim/import/import.h"
#include "sim/io/io.h"
#include "sim/report/report.h"
#include "sim/report/table.h"
#include "sim/session/outputs.h"

/* GB/s each way of an NVLink, by the compute capability of the GPU: NVIDIA's data sheets of P100 (NVLink 1), V100,
 * A100, H100 and B200. */
static const struct {
  int64_t capability;
  double bytes_per_s;
} nvlinks[] = {{60, 20e9}, {70, 25e9}, {80, 25e9}, {90, 25e9}, {100, 50e9}, {103, 50e9}};

/* What the command has. */
typedef struct making {
  const ss_options *options;
  ss_own_draft draft;
  ss_machine machine;
  ss_topology_request request;
  ss_topology_design design;
  int64_t node_gpus, of_domain; /* GPUs of a node, and nodes of a domain */
  bool has_routes;              /* the tree has those of forwarding tables */
  char routes[SS_PATH_SIZE];    /* their file, as the platform names it */
} making;

static ss_status read_file(making *m, const char *path, ss_own_file only, ss_error *error)
{
  ss_source source;
  ss_node node;
  ss_status status = ss_source_read(path, &source, error);
  const ss_own_file kind = status == SS_OK ? ss_own_file_of(source.text) : SS_OWN_FILES;
  if (status == SS_OK && kind == only && kind == SS_OWN_NCCL) {
    status = ss_nccl_topology_load(path, &node, error);
    if (status == SS_OK) status = ss_own_take_node(&m->draft, &node, path, kind, error);
  } else if (status == SS_OK && kind == only) {
    status = ss_own_take(&m->draft, &source, kind, error);
  }
  ss_source_free(&source);
  return status;
}

/* Nodes first, then those of a job, switches and cables, as later ones look at earlier ones. */
static ss_status read_files(making *m, ss_error *error)
{
  static const ss_own_file order[] = {SS_OWN_NCCL, SS_OWN_MATRIX, SS_OWN_HOSTS, SS_OWN_SLURM, SS_OWN_IB, SS_OWN_TABLES};
  const ss_options *options = m->options;
  ss_status status = ss_outputs_check(&options->output, options->argument, 1, error);
  for (int64_t i = 1; status == SS_OK && i < options->argument_count; ++i)
    status = ss_outputs_check_input(&options->output, options->argument[i], error);
  for (size_t k = 0; k < sizeof order / sizeof order[0]; ++k)
    for (int64_t i = 0; status == SS_OK && i < options->argument_count; ++i)
      status = read_file(m, options->argument[i], order[k], error);
  return status == SS_OK ? ss_own_finish(&m->draft, error) : status;
}

/* GPUs of a node, nodes of a domain. */
static ss_status size_domain(making *m, ss_error *error)
{
  const ss_own_draft *draft = &m->draft;
  const int64_t like = m->machine.domain_size;
  int64_t gpus = draft->node.gpus;
  if (gpus == 0) gpus = draft->block > 0 && like % draft->block == 0 ? like / draft->block : like;
  if (m->request.domain_size == 0)
    m->request.domain_size = draft->block > 0 && draft->block * gpus == like ? like : gpus;
  m->node_gpus = gpus;
  m->of_domain = m->request.domain_size / gpus;
  if (m->of_domain * gpus != m->request.domain_size)
    return ss_error_set(error, SS_ERROR_INPUT, "--domain", 0,
                        "\"%" PRId64 "\": nodes have %" PRId64 " GPUs; allowed: whole nodes", m->request.domain_size,
                        gpus);
  if (m->of_domain == 1 && like > gpus)
    return ss_own_note(
        &m->draft, error,
        "NVLink joins the %" PRId64 " GPUs of a node here, and %" PRId64
        " on the machine that it is like; if it joins those of several nodes, the option domain says so.",
        gpus, like);
  return SS_OK;
}

/* Refuses NICs that files say of a node and that its GPUs cannot share evenly: some may be for storage. */
static ss_status check_nics(const making *m, int64_t nics, ss_error *error)
{
  const ss_own_draft *draft = &m->draft;
  const int64_t gpus = m->node_gpus;
  const ss_own_file of_node = draft->file[SS_OWN_NCCL][0] != '\0' ? SS_OWN_NCCL : SS_OWN_MATRIX;
  const bool is_cabled = draft->nics > 0;
  int64_t even = nics > gpus ? nics / gpus * gpus : nics;
  if (nics == 0 || nics % gpus == 0 || gpus % nics == 0) return SS_OK;
  while (even < gpus && gpus % even != 0) --even;
  return ss_error_set(
      error, SS_ERROR_INPUT, draft->file[is_cabled ? SS_OWN_IB : of_node], is_cabled ? 0 : draft->node.line,
      "has %" PRId64 " NICs of a node, which its %" PRId64
      " GPUs cannot share evenly; allowed: the NICs of a domain that collectives use by an option, such "
      "as --nics %" PRId64,
      nics, gpus, even * m->of_domain);
}

/* GPUs of the machine, NICs of a domain. */
static ss_status size_machine(making *m, ss_error *error)
{
  ss_own_draft *draft = &m->draft;
  ss_topology_request *request = &m->request;
  const int64_t domains = ss_divide_up(draft->places, m->of_domain);
  if (request->gpus == 0) request->gpus = domains * request->domain_size;
  if (request->gpus == 0)
    return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                        "no file says how many nodes there are; allowed: the GPUs of the machine, or a list of hosts");
  if (domains * request->domain_size > request->gpus)
    return ss_error_set(error, SS_ERROR_INPUT, "--gpus", 0,
                        "\"%" PRId64 "\": the files have %" PRId64 " nodes; allowed: %" PRId64 " or more",
                        request->gpus, draft->places, domains * request->domain_size);
  const int64_t nics = draft->nics > 0 ? draft->nics : draft->node.nics;
  if (request->nics_per_domain == 0) {
    const ss_status status = check_nics(m, nics, error);
    if (status != SS_OK) return status;
  }
  if (draft->nics > 0 && draft->node.nics > 0 && draft->nics != draft->node.nics) {
    const ss_status status =
        ss_own_note(draft, error, "A node has %" PRId64 " NICs, of which %" PRId64 " are on the fabric.",
                    draft->node.nics, draft->nics);
    if (status != SS_OK) return status;
  }
  if (request->nics_per_domain == 0 && nics > 0) request->nics_per_domain = nics * m->of_domain;
  if (request->nics_per_domain == 0)
    request->nics_per_domain = m->machine.nics_per_domain * request->domain_size / m->machine.domain_size;
  if (request->nics_per_domain > 0) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--nics", 0,
                      "no file says how many NICs a domain has; allowed: 1 or more");
}

/* Rates of links that the files say. */
static ss_status take_rates(making *m, ss_error *error)
{
  const ss_own_draft *draft = &m->draft;
  const ss_node *node = &draft->node;
  const double nic = draft->nic_bytes_per_s > 0.0 ? draft->nic_bytes_per_s : node->nic_bytes_per_s;
  if (nic > 0.0) m->machine.fabric_bytes_per_s = nic;
  if (node->has_pairs) {
    m->machine.nvlink_pairs = 1;
    m->machine.line[SS_PROPERTY_nvlink_pairs] = SS_LINE_OVERRIDE;
  }
  if (node->nvlinks == 0) return SS_OK;
  for (size_t i = 0; i < sizeof nvlinks / sizeof nvlinks[0]; ++i)
    if (nvlinks[i].capability == node->capability) {
      m->machine.nvlink_bytes_per_s = (double)node->nvlinks * nvlinks[i].bytes_per_s;
      return SS_OK;
    }
  return ss_own_note(
      &m->draft, error,
      "GPUs have %" PRId64
      " NVLinks, whose rate no file says: that of the machine that it is like is taken, %.4g GB/s each way.",
      node->nvlinks, 1e-9 * m->machine.nvlink_bytes_per_s);
}

/* Leaves as the files have them, where the command does not say otherwise. */
static void shape_leaves(making *m)
{
  enum { USUAL_PORTS = 64 };
  const ss_own_draft *draft = &m->draft;
  ss_topology_request *request = &m->request;
  const int64_t rails = draft->rails > 1 ? draft->rails : 1;
  const int64_t nics = request->nics_per_domain / m->of_domain;
  if (draft->of_leaf == 0 || request->size[SS_DESIGN_LEAF] != 0) return;
  if (rails > 1) request->kind = SS_FABRIC_KIND_RAIL;
  const int64_t leaf = draft->of_leaf * nics / rails;
  request->size[SS_DESIGN_LEAF] = leaf;
  if (request->size[SS_DESIGN_RADIX] == 0 && 2 * leaf > USUAL_PORTS) request->size[SS_DESIGN_RADIX] = 2 * leaf;
}

/* Whether the cables are known, and nothing of the command replaces them. */
static bool has_cables(const making *m)
{
  const ss_options *options = m->options;
  const ss_own_draft *draft = &m->draft;
  bool free_shape = options->platform.build[SS_BUILD_FABRIC] == NULL && m->of_domain == 1;
  for (int i = 0; i < SS_DESIGN_OPTIONS; ++i) free_shape = free_shape && m->request.size[i] == 0;
  return free_shape && draft->of_leaf > 0 && draft->nics > 0 && draft->tree.levels > 0;
}

/* Ports of a switch that has others above it, and how many times as many go down from a leaf as up. */
static void count_ports(ss_topology_design *design)
{
  const ss_fat_tree *tree = &design->shape.as.fat_tree;
  const int64_t down = tree->down[0], up = tree->up[1] * tree->links[1];
  design->taper = up > 0 && down > up ? ss_divide_up(down, up) : 1;
  design->radix = down + up;
  for (int64_t level = 2; level < tree->levels; ++level) {
    const int64_t ports = tree->down[level - 1] * tree->links[level - 1] + tree->up[level] * tree->links[level];
    if (ports > design->radix) design->radix = ports;
  }
}

static int64_t hosts_of(const ss_fat_tree *tree)
{
  int64_t hosts = 1;
  for (int64_t level = 0; level < tree->levels; ++level) hosts *= tree->down[level];
  return hosts;
}

/* The fat tree that the cables are. */
static void design_cables(making *m)
{
  const ss_own_draft *draft = &m->draft;
  ss_topology_design *design = &m->design;
  const int64_t domains = m->request.gpus / m->request.domain_size;
  const int64_t groups = ss_divide_up(domains, draft->of_leaf), leaves = groups * draft->rails;
  *design = (ss_topology_design){.kind = draft->rails > 1 ? SS_FABRIC_KIND_RAIL : SS_FABRIC_KIND_FAT_TREE,
                                 .domains = domains,
                                 .domain_size = m->request.domain_size,
                                 .nics_per_domain = m->request.nics_per_domain,
                                 .nics = domains * m->request.nics_per_domain,
                                 .rail_domains = draft->rails > 1 ? draft->of_leaf : 0,
                                 .shape = {.topology = SS_TOPOLOGY_FAT_TREE}};
  design->shape.as.fat_tree = ss_own_tree_shape(draft, leaves);
  design->hosts = hosts_of(&design->shape.as.fat_tree);
  count_ports(design);
  if (draft->link_speed[0] != '\0') design->link_speed = draft->link_speed;
}

/* The length of the folder of a path, with its slash. */
static size_t folder_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash + 1 - path) : 0;
}

/* How a platform names the file of its routes: by itself where both are in one folder, else from any folder. */
static ss_status name_routes(making *m, ss_error *error)
{
  const char *routes = m->options->output.routes, *platform = m->options->output.file;
  const size_t folder = folder_of(routes);
  const bool together = platform != NULL && !ss_option_is_standard_output(platform) && folder_of(platform) == folder &&
                        strncmp(platform, routes, folder) == 0;
  char parent[SS_PATH_SIZE];
  (void)snprintf(parent, sizeof parent, "%.*s", (int)folder, routes);
  char *absolute = together ? NULL : realpath(folder > 0 ? parent : ".", NULL);
  const int length = snprintf(m->routes, sizeof m->routes, "%s%s%s", absolute != NULL ? absolute : "",
                              absolute != NULL ? "/" : "", routes + folder);
  free(absolute);
  if (length < SS_ROUTES_SIZE) return SS_OK;
  return ss_error_set(error, SS_ERROR_INPUT, "--routes", 0, "has %d bytes with its folder; allowed: at most %d", length,
                      SS_ROUTES_SIZE - 1);
}

/* The routes of forwarding tables, where the tree has their cables. */
static ss_status design_routes(making *m, ss_error *error)
{
  const bool has_tables = m->draft.file[SS_OWN_TABLES][0] != '\0', is_given = m->options->output.routes != NULL;
  m->has_routes = has_tables && has_cables(m);
  if (is_given && !m->has_routes)
    return ss_error_set(error, SS_ERROR_INPUT, "--routes", 0,
                        "there are no routes to write; allowed: with forwarding tables of a fat tree whose "
                        "cables the platform has");
  if (has_tables && !m->has_routes)
    return ss_own_note(&m->draft, error, "Replays route by destination, as the platform does not have these cables.");
  if (m->draft.routes > 0 && !is_given && m->has_routes)
    return ss_error_set(error, SS_ERROR_INPUT, "--routes", 0,
                        "is missing; allowed: a file for the routes of %s, %" PRId64 " of which are not by destination",
                        m->draft.file[SS_OWN_TABLES], m->draft.routes);
  const ss_status status = is_given ? name_routes(m, error) : SS_OK;
  if (is_given) m->design.routes = m->routes;
  return status;
}

static ss_status make(making *m, ss_error *error)
{
  const ss_options *options = m->options;
  if (options->platform.build[SS_BUILD_LIKE] == NULL)
    return ss_error_set(error, SS_ERROR_INPUT, "--like", 0,
                        "is missing; allowed: a platform with the same GPU, whose rates no file says");
  ss_status status = read_files(m, error);
  if (status == SS_OK) status = ss_new_platform_request(options, &m->request, error);
  if (status == SS_OK) status = ss_new_platform_machine(options, 1, &m->machine, error);
  if (status == SS_OK) status = size_domain(m, error);
  if (status == SS_OK) status = size_machine(m, error);
  if (status == SS_OK) status = ss_new_platform_machine(options, m->request.gpus, &m->machine, error);
  if (status == SS_OK) status = take_rates(m, error);
  if (status != SS_OK) return status;
  if (has_cables(m)) {
    design_cables(m);
    return design_routes(m, error);
  }
  status = design_routes(m, error);
  shape_leaves(m);
  return status == SS_OK ? ss_topology_generate(&m->request, &m->design, error) : status;
}

/* Words in lines that a terminal has room for. */
static void wrap_note(FILE *stream, const char *text)
{
  (void)fputs("  ", stream);
  ss_table_print_wrapped(stream, text, 2);
}

/* What each number is from, line by line. */
static void print_sources(FILE *stream, const making *m, void (*wrap)(FILE *stream, const char *text))
{
  static const char *const tells[SS_OWN_FILES] = {
      [SS_OWN_NCCL] = "GPUs, NVLinks and NICs of a node",
      [SS_OWN_MATRIX] = "GPUs, NVLinks and NICs of a node",
      [SS_OWN_IB] = "leaf switches, their nodes and cables, and the rate of NICs",
      [SS_OWN_TABLES] = "routes",
      [SS_OWN_SLURM] = "nodes, and the switches or blocks that they are in",
      [SS_OWN_HOSTS] = "nodes of the job",
  };
  char line[2 * SS_PATH_SIZE];
  for (int i = 0; i < SS_OWN_FILES; ++i) {
    if (m->draft.file[i][0] == '\0') continue;
    (void)snprintf(line, sizeof line, "%s: %s (%s).", m->draft.file[i], tells[i], ss_own_file_text((ss_own_file)i));
    wrap(stream, line);
  }
  for (int64_t i = 0; i < m->draft.notes; ++i) wrap(stream, m->draft.note[i]);
}

static void print_comment(FILE *stream, const void *what)
{
  const making *m = what;
  char text[SS_DESIGN_TEXT_SIZE];
  ss_topology_describe(&m->design, text);
  (void)fputc('\n', stream);
  ss_comment_wrap(stream, text);
  (void)snprintf(text, sizeof text, "NICs have %.4g GB/s each way, NVLink %.4g GB/s per GPU.",
                 1e-9 * m->machine.fabric_bytes_per_s, 1e-9 * m->machine.nvlink_bytes_per_s);
  ss_comment_wrap(stream, text);
  (void)fputs("\n  From\n", stream);
  print_sources(stream, m, ss_comment_wrap);
  ss_comment_made_by(stream, m->options);
  (void)fputs("\n  All else: ", stream);
  ss_comment_argument(stream, m->options->platform.build[SS_BUILD_LIKE]);
  (void)fputs(", whose first comment has its sources.\n", stream);
}

static ss_status write_routes(making *m, ss_error *error)
{
  const char *path = m->options->output.routes;
  char *text = path != NULL ? ss_own_routes_text(&m->draft) : NULL;
  ss_status status = SS_OK;
  if (path != NULL && text == NULL) status = ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for routes");
  if (text != NULL) status = ss_report_bytes(path, text, error);
  free(text);
  return status;
}

static ss_status write_all(making *m, ss_error *error)
{
  const ss_output_options *output = &m->options->output;
  const char *path = output->file != NULL ? output->file : "-";
  char *comment = ss_comment_make(print_comment, m), *text = NULL;
  ss_status status = comment != NULL ? ss_platform_write(&m->machine, &m->design, comment, &text, error)
                                     : ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a comment");
  const ss_cluster_nodes nodes = {
      .draft = &m->draft, .node_gpus = m->node_gpus, .of_domain = m->of_domain, .options = m->options};
  if (status == SS_OK && output->nodes != NULL) status = ss_cluster_nodes_write(&nodes, error);
  if (status == SS_OK) status = write_routes(m, error);
  if (status == SS_OK) status = ss_report_bytes(path, text, error);
  if (status == SS_OK && !ss_option_is_standard_output(path)) print_sources(stdout, m, wrap_note);
  free(text);
  free(comment);
  return status;
}

int ss_command_cluster(const ss_options *options)
{
  ss_error error = {0};
  making *m = calloc(1, sizeof *m);
  if (m == NULL) {
    (void)ss_error_set(&error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a cluster");
    return ss_fail(&error);
  }
  m->options = options;
  ss_status status = make(m, &error);
  if (status == SS_OK) status = write_all(m, &error);
  ss_own_free(&m->draft);
  free(m);
  return status == SS_OK ? SS_EXIT_DONE : ss_fail(&error);
}
