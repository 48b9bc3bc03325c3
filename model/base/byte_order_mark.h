/* The mark of UTF-8 at the beginning of a file, as Excel and editors of Windows write it. */
#ifndef STEPSIM_MODEL_BASE_BYTE_ORDER_MARK_H
#define STEPSIM_MODEL_BASE_BYTE_ORDER_MARK_H

#include <stddef.h>
#include <string.h>

/* Takes the mark away from the beginning of a text of `size` bytes; returns how many are left. */
static inline size_t ss_drop_byte_order_mark(char *text, size_t size)
{
  static const char mark[] = "\xef\xbb\xbf";
  const size_t length = sizeof mark - 1;
  if (size < length || memcmp(text, mark, length) != 0) return size;
  memmove(text, text + length, size - length);
  return size - length;
}

#endif
