#!/bin/sh
# plain_links.sh FOLDER: in the documents of a folder, what leads to a file that is not installed, such as a source, becomes text.
set -eu
find "$1" -name '*.md' | while IFS= read -r page; do
  awk -v folder="$(dirname "$page")" '
    function is_there(target) {
      return system("test -e \"" folder "/" target "\"") == 0
    }
    # Takes the links of a text that is no code: [label](target), which may go over lines.
    function plain(text, before, link, label, target) {
      before = ""
      while (match(text, /!?\[[^][]*\]\([^) \n:#]+(#[^) \n]*)?\)/)) {
        link = substr(text, RSTART, RLENGTH)
        label = target = link
        sub(/\]\([^)]*\)$/, "", label)
        sub(/^!?\[/, "", label)
        sub(/^.*\]\(/, "", target)
        sub(/(#.*)?\)$/, "", target)
        before = before substr(text, 1, RSTART - 1) (is_there(target) ? link : label)
        text = substr(text, RSTART + RLENGTH)
      }
      return before text
    }
    function flush() {
      printf "%s", plain(text)
      text = ""
    }
    /^```/ { flush(); print; is_code = !is_code; next }
    is_code { print; next }
    { text = text $0 "\n" }
    END { flush() }
  ' "$page" >"$page.new"
  cat "$page.new" >"$page"
  rm "$page.new"
done
