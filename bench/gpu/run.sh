#!/usr/bin/env bash
# Measures on a machine with a GPU: Python with torch, torchvision and transformers; no network. In
# pieces of a few minutes each; a piece whose result is there is not measured again. README.md beside
# this says how to use it.
#
#   bench/gpu/run.sh [--smoke] [--out FOLDER] [--seconds N] [PIECE…]
#   bench/gpu/summary.py FOLDER > docs/results/gpu.md
#
# Pieces: blocking-WORKLOAD (and the steps beside a write), ways-WORKLOAD, training-WORKLOAD,
# arms-WORKLOAD, and with Node (NODE, or what carry.sh packed): truth, replay-WORKLOAD,
# unchanged-PROGRAM. Without any: all, the most telling first. STEPS and ROUNDS set how long they
# are. `--seconds` ends it before a piece that would begin later than that.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/results}
smoke=()
seconds=480
pieces=()
while [ $# -gt 0 ]; do
  case $1 in
    --smoke) smoke=(--smoke) ;;
    --out) out=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    *) pieces+=("$1") ;;
  esac
  shift
done
mkdir -p "$out"
python=${PYTHON:-python3}
workloads=${WORKLOADS:-resnet152 roberta roberta-frozen}

# At least ten checkpoints, at the end of an epoch of 50 steps.
steps=${STEPS:-600}

# So far apart that one is written before the next.
seconds_apart() {
  case $1 in
    roberta) echo 7 ;;
    *) echo 1.5 ;;
  esac
}

# What carry.sh packed, unpacked once.
carried=$here/carried/afterlog.tar.xz
if [ -f "$carried" ] && [ -z "${NODE:-}" ]; then
  unpacked=${TMPDIR:-/tmp}/afterlog-carried
  if [ ! -d "$unpacked" ]; then
    "$python" -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' \
      "$carried" "$unpacked.part" && mv "$unpacked.part" "$unpacked"
  fi
  export NODE=$unpacked/bin/node AFTERLOG=$unpacked
  if ! command -v git >/dev/null; then
    export PATH=$PATH:$unpacked/git LD_LIBRARY_PATH=$unpacked/git:${LD_LIBRARY_PATH:-}
  fi
fi

if [ ${#pieces[@]} -eq 0 ]; then
  for one in $workloads; do pieces+=("blocking-$one" "ways-$one"); done
  for one in $workloads; do pieces+=("training-$one"); done
  pieces+=(truth)
  for one in $workloads; do pieces+=("replay-$one"); done
  for one in "$here"/programs/*.py; do pieces+=("unchanged-$(basename "$one" .py)"); done
  for one in $workloads; do pieces+=("arms-$one"); done
fi

measure() {
  local kind=${1%%-*} rest=${1#*-}
  case $kind in
    blocking)
      local apart=0.1
      if [ ${#smoke[@]} -eq 0 ]; then apart=$(seconds_apart "$rest"); fi
      "$python" "$here/recorded.py" "$rest" --rounds "${ROUNDS:-8}" --apart "$apart" "${smoke[@]}"
      ;;
    ways) "$python" "$here/blocking.py" "$rest" --rounds 3 "${smoke[@]}" ;;
    truth) "$python" "$here/truth.py" "${smoke[@]}" ;;
    replay) "$python" "$here/asked.py" "$rest" "${smoke[@]}" ;;
    unchanged) "$python" "$here/unchanged.py" "$here/programs/$rest.py" --rounds "${ROUNDS:-2}" ;;
    training)
      if [ ${#smoke[@]} -gt 0 ]; then steps=100; fi
      "$python" "$here/recorded.py" "$rest" --steps "$steps" "${smoke[@]}"
      ;;
    arms) "$python" "$here/training.py" "$rest" --rounds "${ROUNDS:-5}" "${smoke[@]}" ;;
    *) echo "there is no piece $1" >&2; return 2 ;;
  esac
}

failed=0
for piece in "${pieces[@]}"; do
  result=$out/$piece.json
  [ -s "$result" ] && continue
  if [ "$SECONDS" -ge "$seconds" ]; then
    echo "$piece: left for the next time" >&2
    continue
  fi
  began=$SECONDS
  if measure "$piece" >"$result.part" 2>"$out/$piece.log"; then
    mv "$result.part" "$result"
    rm -f "$out/$piece.log"
    echo "$piece: $((SECONDS - began)) s" >&2
  else
    failed=1
    rm -f "$result.part"
    echo "$piece failed:" >&2
    tail -n 5 "$out/$piece.log" >&2
  fi
done
exit $failed
