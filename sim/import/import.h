/* What files of other programs say of a model and how it is trained, as a workload. */
#ifndef STEPSIM_SIM_IMPORT_IMPORT_H
#define STEPSIM_SIM_IMPORT_IMPORT_H

#include <stddef.h>

#include "sim/import/models/draft.h"

/* Starts a workload with a simple strategy: one GPU, one sequence. Release with ss_import_free in any case. */
void ss_import_init(ss_import *import, ss_workload *workload);

/* Takes what a file says, over what others have said before. The workload is neither derived nor checked, but every
 * value by itself is. SS_ERROR_INPUT with file, line, what was given and what is allowed; SS_ERROR_MEMORY. */
ss_status ss_import_read(ss_import *import, const char *path, ss_error *error);

/* The same of a text, which messages call `path`. */
ss_status ss_import_read_text(ss_import *import, const char *path, const char *text, ss_error *error);

/* What follows from all files and from what was set over them: where files say how many sequences a replica takes, a
 * batch is of as many as there are replicas, unless it was set; products in pieces are where tensor-parallel ranks
 * gather and reduce; where files say the copies of what is sharded, or the ranks that share one, and leave the replicas
 * open, the size of shards. SS_ERROR_INPUT where copies do not share out the replicas; SS_ERROR_MEMORY. */
ss_status ss_import_complete(ss_import *import, ss_error *error);

/* Writes what ss_import_init has chosen and no file has said into `text`, cut to `size` bytes. */
void ss_import_chosen(const ss_import *import, char *text, size_t size);

/* All that is to be said of an import, in lines: `title` and what is chosen, where something is, and the notes of each
 * kind. Owned by the caller; empty where there is nothing to say, NULL in errors. SS_ERROR_MEMORY. */
ss_status ss_import_text(const ss_import *import, const char *title, char **text, ss_error *error);

void ss_import_free(ss_import *import);

#endif
