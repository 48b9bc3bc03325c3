#!/bin/bash
# What commands print for people has at most 80 characters a line where neither --wide nor COLUMNS says more: transcripts and documents
# show what that is. Left out are messages of errors, which are one line each; files for programs (XML, JSON, CSV, pages for man); comments of platform
# files; and a word that is longer by itself, with what is before it.
#   width.sh SOURCE
set -euo pipefail
source=$1

awk '
  # Characters of UTF-8, not bytes.
  function width(line) { gsub(/[\200-\277]/, "", line); return length(line) }
  FNR == 1 { command = ""; inside = 0 }
  FILENAME ~ /\.md$/ && /^<!-- prints: / { command = $0; next }
  FILENAME ~ /\.md$/ && /^```/ {
    if (!inside) kind = $0
    if (!inside && kind == "```sh") command = ""
    if (inside && kind != "```sh") command = ""
    inside = !inside
    next
  }
  FILENAME ~ /\.md$/ && inside && kind == "```sh" { command = command $0; next }
  FILENAME ~ /\.md$/ && !(inside && kind == "```" && command != "") { next }
  FILENAME ~ /\.txt$/ && /^\$ / { command = $0; next }
  FILENAME ~ /\.txt$/ && /^#/ { next }
  command ~ /--wide|COLUMNS|stepsim (platform|cluster|import|manual)|--(json|csv|emit|save|output) |python3|\/tmp\/estimate/ { next }
  /^stepsim: / || /="/ || /^ *[0-9]+ +--set / { next }
  width($0) > 80 && $NF !~ /^.{60}/ { print FILENAME ":" FNR ": " width($0) " characters: " $0; failed = 1 }
  END { exit failed }
' "$source"/tests/cli/*.txt "$source"/README.md "$source"/docs/*.md
