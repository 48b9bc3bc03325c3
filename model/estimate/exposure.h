/* What a stage waits for: the streams beside the compute stream of a GPU, and other stages. */
#ifndef STEPSIM_MODEL_ESTIMATE_EXPOSURE_H
#define STEPSIM_MODEL_ESTIMATE_EXPOSURE_H

/* Seconds of the compute stream. */
typedef struct ss_exposure {
  double data_s;    /* waiting for data-parallel collectives, and for a NIC that they share */
  double offload_s; /* waiting for the second memory tier, beyond that */
  double slowed_s;  /* kernels slowed down by data-parallel collectives beside them (the costlier of two classes) */
  double weight_s;  /* of all these, and of host_s, in weight passes */
  double tail_s;    /* collectives that are left when compute is done */
  double host_s;    /* waiting for launches by the host */
  double step_s;    /* of these, of the optimizer step */
} ss_exposure;

/* How a stage comes through an iteration, in seconds. */
typedef struct ss_course {
  double start_s;      /* from the beginning to its first pass */
  double bubble_s;     /* waiting for stages that have not sent yet; where stages run into the next iteration, since its
                          first pass */
  double messages_s;   /* waiting for messages on their way, its own, too, where they do not run beside compute */
  double hidden_s;     /* exchanges between experts that run beside the passes of a pair */
  ss_exposure exposed; /* waiting for what it moves beside its passes, and kernels slowed down */
} ss_course;

/* Returns a + factor (b - c), part by part. */
ss_exposure ss_exposure_add(ss_exposure a, double factor, ss_exposure b, ss_exposure c);

#endif
