/* Writing what was predicted: a table for people, JSON for programs, timelines for viewers. */
#ifndef STEPSIM_SIM_REPORT_REPORT_H
#define STEPSIM_SIM_REPORT_REPORT_H

#include <stdio.h>

#include "model/base/error.h"
#include "model/measured/fit.h"
#include "model/measured/residuals.h"
#include "model/measured/sensitivity.h"
#include "model/measured/validation.h"
#include "model/profile/comparison.h"
#include "model/result/link_writer.h"
#include "model/result/prediction.h"
#include "model/result/record.h"
#include "model/result/timeline.h"
#include "model/search/plan_sizes.h"
#include "model/search/search.h"
#include "model/search/sweep.h"

/* Prints the side-by-side table of closed form and replay, the difference by cause, memory and metrics. */
void ss_report_text(FILE *stream, const ss_prediction *prediction);

/* Prints how many routes a platform has of its own, how many pairs of NICs they change, and the unbalance of links. */
void ss_report_routes(FILE *stream, const ss_route_summary *routes);

/* Makes the text of the prediction as one JSON object; release with free(). SS_ERROR_MEMORY. */
ss_status ss_report_json_text(const ss_prediction *prediction, char **text, ss_error *error);

/* Two predictions: A, and B, which differs from it by settings NAME=VALUE. Both or neither are simulated. */
typedef struct ss_pair_report {
  const ss_prediction *a, *b;
  const char *const *change; /* [changes] */
  int64_t changes;
} ss_pair_report;

/* Prints two predictions side by side: by how much each part of the iteration, of memory and of what people quote
 * differs, and the share of each part in the whole difference; makes the text of that as JSON, as
 * ss_report_json_text. */
void ss_report_pair_text(FILE *stream, const ss_pair_report *report);
ss_status ss_report_pair_json_text(const ss_pair_report *report, char **text, ss_error *error);

/* Writes a text that another part of the program has made to `path` ("-" is standard output); a file appears only when
 * it is complete. SS_ERROR_OUTPUT when it cannot be written. */
ss_status ss_report_bytes(const char *path, const char *text, ss_error *error);

/* The same of a text whose last line has no end, as JSON: it is added. */
ss_status ss_report_lines(const char *path, const char *text, ss_error *error);

/* Prints how long a run takes, where its time goes, and what it costs; writes the same as JSON, makes the text of that,
 * and writes it as CSV, with a row for the whole, each phase, measure and number of GPUs; otherwise as ss_report_bytes
 * and ss_report_json_text. */
void ss_report_plan_text(FILE *stream, const ss_plan *plan, const ss_plan_sizes *sizes);
ss_status ss_report_plan_json(const char *path, const ss_plan *plan, const ss_plan_sizes *sizes, ss_error *error);
ss_status ss_report_plan_json_text(const ss_plan *plan, const ss_plan_sizes *sizes, char **text, ss_error *error);
ss_status ss_report_plan_csv(const char *path, const ss_plan *plan, const ss_plan_sizes *sizes, ss_error *error);

/* The same of bytes of any kind. `data` [size] */
ss_status ss_report_data(const char *path, const void *data, size_t size, ss_error *error);

/* What a search found on every number of GPUs that it was asked for. The first `replayed` of the best of each have been
 * simulated and are in the order of that; `open` others, or more, are faster by the closed form than the best of them;
 * `regret` is how much longer the closed form's favourite takes than the best, as a fraction. */
typedef struct ss_findings {
  const ss_search *search;
  int64_t replayed, open;
  double regret;
  bool cut;             /* somebody stopped it before all had been replayed that were to be */
  ss_interval interval; /* how sure the time of the first is */
} ss_findings;

typedef struct ss_search_report {
  const ss_workload *workload;
  const ss_machine *machine;
  const char *const *override; /* [overrides] NAME=VALUE of what differs from the files of these; borrowed */
  int64_t overrides;
  ss_cost cost;
  ss_objective objective;
  bool pareto;                 /* the front of time and memory, not the best */
  bool priced;                 /* the machine has prices, and they matter */
  ss_tariff tariff;            /* of the machine */
  int columns;                 /* of a line of text; 0: any number */
  ss_knob_set knobs;           /* that the strategies have values of */
  const ss_findings *findings; /* [count] */
  int64_t count;
} ss_search_report;

/* Prints a table of the best strategies for each number of GPUs, why the others cannot be used, and for several numbers
 * of GPUs the best of each. */
void ss_report_search_text(FILE *stream, const ss_search_report *report);

/* Makes the text of the same as JSON, an array for several numbers of GPUs; otherwise as ss_report_json_text. */
ss_status ss_report_search_json_text(const ss_search_report *report, char **text, ss_error *error);

/* A sweep and what all of its points have in common. */
typedef struct ss_sweep_report {
  const ss_workload *workload; /* before anything is varied */
  const char *platform;        /* NULL where it is varied */
  ss_cost cost;
  ss_best best;
  ss_objective objective; /* of the choice */
  ss_knob_set knobs;      /* that are chosen */
  const ss_sweep *sweep;
  bool replayed, priced;
  int64_t contest; /* how many of the best of a point are replayed */
  int columns;     /* of a line of text; 0: any number */
  /* The number in SI that a value of an axis is, and its unit; false where it is none. As ss_number_of. */
  bool (*number)(const char *name, const char *text, double *number, const char **unit);
} ss_sweep_report;

/* Prints a row for every point and, below, where the time of an iteration turns. */
void ss_report_sweep_text(FILE *stream, const ss_sweep_report *report);

