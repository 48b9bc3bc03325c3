#!/bin/sh
# Who may include whom: cli -> api -> session -> {options, campaign, crew, engine, import, io, report, solver, store, traces} -> model, and
# what is further along; siblings never each other, but options are of engine and io, and crew, draw and engine load modules (sim/module) and start
# processes (sim/process); figures are drawn with sim/draw and written with sim/report.
# Inside model, a folder includes those above it in the list below. SimGrid only in sim/engine/simgrid, libxml2 only in sim/io, jansson
# only in sim/report and sim/import, libyaml only in sim/import/files, MPI only in sim/crew/mpi, xxHash only in sim/store, SQLite only there and in sim/traces, yajl
# only in sim/traces, zlib only there and in sim/report, NLopt only in sim/solver, and the model knows none of them and does no input or output.
set -eu
cd "$1"
failed=0

# may_include FOLDER PATTERN: every include in the C files of FOLDER and below matches the extended regular expression.
may_include() {
  [ -d "$1" ] || { echo "no folder $1" >&2; failed=1; return; }
  found=$(grep -rHnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include' "$1" | grep -vE "include[[:space:]]*($2)" || true)
  if [ -n "$found" ]; then
    echo "not allowed in $1:" >&2
    echo "$found" >&2
    failed=1
  fi
}

standard='<(assert|ctype|errno|float|inttypes|limits|math|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|strings|time)\.h>'

# The folders of the model: each may include itself and those before it.
above=
for folder in base input schedule kernel fabric collective block plan result profile graph estimate run search measured; do
  above="$above${above:+|}$folder"
  may_include "model/$folder" "$standard|\"model/($above)/"
done
[ -z "$(ls model/*.[ch] 2>/dev/null)" ] || { echo "files beside the folders of model" >&2; failed=1; }
for folder in model/*/; do
  case "|$above|" in *"|$(basename "$folder")|"*) ;; *) echo "$folder is not in the list of folders" >&2; failed=1 ;; esac
done

may_include sim/engine "$standard|<simgrid/|<sys/mman\.h>|<unistd\.h>|\"model/|\"sim/(engine|module|process)/"

# The rooms of the engine: the core knows the network and its observers as interfaces only (docs/engine.md).
may_include sim/engine/perturbation "$standard|\"model/|\"sim/engine/perturbation/"
may_include sim/engine/core "$standard|<unistd\.h>|\"model/|\"sim/engine/(core|perturbation)/"
may_include sim/engine/network "$standard|\"model/|\"sim/engine/(core|network)/"
may_include sim/engine/simgrid "$standard|<simgrid/|<sys/mman\.h>|<unistd\.h>|\"model/|\"sim/engine/(core|network|simgrid)/|\"sim/module/"
may_include sim/engine/observe "$standard|\"model/|\"sim/engine/(core|observe)/"
may_include sim/engine/headroom "$standard|\"model/|\"sim/engine/(core|headroom|network|observe)/"
may_include sim/engine/setup "$standard|\"model/|\"sim/engine/(core|headroom|network|setup)/"
may_include sim/io "$standard|<dlfcn\.h>|<glob\.h>|<link\.h>|<libxml/|<sys/stat\.h>|<unistd\.h>|\"model/|\"sim/io/"
may_include sim/import "$standard|<fnmatch\.h>|<jansson\.h>|<yaml\.h>|\"model/|\"sim/import/"
may_include sim/import/shell "$standard|<fnmatch\.h>|\"model/|\"sim/import/shell/"
may_include sim/import/files "$standard|<jansson\.h>|<yaml\.h>|\"model/|\"sim/import/(files|shell)/"
may_include sim/import/models "$standard|<jansson\.h>|\"model/|\"sim/import/(files|models)/"
may_include sim/import/dialects "$standard|\"model/|\"sim/import/(dialects|files|models)/"
may_include sim/import/python "$standard|<jansson\.h>|\"model/|\"sim/import/(files|python)/"
may_include sim/import/measured "$standard|\"model/|\"sim/import/(files|measured)/"
may_include sim/import/cluster "$standard|\"model/|\"sim/import/(cluster|files)/"
may_include sim/draw "$standard|<cairo\.h>|<librsvg/rsvg\.h>|\"model/base/error\.h|\"sim/draw/|\"sim/module/"
may_include sim/draw/png "$standard|<cairo\.h>|<librsvg/rsvg\.h>|\"model/base/error\.h|\"sim/draw/png/|\"sim/module/"
may_include sim/figure "$standard|\"model/|\"sim/draw/|\"sim/figure/|\"sim/report/(calibration|interval|margin|report|strategies/(strategy|strategy_name)|sweep/listing)\.h"
may_include sim/report "$standard|<jansson\.h>|<sys/stat\.h>|<sys/types\.h>|<fcntl\.h>|<unistd\.h>|<zlib\.h>|\"model/|\"sim/report/"
for room in iteration measured plan strategies timelines; do
  may_include sim/report/$room "$standard|<jansson\.h>|\"model/|\"sim/report/([a-z]+|$room/[a-z_]+)\.h"
done
may_include sim/report/sweep "$standard|<jansson\.h>|\"model/|\"sim/report/([a-z]+|strategies/[a-z_]+|sweep/[a-z]+)\.h"
may_include sim/crew "$standard|<mpi\.h>|<omp\.h>|<poll\.h>|<signal\.h>|<sys/socket\.h>|<sys/types\.h>|<unistd\.h>|\"model/|\"sim/(crew|module|process)/"
may_include sim/crew/peers "$standard|\"model/base/error\.h|\"sim/crew/peers/|\"sim/module/"
may_include sim/crew/mpi "$standard|<mpi\.h>|\"model/base/error\.h|\"sim/crew/peers/"
may_include sim/module "$standard|<dlfcn\.h>|\"model/base/error\.h|\"sim/module/"
may_include sim/campaign "$standard|\"model/|\"sim/campaign/"
may_include sim/store "$standard|<sqlite3\.h>|<xxhash\.h>|\"model/|\"sim/store/"
may_include sim/solver "$standard|<nlopt\.h>|\"model/|\"sim/solver/"
may_include sim/traces "$standard|<unistd\.h>|<sqlite3\.h>|<strings\.h>|<sys/stat\.h>|<yajl/|<zlib\.h>|\"model/|\"sim/traces/"
may_include sim/process "$standard|<signal\.h>|<stdio_ext\.h>|<sys/prctl\.h>|<sys/socket\.h>|<sys/types\.h>|<sys/wait\.h>|<unistd\.h>|\"sim/process/"
may_include sim/options "$standard|\"model/|\"sim/(engine/replay|figure/plot|io/(io|shipped))\.h|\"sim/options/"
may_include sim/session "$standard|<sys/stat\.h>|<unistd\.h>|\"model/|\"sim/(campaign/campaign|crew/crew|engine/(failures|replay)|io/(io|number|shipped)|report/(report|strategies/strategy_name)|store/store)\.h|\"sim/(options|session)/"
may_include sim/api "$standard|\"include/stepsim\.h|\"model/|\"sim/(import/(emit|import)|io/io|report/(figures|report))\.h|\"sim/(api|options|session)/"
# The program has iterations and searches from the library, and begins none by itself.
may_include sim/cli "$standard|\"include/stepsim\.h\"|\"sim/api/api\.h\"|\"sim/session/(outputs|plan/planning|progress|result_cache|session|sweep/study|used)\.h\"|<argp\.h>|<signal\.h>|<sys/ioctl\.h>|<sys/stat\.h>|<sys/utsname\.h>|<unistd\.h>|\"model/|\"sim/(campaign/campaign|crew/crew|engine/(failures|replay)|figure/(figure|fit|page|plan|plot|run/run|search/search|sweep/sweep|validate)|import/(emit|import|cluster/own_(cluster|routes)|measured/(nccl_log|steps))|io/(io|number|shipped)|module/module|report/(report|table)|solver/minimum|store/store|traces/traces)\.h|\"sim/(cli|options)/"

# The model writes text into buffers at most: no streams, no files. (error.c reports broken promises before it aborts.)
streams=$(grep -rnE --include='*.c' '\b(fopen|fputs|fwrite|fread|puts|printf|fprintf|putchar|fscanf|getc|putc)[[:space:]]*\(' model | grep -v "^model/base/error.c:" || true)
if [ -n "$streams" ]; then
  echo "input or output in model:" >&2
  echo "$streams" >&2
  failed=1
fi
exit $failed
