/* Results that are kept between runs, in the database of --db; without --db, nothing is kept. */
#ifndef STEPSIM_SIM_SESSION_RESULT_CACHE_H
#define STEPSIM_SIM_SESSION_RESULT_CACHE_H

#include "model/result/record.h"
#include "model/search/search.h"
#include "sim/report/report.h"
#include "sim/store/store.h"

enum { SS_QUESTION_NUMBERS = 16 };

/* Everything that a result depends on, apart from the program. */
typedef struct ss_question {
  const char *kind;
  const ss_workload *workload; /* after overrides and all that is varied */
  const ss_machine *machine;
  double number[SS_QUESTION_NUMBERS]; /* the options that matter, in an order that the kind has; the rest 0 */
} ss_question;

typedef struct ss_result_cache {
  const char *path; /* NULL where nothing is kept */
  ss_store *store;  /* owned */
  ss_key program;
  char platform[SS_PATH_SIZE]; /* the last platform file, and the key of what is in it */
  ss_key topology;
  int64_t asked, taken; /* questions, and those with an answer */
} ss_result_cache;

/* Opens the database behind `path`, NULL for none. SS_ERROR_INPUT, SS_ERROR_MEMORY. Release in any case; a zeroed one
 * keeps nothing. The path is borrowed. */
ss_status ss_result_cache_open(ss_result_cache *cache, const char *path, ss_error *error);

/* Closes the database. Accepts a zeroed cache. */
void ss_result_cache_close(ss_result_cache *cache);

/* Whether there is a database. */
bool ss_result_cache_keeps(const ss_result_cache *cache);

/* Looks for the answer to a question. The outcome is on the heap, for the caller to free; NULL where there is none to
 * be taken. SS_ERROR_INPUT, SS_ERROR_MEMORY. */
ss_status ss_result_cache_find(ss_result_cache *cache, const ss_question *question, void **outcome, size_t *size,
                               ss_error *error);

/* Counts a question that cannot be asked, and so has no answer. SS_OK. */
ss_status ss_result_cache_miss(ss_result_cache *cache);

/* Keeps an answer; one of no bytes is there to be counted and listed, not to be taken. The record says what varies and
 * what came out; the rest of it follows from the question. */
ss_status ss_result_cache_keep(ss_result_cache *cache, const ss_question *question, ss_record record,
                               const void *outcome, size_t size, ss_error *error);

/* Fills in the figures of the first strategy and, as JSON, all parts of all. The caller frees the parts.
 * SS_ERROR_MEMORY. */
ss_status ss_result_cache_describe(ss_record *record, const ss_kept_strategies *kept, ss_error *error);

/* Says on standard error, unless `quiet`, how many of the "results" were there already. */
void ss_result_cache_tell(const ss_result_cache *cache, bool quiet, const char *results);

#endif
