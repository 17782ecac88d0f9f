#!/usr/bin/env bash
# Everything that must hold: types, lint, format, unused code, then all tests.
# The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."

# git: versions are tested with the real one. python3: an independent reader of our files.
# mount: a disk that is full. strace: the order in which files are made durable.
# torch is Debian's, for /usr/bin/python3, whichever python3 comes first on the PATH; without this
# openblas it computes by one thread. venv: pip installs the package as users do it.
bash scripts/system-packages.sh git=git /usr/bin/python3=python3 mount=mount strace=strace \
  python3-torch libopenblas0-pthread python3-venv

step() {
  echo "== $*"
  "$@"
}
step npx tsc -b
chmod +x dist/cli/main.js
step npx tsc -p tsconfig.test.json
step npx tsc -p bench/tsconfig.json
step npx tsc -p test/handsfree/programs
step npx oxlint --type-aware --deny-warnings
step npx oxfmt --check .
step npx knip

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
step npx vitest run --reporter=default --reporter=json --outputFile.json="$report" "$@" || status=$?
node scripts/count-tests.js "$report"
exit "$status"
