/* Memory for what is worked out and thrown away again, time after time: what was taken last is given back first. */
#ifndef STEPSIM_MODEL_BASE_SCRATCH_H
#define STEPSIM_MODEL_BASE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct ss_scratch ss_scratch;

/* Nothing has been taken. NULL when there is no memory. Release with ss_scratch_destroy, which NULL is fine for. */
ss_scratch *ss_scratch_create(void);
void ss_scratch_destroy(ss_scratch *scratch);

/* So many bytes for objects of any type, not initialised; they stay where they are. Aborts when memory is out. */
void *ss_scratch_take(ss_scratch *scratch, size_t bytes);

/* Room for one more member of a list of `count`, each of `size` bytes, as ss_grown (model/base/grow.h) has it: returns
 * the list as it is, or a larger copy of it with `room` doubled. */
void *ss_scratch_grown(ss_scratch *scratch, void *list, int64_t count, int64_t *room, size_t size);

/* How much has been taken. */
typedef struct ss_scratch_mark {
  int block;
  size_t used;
} ss_scratch_mark;

ss_scratch_mark ss_scratch_now(const ss_scratch *scratch);

/* Gives back all that has been taken since then; the next to take get it. */
void ss_scratch_return(ss_scratch *scratch, ss_scratch_mark mark);

#endif
