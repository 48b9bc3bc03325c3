#include "sim/report/strategies/listing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/block/recipe.h"
#include "sim/report/json.h"
#include "sim/report/strategies/record_value.h"

/* NaN where the line has none. */
static double value_of(const ss_column *column, const ss_line *line)
{
  if (line->record != NULL) return ss_record_value(line->record, column->key);
  return line->strategy != NULL ? column->value(line) : NAN;
}

static void print_text(FILE *stream, const ss_column *column, const char *text)
{
  if (column->is_left)
    (void)fprintf(stream, "  %-*s", column->width, text);
  else
    (void)fprintf(stream, "%*s", column->width, text);
}

/* Characters of a column. */
static int width_of(const ss_column *column, const ss_listing *listing)
{
  char *text = NULL;
  size_t size = 0;
  if (column->block == NULL) return column->width + (column->is_left ? 2 : 0);
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL) return 0;
  column->block->print_header(stream, listing);
  (void)fclose(stream);
  free(text);
  return (int)size;
}

/* The column that goes next where lines are too long; NULL where all that are there stay. */
static const ss_column *least_of(unsigned place, const ss_listing *listing)
{
  size_t count;
  const ss_column *column = ss_columns(&count), *least = NULL;
  for (const ss_column *end = column + count; column < end; ++column)
    if (ss_column_occurs(column, place, listing) && column->rank > (least != NULL ? least->rank : 0)) least = column;
  return least;
}

/* The column that is left out, has room after all, and is the last that should go; NULL where there is none. */
static const ss_column *last_left_out(const ss_listing *listing, int room)
{
  size_t count;
  const ss_column *columns = ss_columns(&count), *last = NULL;
  for (size_t i = 0; i < count; ++i)
    if ((listing->left_out >> i & 1) != 0 && width_of(&columns[i], listing) <= room &&
        (last == NULL || columns[i].rank < last->rank))
      last = &columns[i];
  return last;
}

/* A wide column that went makes room for others that went before it. */
static void put_back(ss_listing *listing, int room)
{
  size_t count;
  const ss_column *columns = ss_columns(&count);
  for (const ss_column *last; (last = last_left_out(listing, room)) != NULL;) {
    listing->left_out &= ~((uint64_t)1 << (last - columns));
    room -= width_of(last, listing);
  }
}

/* Leaves out columns until lines are short enough; false where what stays is too long. */
static bool leave_out(ss_listing *listing, unsigned place, int used, int most)
{
  size_t count;
  const ss_column *columns = ss_columns(&count);
  listing->left_out = 0;
  for (size_t i = 0; i < count; ++i)
    if (ss_column_occurs(&columns[i], place, listing)) used += width_of(&columns[i], listing);
  while (used > most) {
    const ss_column *least = least_of(place, listing);
    if (least == NULL) return false;
    used -= width_of(least, listing);
    listing->left_out |= (uint64_t)1 << (least - columns);
  }
  put_back(listing, most - used);
  return true;
}

bool ss_listing_narrow(ss_listing *listing, unsigned place, int used, int most)
{
  listing->strategy.folded = false;
  if (most == 0 || leave_out(listing, place, used, most)) return true;
  listing->strategy.folded = listing->chosen;
  return leave_out(listing, place, used, most);
}

bool ss_listing_is_whole(const ss_listing *listing)
{
  return listing->left_out == 0 && !listing->strategy.folded;
}

void ss_listing_print_left_out(FILE *stream, const ss_listing *listing)
{
  size_t count;
  char text[256] = "";
  const ss_column *columns = ss_columns(&count);
  for (size_t i = 0; i < count; ++i) {
    const size_t used = strlen(text);
    if ((listing->left_out >> i & 1) != 0)
      (void)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", columns[i].header);
  }
  if (listing->left_out == 0) return;
  (void)fputc('\n', stream);
  ss_table_print_sentence(stream, "Left out at this width: %s; --wide shows all.", text);
}

