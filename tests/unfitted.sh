#!/bin/bash
# What iterations on GPUs with known constants would have come out at without these: the errors in model/input/calibration.def are those at
# the start of a quick fit, within half a per cent of what is measured.
#   unfitted.sh STEPSIM SOURCE
set -euo pipefail
program=$1 source=$2

# The defaults of the properties (model/input/machine.h); 1 byte: as without; 0.4 of the peak in 8 bits: as in 16.
defaults=(matrix-efficiency=0.8 vector-efficiency=0.8 hbm-efficiency=0.85 attention-forward=0.8 attention-backward=0.8 latent-forward=0.8 latent-backward=0.8
  mxfp8-attention-forward=0.4 mxfp8-attention-backward=0.4 mxfp8-latent-forward=0.4 mxfp8-latent-backward=0.4 tile-start=1B launch-overhead=3us)

# bias FIT KERNELS: the mean error at the start of a fit, in percent.
bias() {
  local options=() default
  [ "$2" = SS_KERNELS_GIVEN ] || for default in "${defaults[@]}"; do options+=(--set "platform.$default"); done
  "$program" fit --quick "$source/validation/fit/$1.xml" "${options[@]}" | awk '$1 == "all" { print $5 }'
}

failed=0
while IFS='(, )' read -r _ kernels _ fit error _; do
  found=$(bias "$fit" "$kernels")
  awk -v found="$found" -v error="$error" 'BEGIN { exit !(found - 100 * error < 0.6 && 100 * error - found < 0.6) }' ||
    { echo "calibration.def has $error for $kernels $fit; a fit starts at $found %" >&2; failed=1; }
done < <(grep '^SS_UNFITTED(' "$source/model/input/calibration.def")
exit $failed
