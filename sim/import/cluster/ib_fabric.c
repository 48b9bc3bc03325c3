#include "sim/import/cluster/ib_fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

/* Gb/s of a lane, without the bits of its code (InfiniBand Trade Association, roadmap): SDR to QDR use 8 of 10 bits,
 * later ones 64 of 66. */
static const struct {
  const char *name;
  double lane;
} speeds[] = {{"SDR", 2.0},  {"DDR", 4.0},  {"QDR", 8.0},   {"FDR10", 10.0}, {"FDR", 13.64},
              {"EDR", 25.0}, {"HDR", 50.0}, {"NDR", 100.0}, {"XDR", 200.0}};

/* Output being read. */
typedef struct reading {
  ss_printed printed;
  ss_ib_fabric *fabric;
  int64_t current; /* the switch whose ports follow; -1: none, or a channel adapter */
  bool in_adapter;
  ss_error *error;
} reading;

bool ss_ib_fabric_is(const char *text)
{
  return strstr(text, "switchguid=") != NULL || strstr(text, "# Topology file: generated on") != NULL;
}

static ss_status out_of_memory(const reading *r)
{
  return ss_error_set(r->error, SS_ERROR_MEMORY, NULL, 0, "out of memory for a fabric");
}

/* Copies what stands between quotes; returns what follows, NULL where there are none. */
static const char *quoted(const char *text, char *copy, size_t size)
{
  const char *begin = strchr(text, '"');
  const char *end = begin != NULL ? strchr(begin + 1, '"') : NULL;
  if (end == NULL) return NULL;
  const size_t length = (size_t)(end - begin - 1);
  char whole[2 * SS_HOST_SIZE];
  (void)snprintf(whole, sizeof whole, "%.*s", (int)(length < sizeof whole ? length : sizeof whole - 1), begin + 1);
  (void)ss_printed_copy(copy, size, whole);
  return end + 1;
}

/* Notes the LIDs of a line, "lid 48 lmc 0": a port has 2^LMC of them, one behind the other. */
static void note_lids(const reading *r, const char *line)
{
  static const char word[] = " lid ", mask[] = " lmc ";
  for (const char *at = strstr(line, word); at != NULL; at = strstr(at, word)) {
    char *end;
    const long lid = strtol(at += sizeof word - 1, &end, 10);
    const long bits = strncmp(end, mask, sizeof mask - 1) == 0 ? strtol(end + sizeof mask - 1, NULL, 10) : 0;
    for (long i = 0; bits >= 0 && bits <= 7 && lid > 0 && i < 1L << bits && lid + i <= SS_MOST_LID; ++i)
      r->fabric->has_lid[lid + i] = true;
  }
}

/* Switch  36 "S-ec0d9a0300ec8240"  # "NAME" base port 0 lid 48 lmc 0 */
static ss_status read_switch(reading *r, const char *line)
{
  ss_ib_fabric *fabric = r->fabric;
  ss_ib_switch *grown = ss_grown(fabric->at, fabric->switches, &fabric->switch_room, sizeof *grown);
  if (grown == NULL) return out_of_memory(r);
  fabric->at = grown;
  ss_ib_switch *at = &fabric->at[fabric->switches];
  *at = (ss_ib_switch){.ports = strtoll(line + strlen("Switch"), NULL, 10), .number = -1};
  const char *rest = quoted(line, at->guid, sizeof at->guid);
  if (rest == NULL || at->ports < 1 || at->ports > SS_MOST_PORTS)
    return ss_printed_refuse(&r->printed, r->error, "is not a switch as ibnetdiscover prints it");
  (void)quoted(rest, at->name, sizeof at->name);
  r->current = fabric->switches++;
  r->in_adapter = false;
  note_lids(r, line);
  return SS_OK;
}

/* "4xNDR" at the end of a line, as bytes per second. */
static bool read_rate(const char *line, double *bytes_per_s)
{
  const char *word = strrchr(line, ' ');
  if (word == NULL) word = strrchr(line, '\t');
  if (word == NULL) return false;
  char *end;
  const long long width = strtoll(word + 1, &end, 10);
  if (*end != 'x' || width < 1 || width > 12) return false;
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; ++i)
    if (strcmp(end + 1, speeds[i].name) == 0) {
      *bytes_per_s = 1e9 / 8.0 * (double)width * speeds[i].lane;
      return true;
    }
  return false;
}

static ss_ib_link *add_link(ss_ib_fabric *fabric)
{
  ss_ib_link *grown = ss_grown(fabric->link, fabric->links, &fabric->link_room, sizeof *grown);
  if (grown == NULL) return NULL;
  fabric->link = grown;
  return &fabric->link[fabric->links++];
}

