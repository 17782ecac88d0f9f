"""The models of `workloads.py` in plain PyTorch and with few channels: as many modules, parameters
and buffers as the real ones, and hardly any numbers. They stand in where there is no GPU, or
neither torchvision nor transformers: what Python does for a checkpoint depends on how many objects
there are, not on how large they are."""

from typing import Any

import torch
from torch import nn

# How often each stage of a ResNet-152 repeats its block.
STAGES = (3, 8, 36, 3)
# Channels that a block makes, for each that it computes with.
WIDENING = 4


class Bottleneck(nn.Module):
    def __init__(self, entering: int, width: int, stride: int) -> None:
        super().__init__()
        leaving = width * WIDENING
        self.conv1 = nn.Conv2d(entering, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, leaving, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(leaving)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or entering != leaving:
            shortcut = nn.Conv2d(entering, leaving, 1, stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(leaving))

    def forward(self, x: Any) -> Any:
        kept = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + kept)


def stage(entering: int, width: int, count: int, stride: int) -> nn.Sequential:
    first = Bottleneck(entering, width, stride)
    rest = [Bottleneck(width * WIDENING, width, 1) for _ in range(count - 1)]
    return nn.Sequential(first, *rest)


class ResNet(nn.Module):
    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = stage(width, width, STAGES[0], 1)
        self.layer2 = stage(4 * width, 2 * width, STAGES[1], 2)
        self.layer3 = stage(8 * width, 4 * width, STAGES[2], 2)
        self.layer4 = stage(16 * width, 8 * width, STAGES[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(32 * width, classes)

    def forward(self, x: Any) -> Any:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Encoder(nn.Module):
    """A classifier of sentences with as many layers as RoBERTa-large."""

    def __init__(self, width: int, layers: int, words: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(512, width)
        layer = nn.TransformerEncoderLayer(width, 2, 4 * width, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers)
        self.classifier = nn.Linear(width, 2)

    def forward(self, words: Any) -> Any:
        at = torch.arange(words.shape[1], device=words.device)
        return self.classifier(self.layers(self.words(words) + self.positions(at))[:, 0])
