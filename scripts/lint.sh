#!/bin/sh
# Format and static checks of everything that is tracked. Needs build/test for the compiler's view of each file.
#   lint.sh [--deep]
# Most of the time goes into functions of so many paths that clang's analyser gives up. It does so after a third of the steps that it
# takes by default, which in the costliest files reach the same statements on fewer paths; --deep takes them all.
set -eu
case "$*" in
'') steps=75000 ;;
--deep) steps=225000 ;;
*) echo 'usage: lint.sh [--deep]' >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
sources=$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
markup=$(git ls-files '*.xml' '*.xsd')
product=$(git ls-files 'model/*.c' 'sim/*.c' 'docs/*.c' 'bench/*.c')
# shellcheck disable=SC2086 -- lists of names without spaces
{
  printf '%s\n' $sources | xargs -P "$(nproc)" -n 50 clang-format --dry-run --Werror
  xmllint --noout $markup
  cppcheck --quiet -j "$(nproc)" --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem -I . $product
  printf '%s\n' $product | xargs -P "$(nproc)" -n 4 clang-tidy -p build/test --quiet \
    --extra-arg=-Wno-ignored-optimization-argument --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang \
    --extra-arg="max-nodes=$steps" --warnings-as-errors='*' 2>/dev/null
}
