#: about transformer language model: `model.py` beside `train.py`, globals set by the command line
#: needs torch
#: quick --max_iters=30
#: full --max_iters=420
import math
import os
import sys

import torch
from model import GPT, GPTConfig

out_dir = "out"
eval_interval = 10
eval_iters = 4
batch_size, block_size = 12, 48
n_layer, n_head, n_embd, dropout = 2, 4, 64, 0.1
learning_rate, min_lr, warmup_iters = 1e-3, 1e-4, 5
max_iters = 30
grad_clip = 1.0
gradient_accumulation_steps = 2
for argument in sys.argv[1:]:
    key, value = argument[2:].split("=")
    globals()[key] = type(globals()[key])(value)

os.makedirs(out_dir, exist_ok=True)
torch.manual_seed(1337)
text = "".join(chr(97 + (i * i + i // 7) % 26) + (" " if i % 5 == 4 else "") for i in range(9000))
vocabulary = sorted(set(text))
tokens = torch.tensor([vocabulary.index(c) for c in text])
splits = {"train": tokens[:8000], "val": tokens[8000:]}


def get_batch(split):
    data = splits[split]
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            _, loss = model(*get_batch(split))
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    ratio = (it - warmup_iters) / max(1, max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


model = GPT(GPTConfig(block_size, len(vocabulary), n_layer, n_head, n_embd, dropout))
optimizer = model.configure_optimizers(0.1, learning_rate, (0.9, 0.95))
best_val_loss = 1e9
X, Y = get_batch("train")
iter_num = 0
while True:
    lr = get_lr(iter_num)
    for param_group in optimizer.param_groups:
        param_group["lr"] = lr
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
        if losses["val"] < best_val_loss:
            best_val_loss = losses["val"]
            checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save(checkpoint, os.path.join(out_dir, "ckpt.pt"))
        #: save torch.save([model.state_dict(), optimizer.state_dict()], f"iter-{iter_num}.pt")
        #: ask outer first = model.transformer.wte.weight[0, 0].item()
    for micro in range(gradient_accumulation_steps):
        logits, loss = model(X, Y)
        loss = loss / gradient_accumulation_steps
        X, Y = get_batch("train")
        loss.backward()
        #: ask step seen = loss.item() where while = 7 and micro = 1 when iter_num = 7 and micro = 1
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    iter_num += 1
    if iter_num > max_iters:
        break
#: ask suffix tied = (model.lm_head.weight - model.transformer.wte.weight).abs().sum().item()
#: ask suffix norm = model.transformer.h[0].attn.c_attn.weight.norm().item()
print("best", float(best_val_loss))
