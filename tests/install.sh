#!/bin/bash
# install.sh BUILD SOURCE: what is installed can be moved, runs from any folder without the sources, and knows no path of them. Where the
# system allows it, the sources are out of sight meanwhile.
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# fail MESSAGE...
fail() {
  echo "$*" >&2
  failed=1
}

cmake --install "$build" --prefix "$scratch/here" >/dev/null
mkdir "$scratch/with blanks" "$scratch/nothing"
mv "$scratch/here" "$scratch/with blanks/there"
there="$scratch/with blanks/there"
for file in share/man/man1/stepsim.1 share/bash-completion/completions/stepsim share/zsh/site-functions/_stepsim \
  share/fish/vendor_completions.d/stepsim.fish share/stepsim/platforms/platform.xsd share/stepsim/workloads/gpt3-175b.xml \
  share/stepsim/validation/measured-sc21.xml share/stepsim/validation/fit/a100.xml share/stepsim/validation/fit/fit.xsd; do
  [ -s "$there/$file" ] || fail "$file is not installed"
done
if grep -rlF "$source" "$there/bin" "$there/lib" "$there/share/man" "$there/share/stepsim"; then fail "these know where the sources were"; fi

hide=
if unshare -rm mount --bind "$scratch/nothing" "$source" 2>/dev/null; then hide="mount --bind '$scratch/nothing' '$source' &&"; fi

# runs EXPECTED ARGUMENT...: whether the program prints a line that matches, in the root folder.
runs() {
  local expected=$1 output
  shift
  output=$(env -i PATH=/usr/bin:/bin ${hide:+unshare -rm} sh -c "$hide cd / && exec \"\$0\" \"\$@\"" "$there/bin/stepsim" "$@" 2>&1) ||
    fail "stepsim $*: status $?: $output"
  grep -qE "$expected" <<<"$output" || fail "stepsim $*: no line like \"$expected\" in $output"
}
runs '^stepsim [0-9.]+' --version
runs '^gpt3-175b +GPT-3 175B' list workloads
runs '^gpt3-175b on perlmutter, 512 GPUs' estimate gpt3-175b perlmutter
runs '^bert-large on perlmutter' run bert-large perlmutter
runs '^Replay' run bert-large perlmutter
runs 'sc21 +closed form +5' validate sc21 --summary
runs 'jean-zay-64' platform --gpus 64 --like jean-zay
exit $failed
