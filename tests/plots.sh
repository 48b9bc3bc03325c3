#!/bin/sh
# plots.sh STEPSIM SOURCE SCRATCH: every figure of every command is well-formed SVG, in both sizes, and a PNG where that can be written.
set -eu
program=$1 source=$2 scratch=$3
failed=0
rm -rf "$scratch"
mkdir -p "$scratch"
echo leak:libfontconfig >"$scratch/lsan.supp" # fontconfig keeps what it has read of the fonts
export LSAN_OPTIONS="suppressions=$scratch/lsan.supp:print_suppressions=0"
cd "$source"

# fail MESSAGE...
fail() {
  echo "$*" >&2
  failed=1
}

# plot NAMES COMMAND...: draws each of the figures that a command has.
plot() {
  names=$1
  shift
  for name in $names; do
    for size in slide paper; do
      file=$scratch/$1-$name-$size.svg
      "$program" "$@" --quiet --plot "$file" --figure "$name" --plot-size $size >/dev/null || fail "$1 $name $size"
      xmllint --noout "$file" || fail "$file is not well-formed"
      grep -q 'class="ss plot"' "$file" || fail "$file has no picture"
    done
  done
  "$program" "$@" --quiet --plot "$scratch/$1.png" >/dev/null || fail "$1 as PNG"
  [ "$(od -An -tx1 -N4 "$scratch/$1.png" | tr -d ' ')" = 89504e47 ] || fail "$1.png is no PNG"
}

plot "times parts causes timeline memory memory-time links what-if" run workloads/bert-large.xml platforms/perlmutter.xml
plot "slow" run workloads/bert-large.xml platforms/perlmutter.xml --set platform.gpu-speed=0:0.9
plot "front parts knobs losers" search workloads/bert-large.xml platforms/perlmutter.xml --gpus 8
plot "curves map parts" sweep workloads/bert-large.xml platforms/perlmutter.xml --vary training.micro-batch=1,2 --vary parallelism.dp=1,2,4
plot "errors predicted" validate validation/measured-sc21.xml
plot "errors constants" fit validation/fit/mi300x.xml --quick

# refused TEXT COMMAND...: the command ends with a message that has the text, before it writes anything.
refused() {
  text=$1
  shift
  if "$program" "$@" >/dev/null 2>"$scratch/error.txt"; then fail "not refused: $*"; fi
  grep -q -e "$text" "$scratch/error.txt" || fail "$*: $(cat "$scratch/error.txt")"
}
bert="run workloads/bert-large.xml platforms/perlmutter.xml"
# shellcheck disable=SC2086 -- words of a command
{
  refused 'unknown extension; allowed: .svg, .png' $bert --plot "$scratch/x.pdf"
  refused 'is no figure of run; allowed: times, parts' $bert --plot "$scratch/x.svg" --figure front
  refused '--figure does nothing without --plot' $bert --figure parts
}
exit $failed
