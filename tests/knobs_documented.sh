#!/bin/sh
# The table of knobs in README.md is what print_knobs prints, and every function it names is in the file that it links to.
#   knobs_documented.sh PRINT_KNOBS SOURCE             compares
#   knobs_documented.sh PRINT_KNOBS SOURCE --update    rewrites the table
set -eu
print_knobs=$1 readme=$2/README.md mode=${3:-}
table=$("$print_knobs")

# between_markers: README.md with the table as it is now.
between_markers() {
  sed '/<!-- knobs -->/q' "$readme"
  printf '%s\n' "$table"
  sed -n '/<!-- end of knobs -->/,$p' "$readme"
}

if [ "$mode" = --update ]; then
  updated=$(between_markers)
  printf '%s\n' "$updated" >"$readme"
else
  between_markers | diff -u "$readme" -
fi

failed=0
for link in $(printf '%s\n' "$table" | grep -o '\[[a-z0-9_]*\]([a-z_/.]*)' | sort -u); do
  function=${link#?}
  function=${function%%]*}
  file=${link##*(}
  file=${file%?}
  grep -qE "^[a-z].*\b$function\(" "$2/$file" || { echo "no $function in $file" >&2; failed=1; }
done
exit $failed
