#include "sim/report/calibration.h"

#include <stdlib.h>
#include <string.h>

#include "sim/report/json.h"
#include "sim/report/table.h"

static bool is_alike(const ss_calibration *a, const ss_calibration *b)
{
  return a->kernels == b->kernels && a->starts == b->starts && strcmp(a->idealised, b->idealised) == 0;
}

int64_t ss_calibrated_add(ss_calibrated *list, int64_t count, const char *platform, const ss_calibration *calibration)
{
  for (int64_t i = 0; i < count; ++i)
    if (strcmp(list[i].platform, platform) == 0 && is_alike(&list[i].calibration, calibration)) return count;
  list[count] = (ss_calibrated){platform, *calibration};
  return count + 1;
}

/* The names of those from `first` on that are like it, and how many there are. */
static int64_t print_names(FILE *stream, const ss_calibrated *list, int64_t count, int64_t first)
{
  int64_t printed = 0;
  for (int64_t i = first; i < count; ++i) {
    if (!is_alike(&list[i].calibration, &list[first].calibration)) continue;
    (void)fprintf(stream, "%s%s", printed++ > 0 ? ", " : "", list[i].platform);
  }
  return printed;
}

/* In per cent; 0 without a sign. */
static double too_short(double error)
{
  return 0.0 - 100.0 * error;
}

static void print_errors(FILE *stream, ss_kernels kernels)
{
  int64_t count;
  const ss_unfitted *rows = ss_unfitted_errors(&count);
  const char *before = " Such predictions of iterations were too short by ";
  for (int64_t i = 0; i < count; ++i) {
    if (rows[i].kernels != kernels) continue;
    (void)fprintf(stream, "%s%.0f %% (%.0f to %.0f) on %s", before, too_short(rows[i].error), too_short(rows[i].least),
                  too_short(rows[i].most), rows[i].gpu);
    before = ", ";
  }
  (void)fputs(", in the mean (by group of jobs).\n", stream);
}

static void print_unfitted(FILE *stream, const ss_calibrated *list, int64_t count, int64_t first)
{
  const ss_calibration *own = &list[first].calibration;
  const bool several = print_names(stream, list, count, first) > 1;
  if (own->idealised[0] != '\0')
    (void)fprintf(stream, several ? " are idealised machines of %s," : " is an idealised machine of %s,",
                  own->idealised);
  else
    (void)fputs(several ? " are" : " is", stream);
  (void)fprintf(stream, " not fitted to measurements: %s%s.", ss_kernels_text(own->kernels),
                own->starts ? "" : ", collectives without start-up");
  print_errors(stream, own->kernels);
}

/* The first of its kind. */
static bool is_first(const ss_calibrated *list, int64_t index)
{
  for (int64_t i = 0; i < index; ++i)
    if (is_alike(&list[i].calibration, &list[index].calibration)) return false;
  return true;
}

/* The first that is fitted; `count` if none is. */
static int64_t find_fitted(const ss_calibrated *list, int64_t count)
{
  int64_t i = 0;
  while (i < count && list[i].calibration.kernels != SS_KERNELS_FITTED) ++i;
  return i;
}

/* A line for each kind of platform that is not fitted, and one where others are. */
static void write_sentences(FILE *stream, const ss_calibrated *list, int64_t count)
{
  bool mixed = false;
  const int64_t fitted = find_fitted(list, count);
  for (int64_t i = 0; i < count; ++i) {
    if (list[i].calibration.kernels == SS_KERNELS_FITTED || !is_first(list, i)) continue;
    print_unfitted(stream, list, count, i);
    mixed = fitted < count;
  }
  if (!mixed) return;
  int64_t printed = 0;
  (void)fputs("Mixed: ", stream);
  for (int64_t i = fitted; i < count; ++i)
    if (list[i].calibration.kernels == SS_KERNELS_FITTED)
      (void)fprintf(stream, "%s%s", printed++ > 0 ? ", " : "", list[i].platform);
  (void)fprintf(stream, " %s fitted, the others not: what differs between the two kinds may be that error.\n",
                printed > 1 ? "are" : "is");
}

void ss_calibration_tell(FILE *stream, const ss_calibrated *list, int64_t count,
                         void (*tell)(FILE *stream, const char *sentence))
{
  char *text = NULL;
  size_t size = 0;
  FILE *lines = open_memstream(&text, &size);
  if (lines == NULL) return;
  write_sentences(lines, list, count);
  (void)fclose(lines);
  for (char *next, *line = text; line != NULL && *line != '\0'; line = next) {
    next = strchr(line, '\n');
    *next++ = '\0';
    tell(stream, line);
  }
  free(text);
}

void ss_calibration_print_sentence(FILE *stream, const char *sentence)
{
  ss_table_print_wrapped(stream, sentence, 0);
}

void ss_calibration_print(FILE *stream, const ss_calibrated *list, int64_t count)
{
  ss_calibration_tell(stream, list, count, ss_calibration_print_sentence);
}

json_t *ss_calibration_json(const ss_calibration *calibration, bool *complete)
{
  int64_t count;
  const ss_unfitted *rows = ss_unfitted_errors(&count);
  json_t *object = json_object(), *errors = json_object(), *ranges = json_object();
  const bool fitted = calibration->kernels == SS_KERNELS_FITTED;
  ss_json_add(object, "kernels", json_string(ss_kernels_word(calibration->kernels)), complete);
  ss_json_add(object, "collective_starts", json_boolean(calibration->starts), complete);
  ss_json_add(object, "fitted_to", fitted ? json_string(calibration->fitted_to) : json_null(), complete);
  const char *idealised = calibration->idealised;
  ss_json_add(object, "idealised", idealised[0] != '\0' ? json_string(idealised) : json_null(), complete);
  for (int64_t i = 0; i < count; ++i) {
    if (rows[i].kernels != calibration->kernels) continue;
    ss_json_add_real(errors, rows[i].gpu, rows[i].error, complete);
    json_t *range = json_array();
    ss_json_append(range, json_real(rows[i].most), complete);
    ss_json_append(range, json_real(rows[i].least), complete);
    ss_json_add(ranges, rows[i].gpu, range, complete);
  }
  if (!fitted) {
    ss_json_add(object, "unfitted_errors", json_incref(errors), complete);
    ss_json_add(object, "unfitted_ranges", json_incref(ranges), complete);
  }
  json_decref(errors);
  json_decref(ranges);
  return object;
}
