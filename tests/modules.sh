#!/bin/sh
# modules.sh STEPSIM BUILD SOURCE SCRATCH: the program starts without the libraries of its modules, finds these where it is built and where
# it is installed, and says what is missing where it does not.
set -eu
program=$1 build=$2 source=$3 scratch=$4
failed=0

# fail MESSAGE...
fail() {
  echo "$*" >&2
  failed=1
}

needed=$(ldd "$program")
for library in simgrid ns3 mpi rsvg cairo; do
  case "$needed" in *"lib$library"*) fail "$program is linked with $library" ;; esac
done

# replays PROGRAM FLOWS: whether it does; those that are simulated need the network simulator.
replays() {
  "$1" run "$source/workloads/bert-large.xml" "$source/platforms/perlmutter.xml" --quiet --flows "$2" >"$scratch/out.txt" 2>"$scratch/err.txt"
}

rm -rf "$scratch"
mkdir -p "$scratch"
for flows in shared simulated; do
  replays "$program" $flows || fail "as built: $(cat "$scratch/err.txt")"
  mv "$scratch/out.txt" "$scratch/$flows.txt"
done
cmake --install "$build" --prefix "$scratch/here" >/dev/null
mv "$scratch/here" "$scratch/there"
installed=$scratch/there/bin/stepsim
for flows in shared simulated; do
  replays "$installed" $flows || fail "as installed, and moved: $(cat "$scratch/err.txt")"
  cmp "$scratch/$flows.txt" "$scratch/out.txt" || fail "another answer as installed"
done

find "$scratch/there" -name 'stepsim_simgrid.so' -exec rm {} +
replays "$installed" shared || fail "without the module: $(cat "$scratch/err.txt")"
cmp "$scratch/shared.txt" "$scratch/out.txt" || fail "another answer without the module"
if replays "$installed" simulated; then fail "simulates without its module"; fi
grep -q '^stepsim: a part of stepsim cannot be loaded: stepsim_simgrid.so: ' "$scratch/err.txt" || fail "$(cat "$scratch/err.txt")"
exit $failed
