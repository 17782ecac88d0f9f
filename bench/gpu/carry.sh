#!/usr/bin/env bash
# Packs what a machine with a GPU needs to replay and has not: Node, the built engine, the modules it
# uses, the Python package, and git for a machine without one. One file of some 45 MB, which `run.sh`
# unpacks where it finds it.
#
#   npm run build && bench/gpu/carry.sh          # bench/gpu/carried/afterlog.tar.xz
#
# NODE names another binary than the one on the PATH, LEVEL how hard xz tries.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
node=$(readlink -f "${NODE:-$(command -v node)}")
out=$here/carried/afterlog.tar.xz
most=$((56 << 20))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/bin" "$folder/git" "$here/carried"
cp "$node" "$folder/bin/node"
cp "$root/package.json" "$folder/"
# Beside each other, as the engine expects them.
(cd "$root" && find -L build dist libraries python/afterlog -type f -regex '.*\.\(js\|json\|py\|skeleton\|wasm\)' -print0) |
  tar -C "$root" -ch --null -T - | tar -C "$folder" -x

# What is installed of all that is not for development only.
"$node" -e '
  const { packages } = require(process.argv[1]);
  for (const [path, { dev }] of Object.entries(packages)) if (path !== "" && !dev) console.log(path);
' "$root/package-lock.json" | while read -r path; do
  if [ -d "$root/$path" ]; then echo "$path"; fi
done | tar -C "$root" --exclude='*.map' --exclude='*.d.ts' --exclude='*.d.mts' --exclude='*.c' \
  --exclude='*.h' --exclude='*/prebuilds/*' -ch -T - | tar -C "$folder" -x

if git=$(command -v git); then
  cp "$(readlink -f "$git")" "$folder/git/git"
  ldd "$folder/git/git" | awk '/libpcre2|libz\./ { print $3 }' | xargs -r -I{} cp -L {} "$folder/git/"
fi

tar -C "$folder" -c . | xz -T0 "-${LEVEL:-6}" >"$out.part"
bytes=$(wc -c <"$out.part")
if [ "$bytes" -gt "$most" ]; then
  echo "carry.sh: $bytes bytes are more than $most" >&2
  exit 1
fi
mv "$out.part" "$out"
echo "$out: $((bytes >> 20)) MiB" >&2
