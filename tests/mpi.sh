#!/bin/sh
# Searches, sweeps, trials and fits that several processes share out by MPI print the same bytes as one process.
#   mpi.sh STEPSIM SOURCE SCRATCH [MPIEXEC]     skipped without MPIEXEC
set -eu
program=$1 source=$2 scratch=$3 launcher=${4:-}
[ -n "$launcher" ] || { echo "built without MPI"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
platform=$source/platforms/perlmutter.xml
# In a test, the user may be root and the cores are few; what MPI itself does not free is not looked at.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" OMP_NUM_THREADS=2
cat >tiny.xml <<'XML'
<workload version="1"><model name="tiny" layers="4" hidden="1024" heads="16" sequence="512" vocabulary="32000"/>
<training global-batch="8"/></workload>
XML
cat >measured.xml <<XML
<measured version="1"><iterations id="tiny" title="t" source="s" platform="$platform">
<model layers="4" hidden="1024" heads="16" sequence="512"/><training global-batch="8"/>
<point id="one" iteration="20ms"/><point id="two" iteration="15ms"><parallelism tp="2"/></point></iterations></measured>
XML
cat >fit.xml <<'XML'
<fit version="1"><measured file="measured.xml"/><constant property="launch-overhead" from="1us" to="50us"/></fit>
XML
failed=0
guard_s=600 # against processes that wait for ever; how fast they are is not tested

# fail MESSAGE...
fail() {
  echo "$*" >&2
  failed=1
}

# compare NAME STATUS NUMBERS ARGUMENTS...: the same text, JSON and status by one process and by these numbers of them under MPI.
# What the launcher itself says about a status other than 0 is left out.
compare() {
  name=$1 expected=$2 numbers=$3
  shift 3
  status=0
  "$program" "$@" --json "$name.json" >"$name.txt" 2>"$name.err" || status=$?
  [ "$status" = "$expected" ] || fail "$name: status $status"
  for processes in $numbers; do
    status=0
    timeout "$guard_s" "$launcher" -n $processes "$program" "$@" --json "$name-$processes.json" \
      >"$name-$processes.txt" 2>"$name-$processes.err" || status=$?
    [ "$status" = "$expected" ] || fail "$name: status $status of $processes processes"
    for kind in txt json; do
      [ ! -e "$name.$kind" ] || cmp "$name.$kind" "$name-$processes.$kind" || fail "$name: $processes processes"
    done
    grep '^stepsim: ' "$name-$processes.err" | cmp "$name.err" - || fail "$name: errors of $processes processes"
  done
}

compare search 0 "2 3" search tiny.xml "$platform" --gpus 8,16 --knobs sharding,recompute --top 5 --replay 4
compare sweep 0 "1 2 3" sweep tiny.xml "$platform" --vary parallelism.pp=1,2,4 --vary parallelism.dp=1,2,3,4 --replay
compare trials 0 "2 3" run tiny.xml "$platform" --set platform.kernel-noise=0.05 --set "platform.gpu-speed=0:0.5 9:0.9" --trials 7
compare fit 0 2 fit fit.xml --replay
compare refused 2 2 search tiny.xml "$platform" --gpus 513
compare too-large 3 2 search "$source/workloads/gpt3-175b.xml" "$platform" --gpus 8

# A page has bars of better machines, whose replays are shared out.
"$program" run tiny.xml "$platform" --report one.html >/dev/null
timeout "$guard_s" "$launcher" -n 2 "$program" run tiny.xml "$platform" --report two.html >/dev/null || fail "page: status $?"
grep -q what_if_replay_s one.html || fail "page: no replays"
cmp one.html two.html || fail "page"

# A database that several processes have filled has all that one process asks for.
timeout "$guard_s" "$launcher" -n 2 "$program" search tiny.xml "$platform" --gpus 8,16 --pareto --replay 2 --db results.db \
  >many.txt 2>many.err || fail "cannot fill a database: $(cat many.err)"
"$program" search tiny.xml "$platform" --gpus 8,16 --pareto --replay 2 --db results.db >one.txt 2>one.err || fail "cannot read it"
[ "$(cat many.err)" = "stepsim: 0 of 6 results taken from results.db" ] || fail "$(cat many.err)"
[ "$(cat one.err)" = "stepsim: 6 of 6 results taken from results.db" ] || fail "$(cat one.err)"
cmp many.txt one.txt || fail "another table from the database"

# One that cannot go on is an error, not a wait.
cat >odd.sh <<'SH'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && cd /
exec "$@"
SH
status=0
timeout "$guard_s" "$launcher" -n 3 sh odd.sh "$program" sweep tiny.xml "$platform" --vary parallelism.pp=1,2,4 --replay \
  >odd.txt 2>odd.err || status=$?
[ "$status" = 1 ] || fail "odd: status $status"
grep -q '^stepsim: process 1 of 3 has stopped' odd.err || fail "odd: $(cat odd.err)"
exit $failed
