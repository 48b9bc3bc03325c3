#!/bin/sh
# Format and static checks of everything that is tracked.
set -eu
cd "$(dirname "$0")/.."
clang-format --dry-run --Werror $(git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
xmllint --noout $(git ls-files '*.xml' '*.xsd')
cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
  --suppress=missingIncludeSystem -I . $(git ls-files 'model/*.c' 'sim/*.c')
git ls-files 'model/*.c' 'sim/*.c' | xargs -P "$(nproc)" -n 4 clang-tidy -p build/release --quiet --warnings-as-errors='*' 2>/dev/null
