#!/bin/sh
# traces.sh STEPSIM SOURCE SCRATCH: what `compare` says of made-up traces and of a real one is what a reader in Python adds up, and what
# it says of a timeline of its own is the prediction.
set -eu
stepsim=$1 source=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
job="llama3-8b dgx-h100 --set parallelism.tp=2 --set parallelism.dp=4 --global-batch 8 --quiet"

seed=1
for shape in '1 1000' '3 200 --layers' '4 20' '1 400 --bare'; do
  # shellcheck disable=SC2086 -- two numbers and an option
  python3 -B "$source/tests/traces/generate.py" $seed $shape >trace.json
  trace=trace.json
  if [ $((seed % 2)) = 0 ]; then gzip -f $trace && trace=$trace.gz; fi
  seed=$((seed + 1))
  # shellcheck disable=SC2086 -- a command line
  "$stepsim" compare $job $trace --json result.json >/dev/null
  python3 -B "$source/tests/traces/expected.py" "$source/rules/kernels.xml" "data parallel" result.json
done

# So is what it says of a transformer that PyTorch's profiler saw, layer by layer.
real=validation/one-gpu/llama-8b-4l-b1
"$stepsim" compare "$source/$real.xml" dgx-h100 "$source/$real.json.gz" --quiet --json result.json >/dev/null
python3 -B "$source/tests/traces/expected.py" "$source/rules/kernels.xml" "data parallel" result.json

# Compressed, a timeline is the same, a tenth of the size, about as large as it was said to be, and read by compare where it
# has all micro-batches.
"$stepsim" run gpt3-175b perlmutter --global-batch 64 --trace plain.json --trace packed.json.gz >/dev/null 2>said.txt
gzip -dc packed.json.gz | cmp - plain.json
plain=$(wc -c <plain.json) packed=$(wc -c <packed.json.gz)
[ $((10 * packed)) -le "$plain" ] || { echo "$packed bytes of $plain" >&2; exit 1; }
awk -v real="$packed" '/packed/ { for (i = 1; i < NF; ++i) if ($(i + 1) ~ /^MiB/) said = $i * 1048576 }
  END { if (said < 0.5 * real || said > 2 * real) { print "said " said " of " real; exit 1 } }' said.txt
"$stepsim" compare gpt3-175b perlmutter --global-batch 64 plain.json --quiet >plain.txt
"$stepsim" compare gpt3-175b perlmutter --global-batch 64 packed.json.gz --quiet | sed 's/packed.json.gz/plain.json/' | diff plain.txt -

echo "What was measured is what is predicted, in every part." >expected.txt
# Of stages, chunks, and what moves beside compute, rank by rank.
for strategy in "parallelism.pp=2 parallelism.tp=2 parallelism.dp=2 schedule.overlap-dp=yes" "parallelism.dp=8 parallelism.sharding=parameters"; do
  options=
  for set in $strategy; do options="$options --set $set"; done
  # shellcheck disable=SC2086 -- a command line
  "$stepsim" run llama3-8b dgx-h100 $options --global-batch 16 --quiet --trace own.json --trace-ranks 0,7 >/dev/null
  for rank in 0 7; do
    # shellcheck disable=SC2086 -- a command line
    "$stepsim" compare llama3-8b dgx-h100 $options --global-batch 16 --quiet own.json --device $rank | tail -1
  done
done >own.txt
sort -u own.txt | diff expected.txt -