/* Writes the same as JSON, and the points as CSV with one row each; otherwise as ss_report_bytes. */
ss_status ss_report_sweep_json(const char *path, const ss_sweep_report *report, ss_error *error);
ss_status ss_report_sweep_json_text(const ss_sweep_report *report, char **text, ss_error *error);
ss_status ss_report_sweep_csv(const char *path, const ss_sweep_report *report, ss_error *error);

/* Prints a table of the results of a database, without what is for programs, in lines of `columns` characters, or as
 * long as they are where that is 0. `record` [count] */
void ss_report_results_text(FILE *stream, const ss_record *record, int64_t count, int columns);

/* Writes all of them as JSON, and, without the parts of each, as CSV; otherwise as ss_report_bytes. `record` [count] */
ss_status ss_report_results_json(const char *path, const ss_record *record, int64_t count, ss_error *error);
ss_status ss_report_results_csv(const char *path, const ss_record *record, int64_t count, ss_error *error);

/* Predictions beside measurements: prints all points, or only the groups, with their errors; writes all of it as JSON,
 * and the points as CSV with one row each; otherwise as ss_report_bytes. */
void ss_report_validation_text(FILE *stream, const ss_validation *validation, bool only_groups);
ss_status ss_report_validation_json(const char *path, const ss_validation *validation, ss_error *error);
ss_status ss_report_validation_csv(const char *path, const ss_validation *validation, ss_error *error);
ss_status ss_report_validation_json_text(const ss_validation *validation, char **text, ss_error *error);

/* Writes residuals [count] as the table that the program is built with. SS_ERROR_OUTPUT, SS_ERROR_MEMORY. */
ss_status ss_report_residuals(const char *path, const ss_residuals *list, int64_t count, ss_error *error);

/* Prints how many measured iterations the intervals of predictions contain, publisher by publisher. */
void ss_report_coverage_text(FILE *stream);

/* Prints measured iterations beside their prediction, part by part, and which parts take longer or less; writes the
 * same as JSON; otherwise as ss_report_bytes. */
void ss_report_comparison_text(FILE *stream, const ss_comparison *comparison);
ss_status ss_report_comparison_json(const char *path, const ss_comparison *comparison, ss_error *error);

/* A fit, and what writes a quantity as files have it, into at most SS_NAME_SIZE bytes. */
typedef struct ss_fit_report {
  const ss_fit *fit;
  void (*write)(double value, ss_unit unit, char *text);
  const char *fitted_to;        /* what a platform says that its constants are fitted to; NULL: nothing */
  const char *written;          /* the platform file that has the constants; NULL: none */
  const ss_free_constant *free; /* [SS_FREE_CONSTANTS] the choice of the constants; NULL: they were given */
} ss_fit_report;

/* Prints the constants, what each does, and the errors before and after; writes the same as JSON; otherwise as
 * ss_report_bytes. */
void ss_report_fit_text(FILE *stream, const ss_fit_report *report);
ss_status ss_report_fit_json(const char *path, const ss_fit_report *report, ss_error *error);
ss_status ss_report_fit_json_text(const ss_fit_report *report, char **text, ss_error *error);

/* Strategies that a record is of, best first. */
typedef struct ss_kept_strategies {
  const ss_strategy *strategy; /* [count] */
  int64_t count;
  bool named;              /* with what they are */
  ss_knob_set knobs;       /* that were turned */
  const ss_tariff *tariff; /* of the machine */
} ss_kept_strategies;

/* Fills in what a record says of strategies: the numbers of the first one, on the GPUs that the record has, and all of
 * them as JSON text in `parts`, which the caller frees. SS_ERROR_MEMORY. */
ss_status ss_report_fill_record(const ss_kept_strategies *kept, ss_record *record);

/* Opens a timeline by the extension of `path`: .paje or .trace for Paje, .json for Chrome and Perfetto,
 * .json.gz for the same compressed. The file is
 * written under a temporary name and appears at close; memory does not grow with its length. SS_ERROR_INPUT for another
 * extension, SS_ERROR_OUTPUT when the file cannot be created. Release with ss_timeline_destroy, closed or not. */
ss_status ss_timeline_create(const char *path, ss_timeline *timeline, ss_error *error);

/* About the bytes of a timeline with so many slices and changes of loads. */
double ss_timeline_bytes(const ss_timeline *timeline, double slices, double loads);

/* Releases a timeline; removes the temporary file of one that was never closed. Accepts a zeroed timeline. */
void ss_timeline_destroy(ss_timeline *timeline);

/* Writes the iteration as execution traces of Chakra: PREFIX.RANK.et for the ranks that are selected, or the first one
 * of every stage where none is, and PREFIX.groups.json with the ranks of all groups that occur. The job is not
 * estimate_only. SS_ERROR_OUTPUT, SS_ERROR_MEMORY. */
ss_status ss_report_chakra(const char *prefix, const ss_job *job, const ss_selection *ranks, ss_error *error);

/* Which ranks these are, and the file of one of them, or of the groups for a rank below 0. SS_ERROR_OUTPUT where the
 * path is too long. */
bool ss_report_chakra_has(const ss_job *job, const ss_selection *ranks, int64_t rank);
ss_status ss_report_chakra_path(const char *prefix, int64_t rank, char path[SS_PATH_SIZE], ss_error *error);

/* Opens a table of what every link carried, as CSV with a column for each slice of the iteration; otherwise as a
 * timeline, but for "-", which is standard output. */
ss_status ss_link_writer_create(const char *path, ss_link_writer *writer, ss_error *error);
void ss_link_writer_destroy(ss_link_writer *writer);

#endif
