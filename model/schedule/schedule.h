/* Pipeline schedules: where the parts of the model lie, and the order in which a stage works through the micro-batches
 * of its chunks. */
#ifndef STEPSIM_MODEL_SCHEDULE_SCHEDULE_H
#define STEPSIM_MODEL_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/input/words.h"
#include "model/schedule/pass.h"
#include "model/schedule/row.h"

/* In model/input/workload.h. */
typedef struct ss_workload ss_workload;

/* The row of a schedule. */
const ss_schedule *ss_schedule_of(ss_pipeline pipeline);

/* The most copies of the model that the stages of any schedule hold. */
int64_t ss_schedule_copies_max(void);

/* The pipeline of a workload. */
ss_pipeline_shape ss_pipeline_shape_of(const ss_workload *workload);

/* Layers of a part of the model, of the largest one, where their shares are even. */
int64_t ss_pipeline_even_layers(const ss_workload *workload);

/* Which part of the model a chunk is. */
ss_model_part ss_schedule_part(const ss_pipeline_shape *shape, ss_chunk chunk);

/* The chunk that is a part: the inverse. */
ss_chunk ss_schedule_chunk(const ss_pipeline_shape *shape, ss_model_part part);

/* The stage that has what is on this one for a copy of the model: of one copy it is the same. All of them add up their
 * gradients. */
int64_t ss_schedule_holder(const ss_pipeline_shape *shape, int64_t stage, int64_t copy);

/* Where the message of a pass goes: forward to the next part of the model, backward to the one before. False when there
 * is none (ends of the model, weight passes). */
bool ss_schedule_receiver(const ss_pipeline_shape *shape, ss_chunk chunk, ss_pass pass, ss_chunk *receiver);

/* Where the message that a pass starts with comes from; false when there is none. */
bool ss_schedule_sender(const ss_pipeline_shape *shape, ss_chunk chunk, ss_pass pass, ss_chunk *sender);

/* Seconds that each stage but one adds to the M turns of that one: the bubble of P equal stages is P - 1 times it. With
 * f and b the times of forward and backward of one micro-batch: (f + b) / v, arXiv 2104.04473 section 2.2. 0 for
 * schedules that are walked through. */
double ss_schedule_fill_s(const ss_pipeline_shape *shape, const double pass_s[SS_PASSES]);

/* Seconds that a stage with these passes waits for those after it, whose fills add up to `after_s`: all of that with
 * equal stages; in 1F1B, eager or not, a slower stage has warm-up passes to do meanwhile. */
double ss_schedule_wait_s(const ss_pipeline_shape *shape, int64_t stage, const double pass_s[SS_PASSES],
                          double after_s);

/* Passes of a stage in an iteration: forward, as many backward, and as many weight where backward is split. */
int64_t ss_schedule_length(const ss_pipeline_shape *shape);

/* Emits the order of work of a stage into `work` [ss_schedule_length]. */
void ss_schedule_emit(const ss_pipeline_shape *shape, int64_t stage, ss_work *work);

/* The moments of an iteration at one of which the activations of a stage need most bytes. */
ss_moments ss_schedule_moments(const ss_pipeline_shape *shape, int64_t stage);

/* The next of them; false after the last one. */
bool ss_schedule_moment(const ss_pipeline_shape *shape, ss_moments *moments, ss_moment *moment);

/* What a chunk of the stage holds then. */
ss_in_flight ss_schedule_held(const ss_pipeline_shape *shape, const ss_moment *moment, int64_t chunk);

/* The order of a stage from its beginning. */
ss_order ss_order_start(const ss_pipeline_shape *shape, int64_t stage);

/* The next turns; as long as kinds of passes take turns, a run ends where one of them changes its chunk. False when all
 * work is done. */
bool ss_order_next(ss_order *order, ss_turns *turns);

/* Passes of each kind in a round, after which the chunks of a stage take turns as before; 0 where there are no rounds.
 */
int64_t ss_order_round(const ss_order *order);

/* Whole rounds that are left after so many passes of a kind, where there are rounds. */
int64_t ss_order_rounds_after(const ss_order *order, int64_t passes);

/* Goes on by so many rounds. */
void ss_order_skip(ss_order *order, int64_t rounds);

#endif
