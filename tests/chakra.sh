#!/bin/sh
# chakra.sh STEPSIM SOURCE SCRATCH: what --chakra writes is decoded by protoc without a field that it does not know, and replayed by
# dependencies and durations comes near the replay of the program: kernels beside collectives are not slowed there, and no link is shared.
set -eu
stepsim=$1 source=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

# near RANKS ARGUMENTS...: the two replays differ by less than 5 %.
near() {
  ranks=$1
  shift
  rm -f job.*
  "$stepsim" run "$@" --quiet --chakra job --chakra-ranks "0..$((ranks - 1))" --json result.json >/dev/null || [ $? = 3 ]
  python3 -B "$source/tests/traces/replay_chakra.py" job "$ranks" >replayed
  python3 -c '
import json, sys
ours, theirs = json.load(open("result.json"))["simulation"]["iteration_s"], float(open("replayed").read().split()[0])
print("%.6f s here, %.6f s there" % (ours, theirs))
sys.exit(abs(theirs / ours - 1) > 0.05)'
}

near 8 llama3-8b dgx-h100 --set model.layers=8 --set parallelism.pp=2 --set parallelism.tp=2 --set parallelism.dp=2 --global-batch 8
for rank in 0 7; do
  python3 -B "$source/tests/traces/replay_chakra.py" job 8 --wrap $rank |
    protoc -I "$source/tests/traces" --decode=Trace "$source/tests/traces/chakra_fields.proto" >decoded
  grep -q 'type: COMM_SEND_NODE' decoded && grep -q 'type: COMM_RECV_NODE' decoded && grep -q 'string_val: "data parallel"' decoded
  if grep -E '^ *[0-9]+:' decoded; then echo "unknown fields" >&2 && exit 1; fi
done
near 8 llama3-8b dgx-h100 --set model.layers=8 --set parallelism.dp=8 --set parallelism.sharding=parameters --global-batch 16
near 4 llama3-8b dgx-h100 --set model.layers=8 --set parallelism.pp=4 --set parallelism.dp=1 --set schedule.pipeline=zero-bubble-1 --global-batch 8
near 4 mixtral-8x7b dgx-h100 --set model.layers=8 --set parallelism.ep=4 --set parallelism.dp=4 --set parallelism.tp=1 --set parallelism.pp=1 \
  --set schedule.pipeline=1f1b --set parallelism.interleave=1 --global-batch 4

# Without a list, one rank of every stage.
rm -f job.*
"$stepsim" estimate llama3-8b dgx-h100 --set model.layers=8 --set parallelism.pp=2 --set parallelism.tp=2 --set parallelism.dp=2 --global-batch 8 --quiet \
  --chakra job >/dev/null
[ "$(echo job.*)" = "job.0.et job.4.et job.groups.json" ]
