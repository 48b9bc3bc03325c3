#!/bin/sh
# The drawing of folders in docs/structure.md shows what the folders of model and sim include, and its table has all of them.
#   structure.sh SOURCE             compares
#   structure.sh SOURCE --update    redraws
set -eu
source=$1 mode=${2:-}
document=docs/structure.md
cd "$source"

# drawing: an arrow from each folder to those that it includes directly, less those that it reaches by other arrows.
drawing() {
  find model sim -name '*.[ch]' | LC_ALL=C sort | xargs awk '
    function reaches(from, to, avoid, i, n, next_ones) { # without the folder `avoid`
      if (from == to) return 1
      if (from == avoid || from in seen) return 0
      seen[from]
      n = split(includes[from], next_ones, " ")
      for (i = 1; i <= n; ++i) if (reaches(next_ones[i], to, avoid)) return 1
      return 0
    }
    function is_implied(from, to, i, n, others) {
      n = split(includes[from], others, " ")
      for (i = 1; i <= n; ++i) {
        if (others[i] == to) continue
        split("", seen)
        if (reaches(others[i], to, from)) return 1
      }
      return 0
    }
    function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
    FNR == 1 { from = folder(FILENAME); if (!(from in known)) { known[from]; order[++folders] = from } }
    /^#include "(model|sim)\// {
      to = $2
      gsub(/"/, "", to)
      to = folder(to)
      if (to != from && !((from, to) in edge)) { edge[from, to]; includes[from] = includes[from] " " to }
    }
    END {
      for (i = 1; i <= folders; ++i) {
        n = split(includes[order[i]], targets, " ")
        for (k = 1; k <= n; ++k) if (!is_implied(order[i], targets[k])) print "  " order[i] " --> " targets[k]
      }
    }' | LC_ALL=C sort
}

# redrawn: the document with the drawing as it is now.
redrawn() {
  sed '/<!-- drawing -->/q' "$document"
  printf '```mermaid\nflowchart TD\n%s\n```\n' "$(drawing)"
  sed -n '/<!-- end of drawing -->/,$p' "$document"
}

if [ "$mode" = --update ]; then
  new=$(redrawn)
  printf '%s\n' "$new" >"$document"
else
  redrawn | diff -u "$document" -
fi

failed=0
for folder in $(find model sim -name "*.[ch]" -exec dirname {} + | LC_ALL=C sort -u); do
  grep -q "^| \`$folder/\` |" "$document" || { echo "$document does not say what is in $folder" >&2; failed=1; }
done
exit $failed
