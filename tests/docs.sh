#!/bin/bash
# The commands of a document succeed, and print what the document shows. Blocks marked `sh` run from top to bottom in one shell, in a
# folder that looks like the root of the project. A block without a language directly below one is what it prints (standard error
# included); there, a line of three dots stands for any lines. A comment on the line above a block says more:
#   <!-- prints: COMMAND -->    the block is what this command prints
#   <!-- slow -->               only --all runs the command
#   <!-- not run: REASON -->    the block stays as its author wrote it
# Files in /tmp go to the scratch folder instead. Files that the document links to or names exist.
#   docs.sh STEPSIM SOURCE SCRATCH DOCUMENT [--all]             compares
#   docs.sh STEPSIM SOURCE SCRATCH DOCUMENT [--all] --update    rewrites what is shown; read the difference before you keep it
set -euo pipefail
program=$1 source=$2 scratch=$3 document=$4
shift 4
all='' update=''
for option; do
  case $option in
  --all) all=yes ;;
  --update) update=yes ;;
  *) echo "docs.sh: unknown option $option" >&2; exit 2 ;;
  esac
done
rm -rf "$scratch"
mkdir -p "$scratch"/{bin,blocks,root,tmp}
ln -s "$program" "$scratch/bin/stepsim"
ln -s "$source"/{docs,examples,platforms,validation,workloads} "$scratch/root"
unset COLUMNS STEPSIM_PATH
build=$(dirname "$program") # has the library, beside which C and Python are to find header and module
printf 'Name: stepsim\nDescription: as built\nVersion: 0\nCflags: -I%s/include\nLibs: -L%s -Wl,-rpath,%s -lstepsim\n' \
  "$source" "$build" "$build" >"$scratch/stepsim.pc"
export PKG_CONFIG_PATH=$scratch PYTHONPATH=$source/python STEPSIM_LIBRARY=$build/libstepsim.so PYTHONDONTWRITEBYTECODE=1
cd "$scratch/blocks"

# check_links: every relative link leads to a file, and so does every path in backquotes with a folder and an extension.
check_links() {
  local failed=0 link
  for link in $(grep -oE '\]\([^)#:]+[)#]' "$source/$document" | sed 's/^..//; s/.$//'); do
    [ -e "$source/$(dirname "$document")/$link" ] || { echo "$document links to $link, which does not exist" >&2; failed=1; }
  done
  for link in $(grep -oE '`(model|sim|tests|docs|platforms|workloads|validation|scripts|bench|examples|python|include)/[a-z0-9_/-]+\.[a-z]+`' "$source/$document" | tr -d '`'); do
    [ -e "$source/$link" ] || { echo "$document names $link, which does not exist" >&2; failed=1; }
  done
  return $failed
}

# split: one file N.command for each command and, where the document shows what it prints, N.shown with the line numbers in N.range.
split() {
  awk -v all="$all" -v document="$document" '
    function file(kind) { return sprintf("%03d.%s", number, kind) }
    function kind_of_block() {
      if (mark ~ /^<!-- not run: .+ -->$/) return "ignored"
      if (mark ~ /^<!-- prints: .+ -->$/) {
        ++number
        print substr(mark, 14, length(mark) - 17) > file("command")
        return "shown"
      }
      if (language == "sh") { ++number; return mark == "<!-- slow -->" && !all ? "skipped" : "command" }
      if (language != "") return "ignored"
      if (above == "command") return "shown"
      if (above != "skipped") { print document ":" NR ": no command prints this block" > "/dev/stderr"; failed = 1 }
      return "ignored"
    }
    /^```/ && !inside { inside = 1; language = substr($0, 4); kind = kind_of_block(); first = NR + 1; next }
    /^```/ && NR == first && kind == "shown" { print document ":" NR ": this block is empty; --update fills it if it has a word" > "/dev/stderr"; failed = 1 }
    /^```/ { inside = 0; if (kind == "shown") print first, NR - 1 > file("range"); above = kind; next }
    inside { if (kind == "command" || kind == "shown") print > file(kind); next }
    { mark = $0; if (mark != "") above = "" }
    END { exit failed }
  ' "$source/$document"
}

# play: what each command prints goes to N.printed, with /tmp as the document names it.
play() {
  sed -i "s:/tmp/:$scratch/tmp/:g" ./*.command
  # shellcheck disable=SC2016
  PATH="$scratch/bin:$PATH" bash -euo pipefail -c '
    cd ../root
    for block in ../blocks/*.command; do
      echo "${block##*/}" >../current
      . "$block" >"${block%command}printed" 2>&1 </dev/null
    done
  ' || { current=$(cat ../current); echo "$document: this fails:"; cat "$current" "${current%command}printed"; return 1; }
  sed -i "s:$scratch/tmp/:/tmp/:g" ./*.printed
}

# abridge SHOWN PRINTED: what was printed, less empty lines at its end, with dots where the document has them. What is shown between
# dots begins at the printed line that agrees with its first line furthest; the last part is at the end.
abridge() {
  awk '
    function agreement(a, b, n) { n = 0; while (n < length(a) && substr(a, n + 1, 1) == substr(b, n + 1, 1)) ++n; return n }
    function best_start(from, line, i, best, at) {
      best = -1
      for (i = from; i <= lines; ++i) if (agreement(printed[i], line) > best) { best = agreement(printed[i], line); at = i }
      return best < 0 ? lines + 1 : at
    }
    function part(begin, end, i, start) {
      if (begin > end) return
      start = begin == 1 ? 1 : end == shown_lines ? lines - (end - begin) : best_start(next_line, shown[begin])
      if (start < next_line) start = next_line
      for (i = start; i <= lines && (i - start <= end - begin || end == shown_lines); ++i) print printed[i]
      next_line = i
    }
    FNR == NR { shown[++shown_lines] = $0; next }
    { printed[++lines] = $0 }
    END {
      while (printed[lines] == "" && lines) --lines
      next_line = begin = 1
      for (k = 1; k <= shown_lines; ++k) if (shown[k] == "...") { part(begin, k - 1); print "..."; begin = k + 1 }
      part(begin, shown_lines)
    }
  ' "$1" "$2"
}

# compare: whether all that is shown is printed.
compare() {
  local failed=0 shown
  for shown in *.shown; do
    abridge "$shown" "${shown%shown}printed" | diff -u --label "$document:$(sed 's/ .*//' "${shown%shown}range")" "$shown" --label printed - ||
      failed=1
  done
  return $failed
}

# rewrite: puts what is printed into the document, from its end to its beginning.
rewrite() {
  local shown first last
  for shown in $(printf '%s\n' *.shown | sort -r); do
    read -r first last <"${shown%shown}range"
    { head -n $((first - 1)) "$source/$document"; abridge "$shown" "${shown%shown}printed"; tail -n +$((last + 1)) "$source/$document"; } >new
    cp new "$source/$document"
  done
}

shopt -s nullglob
check_links
split
[ -n "$(echo ./*.command)" ] || exit 0
play
if [ -n "$update" ]; then rewrite; else compare; fi
