#!/usr/bin/env bash
# Makes sure that the commands named are there; installs Debian's packages for those that are not.
# Usage: system-packages.sh command=package...   Does nothing, and says nothing, when all are there.
set -euo pipefail

missing=()
for pair in "$@"; do
  command -v "${pair%%=*}" >/dev/null 2>&1 || missing+=("${pair#*=}")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing system packages: ${missing[*]}"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "error: there is no apt-get here" >&2
  echo "  help: install these by hand, then run this again: ${missing[*]}" >&2
  exit 1
fi
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
