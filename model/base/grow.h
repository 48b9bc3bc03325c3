/* Lists that grow. */
#ifndef STEPSIM_MODEL_BASE_GROW_H
#define STEPSIM_MODEL_BASE_GROW_H

#include <stddef.h>
#include <stdint.h>

/* Room for one more member of a list of `count`, each of `size` bytes: returns the list as it is, or where it is now,
 * with `room` doubled; NULL without memory, and the list is as it was. */
void *ss_grown(void *list, int64_t count, int64_t *room, size_t size);

#endif
