/* A kernel and collectives that run side by side. */
#ifndef STEPSIM_MODEL_KERNEL_OVERLAP_H
#define STEPSIM_MODEL_KERNEL_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

/* A kernel and the collectives it works with, cut into pieces that run side by side: the `first` of the two (kernel or
 * collectives) goes ahead, and piece j of the other starts when piece j - lag of the first is done; pieces of one kind
 * run in order. */
typedef struct ss_overlap {
  bool kernel_first;
  int64_t kernel_pieces, call_pieces; /* kernel_pieces 0: no overlap, the task is a kernel or collectives alone */
  int64_t lag;
  bool one_ring; /* call pieces are the steps of one ring: its start-up is spread over them, not paid by each */
} ss_overlap;

/* Both start together, whole. */
ss_overlap ss_overlap_beside(void);

/* Seconds until both are done, with the seconds of one piece each. */
double ss_overlap_time(const ss_overlap *overlap, double kernel_piece_s, double call_piece_s);

#endif
