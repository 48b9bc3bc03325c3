#!/bin/sh
# house_rules.sh SOURCE: no file of model/ and sim/ has more than 500 lines, and no function more than 40. What may be longer is listed
# below with its length, and may not grow; what has become short enough must leave the list.
set -eu
cd "$1"

# LINES FILE, or LINES FILE:FUNCTION.
known='
'

git ls-files 'model/*.[ch]' 'sim/*.[ch]' | xargs awk -v known="$known" '
  function check(lines, most, what) {
    if (what in allowed) {
      if (lines > allowed[what]) { print what " has " lines " lines, more than the " allowed[what] " in the list"; failed = 1 }
      if (lines <= most) { print what " is short enough to leave the list"; failed = 1 }
      delete allowed[what]
    } else if (lines > most) { print what " has " lines " lines; allowed: " most; failed = 1 }
  }
  BEGIN {
    n = split(known, row, "\n")
    for (i = 1; i <= n; ++i) if (split(row[i], word, " ") == 2) allowed[word[2]] = word[1]
  }
  FNR == 1 && file != "" { check(last, 500, file) }
  { file = FILENAME; last = FNR }
  /^[a-zA-Z].*[^a-zA-Z_0-9][a-z_0-9]+\(/ || /^[a-z_0-9]+\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
  /^\{/ { start = FNR; in_function = 1 }
  /^\}/ && in_function { check(FNR - start + 1, 40, FILENAME ":" name); in_function = 0 }
  END {
    check(last, 500, file)
    for (what in allowed) { print what " is in the list and does not exist"; failed = 1 }
    exit failed
  }
' >&2
