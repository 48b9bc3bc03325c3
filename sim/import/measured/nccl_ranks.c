#include "sim/import/measured/nccl_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/grow.h"

enum { MOST_RANKS = 1 << 20 };

/* The number behind a word; -1 where there is none. */
static int64_t number_behind(const char *text, const char *word)
{
  const char *at = strstr(text, word);
  if (at == NULL) return -1;
  at += strlen(word);
  at += strspn(at, " ");
  const size_t length = strspn(at, "0123456789");
  char digits[16];
  int64_t number;
  if (length == 0 || length >= sizeof digits) return -1;
  (void)snprintf(digits, sizeof digits, "%.*s", (int)length, at);
  return ss_printed_count(digits, MOST_RANKS, &number) ? number : -1;
}

/* Copies the word behind another one. */
static bool word_behind(const char *text, const char *word, char copy[SS_NAME_SIZE])
{
  const char *at = strstr(text, word);
  if (at == NULL) return false;
  at += strlen(word);
  at += strspn(at, " ");
  const size_t length = strcspn(at, " ");
  if (length == 0 || length >= SS_NAME_SIZE) return false;
  (void)snprintf(copy, SS_NAME_SIZE, "%.*s", (int)length, at);
  return true;
}

static ss_nccl_rank *add(ss_nccl_ranks *ranks)
{
  ss_nccl_rank *grown = ss_grown(ranks->at, ranks->count, &ranks->room, sizeof *grown);
  if (grown == NULL) return NULL;
  ranks->at = grown;
  return &ranks->at[ranks->count++];
}

ss_status ss_nccl_ranks_add(ss_nccl_ranks *ranks, const ss_printed *printed, const char *text, ss_error *error)
{
  ss_nccl_rank rank = {.rank = number_behind(text, "Rank"), .device = number_behind(text, " device")};
  rank.line = printed->line;
  if (rank.rank < 0 || rank.device < 0 || !word_behind(text, " on ", rank.host))
    return ss_printed_refuse(printed, error,
                             "does not say rank, host and device; allowed: as nccl-tests lists its devices");
  const char *name = strchr(text, ']');
  if (name != NULL) (void)ss_printed_copy(rank.name, sizeof rank.name, name + 1 + strspn(name + 1, " "));
  ss_nccl_rank *place = add(ranks);
  if (place == NULL) return ss_error_set(error, SS_ERROR_MEMORY, NULL, 0, "out of memory for ranks");
  *place = rank;
  return SS_OK;
}

static int64_t count_hosts(const ss_nccl_ranks *ranks)
{
  int64_t hosts = 0;
  for (int64_t i = 0; i < ranks->count; ++i) {
    int64_t k = i > 0 && strcmp(ranks->at[i - 1].host, ranks->at[i].host) == 0 ? i - 1 : 0;
    while (strcmp(ranks->at[k].host, ranks->at[i].host) != 0) ++k;
    hosts += k == i;
  }
  return hosts;
}

/* How many hosts there are where a log leaves devices out: they have as many as the largest number says. */
static int64_t hosts_behind(const ss_nccl_ranks *ranks, int64_t count)
{
  int64_t of_host = 1;
  for (int64_t i = 0; i < ranks->count; ++i)
    if (ranks->at[i].device >= of_host) of_host = ranks->at[i].device + 1;
  const int64_t hosts = count / of_host, listed = count_hosts(ranks);
  return hosts > listed ? hosts : listed;
}

/* One kind of GPU. */
static ss_status check_kind(const ss_nccl_ranks *ranks, const ss_printed *printed, ss_error *error)
{
  const ss_nccl_rank *first = &ranks->at[0];
  for (int64_t i = 1; i < ranks->count; ++i) {
    const ss_nccl_rank *rank = &ranks->at[i];
    if (strcmp(rank->name, first->name) != 0)
      return ss_error_set(error, SS_ERROR_INPUT, printed->source->path, rank->line,
                          "rank %" PRId64 " has a %.40s, rank %" PRId64 " a %.40s; allowed: one kind of GPU",
                          rank->rank, rank->name, first->rank, first->name);
  }
  return SS_OK;
}

/* As many ranks on each host: rank r is on host r / (ranks of a host), in the order of the hosts, also where a log
 * leaves some of its devices out. */
static ss_status check_even(const ss_nccl_ranks *ranks, const ss_printed *printed, const ss_nccl_run *run,
                            ss_error *error)
{
  SS_ASSERT(run->hosts > 0);
  const int64_t of_host = run->ranks / run->hosts;
  for (int64_t i = 0; i < ranks->count; ++i) {
    const ss_nccl_rank *rank = &ranks->at[i];
    const bool is_new = i == 0 || strcmp(ranks->at[i - 1].host, rank->host) != 0;
    if (of_host * run->hosts == run->ranks &&
        (!is_new || run->unlisted > 0 || (of_host > 0 && rank->rank % of_host == 0)) && rank->device < of_host)
      continue;
    return ss_error_set(error, SS_ERROR_INPUT, printed->source->path, rank->line,
                        "rank %" PRId64 " is device %" PRId64 " of %.40s, and there are %" PRId64 " ranks on %" PRId64
                        " hosts; allowed: as many ranks on each host, one after the other, all of them in the log",
                        rank->rank, rank->device, rank->host, run->ranks, run->hosts);
  }
  return SS_OK;
}

ss_status ss_nccl_ranks_finish(const ss_nccl_ranks *ranks, const ss_printed *printed, ss_nccl_run *run, ss_error *error)
{
  if (ranks->count == 0)
    return ss_printed_refuse(
        printed, error, "the log does not list the devices of this table; allowed: all of the output of nccl-tests");
  for (int64_t i = 0; i < ranks->count; ++i)
    if (ranks->at[i].rank >= run->ranks) run->ranks = ranks->at[i].rank + 1;
  run->unlisted = run->ranks > ranks->count ? run->ranks - ranks->count : 0;
  run->hosts = run->unlisted > 0 ? hosts_behind(ranks, run->ranks) : count_hosts(ranks);
  memcpy(run->device, ranks->at[0].name, sizeof run->device);
  const ss_status status = check_kind(ranks, printed, error);
  return status == SS_OK ? check_even(ranks, printed, run, error) : status;
}

void ss_nccl_ranks_free(ss_nccl_ranks *ranks)
{
  free(ranks->at);
  *ranks = (ss_nccl_ranks){.count = 0};
}
