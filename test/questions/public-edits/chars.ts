/** @file A small language model in PyTorch, and what people add to such. */
import type { EditedInPublic } from "./edit.ts";

const program = `import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)
text = "a small text to learn letters from, again and again. " * 3
vocab = sorted(set(text))
stoi = {c: i for i, c in enumerate(vocab)}
data = torch.tensor([stoi[c] for c in text])
train_data, val_data = data[:120], data[120:]
block = 5


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embed = nn.Embedding(size, 6)
        self.norm = nn.BatchNorm1d(6 * block)
        self.drop = nn.Dropout(0.2)
        self.hidden = nn.Linear(6 * block, 12)
        self.head = nn.Linear(12, size)

    def forward(self, x):
        h = self.embed(x).flatten(1)
        h = torch.tanh(self.hidden(self.drop(self.norm(h))))
        return self.head(h)


def get_batch(part):
    at = torch.randint(len(part) - block, (8,))
    x = torch.stack([part[i : i + block] for i in at])
    y = torch.stack([part[i + block] for i in at])
    return x, y


model = Model(len(vocab))
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
for epoch in range(3):
    model.train()
    total = 0.0
    for step in range(4):
        x, y = get_batch(train_data)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        total += loss.item()
    sched.step()
    print("loss", total / 4)
print("done", total)
`;

