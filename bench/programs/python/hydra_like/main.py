#: about hydra-like configuration: groups, overrides, `_target_`, a run folder, a logger
#: needs torch
#: quick train.epochs=3
#: full train.epochs=42 model=wide
import logging
import os
import sys

import torch
from src.config import instantiate, load_config, to_text
from src.trainer import Trainer

log = logging.getLogger(__name__)


def main(cfg):
    os.makedirs(cfg.run_dir, exist_ok=True)
    logging.basicConfig(
        level=logging.INFO, format="[%(name)s][%(levelname)s] - %(message)s", stream=sys.stdout
    )
    with open(os.path.join(cfg.run_dir, "config.txt"), "w") as f:
        f.write(to_text(cfg))
    torch.manual_seed(cfg.seed)
    model = instantiate(cfg.model)
    optimizer = instantiate(cfg.optimizer, model.parameters())
    log.info("parameters: %d", sum(p.numel() for p in model.parameters()))
    trainer = Trainer(model, optimizer, cfg.train)
    score = trainer.fit()
    #: ask suffix norm = model.layers[0].weight.norm().item()
    log.info("score %.6f", score)
    return score


if __name__ == "__main__":
    main(load_config("conf", sys.argv[1:]))
