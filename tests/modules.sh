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

# replays PROGRAM: whether it can load the network simulator.
replays() {
  "$1" run "$source/workloads/bert-large.xml" "$source/platforms/perlmutter.xml" --quiet >"$scratch/out.txt" 2>"$scratch/err.txt"
}

rm -rf "$scratch"
mkdir -p "$scratch"
replays "$program" || fail "as built: $(cat "$scratch/err.txt")"
cp "$scratch/out.txt" "$scratch/built.txt"
cmake --install "$build" --prefix "$scratch/here" >/dev/null
mv "$scratch/here" "$scratch/there"
replays "$scratch/there/bin/stepsim" || fail "as installed, and moved: $(cat "$scratch/err.txt")"
cmp "$scratch/built.txt" "$scratch/out.txt" || fail "another answer as installed"

find "$scratch/there" -name 'stepsim_simgrid.so' -exec rm {} +
if replays "$scratch/there/bin/stepsim"; then fail "replays without its module"; fi
grep -q '^stepsim: a part of stepsim cannot be loaded: stepsim_simgrid.so: ' "$scratch/err.txt" || fail "$(cat "$scratch/err.txt")"
"$scratch/there/bin/stepsim" estimate "$source/workloads/bert-large.xml" "$source/platforms/perlmutter.xml" --quiet >"$scratch/out.txt" ||
  fail "a closed form needs no module"
exit $failed
