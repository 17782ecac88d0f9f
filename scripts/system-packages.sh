#!/usr/bin/env bash
# Makes sure that the commands and packages named are there; installs Debian's packages for those
# that are not. Does nothing, and says nothing, when all are there.
# Usage: system-packages.sh command=package... package...
#   A package that brings no command is there if dpkg knows it as installed.
set -euo pipefail

is_there() {
  case "$1" in
    *=*) command -v "${1%%=*}" >/dev/null 2>&1 ;;
    *) dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed' ;;
  esac
}

missing=()
for wanted in "$@"; do
  is_there "$wanted" || missing+=("${wanted#*=}")
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
