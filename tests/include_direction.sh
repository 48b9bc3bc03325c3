#!/bin/sh
# Who may include whom: cli -> {crew, engine, io, report, solver, store} -> model; siblings never each other. SimGrid only in sim/engine, libxml2
# only in sim/io, jansson only in sim/report, MPI only in sim/crew/peers,
# SQLite and xxHash only in sim/store, NLopt only in sim/solver, and the model knows none of them and does no input or output.
set -eu
cd "$1"
failed=0

# may_include FOLDER PATTERN: every include in the C files of FOLDER matches the extended regular expression.
may_include() {
  [ -d "$1" ] || { echo "no folder $1" >&2; failed=1; return; }
  found=$(grep -HnE '^[[:space:]]*#[[:space:]]*include' "$1"/*.c "$1"/*.h 2>/dev/null | grep -vE "include[[:space:]]*($2)" || true)
  if [ -n "$found" ]; then
    echo "not allowed in $1:" >&2
    echo "$found" >&2
    failed=1
  fi
}

standard='<(assert|ctype|errno|float|inttypes|limits|math|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|strings|time)\.h>'
may_include model "$standard|\"model/"
may_include sim/engine "$standard|<signal\.h>|<simgrid/|<sys/prctl\.h>|<sys/types\.h>|<sys/wait\.h>|<unistd\.h>|\"model/|\"sim/engine/"
may_include sim/io "$standard|<glob\.h>|<libxml/|<sys/stat\.h>|<unistd\.h>|\"model/|\"sim/io/"
may_include sim/report "$standard|<jansson\.h>|<sys/stat\.h>|<sys/types\.h>|<fcntl\.h>|<unistd\.h>|\"model/|\"sim/report/"
may_include sim/crew "$standard|<omp\.h>|<poll\.h>|<signal\.h>|<sys/prctl\.h>|<sys/socket\.h>|<sys/types\.h>|<sys/wait\.h>|<unistd\.h>|\"model/|\"sim/crew/"
may_include sim/crew/peers "$standard|<mpi\.h>|\"model/error\.h|\"sim/crew/peers\.h"
may_include sim/store "$standard|<sqlite3\.h>|<xxhash\.h>|\"model/|\"sim/store/"
may_include sim/solver "$standard|<nlopt\.h>|\"model/|\"sim/solver/"
may_include sim/cli "$standard|<argp\.h>|<sys/stat\.h>|<unistd\.h>|\"model/|\"sim/(crew/crew|engine/replay|io/io|report/report|solver/minimum|store/store)\.h|\"sim/cli/"

# The model writes text into buffers at most: no streams, no files. (error.c reports broken promises before it aborts.)
streams=$(grep -nE '\b(fopen|fputs|fwrite|fread|puts|printf|fprintf|putchar|fscanf|getc|putc)[[:space:]]*\(' model/*.c | grep -v "^model/error.c:" || true)
if [ -n "$streams" ]; then
  echo "input or output in model:" >&2
  echo "$streams" >&2
  failed=1
fi
exit $failed
