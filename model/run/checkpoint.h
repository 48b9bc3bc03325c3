/* A checkpoint of a job: its size, and how long it takes. */
#ifndef STEPSIM_MODEL_RUN_CHECKPOINT_H
#define STEPSIM_MODEL_RUN_CHECKPOINT_H

#include "model/plan/job.h"

typedef struct ss_checkpoint {
  double bytes;   /* all of it */
  double pause_s; /* that it holds the work up */
  double write_s; /* beside the work, after that */
  double read_s;  /* until all GPUs have what they need of it */
} ss_checkpoint;

/* Bytes of all weights and optimizer states of the model of a job, once, whatever ranks of a stage have alike of them;
 * weights in 16 bits, and for each trained parameter the states that the ranks keep. A table of the embedding that
 * several stages have is there for each of them, as Megatron-LM keeps it. */
double ss_checkpoint_bytes(const ss_job *job);

/* The checkpoint of a job as `workload` has it in `run`, which may differ from that of the job in this alone. Ranks
 * that hold different shards write at once: all of them with a sharded optimizer, else those of one replica. */
ss_checkpoint ss_checkpoint_of(const ss_job *job, const ss_workload *workload);

#endif
