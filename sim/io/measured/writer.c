/* Writing measurements, so that ss_measured_load reads the collectives that were written. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/io/io.h"
#include "sim/io/xml/writing.h"

/* What a file is made of. */
typedef struct written {
  const ss_measured *measured;
  const char *comment;
} written;

static void write_count(ss_writing *w, const char *name, int64_t count)
{
  char text[SS_NAME_SIZE];
  (void)snprintf(text, sizeof text, "%" PRId64, count);
  ss_writing_attribute(w, name, text);
}

static void write_quantity(ss_writing *w, const char *name, double value, ss_unit unit)
{
  char text[SS_QUANTITY_SIZE];
  ss_quantity_format(value, unit, text);
  ss_writing_attribute(w, name, text);
}

/* The path of the platform, from any folder. */
static void write_platform(ss_writing *w, const char *path)
{
  char *absolute = realpath(path, NULL);
  ss_writing_attribute(w, "platform", absolute != NULL ? absolute : path);
  free(absolute);
}

static bool is_same_run(const ss_measured_point *one, const ss_measured_point *other)
{
  return one->nodes == other->nodes && one->gpus_per_node == other->gpus_per_node;
}

/* The times of a run from its first point on; returns how many there are, of `most`. */
static int64_t write_run(ss_writing *w, const ss_measured_point *first, int64_t most)
{
  int64_t count = 0;
  ss_writing_start(w, "    ", "run");
  write_count(w, "nodes", first->nodes);
  write_count(w, "gpus-per-node", first->gpus_per_node);
  ss_writing_raw(w, "\n");
  for (; count < most && is_same_run(&first[count], first); ++count) {
    ss_writing_start(w, "      ", "time");
    write_quantity(w, "bytes", first[count].volume_bytes, SS_UNIT_BYTES);
    write_quantity(w, "out", first[count].measured_s, SS_UNIT_SECONDS);
    ss_writing_end(w);
  }
  ss_writing_raw(w, "    ");
  ss_writing_end(w);
  return count;
}

static void write_group(ss_writing *w, const ss_measured_group *group, const ss_measured_point *point)
{
  ss_writing_start(w, "  ", ss_measured_word(group->kind));
  ss_writing_attribute(w, "id", group->id);
  ss_writing_attribute(w, "op", ss_measured_op(group->collective));
  ss_writing_attribute(w, "title", group->title);
  ss_writing_attribute(w, "source", group->source);
  write_platform(w, point->platform);
  ss_writing_raw(w, "\n");
  for (int64_t i = 0; i < group->count;) i += write_run(w, &point[i], group->count - i);
  ss_writing_raw(w, "  ");
  ss_writing_end(w);
}

static void write_document(ss_writing *w, const void *what)
{
  const written *file = what;
  const ss_measured *measured = file->measured;
  ss_writing_check(w, xmlTextWriterStartDocument(w->xml, "1.0", "UTF-8", NULL));
  ss_writing_check(w, xmlTextWriterWriteComment(w->xml, BAD_CAST file->comment));
  ss_writing_start(w, "\n", "measured");
  ss_writing_attribute(w, "version", "1");
  ss_writing_raw(w, "\n");
  for (int64_t i = 0; i < measured->groups; ++i) {
    const ss_measured_group *group = &measured->group[i];
    if (group->kind == SS_MEASURED_COLLECTIVES && group->count > 0)
      write_group(w, group, &measured->point[group->first]);
  }
  ss_writing_check(w, xmlTextWriterEndDocument(w->xml));
}

ss_status ss_measured_write(const ss_measured *measured, const char *comment, char **text, ss_error *error)
{
  const written file = {.measured = measured, .comment = comment};
  *text = NULL;
  const ss_status status = ss_writing_check_comment(comment, error);
  return status == SS_OK ? ss_writing_text(write_document, &file, text, error) : status;
}
