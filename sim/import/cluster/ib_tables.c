#include "sim/import/cluster/ib_tables.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"
#include "sim/import/cluster/ib_fabric.h"

enum { MOST_PORT = 254 };

static const char heading[] = "Unicast lids";

bool ss_ib_tables_is(const char *text)
{
  const char *at = strstr(text, heading);
  return at != NULL && (at == text || at[-1] == '\n') && strstr(at, " guid 0x") != NULL;
}

static ss_status out_of_memory(ss_error *error)
{
  return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for forwarding tables");
}

/* Unicast lids [0x0-0x6b] of switch Lid 21 guid 0x0005ad00070429f6 (NAME): */
static ss_status begin_table(ss_ib_tables *tables, const ss_printed *printed, const char *line, ss_error *error)
{
  static const char before[] = " guid 0x";
  const char *guid = strstr(line, before);
  const uint64_t number = guid != NULL ? strtoull(guid + strlen(before), NULL, 16) : 0;
  if (number == 0) return ss_printed_refuse(printed, error, "has no guid of a switch; allowed: such as guid 0x2c9f0");
  const ss_ib_table *earlier = ss_ib_tables_find(tables, number);
  if (earlier != NULL)
    return ss_printed_refuse(printed, error, "is of the switch of line %d; allowed: each switch once", earlier->line);
  ss_ib_table *of = ss_grown(tables->of, tables->count, &tables->room, sizeof *of);
  if (of == NULL) return out_of_memory(error);
  tables->of = of;
  of[tables->count++] = (ss_ib_table){.guid = number, .first = tables->entries, .line = printed->line};
  return SS_OK;
}

/* 0x0023 013 : (Channel Adapter portguid 0x0005ad000008bd05: 'NAME'), with # for : from OpenSM; a switch that drops
 * what is for a LID has no port for it, or 255. */
static ss_status read_entry(ss_ib_tables *tables, const ss_printed *printed, const char *line, ss_error *error)
{
  char *behind;
  const long lid = strtol(line, &behind, 16);
  const char *text = behind + strspn(behind, " \t");
  const long port = strtol(text, &behind, 10);
  ss_ib_table *table = tables->count > 0 ? &tables->of[tables->count - 1] : NULL;
  if (table == NULL || behind == text || lid < 1 || lid > SS_MOST_LID || port < 0 || port > MOST_PORT + 1)
    return ss_printed_refuse(printed, error,
                             "is no LID with a port, in a table of a switch; allowed: such as 0x0023 013");
  if (port > MOST_PORT) return SS_OK;
  if (table->count > 0 && tables->entry[tables->entries - 1].lid >= lid)
    return ss_printed_refuse(printed, error, "has a LID that is not above the one before; allowed: in ascending order");
  ss_ib_entry *entry = ss_grown(tables->entry, tables->entries, &tables->entry_room, sizeof *entry);
  if (entry == NULL) return out_of_memory(error);
  tables->entry = entry;
  entry[tables->entries++] = (ss_ib_entry){.lid = (uint16_t)lid, .port = (uint8_t)port, .line = printed->line};
  table->count++;
  return SS_OK;
}

static ss_status read_line(ss_ib_tables *tables, const ss_printed *printed, const char *line, ss_error *error)
{
  static const char *const known[] = {"Lid ", "Port ", "ibwarn:", "#"};
  if (*line == '\0' || strstr(line, "lids dumped") != NULL) return SS_OK;
  if (strncmp(line, heading, strlen(heading)) == 0) return begin_table(tables, printed, line, error);
  if (strncmp(line, "0x", 2) == 0) return read_entry(tables, printed, line, error);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (strncmp(line, known[i], strlen(known[i])) == 0) return SS_OK;
  return ss_printed_refuse(printed, error, "is not expected; allowed: what dump_lfts.sh, ibroute or OpenSM prints");
}

ss_status ss_ib_tables_read(const ss_source *source, ss_ib_tables *tables, ss_error *error)
{
  ss_printed printed = ss_printed_of(source);
  ss_status status = SS_OK;
  *tables = (ss_ib_tables){.count = 0};
  for (const char *line = ss_printed_next(&printed); status == SS_OK && line != NULL; line = ss_printed_next(&printed))
    status = read_line(tables, &printed, line, error);
  return status;
}

void ss_ib_tables_free(ss_ib_tables *tables)
{
  free(tables->of);
  free(tables->entry);
  *tables = (ss_ib_tables){.count = 0};
}

const ss_ib_table *ss_ib_tables_find(const ss_ib_tables *tables, uint64_t guid)
{
  for (int64_t i = 0; i < tables->count; ++i)
    if (tables->of[i].guid == guid) return &tables->of[i];
  return NULL;
}

const ss_ib_entry *ss_ib_table_entry(const ss_ib_tables *tables, const ss_ib_table *table, int64_t lid)
{
  int64_t low = table->first, high = table->first + table->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (tables->entry[middle].lid < lid)
      low = middle + 1;
    else
      high = middle;
  }
  return low < table->first + table->count && tables->entry[low].lid == lid ? &tables->entry[low] : NULL;
}
