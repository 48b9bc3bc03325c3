#!/bin/bash
# What replays of large jobs cost, beside what they should cost at most: every workload on GPUS GPUs (default 16384) of every
# platform, each as large as that, and of two platforms with every kind of fabric. Each workload keeps its strategy, with as
# many replicas as fit and as many micro-batches of each as in its file. Prints processor seconds and peak MiB of one core and
# both over the goal (1 s and 200 MiB; from 65,536 GPUs on 10 s and 1 GiB), slowest first.
#   bench/shapes.sh STEPSIM SOURCE [GPUS [WORKLOAD[,WORKLOAD...] [PLATFORM[,PLATFORM...]]]]
# A platform is the name of a file or NAME:FABRIC, FABRIC one of those below. Stops a replay after 60 s, which is shown as such.
set -euo pipefail

stepsim=$1 source=$2 gpus=${3:-16384}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
declare -A fabrics=([flat]="--fabric flat" [tree4]="--taper 4" [rail]="--fabric rail" [rail4]="--fabric rail --taper 4"
  [dragonfly]="--fabric dragonfly" [torus]="--fabric torus" [hyperx]="--fabric hyperx --radix 256")

names() { (cd "$source/$1" && printf '%s\n' *.xml | sed 's/\.xml$//'); }
shapes()
{
  names platforms
  for base in dgx-h100 gb200-nvl72; do
    for fabric in "${!fabrics[@]}"; do printf '%s:%s\n' "$base" "$fabric"; done
  done
}
workloads=${4:-all} platforms=${5:-all}
if [ "$workloads" = all ]; then workloads=$(names workloads); fi
if [ "$platforms" = all ]; then platforms=$(shapes); fi
if [ "$gpus" -lt 65536 ]; then goal_s=1 goal_mib=200; else goal_s=10 goal_mib=1024; fi

# The first attribute $2 of the element $1 of a workload on standard input, or $3.
attribute()
{
  local found
  found=$(tr '\n' ' ' | grep -oE "<$1[[:space:]][^>]*" | head -1 | grep -oE "[[:space:]]$2=\"[0-9]+\"" | head -1 |
    sed 's/.*="//; s/"//') || true
  printf '%s' "${found:-$3}"
}

# The overrides that scale workload $1.
scale()
{
  local file=$source/workloads/$1.xml name
  local -A p
  for name in tp tp2 pp cp dp ep etp; do p[$name]=$(attribute parallelism "$name" 1 < "$file"); done
  local batch each step=1
  batch=$(attribute training global-batch 1 < "$file")
  each=$((p[tp] * p[tp2] * p[pp] * p[cp]))
  # Experts lie on the ranks of whole expert groups: the least number of replicas whose ranks are a multiple of a group.
  local group=$((p[ep] * p[etp])) width=$((p[tp] * p[tp2] * p[cp]))
  while [ $((step * width % group)) != 0 ]; do step=$((step + 1)); done
  local dp=$((gpus / each / step * step))
  if [ "$dp" -lt 1 ]; then dp=$step; fi
  printf -- '--set=parallelism.dp=%d --set=training.global-batch=%d' "$dp" "$((batch * dp / p[dp]))"
}

# Writes platform $1 to $2, with whole domains.
write_platform()
{
  local base=${1%%:*} fabric=
  case $1 in *:*) fabric=${fabrics[${1#*:}]} ;; esac
  # shellcheck disable=SC2086 # words
  for more in 0 8 16 24 32 40 48 56; do
    if "$stepsim" platform --gpus $((gpus + more)) --like "$source/platforms/$base.xml" $fabric --output "$2" 2> "$folder/why"; then
      return
    fi
  done
  return 1
}

measure()
{
  local -a set
  read -r -a set <<< "$(scale "$1")"
  local status=0
  : > "$folder/used"
  /usr/bin/time -f '%U %S %M' -o "$folder/used" timeout 60 \
    "$stepsim" run "$source/workloads/$1.xml" "$folder/platform.xml" --quiet "${set[@]}" > /dev/null 2> "$folder/why" || status=$?
  if [ "$status" = 124 ]; then status=stopped; fi
  if [ "$status" != 0 ] && [ "$status" != 3 ] && [ "$status" != stopped ]; then
    printf '%s on %s: %s\n' "$1" "$2" "$(head -1 "$folder/why")" >&2
    return
  fi
  if [ "$status" != stopped ]; then status=; fi
  if [ ! -s "$folder/used" ]; then
    printf '%s on %s: no times of it\n' "$1" "$2" >&2
    return
  fi
  tail -1 "$folder/used" | awk -v what="$1 on $2" -v goal_s="$goal_s" -v goal_mib="$goal_mib" -v how="$status" \
    '{s = $1 + $2; m = $3 / 1024; printf "%-44s%10.2f%8.2f%8.0f%8.2f %s\n", what, s, s / goal_s, m, m / goal_mib, how}'
}

export OMP_NUM_THREADS=1
for platform in ${platforms//,/ }; do
  if ! write_platform "$platform" "$folder/platform.xml"; then
    printf '%s: %s\n' "$platform" "$(head -1 "$folder/why")" >&2
    continue
  fi
  for workload in ${workloads//,/ }; do measure "$workload" "$platform"; done
done > "$folder/table"
printf '%-44s%10s%8s%8s%8s\n' "run, $gpus GPUs, one core" s '/ goal' MiB '/ goal'
sort -k1,1 -s "$folder/table" | awk '{print $4, $0}' | sort -rn -s | cut -d' ' -f2-
