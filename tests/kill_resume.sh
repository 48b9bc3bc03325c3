#!/bin/sh
# A sweep that is killed again and again, and goes on from its database, comes to the same table as one that is left alone; and
# what is not a database of stepsim is refused and left as it is.
#   kill_resume.sh STEPSIM SOURCE SCRATCH
set -eu
program=$1 source=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export OMP_NUM_THREADS=2
cat >deep.xml <<'XML'
<workload version="1"><model name="deep" layers="64" hidden="1024" heads="16" sequence="512" vocabulary="32000"/>
<training global-batch="512"/></workload>
XML
failed=0

# fail MESSAGE...
fail() {
  echo "$*" >&2
  failed=1
}

# sweep ARGUMENTS...: in place of the shell that it is called in, so that a kill hits the program.
sweep() {
  exec "$program" sweep deep.xml "$source/platforms/perlmutter.xml" --vary parallelism.pp=1..64*2 \
    --vary training.micro-batch=1,2,4,8 --replay --fold none --flows simulated "$@"
}

(sweep >alone.txt)
kills=0
for delay in $(awk 'BEGIN { srand(20); for (i = 0; i < 20; ++i) printf "%.3f ", 0.02 + 0.18 * rand() }'); do
  sweep --quiet --db results.db >killed.txt &
  sleep "$delay"
  kill -9 $! 2>/dev/null || true
  status=0
  wait $! 2>/dev/null || status=$?
  [ "$status" = 0 ] || kills=$((kills + 1))
  [ ! -s results.db ] || "$program" results results.db >/dev/null || fail "damaged after kill $kills"
done
(sweep --db results.db >resumed.txt 2>resumed.err) || fail "cannot go on"
cmp alone.txt resumed.txt || fail "another table after $kills kills"
(sweep --db results.db >again.txt 2>again.err) || fail "cannot repeat"
cmp alone.txt again.txt || fail "another table from the database alone"
echo "$kills kills; then $(cat resumed.err); then $(cat again.err)"
[ "$kills" -ge 5 ] || fail "only $kills kills"
[ "$(cat again.err)" = "stepsim: 28 of 28 points taken from results.db" ] || fail "work done again: $(cat again.err)"

# refused FILE: by both commands, with status 2, its name, and no change.
refused() {
  cp "$1" before
  for command in "sweep --db $1" "$program results $1"; do
    status=0
    ($command >refused.txt 2>refused.err) || status=$?
    [ "$status" = 2 ] || fail "$1: status $status of $command"
    grep -q "^stepsim: $1: .*allowed: " refused.err || fail "$1: $(cat refused.err)"
  done
  cmp before "$1" || fail "$1 has changed"
}

echo "just text" >text
refused text
head -c 100 results.db >header
refused header
head -c 5000 results.db >half
refused half
{ head -c 18 results.db; printf '\377\377'; tail -c +21 results.db; } >flipped # the versions of the file's format
refused flipped
exit $failed
