#include "sim/import/cluster/node_matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEVICES = 128, WORDS = MOST_DEVICES + 16 };

/* The matrix being read. */
typedef struct reading {
  ss_printed printed;
  bool is_gpu[MOST_DEVICES]; /* [devices] of the columns */
  bool is_near[MOST_DEVICES];
  int devices;
  int head; /* line that names them */
  int64_t gpus, nics, rows;
  int64_t links; /* of the GPUs read so far: NVLinks of each; -1: none was read */
  ss_error *error;
} reading;

bool ss_node_matrix_is(const char *text)
{
  const char *head = strstr(text, "GPU0");
  return head != NULL && strstr(head, "CPU Affinity") != NULL;
}

static bool is_nic(const char *word)
{
  return strncmp(word, "NIC", 3) == 0 || strncmp(word, "mlx", 3) == 0 || strncmp(word, "efa", 3) == 0 ||
         strncmp(word, "rdmap", 5) == 0 || strncmp(word, "bnxt", 4) == 0;
}

/* The line that names the columns. */
static ss_status read_head(reading *r, char *line)
{
  r->head = r->printed.line;
  char *word[WORDS];
  const int count = ss_printed_words(line, word, WORDS);
  for (int i = 0; i < count && i < WORDS; ++i) {
    const bool gpu = strncmp(word[i], "GPU", 3) == 0 && word[i][3] >= '0' && word[i][3] <= '9';
    if (!gpu && !is_nic(word[i])) break;
    if (r->devices == MOST_DEVICES)
      return ss_printed_refuse(&r->printed, r->error, "has more than %d devices; allowed: fewer", MOST_DEVICES);
    r->is_gpu[r->devices++] = gpu;
    r->gpus += gpu;
    r->nics += !gpu;
  }
  if (r->gpus > 0) return SS_OK;
  return ss_printed_refuse(&r->printed, r->error, "names no GPUs; allowed: as nvidia-smi topo -m prints it");
}

/* A row of a GPU: how it reaches each other device. */
static ss_status read_gpu(reading *r, char *line)
{
  static const char *const ways[] = {"X", "SYS", "NODE", "PHB", "PXB", "PIX", "PXN"};
  char *word[WORDS];
  const int count = ss_printed_words(line, word, WORDS);
  int64_t most = 0, joined = 0;
  if (count < 1 + r->devices || count > WORDS)
    return ss_printed_refuse(&r->printed, r->error, "has fewer words than the first line; allowed: the whole matrix");
  for (int i = 0; i < r->devices; ++i) {
    const char *way = word[1 + i];
    int64_t links = 0;
    size_t known = 0;
    while (known < sizeof ways / sizeof ways[0] && strcmp(ways[known], way) != 0) ++known;
    const bool is_nvlink = strncmp(way, "NV", 2) == 0 && ss_printed_count(way + 2, 1000, &links) && links > 0;
    if (!is_nvlink && known == sizeof ways / sizeof ways[0])
      return ss_printed_refuse(&r->printed, r->error,
                               "\"%.16s\" is unknown; allowed: X SYS NODE PHB PXB PIX, and NV with a number", way);
    joined += is_nvlink && r->is_gpu[i];
    most = links > most ? links : most;
    if (!r->is_gpu[i] && (strcmp(way, "PIX") == 0 || strcmp(way, "PXB") == 0)) r->is_near[i] = true;
  }
  if (joined > 0 && joined != r->gpus - 1)
    return ss_printed_refuse(&r->printed, r->error,
                             "NVLink joins this GPU to %" PRId64 " of %" PRId64
                             " others; allowed: all of a node, or none",
                             joined, r->gpus - 1);
  if (r->links >= 0 && most != r->links)
    return ss_printed_refuse(&r->printed, r->error,
                             "has %" PRId64 " NVLinks, GPUs above %" PRId64 "; allowed: as many of each GPU", most,
                             r->links);
  r->links = most;
  r->rows++;
  return SS_OK;
}

ss_status ss_node_matrix_read(const ss_source *source, ss_node *node, ss_error *error)
{
  reading r = {.printed = ss_printed_of(source), .links = -1, .error = error};
  ss_status status = SS_OK;
  for (char *line = ss_printed_next(&r.printed); status == SS_OK && line != NULL; line = ss_printed_next(&r.printed)) {
    if (strncmp(line, "GPU", 3) != 0 || line[3] < '0' || line[3] > '9') continue;
    status = r.devices == 0 ? read_head(&r, line) : read_gpu(&r, line);
  }
  if (status != SS_OK) return status;
  if (r.rows != r.gpus)
    return ss_error_set(error, SS_ERROR_INPUT, source->path, r.head,
                        "has %" PRId64 " GPUs in its first line, and %" PRId64 " rows of them; allowed: as many",
                        r.gpus, r.rows);
  int64_t near = 0;
  for (int i = 0; i < r.devices; ++i) near += r.is_near[i];
  *node = (ss_node){.gpus = r.gpus, .nics = near > 0 ? near : r.nics, .nvlinks = r.links, .line = r.head};
  node->nics_left_out = r.nics - node->nics;
  return SS_OK;
}
