#!/usr/bin/env python3
"""The results of `run.sh` as text.

    bench/gpu/summary.py FOLDER [DATE] > docs/results/gpu.md
"""

import datetime
import json
import os
import statistics
import sys
from typing import Any, Dict, List, Optional

WORKLOADS = {
    "resnet152": "ResNet-152, SGD",
    "roberta": "RoBERTa-large, AdamW",
    "roberta-frozen": "RoBERTa-large, all but its head frozen",
}
ARMS = ("torch.save", "torch.save+fsync", "deepcopy+thread", "fork", "dcp", "afterlog")

Piece = Dict[str, Any]

HEAD = """# PyTorch on a GPU: `bench/gpu/run.sh`

{date}: {device}, torch {torch}. Written by `bench/gpu/summary.py` from what `bench/gpu/run.sh`
measured: random weights and data, mixed precision (bfloat16), 128 images or 32 sentences a step.
Times differ by a factor of two between machines of this kind; all of a table are from one.
"""

BLOCKING = """## How long a checkpoint blocks, in ms

Median, and in brackets the least and the most. Ours is the time from the end of an iteration to the
moment at which the device could begin with the next one, gradients included, which the other ways
leave out. Goals: at most 1.25 times a copy to pinned memory (or on the device), and 40 times less
than `torch.save`.
"""

STEPS = """## Steps beside a write

Steps that began while the checkpoint before was still being written, against those of the same
training that began after. Goal: at most 3 % longer at the median.
"""

TRUTH = """## The truth on a device

Programs recorded without the statements that were asked for; compared with the same programs that
had them from the start. Values by their marks; a program that is another one each time it is
executed cannot be `verified` where its steps are executed again.
"""

REPLAY = """## Asking afterwards

A training recorded at the policy's own frequency, asked for something after all its epochs, of
each epoch, and of one step in the middle of the last epoch. By the clock, from the command to its
end; `start` is what the program needs before its first step, in the recording and in each replay.
In brackets: the recording without its start, against the replay without its start, which a longer
training comes near to. Goals: 7 times quicker for suffix and outer, 50 times for one step.
"""

TRAINING = """## Whole trainings

Against the same training without checkpoints; ours as often as its policy wants (budget 6.67 %),
the others once in 50 steps. Goal: 1.5 % on average, none above the budget; steps at most 3 %
longer at the median while something is written.
"""


AGAIN = """
## Again

    npm run build && bench/gpu/carry.sh   # what the machine lacks
    bench/gpu/run.sh --out FOLDER         # there
    bench/gpu/summary.py FOLDER > docs/results/gpu.md"""


def read(folder: str) -> Dict[str, Piece]:
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name)) as file:
                found[name[: -len(".json")]] = json.load(file)
    return found


