#!/bin/sh
# circles.sh SOURCE BUILD: no two units include or call each other in a circle, and no two folders. A unit is NAME.c with NAME.h; what
# it calls is what its object file refers to, function pointers in tables included.
set -eu
source=$1
build=$(cd "$2" && pwd)
cd "$source"
# Object files of sources that are still there.
objects=$(git ls-files 'model/*.c' 'sim/*.c' | while read -r file; do
  find "$build/CMakeFiles" -path "*/stepsim*.dir/$file.o"
done)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Pairs "unit unit": includes of headers of the project.
git ls-files 'model/*.[ch]' 'sim/*.[ch]' | xargs awk '
  /^#include "/ { unit = FILENAME; sub(/\.[ch]$/, "", unit); to = $2; gsub(/"/, "", to); sub(/\.(h|def)$/, "", to); if (unit != to) print unit, to }
' >"$scratch/includes"

# Pairs "unit unit": symbols of object files that others define.
# shellcheck disable=SC2086 -- a list of names
nm -A --no-sort $objects | awk '
  { split($1, at, ":"); unit = at[1]; sub(/^.*\.dir\//, "", unit); sub(/\.c\.o$/, "", unit); type = $(NF - 1); name = $NF }
  type ~ /^[TDRBC]$/ { home[name] = unit }
  type == "U" { user[++n] = unit; used[n] = name }
  END { for (i = 1; i <= n; ++i) if (used[i] in home && home[used[i]] != user[i]) print user[i], home[used[i]] }
' >"$scratch/calls"

failed=0
# no_circle WHAT: standard input is pairs.
no_circle() {
  if ! sort -u | tsort >/dev/null 2>"$scratch/loop"; then
    echo "a circle of $1:" >&2
    sed -n 's/^tsort: \([^-].*\)/  \1/p' "$scratch/loop" | grep -v 'contains a loop' >&2
    failed=1
  fi
}
no_circle "includes" <"$scratch/includes"
no_circle "calls" <"$scratch/calls"
cat "$scratch/includes" "$scratch/calls" | no_circle "includes and calls"
cat "$scratch/includes" "$scratch/calls" | awk '{ for (i = 1; i < 3; ++i) sub(/\/[^\/]*$/, "", $i); if ($1 != $2) print $1, $2 }' |
  no_circle "folders"
exit $failed
