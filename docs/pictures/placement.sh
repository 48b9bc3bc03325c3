#!/bin/sh
# Runs the replays behind the pictures of docs/placement.md and draws them (gnuplot-nox, 5 s):
#   docs/pictures/placement.sh [STEPSIM]
# Platforms and rank files are made in a temporary folder; what the pictures show is kept beside this script as *.dat.
set -eu
stepsim=$(realpath "${1:-build/release/stepsim}")
pictures=$(realpath "$(dirname "$0")")
root=$pictures/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The domain of stage s of replica r, for every rank in the order tp, dp, pp.
ranks()
{
  awk "BEGIN { for (s = 0; s < 64; s++) for (r = 0; r < 32; r++) for (t = 0; t < 8; t++) print 8 * ($1) + t }"
}

ranks '32*s + r' > replicas
ranks '64*r + s' > stages
ranks '64*int(s/2) + 4*int(r/2) + 2*(s%2) + r%2' > blocks
ranks '128*int(s/4) + 4*r + s%4' > pods
ranks '64*int(s/2) + 4*int(r/2) + 2*(r%2) + (r+s)%2' > crossed

for taper in 1 2 4; do
  "$stepsim" platform --like "$root/platforms/b200-nvl8.xml" --gpus 16384 --domain 8 --fabric fat-tree \
    --taper $taper --name b200-taper-$taper --output taper-$taper.xml
done

# Iteration in seconds of every placement: one line for each taper, last the closed form.
"$stepsim" -q sweep "$root/workloads/gpt3-1t.xml" --set schedule.overlap-tp=none --vary placement.ranks=replicas,stages,blocks,pods,crossed \
  --vary platform=taper-1.xml,taper-2.xml,taper-4.xml --replay --csv sweep.csv
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  { taper = $column["platform"]; gsub(/[^0-9]/, "", taper); time[$1, taper] = $column["simulation.iteration_s"]; closed = $column["estimate.iteration_s"] }
  END {
    print "taper replicas stages blocks pods crossed closed-form"
    for (t = 1; t <= 4; t *= 2)
      print t ":1", time["replicas", t], time["stages", t], time["blocks", t], time["pods", t], time["crossed", t], closed
  }' sweep.csv > "$pictures/placement-taper.dat"

# Utilisation in percent of the busiest leaf uplink over time, at 4:1: from, to, value.
for placement in replicas stages blocks; do
  "$stepsim" -q run "$root/workloads/gpt3-1t.xml" taper-4.xml --set schedule.overlap-tp=none --set placement.ranks=$placement --links links.csv > report
  awk -F, -v OFS=' ' '
    NR == 1 { for (i = 7; i <= NF; i++) slice[i] = $i }
    $1 ~ /^leaf-.*:up/ && $5 > most { most = $5; name = $1; for (i = 7; i <= NF; i++) part[i] = $i }
    END {
      print "# " name
      for (i = 7; i in slice; i++) { split(slice[i], edge, /[.][.]/); print edge[1], edge[2], 100 * part[i] }
    }' links.csv > "$pictures/placement-links-$placement.dat"
done

cd "$pictures"
gnuplot placement.gp