def row(cells: List[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def spread(ms: Optional[List[float]]) -> str:
    if not ms:
        return "-"
    return f"{statistics.median(ms):.1f} ({min(ms):.1f} - {max(ms):.1f})"


def blocking(pieces: Dict[str, Piece]) -> List[str]:
    known = [one for one in WORKLOADS if f"blocking-{one}" in pieces or f"ways-{one}" in pieces]
    if not known:
        return []
    lines = [BLOCKING, row(["", *(WORKLOADS[one] for one in known)]), row(["-"] * (len(known) + 1))]
    ways = {one: pieces.get(f"ways-{one}", {}).get("ms", {}) for one in known}
    for way in dict.fromkeys(way for one in known for way in ways[one]):
        lines.append(row([way, *(spread(ways[one].get(way)) for one in known)]))
    ours = {one: pieces.get(f"blocking-{one}", {}) for one in known}
    lines.append(row(["**afterlog**", *(spread(ours[one].get("ms")) for one in known)]))
    for part in ("capture", "snapshot"):
        cells = [spread([c["times"][part] for c in steady(ours[one])]) for one in known]
        lines.append(row([f"of it {part}", *cells]))
    lines.append(row(["MB of state, with gradients", *(captured(ours[one]) for one in known)]))
    lines.append(row(["MB written, first and later", *(written(ours[one]) for one in known)]))
    against = {
        "times a copy to pinned memory": ("copy to memory that is ready", False),
        "times less than torch.save": ("torch.save", True),
    }
    for text, (way, is_less) in against.items():
        lines.append(row([text, *(ratio(ours[one], ways[one].get(way), is_less) for one in known)]))
    return [*lines, ""]


def steady(piece: Piece) -> List[Piece]:
    """Checkpoints after those that made memory ready, without the end of the loop."""
    return [one for one in piece.get("checkpoints", []) if one["kind"] == "iteration"][3:]


def captured(piece: Piece) -> str:
    return f"{steady(piece)[-1]['stateBytes'] / 1e6:.0f}" if steady(piece) else "-"


def written(piece: Piece) -> str:
    if not steady(piece):
        return "-"
    first = piece["checkpoints"][0]["bytes"]
    later = statistics.median(one["bytes"] for one in steady(piece))
    return f"{first / 1e6:.0f}, {later / 1e6:.0f}"


def ratio(ours: Piece, other: Optional[List[float]], is_less: bool) -> str:
    if not ours.get("ms") or not other:
        return "-"
    mine, theirs = statistics.median(ours["ms"]), statistics.median(other)
    return f"{theirs / mine if is_less else mine / theirs:.2f}"


def training(pieces: Dict[str, Piece]) -> List[str]:
    lines = []
    for one, text in WORKLOADS.items():
        none = pieces.get(f"training-{one}-none")
        for arm in ARMS if none else ():
            piece = pieces.get(f"training-{one}-{arm}")
            if piece is None:
                continue
            steps = len(piece["ms"])
            # Both for as many steps.
            alone = sum(none["ms"][:steps]) / 1000
            share = piece["trainingS"] / alone - 1
            median = statistics.median(piece["ms"]) / statistics.median(none["ms"]) - 1
            count = len(piece["checkpoints"]) if "checkpoints" in piece else steps // 50
            cells = [text, arm, f"{steps}", f"{count}", f"{alone:.1f}", f"{piece['trainingS']:.1f}"]
            lines.append(row([*cells, f"{share:.2%}", f"{median:.2%}"]))
    if not lines:
        return []
    head = ["", "checkpoints", "steps", "of them", "none, s", "with, s", "more", "median step"]
    return [TRAINING, row(head), row(["-"] * len(head)), *lines, ""]


def beside_writes(pieces: Dict[str, Piece]) -> List[str]:
    lines = []
    for one, text in WORKLOADS.items():
        piece = pieces.get(f"blocking-{one}", {})
        written = {
            tuple(map(tuple, checkpoint["path"])): checkpoint["times"]["persist"]
            for checkpoint in piece.get("checkpoints", [])
        }
        beside: Dict[bool, List[float]] = {True: [], False: []}
        for index, began, ms in piece.get("steps", []):
            beside[began < written.get((("iteration", index - 1),), 0)].append(ms)
        if not beside[True] or not beside[False]:
            continue
        medians = [statistics.median(beside[is_beside]) for is_beside in (True, False)]
        counts = [f"{len(beside[is_beside])}" for is_beside in (True, False)]
        longer = f"{medians[0] / medians[1] - 1:.1%}"
        lines.append(row([text, *counts, *(f"{ms:.2f}" for ms in medians), longer]))
    head = ["", "steps beside", "others", "median beside, ms", "of others", "longer"]
    return [STEPS, row(head), row(["-"] * len(head)), *lines, ""] if lines else []


def truth(pieces: Dict[str, Piece]) -> List[str]:
    programs = pieces.get("truth", {}).get("programs", {})
    if not programs:
        return []
    names = ("p_end", "p_epoch", "p_step")
    head = ["program", "the same each time", "suffix", "outer", "two steps", "wrong"]
    lines = [TRUTH, row(head), row(["-"] * len(head))]
    for name, found in programs.items():
        marks = [found["questions"].get(one, {}).get("marks", {}) for one in names]
        texts = [", ".join(f"{count} {mark}" for mark, count in one.items()) for one in marks]
        steady = {True: "yes", False: "no", None: "-"}[found["is_steady"]]
        lines.append(row([name, steady, *texts, f"{len(found['wrong'])}"]))
    for name, found in programs.items():
        lines += [f"\n{name}: {text}" for text in found["wrong"]]
    return [*lines, ""]


def replays(pieces: Dict[str, Piece]) -> List[str]:
    lines = []
    for one, text in WORKLOADS.items():
        piece = pieces.get(f"replay-{one}")
        if piece is None:
            continue
        start, recorded = piece["startS"], piece["recordedS"]
        cells = [text, f"{piece['epochs']} x {piece['steps']}", f"{recorded:.1f}", f"{start:.1f}"]
        for place in ("suffix", "outer", "step"):
            answer = piece[place]
            whole = recorded / answer["seconds"]
            inner = (recorded - start) / max(answer["seconds"] - start, 0.1)
            marks = ", ".join(answer["marks"])
            cells.append(f"{answer['seconds']:.1f} s: {whole:.1f} ({inner:.0f}) times, {marks}")
        lines.append(row(cells))
    head = ["", "steps", "recorded, s", "start, s", "suffix", "outer", "one step"]
    return [REPLAY, row(head), row(["-"] * len(head)), *lines, ""] if lines else []


def main() -> None:
    folder = sys.argv[1]
    date = sys.argv[2] if len(sys.argv) > 2 else datetime.date.today().isoformat()
    pieces = read(folder)
    if not pieces:
        sys.exit(f"there are no results in {folder}")
    first = next(iter(pieces.values()))
    print(HEAD.format(date=date, device=first["device"], torch=first["torch"]))
    parts = (blocking, beside_writes, training, replays, truth)
    print("\n".join(line for part in parts for line in part(pieces)).rstrip())
    print(AGAIN)


if __name__ == "__main__":
    main()
