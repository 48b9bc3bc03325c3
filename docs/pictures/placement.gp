# Draws the pictures of docs/placement.md from the *.dat beside it; placement.sh calls it there.
# Colours: Okabe and Ito, told apart by colour-blind readers too.
set style line 1 lc rgb "#0072B2" lw 2.5 pt 7 ps 0.9
set style line 2 lc rgb "#D55E00" lw 2.5 pt 5 ps 0.8
set style line 3 lc rgb "#009E73" lw 2.5 pt 9 ps 1.0
set style line 4 lc rgb "#CC79A7" lw 2.5 pt 13 ps 1.1
set style line 5 lc rgb "#009E73" lw 2.5 pt 8 ps 1.1 dt (8, 5)
set style line 9 lc rgb "#666666" lw 2 dt (2, 4)
set border lc rgb "#444444"

set terminal svg size 760,460 font "Helvetica,Arial,sans-serif,14" background rgb "white"
set output "placement-taper.svg"
set border 3
set tics nomirror out scale 0.6
set xrange [-0.15:2.85]
set yrange [3.05:3.72]
set ytics 3.1, 0.1 format "%.1f"
set xtics ("1:1" 0, "2:1" 1, "4:1" 2)
set xlabel "NICs of a leaf switch per cable up" offset 0, 0.5
set ylabel "iteration, s" offset 1
set grid ytics lc rgb "#dddddd" lw 1 lt 1
set rmargin 3
unset key
set label 1 "pods" at 2, 3.676 offset 1.5, 0 tc ls 4
set label 2 "stages" at 2, 3.600 offset 1.5, 0 tc ls 2
set label 3 "replicas" at 2, 3.344 offset 1.5, 0.4 tc ls 1
set label 4 "blocks, crossed blocks" at 2, 3.326 offset 1.5, -0.4 tc ls 3
set label 5 "closed form, all placements" at 2, 3.1195 offset 1.5, 0 tc rgb "#666666"
set label 6 "crossed blocks" at 0.95, 3.150 right tc ls 3
data = "placement-taper.dat"
plot data skip 1 using 0:7 with lines ls 9, \
     data skip 1 using 0:6 with linespoints ls 5, \
     data skip 1 using 0:5 with linespoints ls 4, \
     data skip 1 using 0:3 with linespoints ls 2, \
     data skip 1 using 0:4 with linespoints ls 3, \
     data skip 1 using 0:2 with linespoints ls 1
unset label

set terminal svg size 760,580 font "Helvetica,Arial,sans-serif,14" background rgb "white"
set output "placement-links.svg"
set multiplot layout 3, 1 margins 0.09, 0.97, 0.13, 0.96 spacing 0, 0.07
set xrange [0:3.7]
set yrange [0:100]
set ytics 0, 50, 100 format "%.0f %%"
set xtics 0, 0.5 format ""
unset xlabel
unset ylabel
set style fill solid 0.75 noborder
box(name) = sprintf("placement-links-%s.dat", name)
set label 1 "replicas: 1 ring and 8 pipeline flows on a cable" at graph 0.20, 0.88 tc ls 1
plot box("replicas") using (($1 + $2) / 2):3:($2 - $1) with boxes ls 1
set label 1 "blocks: 2 rings and 4 pipeline flows" at graph 0.20, 0.88 tc ls 3
plot box("blocks") using (($1 + $2) / 2):3:($2 - $1) with boxes ls 3
set label 1 "stages: 4 rings and 2 pipeline flows" at graph 0.20, 0.88 tc ls 2
set xtics format "%.1f"
set xlabel "time in the iteration, s" offset 0, 0.5
plot box("stages") using (($1 + $2) / 2):3:($2 - $1) with boxes ls 2
unset multiplot
