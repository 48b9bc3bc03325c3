#!/bin/sh
# functions_documented.sh SOURCE DOCUMENT: every function that a document links to, as [name](FILE.c), is defined in that file.
set -eu
cd "$1"
failed=0
links=$(grep -oE '\[[a-z0-9_]+\]\([a-z0-9_/.]+\.c\)' "$2" | sort -u)
[ -n "$links" ] || { echo "$2 links to no function" >&2; exit 1; }
for link in $links; do
  function=${link#?}
  function=${function%%]*}
  file=${link##*(}
  file=$(dirname "$2")/${file%?}
  grep -qE "^[a-z].*\b$function\(" "$file" || { echo "$2: no $function in $file" >&2; failed=1; }
done
exit $failed
