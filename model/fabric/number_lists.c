#include "model/fabric/number_lists.h"

/* Reads a number from 1 to SS_CLUSTER_HOSTS; what follows it, NULL where there is none. */
static const char *read_number(const char *text, int64_t *number)
{
  *number = 0;
  for (; *text >= '0' && *text <= '9' && *number <= SS_CLUSTER_HOSTS; ++text) *number = *number * 10 + (*text - '0');
  return *number >= 1 && *number <= SS_CLUSTER_HOSTS ? text : NULL;
}

bool ss_number_lists_parse(const char *text, ss_number_lists *lists)
{
  *lists = (ss_number_lists){.count = 1};
  while (true) {
    ss_number_list *list = &lists->list[lists->count - 1];
    int64_t number;
    const char *end = read_number(text, &number);
    if (end == NULL || list->count == SS_SHAPE_NUMBERS) return false;
    list->at[list->count++] = number;
    if (*end == '\0') return true;
    if (*end == ';' && lists->count++ == SS_NUMBER_LISTS_MAX) return false;
    if (*end != ';' && *end != ',') return false;
    text = end + 1;
  }
}
