#!/bin/sh
# docs/knobs.md is what print_knobs prints, and every function it names is in the file that it links to.
#   knobs_documented.sh PRINT_KNOBS SOURCE
set -eu
"$1" | diff -u "$2/docs/knobs.md" -

failed=0
for link in $(grep -o '\[[a-z0-9_]*\](\.\./[a-z_/.]*)' "$2/docs/knobs.md" | sort -u); do
  function=${link#?}
  function=${function%%]*}
  file=${link##*(../}
  file=${file%?}
  grep -qE "^[a-z].*\b$function\(" "$2/$file" || { echo "no $function in $file" >&2; failed=1; }
done
exit $failed
