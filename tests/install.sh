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
for command in $("$there/bin/stepsim" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  [ -s "$there/share/man/man1/stepsim-$command.1" ] || fail "$command has no manual page"
done
if grep -rlF "$source" "$there/bin" "$there/lib" "$there/share/man" "$there/share/stepsim"; then fail "these know where the sources were"; fi

# Links of the documents lead to what is installed; code is no text.
python3 - "$there/share/doc" >&2 <<'END' || failed=1
import re, sys
from pathlib import Path
pages = list(Path(sys.argv[1]).rglob("*.md"))
dead = []
for page in pages:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s:#]+)(?:#[^)\s]*)?\)", text):
        if not (page.parent / target).exists():
            dead.append(f"{page.name}: nothing is installed where {target} leads")
print("\n".join(dead), end="\n" if dead else "")
sys.exit(bool(dead) or not {"README.md", "CONTRIBUTING.md", "SECURITY.md"} <= {page.name for page in pages})
END

library=$(dirname "$(find "$there" -name libstepsim.so)")
for file in include/stepsim.h share/stepsim/python/stepsim/__init__.py \
  "${library#"$there/"}/pkgconfig/stepsim.pc"; do
  [ -s "$there/$file" ] || fail "$file is not installed"
done
[ -e "$there/share/stepsim/python/stepsim/py.typed" ] || fail "py.typed is not installed: type checkers would ignore the module"
export PKG_CONFIG_PATH=$library/pkgconfig
cp -r "$source/examples" "$source/tests/python" "$scratch"
eval "cc -std=c11 -Wall -Wextra -Werror -o '$scratch/estimate' '$scratch/examples/estimate.c' $(pkg-config --cflags --libs stepsim)" ||
  fail "the example in C does not compile against what is installed"
mkdir "$scratch/project"
cat >"$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(project C)
find_package(stepsim 0.1 REQUIRED)
add_executable(estimate "$scratch/examples/estimate.c")
target_link_libraries(estimate stepsim::stepsim)
END
{ cmake -S "$scratch/project" -B "$scratch/project/build" -DCMAKE_PREFIX_PATH="$there" && cmake --build "$scratch/project/build"; } \
  >"$scratch/project/log" 2>&1 || fail "CMake does not find what is installed: $(tail -5 "$scratch/project/log")"

hide=
if unshare -rm mount --bind "$scratch/nothing" "$source" 2>/dev/null; then hide="mount --bind '$scratch/nothing' '$source' &&"; fi

# prints EXPECTED COMMAND ARGUMENT...: whether a command prints a line that matches, in the root folder, where nothing says where the
# installation is but the environment of programs that load a library.
prints() {
  local expected=$1 output
  shift
  output=$(env -i PATH=/usr/bin:/bin LD_LIBRARY_PATH="$library" PYTHONPATH="$modules" PYTHONDONTWRITEBYTECODE=1 ${hide:+unshare -rm} \
    sh -c "$hide cd / && exec \"\$0\" \"\$@\"" "$@" 2>&1) || fail "$*: status $?: $output"
  grep -qE "$expected" <<<"$output" || fail "$*: no line like \"$expected\" in $output"
}
modules=$there/share/stepsim/python

# runs EXPECTED ARGUMENT...: the same of the program.
runs() {
  local expected=$1
  shift
  prints "$expected" "$there/bin/stepsim" "$@"
}
runs '^stepsim [0-9.]+' --version
runs '^gpt3-175b +GPT-3 175B' list workloads
runs '^gpt3-175b on perlmutter, 512 GPUs' estimate gpt3-175b perlmutter
runs '^bert-large on perlmutter' run bert-large perlmutter
runs '^Replay' run bert-large perlmutter
runs '  closed form +5 ' validate sc21 --summary
runs 'jean-zay-64' platform --gpus 64 --like jean-zay
prints '^MFU 46.3 %, 22.4 GiB' "$scratch/estimate"
prints '^MFU 46.3 %, 22.4 GiB' "$scratch/project/build/estimate"
prints '^tp 8: +12.965 s by the closed form, +12.824 s by the replay' python3 "$scratch/examples/sweep.py"
prints '^OK' python3 -m unittest discover -s "$scratch/python"
if python3 -c 'import setuptools, wheel, pip' 2>/dev/null; then
  python3 -m pip install -q --no-build-isolation --no-index --no-deps --root-user-action ignore --target "$scratch/pip" \
    "$there/share/stepsim/python" || fail "pip does not install the bindings"
  modules=$scratch/pip
  prints '^0[.]' python3 -c 'import stepsim; print(stepsim.version())'
fi
exit $failed
