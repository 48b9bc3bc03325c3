#!/bin/sh
# report.sh STEPSIM [FOLDER]: draws the pictures of docs/report.md, one of every figure, beside this script or in a folder.
set -eu
stepsim=$(realpath "$1")
here=$(dirname "$0")
folder=$(cd "${2:-$here}" && pwd)
cd "$here/../.."

# draw NAME FIGURES COMMAND...: into NAME-FIGURE.svg.
draw() {
  name=$1 figures=$2
  shift 2
  for figure in $figures; do
    "$stepsim" "$@" --quiet --plot "$folder/$name-$figure.svg" --figure "$figure" --plot-size paper >/dev/null
  done
}

gpt3="workloads/gpt3-175b.xml platforms/perlmutter.xml"
# shellcheck disable=SC2086 -- two files
{
  draw report "times parts causes timeline memory memory-time links what-if" run $gpt3 --set training.global-batch=192
  draw report slow run $gpt3 --set training.global-batch=192 --set 'platform.gpu-speed=117:0.85 300:0.9' --set 'platform.link-speed=nic-40:0.5'
  draw report-search "front parts knobs losers sizes" search $gpt3 --gpus 256,512 --pareto --knobs recompute,schedule
  draw report-sweep "curves map parts" sweep $gpt3 --vary training.micro-batch=1,2,4 --vary training.global-batch=256..4096*2
}
draw report-validate "errors predicted" validate validation/measured-sc21.xml validation/measured-moe-zoo.xml validation/measured-torchtitan.xml
draw report-fit "errors constants" fit validation/fit/mi300x.xml --quick
