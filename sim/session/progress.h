/* How far a command is, on standard error: for people at a terminal who have not asked for quiet. */
#ifndef STEPSIM_SIM_SESSION_PROGRESS_H
#define STEPSIM_SIM_SESSION_PROGRESS_H

#include "model/search/search.h"
#include "sim/options/common_options.h"

/* What is called with the share that is done; NULL where nobody looks. The work begins with the first call after
 * ss_progress_clear. */
typedef void (*ss_progress)(double share);
ss_progress ss_progress_of(const ss_common_options *options);

/* The same of a search. */
typedef void (*ss_progress_of_candidates)(const ss_search_progress *progress);
ss_progress_of_candidates ss_progress_of_search(const ss_common_options *options);

/* Clears the line of ss_progress_of from the terminal, if it wrote one. */
void ss_progress_clear(const ss_common_options *options);

enum { SS_PROGRESS_SIZE = 80 };

/* What it says: the share and, once it can be told, how much is done in a second and how long the rest takes at that.
 */
void ss_progress_text(double share, double elapsed_s, char text[SS_PROGRESS_SIZE]);

/* What it says of a search: also how many candidates have been tried, of how many sizes of groups. */
void ss_progress_search_text(const ss_search_progress *progress, double elapsed_s, char text[SS_PROGRESS_SIZE]);

#endif
