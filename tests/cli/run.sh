#!/bin/sh
# Transcripts of the program: every line "$ COMMAND" in tests/cli/*.txt is run in a scratch folder, and what follows it must be
# exactly what it prints (standard output and error together), then "[exit N]" where N is not 0. Seconds and memory that a stopped
# replay has used depend on the machine: they are "some"; the commit of the program is left out.
#   run.sh STEPSIM SOURCE SCRATCH [NAME]     compares all of them, or one
#   run.sh STEPSIM SOURCE SCRATCH --update   rewrites the transcripts; read the difference before you keep it
set -eu
program=$1 source=$2 scratch=$3 mode=${4:-}
case $mode in
'' | --update) name='*' ;;
*) name=$mode ;;
esac
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/actual"
ln -s "$program" "$scratch/bin/stepsim"
PATH="$scratch/bin:$PATH"
export PATH
unset COLUMNS STEPSIM_PATH

# replay FILE: prints the transcript as it is now.
replay() {
  grep -E '^(\$|#)' "$1" | while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
    '$ '*)
      status=0
      sh -c "${line#??}" >"$scratch/output" 2>&1 </dev/null || status=$?
      sed -E 's/stopped after [0-9.]+ s of/stopped after some s of/; s/stopped with [0-9.]+ GiB of/stopped with some GiB of/; s/ \(commit [0-9a-z-]+\)$//' "$scratch/output"
      [ "$status" = 0 ] || echo "[exit $status]"
      ;;
    esac
  done
}

failed=0
for transcript in "$source"/tests/cli/$name.txt; do
  actual="$scratch/actual/$(basename "$transcript")"
  mkdir -p "$scratch/work/$(basename "$transcript" .txt)"
  cd "$scratch/work/$(basename "$transcript" .txt)"
  ln -s "$source/platforms" "$source/workloads" .
  replay "$transcript" >"$actual"
  if [ "$mode" = --update ]; then
    cp "$actual" "$transcript"
  elif ! diff -u "$transcript" "$actual"; then
    failed=1
  fi
done
exit $failed
