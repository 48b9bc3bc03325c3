#include "model/base/scratch.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/error.h"

/* Each block is twice as large as the one before: there are few, and none has to move. */
enum { BLOCKS = 40, FIRST_BYTES = 1 << 16 };

struct ss_scratch {
  char *block[BLOCKS]; /* NULL: not needed so far; owned */
  ss_scratch_mark top;
};

ss_scratch *ss_scratch_create(void)
{
  return calloc(1, sizeof(ss_scratch));
}

void ss_scratch_destroy(ss_scratch *scratch)
{
  for (int i = 0; i < BLOCKS && scratch != NULL; ++i) free(scratch->block[i]);
  free(scratch);
}

static size_t bytes_of(int block)
{
  return (size_t)FIRST_BYTES << block;
}

/* Goes on to a block with room for so many bytes. */
static void leave_block(ss_scratch *scratch, size_t bytes)
{
  int next = scratch->top.block + 1;
  while (next < BLOCKS && bytes_of(next) < bytes) ++next;
  SS_ASSERT(next < BLOCKS);
  if (scratch->block[next] == NULL) scratch->block[next] = malloc(bytes_of(next));
  scratch->top = (ss_scratch_mark){.block = next};
}

void *ss_scratch_take(ss_scratch *scratch, size_t bytes)
{
  const size_t align = _Alignof(max_align_t), room = (bytes + align - 1) / align * align;
  ss_scratch_mark *top = &scratch->top;
  if (scratch->block[top->block] == NULL) scratch->block[top->block] = malloc(bytes_of(top->block));
  if (room > bytes_of(top->block) - top->used) leave_block(scratch, room);
  SS_ASSERT(scratch->block[top->block] != NULL);
  void *taken = scratch->block[top->block] + top->used;
  top->used += room;
  return taken;
}

void *ss_scratch_grown(ss_scratch *scratch, void *list, int64_t count, int64_t *room, size_t size)
{
  enum { FIRST_ROOM = 8 };
  if (count < *room) return list;
  const int64_t more = *room > 0 ? 2 * *room : FIRST_ROOM;
  void *larger = ss_scratch_take(scratch, (size_t)more * size);
  if (count > 0) memcpy(larger, list, (size_t)count * size);
  *room = more;
  return larger;
}

ss_scratch_mark ss_scratch_now(const ss_scratch *scratch)
{
  return scratch->top;
}

void ss_scratch_return(ss_scratch *scratch, ss_scratch_mark mark)
{
  const ss_scratch_mark top = scratch->top;
  SS_ASSERT(mark.block < top.block || (mark.block == top.block && mark.used <= top.used));
  scratch->top = mark;
}
