#!/bin/sh
# mutation.sh SOURCE SCRATCH [COUNT] [SEED]: do the tests notice? Changes one operator or constant of model/ or sim/engine/ at a time in
# a copy of SOURCE, builds it and runs the quick tests until one fails. Prints each mutant and, at the end, those that no test has
# noticed; some of them change nothing but speed. 100 mutants (the default) take about an hour and a half on two cores.
set -eu
source=$1 scratch=$2 count=${3:-100} seed=${4:-1}
slow='mpi|kill_resume|test_platforms|test_search_published|validate_check|document|command_line_measured|include_direction|circles|house_rules'
rm -rf "$scratch"
mkdir -p "$scratch/tree"
(cd "$source" && git ls-files -z | xargs -0 tar -cf - 2>/dev/null) | tar -xf - -C "$scratch/tree"
cd "$scratch/tree"
git init -q . && git add -A # some tests ask git for the files
cmake --preset test >"$scratch/log" 2>&1

# run_tests: builds and runs; 0 when all pass.
run_tests() {
  cmake --build build/test >"$scratch/log" 2>&1 || return 1
  timeout 900 ctest --test-dir build/test -j2 --stop-on-failure -E "$slow" >"$scratch/log" 2>&1
}
run_tests || { echo "tests fail without a mutant: $scratch/log" >&2; exit 2; }

# Every place that can be changed: file:line:column:length:replacement.
git ls-files 'model/*.c' 'sim/engine/*.c' | xargs awk '
  BEGIN {
    n = split("+ - * < <= > >= == != && ||", from, " "); split("- + / <= < >= > != == || &&", to, " ")
    for (i = 1; i <= n; ++i) { token[" " from[i] " "] = " " to[i] " " }
    token["- 1"] = "- 2"; token["+ 1"] = "- 1"; token["= 0;"] = "= 1;"; token["0.0"] = "1.0"; token["1.0"] = "2.0"
  }
  /^[ ]*(\/?\*|#)/ || /^static const|^\/\*/ { next }
  /^  / {
    for (t in token)
      for (at = 1; (k = index(substr($0, at), t)) > 0; at += k) printf "%s:%d:%d:%d:%s\n", FILENAME, FNR, at + k - 1, length(t), token[t]
  }' | sort | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2- | head -n "$count" >"$scratch/mutants"

survived=0 tried=0 started=$(date +%s)
while IFS=: read -r file line column length replacement; do
  cp "$file" "$scratch/original"
  awk -v l="$line" -v c="$column" -v n="$length" -v r="$replacement" \
    'NR == l { $0 = substr($0, 1, c - 1) r substr($0, c + n) } { print }' "$scratch/original" >"$file"
  verdict=killed
  run_tests && { verdict=SURVIVED survived=$((survived + 1)); }
  tried=$((tried + 1))
  echo "$verdict $file:$line: $(sed -n "${line}s/^ *//p" "$scratch/original") -> $(sed -n "${line}s/^ *//p" "$file")" | tee -a "$scratch/verdicts"
  cp "$scratch/original" "$file"
done <"$scratch/mutants"
echo "$survived of $tried survived, in $(($(date +%s) - started)) s"
grep SURVIVED "$scratch/verdicts" || true