void ss_listing_print_basis(FILE *stream, unsigned place, const ss_listing *listing)
{
  size_t count;
  char text[256] = "";
  const ss_column *columns = ss_columns(&count);
  for (size_t i = 0; i < count; ++i) {
    const size_t used = strlen(text);
    if (columns[i].of_replay && ss_column_occurs(&columns[i], place, listing))
      (void)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", columns[i].header);
  }
  if (listing->replayed && text[0] != '\0')
    ss_table_print_sentence(stream, "By the replay where there is one: %s.", text);
}

void ss_listing_print_peak(FILE *stream, unsigned place, const ss_listing *listing, ss_precision precision)
{
  size_t count;
  bool shown = false;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column)
    shown =
        shown || (column->key != NULL && strcmp(column->key, "mfu") == 0 && ss_column_occurs(column, place, listing));
  if (shown && ss_recipe_quantises(precision)) (void)fputs("MFU is of the peak in 16 bits.\n", stream);
}

void ss_listing_print_header(FILE *stream, unsigned place, const ss_listing *listing)
{
  size_t count;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column) {
    if (!ss_column_occurs(column, place, listing)) continue;
    if (column->block != NULL)
      column->block->print_header(stream, listing);
    else
      print_text(stream, column, column->header);
  }
}

static void print_number(FILE *stream, const ss_column *column, const ss_line *line)
{
  char text[SS_TEXT_SIZE] = "-";
  const double value = value_of(column, line);
  if (!isnan(value)) column->write(column, line->listing, value, text, sizeof text);
  print_text(stream, column, text);
}

void ss_listing_print(FILE *stream, unsigned place, const ss_line *line)
{
  size_t count;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column) {
    if (!ss_column_occurs(column, place, line->listing)) continue;
    if (column->block != NULL)
      column->block->print(stream, line);
    else
      print_number(stream, column, line);
  }
}

static void add_number(json_t *object, const ss_column *column, const ss_line *line, bool *complete)
{
  const double value = value_of(column, line);
  if (isnan(value)) return;
  if (column->is_count)
    ss_json_add(object, column->key, json_integer((json_int_t)value), complete);
  else
    ss_json_add_real(object, column->key, value, complete);
}

void ss_listing_add_json(json_t *object, unsigned place, const ss_line *line, bool *complete)
{
  size_t count;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column) {
    if (!ss_column_occurs(column, place, line->listing)) continue;
    if (column->block != NULL)
      column->block->add_json(object, column->key, line, complete);
    else
      add_number(object, column, line, complete);
  }
}

void ss_listing_write_csv_header(ss_output *output, unsigned place, const ss_listing *listing)
{
  size_t count;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column) {
    if (!ss_column_occurs(column, place, listing)) continue;
    if (column->block != NULL)
      column->block->write_csv_header(output, column->key, listing);
    else
      ss_output_print(output, ",%s", column->key);
  }
}

static void write_number(ss_output *output, const ss_column *column, const ss_line *line)
{
  const double value = value_of(column, line);
  ss_output_print(output, ",");
  if (isnan(value)) return;
  if (column->is_count)
    ss_output_print(output, "%" PRId64, (int64_t)value);
  else
    ss_output_print(output, "%.17g", value);
}

void ss_listing_write_csv(ss_output *output, unsigned place, const ss_line *line)
{
  size_t count;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column) {
    if (!ss_column_occurs(column, place, line->listing)) continue;
    if (column->block != NULL)
      column->block->write_csv(output, line);
    else
      write_number(output, column, line);
  }
}

/* The value of the column of results with this key. */
static double figure(const ss_line *line, const char *key)
{
  size_t count;
  const ss_column *column = ss_columns(&count);
  for (const ss_column *end = column + count; column < end; ++column)
    if ((column->places & SS_RESULTS_JSON) != 0 && strcmp(column->key, key) == 0) return column->value(line);
  return NAN;
}

void ss_listing_fill_record(const ss_line *line, ss_record *record)
{
#define FILL_COUNT(field, name, meaning) record->field = (int64_t)figure(line, name);
#define FILL_REAL(field, name, meaning)  record->field = figure(line, name);
  SS_RECORD_COUNTS(FILL_COUNT)
  SS_RECORD_REALS(FILL_REAL)
#undef FILL_COUNT
#undef FILL_REAL
}
