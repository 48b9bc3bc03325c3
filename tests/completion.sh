#!/bin/bash
# completion.sh STEPSIM SCRATCH: what bash completes, and that the shells that there are read what is written for them.
set -euo pipefail
program=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/empty"
ln -s "$program" "$scratch/bin/stepsim"
PATH="$scratch/bin:$PATH"
cd "$scratch/empty"
failed=0
source <(stepsim completion bash)

# completes EXPECTED WORD...: what the last word is completed to, sorted and joined with blanks; bash makes a word of each "=".
completes() {
  local expected=$1 actual
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _stepsim || true
  actual=$(printf '%s\n' "${COMPREPLY[@]:-}" | sort | paste -sd' ')
  [ "$actual" = "$expected" ] || { echo "$*: completed to \"$actual\", not \"$expected\"" >&2; failed=1; }
}
completes 'search' stepsim sea
completes '--help' stepsim --h
completes 'gpt3-175b gpt3-1t' stepsim run gpt3
completes 'perlmutter perlmutter-1024' stepsim run gpt3-175b perl
completes '' stepsim run gpt3-175b perlmutter gpt
completes 'sc24 sc24-code' stepsim run --cost sc
completes 'sc24 sc24-code' stepsim run --cost = sc
completes 'calibrated sc24 sc24-code' stepsim run --cost =
completes 'perlmutter perlmutter-1024' stepsim run --cost sc24 gpt3-175b --flows = all perl
completes '' stepsim run --trials gp
completes '--trace --trace-micro-batches --trace-ranks' stepsim run gpt3-175b --trace
completes 'mi300x mi325x mi355x' stepsim platform --like mi3
completes 'fat-tree flat' stepsim platform --fabric f
completes 'sc21' stepsim validate mlperf sc2
completes 'platforms' stepsim list p
completes 'bash' stepsim completion b
touch a.db
completes 'a.db' stepsim results a

for shell in zsh fish; do
  stepsim completion $shell >"$scratch/$shell"
  if command -v $shell >/dev/null; then $shell -n "$scratch/$shell" || failed=1; fi
done
if command -v fish >/dev/null; then
  actual=$(HOME=$scratch fish --no-config -c "source $scratch/fish; complete -C 'stepsim run gpt3'" | cut -f1 | sort | paste -sd' ')
  [ "$actual" = 'gpt3-175b gpt3-1t' ] || { echo "fish completes to \"$actual\"" >&2; failed=1; }
fi
exit $failed
