#include "model/result/record.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

ss_record ss_record_empty(void)
{
#define EMPTY_TEXT(field, name, meaning)  .field = "",
#define EMPTY_COUNT(field, name, meaning) .field = -1,
#define EMPTY_REAL(field, name, meaning)  .field = NAN,
  return (ss_record){SS_RECORD_TEXTS(EMPTY_TEXT) SS_RECORD_LATER_TEXTS(EMPTY_TEXT) SS_RECORD_DOCUMENTS(EMPTY_TEXT)
                         SS_RECORD_COUNTS(EMPTY_COUNT) SS_RECORD_REALS(EMPTY_REAL)};
#undef EMPTY_TEXT
#undef EMPTY_COUNT
#undef EMPTY_REAL
}

ss_status ss_record_copy(const ss_record *record, ss_record *copy)
{
  bool complete = true;
  *copy = *record;
#define COPY_TEXT(field, name, meaning)                                                                                \
  copy->field = strdup(record->field);                                                                                 \
  complete = complete && copy->field != NULL;
  SS_RECORD_TEXTS(COPY_TEXT)
  SS_RECORD_LATER_TEXTS(COPY_TEXT)
  SS_RECORD_DOCUMENTS(COPY_TEXT)
#undef COPY_TEXT
  return complete ? SS_OK : SS_ERROR_MEMORY;
}

void ss_record_free(ss_record *copy)
{
#define FREE_TEXT(field, name, meaning)                                                                                \
  free((char *)copy->field);                                                                                           \
  copy->field = NULL;
  SS_RECORD_TEXTS(FREE_TEXT)
  SS_RECORD_LATER_TEXTS(FREE_TEXT)
  SS_RECORD_DOCUMENTS(FREE_TEXT)
#undef FREE_TEXT
}
