"""A small network on random data, as people write it: shuffled batches, Adam, a loss an epoch.

`EXPERT=file`: checkpoints by hand, one an epoch (`epoch`), or at the iteration before an
interruption without a position in the data (`step`). What is measured is told through files:
`PASSED_AT`, `PASSED_FILE`."""

import os
import signal
import sys
import time

import torch

STEPS, EPOCHS = int(os.environ.get("STEPS", 60)), int(os.environ.get("EPOCHS", 3))
WIDTH = int(os.environ.get("WIDTH", 256))
KILL_AT = int(os.environ.get("KILL_AT", -1))
PASSED_AT, PASSED_FILE = int(os.environ.get("PASSED_AT", -1)), os.environ.get("PASSED_FILE", "")
EXPERT, HOW = os.environ.get("EXPERT", ""), os.environ.get("HOW", "epoch")
torch.set_num_threads(1)
torch.manual_seed(0)
x = torch.randn(STEPS * 32, WIDTH)
y = (x[:, 0] * x[:, 1] > 0).float()
model = torch.nn.Sequential(
    torch.nn.Linear(WIDTH, WIDTH),
    torch.nn.ReLU(),
    torch.nn.Linear(WIDTH, WIDTH),
    torch.nn.ReLU(),
    torch.nn.Linear(WIDTH, 1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
loss_of = torch.nn.BCEWithLogitsLoss()
start, skipped = 0, 0
if EXPERT and os.path.exists(EXPERT):
    saved = torch.load(EXPERT)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    start, skipped = saved["epoch"], saved["step"]
    if HOW == "epoch":
        torch.set_rng_state(saved["rng"])


def save(epoch, step):
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": torch.get_rng_state(),
        "epoch": epoch,
        "step": step,
    }
    with open(EXPERT + ".tmp", "wb") as stream:
        torch.save(state, stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(EXPERT + ".tmp", EXPERT)


for epoch in range(start, EPOCHS):
    step = skipped if epoch == start else 0
    # The order is drawn anew: a loader that cannot be resumed does not know what it has given.
    for batch in torch.randperm(STEPS * 32).split(32)[: STEPS - step]:
        loss = loss_of(model(x[batch])[:, 0], y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(0.02)
        step += 1
        done = epoch * STEPS + step
        if done == PASSED_AT + 1 and PASSED_AT > 0:
            ran = time.process_time()
            with open(PASSED_FILE, "w") as stream:
                stream.write(f"{time.time()} {ran}")
            sys.stdout.flush()
        if done == KILL_AT:
            if EXPERT and HOW == "step":
                save(epoch, step)
            os.kill(os.getpid(), signal.SIGKILL)
    if EXPERT and HOW == "epoch":
        save(epoch + 1, 0)
    print(f"epoch {epoch} loss={loss.item():.6f}")
if PASSED_FILE:
    with open(PASSED_FILE + ".loss", "w") as stream:
        with torch.no_grad():
            stream.write(repr(loss_of(model(x)[:, 0], y).item()))
