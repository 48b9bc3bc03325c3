/* The topology of a node as NCCL writes it (NCCL_TOPO_DUMP_FILE), and as makers of machines write it for NCCL
 * (NCCL_TOPO_FILE). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/io.h"
#include "sim/io/xml/document.h"

enum { MOST_NICS = 128 };

typedef struct nic {
  double bytes_per_s; /* 0: not said */
  bool is_near;       /* behind a PCIe switch of a GPU */
} nic;

/* What has been found so far. */
typedef struct reading {
  const ss_document *document;
  ss_node *node;
  nic nics[MOST_NICS];
  int count;
  int64_t joined; /* GPUs that have said their NVLinks */
  int64_t peers;  /* GPUs that the last one is linked to without a switch */
  ss_error *error;
} reading;

static ss_status refuse(const reading *r, const xmlNode *element, const char *problem)
{
  return ss_error_set(r->error, SS_ERROR_INPUT, r->document->path, ss_element_line(element), "<%s> %s",
                      (const char *)element->name, problem);
}

/* A number that an attribute has; -1 where it is not given. */
static ss_status read_number(const reading *r, const xmlNode *element, const char *name, int64_t *number)
{
  const char *text = ss_element_peek(element, name), *end;
  *number = -1;
  if (text == NULL) return SS_OK;
  end = ss_digits_parse(text, number);
  if (end != NULL && *end == '\0' && *number <= INT32_MAX) return SS_OK;
  char problem[SS_MESSAGE_SIZE];
  (void)snprintf(problem, sizeof problem, "%s=\"%s\": is not a number; allowed: one from 0 on", name,
                 ss_quote_of(text).text);
  return refuse(r, element, problem);
}

/* The NVLinks of a GPU, to switches or to other GPUs; all GPUs have as many. */
static ss_status read_gpu(reading *r, const xmlNode *element)
{
  int64_t capability, links = 0;
  r->peers = 0;
  ss_status status = read_number(r, element, "sm", &capability);
  for (const xmlNode *link = ss_element_first(element); status == SS_OK && link != NULL; link = ss_element_next(link)) {
    int64_t count = 0;
    if (!ss_element_is(link, "nvlink")) continue; /* c2c and what later versions add */
    status = read_number(r, link, "count", &count);
    if (status == SS_OK && count < 1) return refuse(r, link, "has no count; allowed: a number from 1 on");
    links += count;
    const char *target = ss_element_peek(link, "tclass");
    r->peers += target != NULL && strncmp(target, "0x03", 4) == 0;
  }
  if (status != SS_OK) return status;
  if (r->joined > 0 && links != r->node->nvlinks)
    return refuse(r, element, "has another number of NVLinks than the GPUs before; allowed: one kind of GPU");
  if (r->joined > 0 && capability > 0 && capability != r->node->capability)
    return refuse(r, element, "has another sm than the GPUs before; allowed: one kind of GPU");
  r->node->nvlinks = links;
  r->node->capability = capability > 0 ? capability : 0;
  r->joined++;
  return SS_OK;
}

static ss_status add_nic(reading *r, const xmlNode *element, int64_t megabits_per_s)
{
  if (r->count == MOST_NICS) return refuse(r, element, "is one NIC too many; allowed: 128");
  r->nics[r->count++].bytes_per_s = megabits_per_s > 0 ? 1e6 / 8.0 * (double)megabits_per_s : 0.0;
  return SS_OK;
}

/* The PCI class of an element: 0x03 a GPU, 0x02 a NIC, 0x06 a bridge; 0 where it is not said. */
static int class_of(const xmlNode *element)
{
  const char *text = ss_element_is(element, "pci") ? ss_element_peek(element, "class") : NULL;
  return text != NULL ? (int)(strtol(text, NULL, 16) >> 16) : 0;
}

/* Whether an element of a name is inside. */
static bool has(const xmlNode *element, const char *name)
{
  for (const xmlNode *child = ss_element_first(element); child != NULL; child = ss_element_next(child))
    if (ss_element_is(child, name) || has(child, name)) return true;
  return false;
}

