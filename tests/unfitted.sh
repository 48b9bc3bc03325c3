#!/bin/bash
# What iterations on GPUs with known constants would have come out at without these: the errors in model/input/calibration.def, and those of
# the groups with the least and the most, are those at the start of a quick fit, within half a per cent of what is measured.
#   unfitted.sh STEPSIM SOURCE
set -euo pipefail
program=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What platforms lose: what was fitted, for both kinds; for defaults also all that a platform may say of kernels by themselves.
fitted='fitted-to|vector-hbm-share'
kernels='(matrix|vector|hbm|scan|mxfp8|nvfp4|fp8(-block|-tile)?)-efficiency|((mx)?fp8-)?(attention|latent)-(forward|backward)'
kernels+='|tile-start|cudnn-norm-share|launch-overhead'
# without KINDS PROPERTIES: a copy of platforms and measurements, of whose platforms these are gone.
without() {
  mkdir "$scratch/$1"
  cp -r "$source"/{platforms,validation} "$scratch/$1"
  sed -i -E "/<prop id=\"($2)\"/d" "$scratch/$1"/platforms/*.xml
}
without SS_KERNELS_GIVEN "$fitted"
without SS_KERNELS_DEFAULT "$fitted|$kernels"

# errors KINDS FIT: the mean error at the start of a fit, and those of the groups with the least and the most, in per cent.
errors() {
  "$program" fit --quick "$scratch/$1/validation/fit/$2.xml" |
    awk '/^Errors/ { table = 1 } !table || $2 !~ /^[0-9]+$/ { next } $1 == "all" { print $5 + 0, least, most; table = 0; next }
      { error = $5 + 0; if (!seen++) least = most = error
        if (error > least) least = error
        if (error < most) most = error }'
}

failed=0
while IFS='(, )' read -r _ kernels _ fit stated; do
  stated=$(tr -d ',)' <<<"$stated")
  found=$(errors "$kernels" "$fit")
  awk -v found="$found" -v stated="$stated" 'BEGIN {
      count = split(found, a, " "); if (split(stated, b, " ") != 3 || count != 3) exit 1
      for (i = 1; i <= 3; ++i) if ((d = a[i] - 100 * b[i]) > 0.6 || d < -0.6) exit 1 }' ||
    { echo "calibration.def has $stated for $kernels $fit; a fit starts at $found %" >&2; failed=1; }
done < <(grep '^SS_UNFITTED(' "$source/model/input/calibration.def" | tr -d '"')
exit $failed
