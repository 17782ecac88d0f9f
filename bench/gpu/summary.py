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
# Steps of an epoch of `recorded.py`.
EPOCH_STEPS = 50

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

Epochs of {steps} steps recorded by us, checkpoints as often as the policy wants (budget 6.67 %),
and before and after them as many that are not, in the same process: all together, and the median
epoch with the least and the most. Goal: 1.5 % more on average, none above the budget.
"""

ARMS = """## Epochs with one checkpoint each

As people take them, and with none, in turn in one process: median, least and most, in seconds, and
how much more than with none. What is still written at the end of an epoch is waited for.
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


def spread(found: Optional[List[float]], digits: int = 1) -> str:
    if not found:
        return "-"
    middle, least, most = (
        f"{number:.{digits}f}" for number in (statistics.median(found), min(found), max(found))
    )
    return f"{middle} ({least} - {most})"


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
    lines, shares = [], []
    for one, text in WORKLOADS.items():
        piece = pieces.get(f"training-{one}")
        if piece is None:
            continue
        plain, ours = ([ms / 1000 for ms in piece[key]] for key in ("plainMs", "ms"))
        shares.append(statistics.mean(ours) / statistics.mean(plain) - 1)
        count = sum(len(one["path"]) == 1 for one in piece["checkpoints"])
        steps = len(piece["checkpoints"]) - count
        cells = [text, f"{len(ours)}", f"{count}, {steps}", spread(plain, 2), spread(ours, 2)]
        lines.append(row([*cells, f"{shares[-1]:.2%}", f"{piece['overhead']['share']:.2%}"]))
    if not lines:
        return []
    head = ["", "epochs", "checkpoints: ends of epochs, of loops in them", "plain, s"]
    head += ["recorded, s", "more", "as `run` says it"]
    mean = f"\nOn average {statistics.mean(shares):.2%} more.\n"
    return [TRAINING.format(steps=EPOCH_STEPS), row(head), row(["-"] * len(head)), *lines, mean]


def arms(pieces: Dict[str, Piece]) -> List[str]:
    known = [one for one in WORKLOADS if f"arms-{one}" in pieces]
    if not known:
        return []
    lines = [ARMS, row(["", *(WORKLOADS[one] for one in known)]), row(["-"] * (len(known) + 1))]
    epochs = {one: pieces[f"arms-{one}"]["ms"] for one in known}
    for way in dict.fromkeys(way for one in known for way in epochs[one]):
        cells = []
        for one in known:
            share = statistics.median(epochs[one][way]) / statistics.median(epochs[one]["none"]) - 1
            text = spread([ms / 1000 for ms in epochs[one][way]], 2)
            cells.append(text if way == "none" else f"{text}: {share:.1%} more")
        lines.append(row([way, *cells]))
    return [*lines, ""]


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
    parts = (blocking, beside_writes, training, arms, replays, truth)
    print("\n".join(line for part in parts for line in part(pieces)).rstrip())
    print(AGAIN)


if __name__ == "__main__":
    main()
