import logging

import torch
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model, optimizer, cfg):
        self.model, self.optimizer, self.cfg = model, optimizer, cfg
        x = torch.randn(cfg.samples, 10)
        y = (x[:, :2].prod(1, keepdim=True) + x[:, 2:3]).sin()
        self.loader = DataLoader(TensorDataset(x, y), batch_size=cfg.batch_size, shuffle=True)
        self.global_step = 0
        self.history = []

    def fit(self):
        for epoch in range(self.cfg.epochs):
            value = self.run_epoch(epoch)
            self.history.append(value)
            #: ask outer bias = self.model.head.bias.item()
            log.info("epoch %d loss %.6f", epoch, value)
        return min(self.history)

    def run_epoch(self, epoch):
        self.model.train()
        total = 0.0
        for i, (x, y) in enumerate(self.loader):
            loss = torch.nn.functional.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.global_step += 1
            #: ask step at = self.model.layers[1].bias[0].item() where epoch = 1 and i = 20
            total += loss.item() * len(x)
        return total / self.cfg.samples