/* [1]  "H-506b4b03003fa9b6"[1](506b4b03003fa9b6)   # "node018 HCA-1" lid 67 4xEDR */
static ss_status read_port(reading *r, const char *line)
{
  ss_ib_link link = {
      .from = r->current, .to = -1, .line = r->printed.line, .port = strtoll(line + 1, NULL, 10), .tree_port = -1};
  char name[SS_HOST_SIZE] = "";
  note_lids(r, line);
  if (r->in_adapter) return SS_OK; /* the switch prints the same cable */
  const char *rest = r->current >= 0 ? quoted(line, link.guid, sizeof link.guid) : NULL;
  if (rest == NULL)
    return ss_printed_refuse(&r->printed, r->error, "is a port of no switch; allowed: as ibnetdiscover prints it");
  if (link.port < 1 || link.port > r->fabric->at[r->current].ports)
    return ss_printed_refuse(&r->printed, r->error,
                             "is port %" PRId64 " of a switch with %" PRId64 "; allowed: as ibnetdiscover prints it",
                             link.port, r->fabric->at[r->current].ports);
  if (*rest == '[') link.to_port = strtoll(rest + 1, NULL, 10);
  const char *comment = strchr(rest, '#');
  if (comment == NULL || quoted(comment, name, sizeof name) == NULL || !read_rate(line, &link.bytes_per_s))
    return ss_printed_refuse(&r->printed, r->error,
                             "has no name, or no known width and speed at its end; allowed: such as 4xEDR or 2xNDR");
  const char *lid = strstr(comment, " lid ");
  if (lid != NULL) link.lid = strtoll(lid + strlen(" lid "), NULL, 10);
  if (link.guid[0] != 'S' && strstr(name, "Aggregation Node") != NULL) {
    r->fabric->aggregation++;
    return SS_OK;
  }
  char *blank = strrchr(name, ' ');
  if (blank != NULL) *blank = '\0';
  (void)snprintf(link.host, sizeof link.host, "%s", name);
  (void)snprintf(link.device, sizeof link.device, "%s", blank != NULL ? blank + 1 : "");
  ss_ib_link *place = add_link(r->fabric);
  if (place == NULL) return out_of_memory(r);
  *place = link;
  return SS_OK;
}

static ss_status read_line(reading *r, const char *line)
{
  static const char *const known[] = {"vendid=", "devid=",      "sysimgguid=", "switchguid=", "caguid=", "rtguid=",
                                      "Chassis", "Non-Chassis", "Spine",       "Line",        "ibwarn:"};
  if (*line == '\0' || *line == '#') return SS_OK;
  if (*line == '[') return read_port(r, line);
  if (strncmp(line, "Switch", 6) == 0) return read_switch(r, line);
  if (strncmp(line, "Ca", 2) == 0 || strncmp(line, "Rt", 2) == 0) {
    r->in_adapter = true;
    return SS_OK;
  }
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (strncmp(line, known[i], strlen(known[i])) == 0) return SS_OK;
  return ss_printed_refuse(&r->printed, r->error, "is not expected; allowed: what ibnetdiscover prints");
}

/* Finds the switches at the other ends, whose guids are "S-...". */
static ss_status join(const reading *r)
{
  ss_ib_fabric *fabric = r->fabric;
  for (int64_t i = 0; i < fabric->links; ++i) {
    ss_ib_link *link = &fabric->link[i];
    if (link->guid[0] != 'S') continue;
    for (int64_t k = 0; k < fabric->switches && link->to < 0; ++k)
      if (strcmp(fabric->at[k].guid, link->guid) == 0) link->to = k;
    if (link->to < 0)
      return ss_error_set(r->error, SS_ERROR_INPUT, r->printed.source->path, link->line,
                          "leads to %s, which the file does not have; allowed: the whole output", link->guid);
  }
  return SS_OK;
}

/* Level by level from the NICs. */
static void find_levels(ss_ib_fabric *fabric)
{
  for (int64_t i = 0; i < fabric->links; ++i)
    if (fabric->link[i].to < 0) fabric->at[fabric->link[i].from].level = 1;
  fabric->levels = fabric->links > 0;
  for (bool any = true; any;) {
    any = false;
    for (int64_t i = 0; i < fabric->links; ++i) {
      const ss_ib_link *link = &fabric->link[i];
      if (link->to < 0 || fabric->at[link->from].level != fabric->levels || fabric->at[link->to].level != 0) continue;
      fabric->at[link->to].level = fabric->levels + 1;
      any = true;
    }
    fabric->levels += any;
  }
}

ss_status ss_ib_fabric_read(const ss_source *source, ss_ib_fabric *fabric, ss_error *error)
{
  *fabric = (ss_ib_fabric){.levels = 0};
  reading r = {.printed = ss_printed_of(source), .fabric = fabric, .current = -1, .error = error};
  ss_status status = SS_OK;
  for (const char *line = ss_printed_next(&r.printed); status == SS_OK && line != NULL;
       line = ss_printed_next(&r.printed))
    status = read_line(&r, line);
  if (status == SS_OK) status = join(&r);
  if (status == SS_OK) find_levels(fabric);
  if (status != SS_OK || fabric->levels > 0) return status;
  return ss_error_set(error, SS_ERROR_INPUT, source->path, 0, "has no switch with ports; allowed: one or more");
}

int64_t ss_ib_fabric_first_link(const ss_ib_fabric *fabric, int64_t from)
{
  int64_t low = 0, high = fabric->links;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (fabric->link[middle].from < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void ss_ib_fabric_free(ss_ib_fabric *fabric)
{
  free(fabric->at);
  free(fabric->link);
  *fabric = (ss_ib_fabric){.levels = 0};
}
