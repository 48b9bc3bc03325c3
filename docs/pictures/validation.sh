#!/bin/sh
# validation.sh STEPSIM: draws the pictures of README.md and docs/accuracy.md beside this script, from all measurements.
set -eu
stepsim=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)

"$stepsim" validate --quiet --summary --plot "$here/validation.svg" >/dev/null
"$stepsim" validate --quiet --summary --plot "$here/errors-kinds.svg" --figure errors-kinds >/dev/null