export const CHARS: EditedInPublic = {
  file: "chars.py",
  program,
  needs: ["torch"],
  edits: {
    "norm of the gradient": {
      // build-nanogpt 105f117: what clipping returns is printed
      did: "bind what clipping gives",
      together: "plain",
      diff: `
-        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
+        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
+        print("norm", norm.item())
         opt.step()
`,
      asks: ["norm"],
      expected: "answered",
    },
    "learning rate": {
      // Pytorch-UNet 0e7a962: the rate that a schedule has set
      did: "print the rate of the optimizer",
      together: "plain",
      diff: `
     sched.step()
+    print("lr", opt.param_groups[0]["lr"])
`,
      asks: ["lr"],
      expected: "answered",
    },
    "size of the model": {
      // nanoGPT 34720df2: parameters counted once
      did: "count parameters",
      together: "plain",
      diff: `
 opt = torch.optim.AdamW(model.parameters(), lr=0.01)
+n_params = sum(p.numel() for p in model.parameters())
+print("number of parameters:", n_params)
`,
      asks: ["number_of_parameters"],
      expected: "open",
    },
    "weights and gradients": {
      // Pytorch-UNet 0e7a962: two values for each parameter, names with the dots replaced
      did: "a value for each parameter and for its gradient",
      together: "plain",
      diff: `
     print("loss", total / 4)
+    for tag, value in model.named_parameters():
+        tag = tag.replace(".", "_")
+        print("weights_" + tag, value.norm().item())
+        print("grads_" + tag, value.grad.norm().item())
`,
      asks: ["weights_head_bias", "grads_hidden_weight"],
      expected: "answered",
    },
    perplexity: {
      // pytorch/examples, word_language_model: exp of the mean, with an import
      did: "print an exponential",
      together: "plain",
      diff: `
+import math
 import torch
 import torch.nn.functional as F
@@
     print("loss", total / 4)
+    print("ppl", math.exp(total / 4))
`,
      asks: ["ppl"],
      expected: "answered",
    },
    "loss of some steps": {
      // nanoGPT: every log_interval steps
      did: "print every other step",
      together: "plain",
      diff: `
         total += loss.item()
+        if step % 2 == 0:
+            print("step_loss", loss.item())
`,
      asks: ["step_loss"],
      expected: "answered",
    },
    "loss on other data": {
      // nanoGPT, estimate_loss: a function without gradients, in evaluation mode, over random batches
      did: "estimate the loss of a split",
      together: "drawing",
      diff: `
 model = Model(len(vocab))
+
+
+@torch.no_grad()
+def estimate(part):
+    model.eval()
+    losses = torch.zeros(2)
+    for k in range(2):
+        xb, yb = get_batch(part)
+        losses[k] = F.cross_entropy(model(xb), yb)
+    model.train()
+    return losses.mean().item()
+
+
 opt = torch.optim.AdamW(model.parameters(), lr=0.01)
@@
     print("loss", total / 4)
+    print("val_loss", estimate(val_data))
`,
      truth: `
 model = Model(len(vocab))
+
+
+@torch.no_grad()
+def estimate(part):
+    model.eval()
+    losses = torch.zeros(2)
+    for k in range(2):
+        xb, yb = get_batch(part)
+        losses[k] = F.cross_entropy(model(xb), yb)
+    model.train()
+    return losses.mean().item()
+
+
 opt = torch.optim.AdamW(model.parameters(), lr=0.01)
@@
     print("loss", total / 4)
+    with torch.random.fork_rng():
+        print("val_loss", estimate(val_data))
`,
      asks: ["val_loss"],
      expected: "answered",
    },
    "a sample": {
      // build-nanogpt 4a63e6a, minGPT: letters drawn from the model in the middle of training
      did: "draw from the model",
      together: "drawing",
      diff: `
     sched.step()
+    model.eval()
+    with torch.no_grad():
+        p = torch.softmax(model(val_data[:block][None]), dim=-1)
+        drawn = torch.multinomial(p, 1).item()
+    model.train()
+    print("drawn", drawn)
`,
      truth: `
     sched.step()
+    model.eval()
+    with torch.no_grad(), torch.random.fork_rng():
+        p = torch.softmax(model(val_data[:block][None]), dim=-1)
+        drawn = torch.multinomial(p, 1).item()
+    model.train()
+    print("drawn", drawn)
`,
      asks: ["drawn"],
      expected: "answered",
    },
    accuracy: {
      // pytorch/examples, mnist: the output gets a name, hits are counted
      did: "count hits of the output",
      diff: `
     total = 0.0
+    correct = 0
     for step in range(4):
@@
-        loss = F.cross_entropy(model(x), y)
+        logits = model(x)
+        loss = F.cross_entropy(logits, y)
+        correct += (logits.argmax(1) == y).sum().item()
@@
     print("loss", total / 4)
+    print("accuracy", correct / 32)
`,
      asks: ["accuracy"],
      expected: "open",
    },
    activations: {
      // a forward hook that keeps what a layer gave, removed at the end
      did: "keep outputs by a hook",
      together: "hook",
      diff: `
 sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
+acts = []
+handle = model.hidden.register_forward_hook(lambda m, i, o: acts.append(o.std().item()))
@@
     print("loss", total / 4)
+    print("activation", acts[-1])
@@
 print("done", total)
+handle.remove()
`,
      asks: ["activation"],
      expected: "open",
    },
    "size of the updates": {
      // makemore: ratio of update to data for each parameter, gathered in the step loop
      did: "gather ratios of the updates",
      together: "state",
      diff: `
 sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
+ud = []
@@
         opt.step()
+        with torch.no_grad():
+            ud.append([((0.01 * q.grad).std() / q.std()).item() for q in model.head.parameters()])
@@
     print("loss", total / 4)
+    print("update_ratio", sum(u[0] for u in ud) / len(ud))
`,
      asks: ["update_ratio"],
      expected: "answered",
    },
    "evaluation mode, and the run goes back": {
      // Pytorch-UNet 773ef21, pytorch-tutorial e217e42: eval() without train(), which the loop calls
      did: "look at other data at the end of an epoch",
      together: "mode",
      diff: `
     print("loss", total / 4)
+    model.eval()
+    with torch.no_grad():
+        out = model(val_data[:block][None])
+    print("top_logit", out.max().item())
`,
      asks: ["top_logit"],
      expected: "answered",
    },
  },
};
