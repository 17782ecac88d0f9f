"""What it costs to ask a training for what it did not log, beside training again.

    python3 bench/gpu/asked.py resnet152 > replay-resnet152.json

The training is recorded as often as the policy wants; then it is asked for something after all
epochs (suffix), something of each epoch (outer), and something of one step in the middle of the
last epoch. Times are by the clock, all of Node, Python and the device's start in them; `start` is
what the program needs before its first step, which nobody can save.
"""

import argparse
import importlib.util
import json
import os
import shutil
import tempfile
from typing import Any, Dict

import torch
from commands import HERE, Project
from workloads import WORKLOADS, device_name

# As users write it.
PROGRAM = """import afterlog as al
import torch
from torch import nn
{setup}
labels = torch.randint(0, 2, ({count},)).to(DEVICE)
al.checkpointing(model=model, optimizer=optimizer)
for epoch in al.loop("epoch", range({epochs})):
    for number in al.loop("step", range({steps})):
        with torch.autocast(DEVICE, torch.bfloat16, enabled={is_narrow}):
            loss = nn.functional.cross_entropy(model(given){logits}, labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        al.log("loss", loss.item())
    al.log("last", loss.item())
al.log("end", epoch)
"""
DEVICE = 'DEVICE = "cuda" if torch.cuda.is_available() else "cpu"'
RESNET = """optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
given = torch.randn({count}, 3, {pixels}, {pixels}).to(DEVICE, memory_format=torch.channels_last)"""
ROBERTA = """wanted = [weight for weight in model.parameters() if weight.requires_grad]
optimizer = torch.optim.AdamW(wanted, lr=1e-5)
given = torch.randint(5, {words} - 5, ({count}, {length})).to(DEVICE)"""
# Models of the libraries that users take them from, and of the same shape in the project.
TORCHVISION = f"""import torchvision
{DEVICE}
model = torchvision.models.resnet152().to(DEVICE, memory_format=torch.channels_last)
"""
TRANSFORMERS = f"""import transformers
{DEVICE}
config = transformers.RobertaConfig(
    vocab_size={{words}}, max_position_embeddings=514, hidden_size={{width}}, num_hidden_layers=24,
    num_attention_heads=16, intermediate_size=4096,
)
model = transformers.RobertaForSequenceClassification(config).to(DEVICE)
"""
OWN_RESNET = f"""from narrow import ResNet
{DEVICE}
model = ResNet({{width}}, 1000).to(DEVICE)
"""
OWN_ROBERTA = f"""from narrow import Encoder
{DEVICE}
model = Encoder({{width}}, 24, {{words}}).to(DEVICE)
"""
FREEZE = "model.roberta.requires_grad_(False)\n"
OWN_FREEZE = """for part in (model.words, model.positions, model.layers):
    part.requires_grad_(False)
"""
SUM = "float(sum(p.double().sum() for p in model.parameters()))"
# For each question: behind which statement it is put, and with how many spaces before it.
PLACES = {
    "suffix": ('al.log("end", epoch)\n', ""),
    "outer": ('al.log("last", loss.item())\n', "    "),
    "step": ('al.log("loss", loss.item())\n', "        "),
}


def asked(text: str, place: str) -> str:
    line, indent = PLACES[place]
    return text.replace(line, f'{line}{indent}al.log("p_{place}", {SUM})\n')


def start_of(project: Project) -> float:
    """Seconds before the first loop, with those that Python and our own part need."""
    with open(os.path.join(project.run_folder(), "profile.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    return sum(line["ms"] for line in lines if line["k"] in ("start", "setup", "prefix")) / 1000


def program(options: argparse.Namespace) -> str:
    is_resnet = options.workload == "resnet152"
    if options.smoke:
        width, count = (2, 2) if is_resnet else (16, 2)
        rest = {"pixels": 32, "words": 500, "length": 16}
    else:
        width, count = (64, 128) if is_resnet else (1024, 32)
        rest = {"pixels": 224, "words": 50265, "length": 128}
    sizes = {"width": width, "count": count, **rest}
    library = "torchvision" if is_resnet else "transformers"
    is_own = options.smoke or importlib.util.find_spec(library) is None
    if is_resnet:
        setup = (OWN_RESNET if is_own else TORCHVISION) + RESNET
    else:
        freeze = OWN_FREEZE if is_own else FREEZE
        frozen = freeze if options.workload.endswith("frozen") else ""
        setup = (OWN_ROBERTA if is_own else TRANSFORMERS) + frozen + ROBERTA
    return PROGRAM.format(
        setup=setup.format(**sizes),
        count=sizes["count"],
        is_narrow=not options.smoke,
        logits="" if is_own or is_resnet else ".logits",
        epochs=options.epochs,
        steps=options.steps,
    )


def measure(options: argparse.Namespace, folder: str) -> Dict[str, Any]:
    text = program(options)
    project = Project(folder, text)
    shutil.copy(os.path.join(HERE, "narrow.py"), folder)
    recorded = project.record()
    overhead = project.manifest(project.run_folder()).get("overhead")
    found: Dict[str, Any] = {"recordedS": recorded.seconds, "startS": start_of(project)}
    last = f"epoch = {options.epochs - 1} and step = {options.steps // 2}"
    for place in PLACES:
        project.write(asked(text, place))
        flags = ("--where", last) if place == "step" else ()
        answer = project.replay(f"p_{place}", "-j", "1", *flags)
        marks = list(answer.checks.values())
        found[place] = {
            "seconds": answer.seconds,
            "scan": answer.scan,
            "share": answer.share,
            "notes": answer.notes,
            "cells": len(marks),
            "marks": {mark: marks.count(mark) for mark in sorted(set(marks))},
        }
    return {**found, "overhead": overhead, "epochs": options.epochs, "steps": options.steps}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(WORKLOADS))
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=50, help="of each epoch")
    parser.add_argument("--folder", help="where files are written")
    parser.add_argument("--smoke", action="store_true", help="small: only to see that it works")
    options = parser.parse_args()
    if options.smoke:
        options.epochs, options.steps = 4, 5
    folder = tempfile.mkdtemp(prefix="asked-", dir=options.folder)
    known = {"workload": options.workload, "torch": torch.__version__, "device": device_name()}
    try:
        print(json.dumps({**known, **measure(options, folder)}))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
