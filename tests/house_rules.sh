#!/bin/sh
# house_rules.sh SOURCE: no file has more than 500 lines; in model/ and sim/ no function has more than 40 and no line more
# than 120 columns (but in the table that validate --residuals prints), no two types have one name, and the guard of a
# header is its path; all folders of tests are built.
set -eu
cd "$1"
failed=0

git ls-files 'model/*.[ch]' 'sim/*.[ch]' | xargs awk '
  function check(lines, most, what) {
    if (lines > most) { print what " has " lines " lines; allowed: " most; failed = 1 }
  }
  FNR == 1 && file != "" { check(last, 500, file) }
  { file = FILENAME; last = FNR }
  /^[a-zA-Z].*[^a-zA-Z_0-9][a-z_0-9]+\(/ || /^[a-z_0-9]+\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
  /^\{/ { start = FNR; in_function = 1 }
  /^\}/ && in_function { check(FNR - start + 1, 40, FILENAME ":" name); in_function = 0 }
  END { check(last, 500, file); exit failed }
' >&2 || failed=1

wide=$(git ls-files 'model/*.[ch]' 'model/*.def' 'sim/*.[ch]' 'sim/*.def' 'docs/*.def' | grep -v /residuals.def |
  xargs awk '{ line = $0; gsub(/[\200-\277]/, "", line) } length(line) > 120 { print FILENAME ":" FNR }')
[ -z "$wide" ] || { echo "more than 120 columns: $wide" >&2; failed=1; }

long=$(git ls-files 'tests/*.cpp' 'tests/*.hpp' 'tests/*.py' | xargs wc -l | awk '$1 > 500 && $2 != "total" { print $2 }')
[ -z "$long" ] || { echo "more than 500 lines: $long" >&2; failed=1; }

twice=$(git grep -hoE '^\} ss_[a-z_0-9]+;' -- 'model/*.[ch]' 'sim/*.[ch]' | sort | uniq -d)
[ -z "$twice" ] || { echo "types of one name: $twice" >&2; failed=1; }

guards=$(for header in $(git ls-files 'model/*.h' 'sim/*.h'); do
  grep -qx "#ifndef STEPSIM_$(echo "$header" | tr 'a-z/.' 'A-Z__')" "$header" || echo "$header"
done)
[ -z "$guards" ] || { echo "guards that are not the path: $guards" >&2; failed=1; }

unbuilt=$(for folder in $(git ls-files 'tests/*/test_*.cpp' | xargs -n 1 dirname | sort -u); do
  grep -qE "FOLDERS.* ${folder#tests/}[ )]" tests/CMakeLists.txt || echo "$folder"
done)
[ -z "$unbuilt" ] || { echo "tests of no program in tests/CMakeLists.txt: $unbuilt" >&2; failed=1; }
exit $failed
