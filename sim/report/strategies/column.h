/* A column of the listings: what search, sweep and results say about a strategy, as text, JSON and CSV. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_COLUMN_H
#define STEPSIM_SIM_REPORT_STRATEGIES_COLUMN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/result/record.h"
#include "model/search/shortlist.h"
#include "sim/report/output.h"
#include "sim/report/strategies/strategy.h"
#include "sim/report/table.h"

/* Where a column occurs: a set of these. */
enum {
  SS_SEARCH_TEXT = 1u << 0,
  SS_SEARCH_JSON = 1u << 1,
  SS_SWEEP_TEXT = 1u << 2,
  SS_SWEEP_JSON = 1u << 3,
  SS_SWEEP_CSV = 1u << 4,
  SS_FAVOURITE_JSON = 1u << 5, /* of a point of a sweep, where the replay chose another strategy */
  SS_RESULTS_TEXT = 1u << 6,
  SS_RESULTS_JSON = 1u << 7,
  SS_RESULTS_CSV = 1u << 8,
  SS_KEPT_JSON = 1u << 9, /* the strategies of a record, where results finds what is no field of the record */
  SS_IN_SEARCH = SS_SEARCH_TEXT | SS_SEARCH_JSON,
  SS_IN_SWEEP = SS_SWEEP_TEXT | SS_SWEEP_JSON | SS_SWEEP_CSV | SS_FAVOURITE_JSON,
  SS_IN_RESULTS = SS_RESULTS_TEXT | SS_RESULTS_JSON | SS_RESULTS_CSV | SS_KEPT_JSON
};

/* What all lines of a listing have in common. */
typedef struct ss_listing {
  bool chosen;                  /* strategies say what they are */
  bool replayed;                /* some have a replay */
  bool priced;                  /* GPUs have a price that matters */
  bool costed;                  /* it is known of some what an iteration costs */
  ss_objective objective;       /* what strategies are chosen by */
  bool gpus_vary;               /* "gpus" is an axis of the sweep, so that the column needs another key */
  bool gpus_said;               /* that axis has the GPUs of every point, so that text needs no column */
  int64_t contest;              /* how many strategies of a point are replayed */
  bool powered;                 /* energy matters */
  ss_knob_set knobs;            /* that the strategies have values of */
  ss_strategy_columns strategy; /* of text, like the next two */
  ss_table_unit unit;           /* of times, where all have the same */
  bool shows_part[SS_PART_COUNT];
  uint64_t left_out; /* rows of the table of columns that a narrow line has no room for, a bit for each */
} ss_listing;

/* The subject of a line: a strategy, or the record that was kept of one. All is borrowed. */
typedef struct ss_line {
  const ss_listing *listing;
  const ss_strategy *strategy;  /* NULL where there is none */
  const ss_strategy *favourite; /* of the closed form, where another one may be chosen */
  const ss_record *record;      /* NULL: this is no record */
  const ss_interval *interval;  /* how sure times are; NULL where nobody says */
  const ss_tariff *tariff;      /* of the machine; NULL where nobody says */
  bool fitted;                  /* so are the constants of the machine, to measurements */
  int64_t gpus;
  double system_dollars;
} ss_line;

/* Several columns that one row stands for. A method is NULL where the row does not occur; those of JSON and CSV get
 * the key of the row, or NULL. A line of CSV may have no strategy, and then has empty fields. */
typedef struct ss_column_block {
  void (*print_header)(FILE *stream, const ss_listing *listing);
  void (*print)(FILE *stream, const ss_line *line);
  void (*add_json)(json_t *object, const char *key, const ss_line *line, bool *complete);
  void (*write_csv_header)(ss_output *output, const char *key, const ss_listing *listing);
  void (*write_csv)(ss_output *output, const ss_line *line);
} ss_column_block;

/* A row of the table of columns: a number, or a block. */
typedef struct ss_column {
  const char *key;    /* of JSON and CSV */
  const char *header; /* of text, and the width of it and of what is below; of a block, what is left out with it */
  int width;
  int rank;                                    /* where a line is too narrow: the highest goes first; 0: stays */
  unsigned places;                             /* where it occurs */
  bool is_count;                               /* an integer in JSON and CSV */
  bool is_left;                                /* text is on the left of its width, after two blanks */
  bool is_signed;                              /* a percentage has a sign even above 0 */
  bool of_replay;                              /* follows from the replay's time where there is one */
  bool (*is_shown)(const ss_listing *listing); /* NULL: always */
  double (*value)(const ss_line *line);        /* in SI units, of a line with a strategy; NaN: it has none */
  /* The value as text has it, without blanks around it. */
  void (*write)(const struct ss_column *column, const ss_listing *listing, double value, char *text, size_t size);
  const ss_column_block *block; /* several columns instead of one number; or NULL */
} ss_column;

/* The table, in the order in which the columns are listed, and how many rows it has. */
const ss_column *ss_columns(size_t *count);

/* Whether a column occurs in a place, of this listing. */
bool ss_column_occurs(const ss_column *column, unsigned place, const ss_listing *listing);

#endif
