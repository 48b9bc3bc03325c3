#!/bin/bash
# What plans say of published runs is what their predictions come to today: model/measured/run_evidence.def has measured over replayed
# times of validation/measured-runs.xml.
#   run_evidence.sh STEPSIM SOURCE
set -euo pipefail
program=$1 source=$2

diff <(sed -nE 's/^SS_RUN_EVIDENCE\([A-Z_]+, "([^"]+)", "([^"]+)", ([0-9.]+)\)$/\1 \2 \3/p' "$source/model/measured/run_evidence.def") \
  <("$program" validate "$source/validation/measured-runs.xml" --quiet --csv - | awk -F, 'NR > 1 && $NF == "" { printf "%s %s %.3f\n", $1, $2, $5 / $8 }')
