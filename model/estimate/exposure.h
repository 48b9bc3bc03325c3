/* What the streams beside the compute stream of a GPU cost it. */
#ifndef STEPSIM_MODEL_ESTIMATE_EXPOSURE_H
#define STEPSIM_MODEL_ESTIMATE_EXPOSURE_H

/* Seconds of the compute stream. */
typedef struct ss_exposure {
  double data_s;    /* waiting for data-parallel collectives */
  double offload_s; /* waiting for the second memory tier, beyond that */
  double slowed_s;  /* kernels slowed down by data-parallel collectives beside them (the costlier of two classes) */
  double weight_s;  /* of all these, in weight passes */
  double tail_s;    /* collectives that are left when compute is done */
} ss_exposure;

/* Returns a + factor (b - c), part by part. */
ss_exposure ss_exposure_add(ss_exposure a, double factor, ss_exposure b, ss_exposure c);

#endif
