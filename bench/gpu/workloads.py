"""Trainings of the sizes that the goals are set for: ResNet-152 with SGD (482 MB of state),
RoBERTa-large with AdamW (4.3 GB), and the same with all but its head frozen; and small ones for
machines without a GPU (`narrow.py`). Random weights and data: what is measured does not depend on
them."""

from typing import Any, Callable, NamedTuple

import torch
from narrow import Encoder, ResNet

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Workload(NamedTuple):
    model: Any
    optimizer: Any
    # One step; the loss, on the device.
    step: Callable[[], Any]
    # What each step learns from.
    given: Any
    labels: Any


def settle() -> None:
    """Waits until the device has done what it was given."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def settle_training() -> None:
    """The same for what the training gave it: copies beside it may go on."""
    if DEVICE == "cuda":
        torch.cuda.current_stream().synchronize()


def device_name() -> str:
    return torch.cuda.get_device_name() if DEVICE == "cuda" else "cpu"


def resnet152(small: bool) -> Workload:
    count, pixels = (2, 32) if small else (128, 224)
    if small:
        model = ResNet(2, 10).to(DEVICE)
    else:
        import torchvision

        model = torchvision.models.resnet152().to(DEVICE, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    images = torch.randn(count, 3, pixels, pixels, device=DEVICE)
    images = images.contiguous(memory_format=torch.channels_last)
    labels = torch.randint(0, 10 if small else 1000, (count,), device=DEVICE)

    def loss() -> Any:
        with torch.autocast(DEVICE, torch.bfloat16, enabled=not small):
            return torch.nn.functional.cross_entropy(model(images), labels)

    return Workload(model, optimizer, _stepper(optimizer, loss), images, labels)


def roberta(small: bool, frozen: bool = False) -> Workload:
    count, length, words = (4, 16, 500) if small else (32, 128, 50265)
    if small:
        model = Encoder(16, 24, words).to(DEVICE)
        body = [model.words, model.positions, model.layers]
    else:
        model = _roberta_large(words)
        body = [model.roberta]
    for part in body if frozen else ():
        part.requires_grad_(False)
    wanted = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(wanted, lr=1e-5)
    texts = torch.randint(5, words - 5, (count, length), device=DEVICE)
    labels = torch.randint(0, 2, (count,), device=DEVICE)

    def loss() -> Any:
        with torch.autocast(DEVICE, torch.bfloat16, enabled=not small):
            found = model(texts)
            logits = found if small else found.logits
            return torch.nn.functional.cross_entropy(logits, labels)

    return Workload(model, optimizer, _stepper(optimizer, loss), texts, labels)


def _roberta_large(words: int) -> Any:
    import transformers

    config = transformers.RobertaConfig(
        vocab_size=words,
        max_position_embeddings=514,
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
    )
    return transformers.RobertaForSequenceClassification(config).to(DEVICE)


def perceptron(small: bool, frozen: bool = False) -> Workload:
    """So many numbers that copying them is felt, and steps of some tens of milliseconds."""
    width, depth = (64, 2) if small else (1024, 6)
    layers = [torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU())]
    layers += [torch.nn.Linear(width, width) for _ in range(depth)]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(width, 10)).to(DEVICE)
    if frozen:
        for weight in model[:-1].parameters():
            weight.requires_grad_(False)
    wanted = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.Adam(wanted, lr=1e-4)
    data = torch.randn(256, width, device=DEVICE)
    labels = torch.randint(0, 10, (256,), device=DEVICE)

    def loss() -> Any:
        return torch.nn.functional.cross_entropy(model(data), labels)

    return Workload(model, optimizer, _stepper(optimizer, loss), data, labels)


def _stepper(optimizer: Any, loss_of: Callable[[], Any]) -> Callable[[], Any]:
    def step() -> Any:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


WORKLOADS = {
    "resnet152": resnet152,
    "roberta": roberta,
    "roberta-frozen": lambda small: roberta(small, frozen=True),
    "perceptron": perceptron,
    "perceptron-frozen": lambda small: perceptron(small, frozen=True),
}
