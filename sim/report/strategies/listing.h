/* Listings by the table of columns: its rows that occur in a place, one after the other. */
#ifndef STEPSIM_SIM_REPORT_STRATEGIES_LISTING_H
#define STEPSIM_SIM_REPORT_STRATEGIES_LISTING_H

#include "model/input/words.h"
#include "sim/report/strategies/column.h"

/* Leaves out columns of a listing, by their rank, until its lines have at most `most` characters with the `used` ones
 * that others have; where that is not enough, folds what strategies are below the lines, and leaves out what then is
 * too much. False where lines are still longer; 0: any number. */
bool ss_listing_narrow(ss_listing *listing, unsigned place, int used, int most);

/* Whether nothing is left out or folded. */
bool ss_listing_is_whole(const ss_listing *listing);

/* Prints a line about the columns that are left out, if there are any. */
void ss_listing_print_left_out(FILE *stream, const ss_listing *listing);

/* Where there are replays, prints a line about the columns that follow from these and not from the closed form. */
void ss_listing_print_basis(FILE *stream, unsigned place, const ss_listing *listing);

/* Where products have fewer than 16 bits, prints a line about the peak that the MFU is of, if it is shown. */
void ss_listing_print_peak(FILE *stream, unsigned place, const ss_listing *listing, ss_precision precision);

/* Prints the headers. The caller begins and ends the line. */
void ss_listing_print_header(FILE *stream, unsigned place, const ss_listing *listing);

/* Prints the cells of a line, which has a strategy or is a record; "-" where there is no value. */
void ss_listing_print(FILE *stream, unsigned place, const ss_line *line);

/* Adds the values that a line has to an object; the line has a strategy or is a record. Clears `complete` where memory
 * ends. */
void ss_listing_add_json(json_t *object, unsigned place, const ss_line *line, bool *complete);

/* Writes the keys, with a comma before each. */
void ss_listing_write_csv_header(ss_output *output, unsigned place, const ss_listing *listing);

/* Writes the fields of a line, with a comma before each; empty where there is no value. */
void ss_listing_write_csv(ss_output *output, unsigned place, const ss_line *line);

/* Fills in the numbers of a record that are columns of results, from a line with a strategy. */
void ss_listing_fill_record(const ss_line *line, ss_record *record);

#endif
