/* Published measurements as commands use them: read, and predicted one point at a time. */
#ifndef STEPSIM_SIM_CLI_MEASURED_MEASUREMENTS_H
#define STEPSIM_SIM_CLI_MEASURED_MEASUREMENTS_H

#include "model/measured/measured.h"
#include "model/measured/validation.h"
#include "sim/options/options.h"

/* Tries the overrides of the command line once, so that a wrong one is not blamed on a measurement. SS_ERROR_INPUT. */
ss_status ss_measurements_check_overrides(const ss_options *options, ss_error *error);

/* Refuses outputs that are the same as a platform that measurements name. SS_ERROR_INPUT. */
ss_status ss_measurements_check_platforms(const ss_options *options, const ss_measured *measured, ss_error *error);

/* Reads the files, all that are shipped where `files` is 0, and checks overrides and platforms. Refuses outputs that
 * are the same as one of the files. Release with ss_measured_free in any case. Errors as from ss_measured_load. */
ss_status ss_measurements_load(const ss_options *options, const char *const *file, int64_t files, ss_measured *measured,
                               ss_error *error);

/* The platform of a point, with what its group and the command line change in it. Errors name the point. */
ss_status ss_measurements_machine(const ss_options *options, const ss_measured *measured, int64_t point,
                                  ss_machine *machine, ss_error *error);

/* Who is asked for a prediction: a set of these. */
#define SS_PREDICTOR_BIT(predictor) (1u << (predictor))

/* Predicts a point on a machine, which is borrowed; what nobody is asked for stays zero. Errors as from
 * ss_session_complete and ss_replay name the point. */
typedef struct ss_measurements_question {
  const ss_options *options;
  const ss_measured *measured;
  int64_t point;
  const ss_machine *machine;
  unsigned predictors; /* a set of SS_PREDICTOR_BIT */
} ss_measurements_question;

/* Refuses an iteration that was faster than its products can be. Errors name the point: SS_ERROR_INPUT; as from
 * ss_session_complete. */
ss_status ss_measurements_check_peak(const ss_measurements_question *question, ss_error *error);

ss_status ss_measurements_predict(const ss_measurements_question *question, ss_predicted *predicted, ss_error *error);

#endif