static ss_status read_element(reading *r, const xmlNode *element);

static ss_status read_inside(reading *r, const xmlNode *element)
{
  ss_status status = SS_OK;
  for (const xmlNode *child = ss_element_first(element); status == SS_OK && child != NULL;
       child = ss_element_next(child))
    status = read_element(r, child);
  return status;
}

/* Files for NCCL leave out what NCCL finds by itself: a GPU or a NIC is then no more than its PCI class. */
static ss_status read_element(reading *r, const xmlNode *element)
{
  const int kind = class_of(element);
  int64_t speed;
  if (kind == 3) r->node->gpus++;
  if (ss_element_is(element, "gpu")) return read_gpu(r, element);
  if (ss_element_is(element, "net")) {
    const ss_status status = read_number(r, element, "speed", &speed);
    return status == SS_OK ? add_nic(r, element, speed) : status;
  }
  if (kind == 2 && !has(element, "net")) return add_nic(r, element, 0);
  return read_inside(r, element);
}

/* Marks the NICs that share a PCIe switch, the outermost element of a CPU, with a GPU. */
static ss_status read_cpu(reading *r, const xmlNode *cpu)
{
  ss_status status = SS_OK;
  for (const xmlNode *child = ss_element_first(cpu); status == SS_OK && child != NULL; child = ss_element_next(child)) {
    const int first = r->count;
    const int64_t gpus = r->node->gpus;
    status = read_element(r, child);
    for (int i = first; i < r->count; ++i) r->nics[i].is_near = r->node->gpus > gpus;
  }
  return status;
}

/* The NICs of the fabric: those near a GPU, where some are, and of these the fastest. */
static void choose_nics(reading *r)
{
  bool any_near = false;
  double fastest = 0.0;
  for (int i = 0; i < r->count; ++i) any_near = any_near || r->nics[i].is_near;
  for (int i = 0; i < r->count; ++i)
    if ((r->nics[i].is_near || !any_near) && r->nics[i].bytes_per_s > fastest) fastest = r->nics[i].bytes_per_s;
  for (int i = 0; i < r->count; ++i)
    r->node->nics += (r->nics[i].is_near || !any_near) && r->nics[i].bytes_per_s == fastest;
  r->node->nics_left_out = r->count - r->node->nics;
  r->node->nic_bytes_per_s = fastest;
}

ss_status ss_nccl_topology_load(const char *path, ss_node *node, ss_error *error)
{
  ss_document document;
  *node = (ss_node){.gpus = 0};
  reading r = {.document = &document, .node = node, .error = error};
  ss_status status = ss_document_open(path, "system", &document, error);
  const xmlNode *root = status == SS_OK ? xmlDocGetRootElement(document.xml) : NULL;
  for (const xmlNode *cpu = root != NULL ? ss_element_first(root) : NULL; status == SS_OK && cpu != NULL;
       cpu = ss_element_next(cpu))
    status = ss_element_is(cpu, "cpu") ? read_cpu(&r, cpu) : ss_element_refuse(&document, cpu, "<cpu>", error);
  if (status == SS_OK && node->gpus == 0)
    status = ss_error_set(error, SS_ERROR_INPUT, path, 0, "has no GPU; allowed: a node with one or more");
  if (status == SS_OK && r.joined > 0 && r.joined != node->gpus)
    status = ss_error_set(error, SS_ERROR_INPUT, path, 0,
                          "has %" PRId64 " GPUs, of which %" PRId64 " say their NVLinks; allowed: all or none",
                          node->gpus, r.joined);
  if (status == SS_OK && r.peers > 0 && r.peers != node->gpus - 1)
    status = ss_error_set(error, SS_ERROR_INPUT, path, 0,
                          "NVLink joins a GPU to %" PRId64 " of %" PRId64 " others; allowed: all of a node, or none",
                          r.peers, node->gpus - 1);
  node->has_pairs = r.peers > 0;
  if (status == SS_OK) choose_nics(&r);
  ss_document_close(&document);
  return status;
}
