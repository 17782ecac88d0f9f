/** @file A classifier in plain Python, in functions, and what people add to such. */
import type { EditedInPublic } from "./edit.ts";

const program = `import argparse
import math
import random

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--lr", type=float, default=0.2)
args = parser.parse_args()
random.seed(11)


class Net:
    def __init__(self, width):
        self.w = [random.uniform(-1, 1) for _ in range(width)]
        self.b = 0.0
        self.grad = [0.0] * (width + 1)
        self.training = True

    def train(self, mode=True):
        self.training = mode
        return self

    def eval(self):
        return self.train(False)

    def forward(self, x):
        if self.training:
            x = [v * (random.random() > 0.1) for v in x]
        z = sum(a * b for a, b in zip(self.w, x)) + self.b
        return 1 / (1 + math.exp(-z))

    def backward(self, x, error):
        self.grad = [error * v for v in x] + [error]

    def step(self, lr):
        self.w = [w - lr * g for w, g in zip(self.w, self.grad)]
        self.b -= lr * self.grad[-1]


def make_data(n):
    data = []
    for _ in range(n):
        x = [random.gauss(0, 1) for _ in range(3)]
        data.append((x, int(x[0] - x[1] + 0.3 * random.gauss(0, 1) > 0)))
    return data


def clip(net, most):
    norm = math.sqrt(sum(g * g for g in net.grad))
    if norm > most:
        net.grad = [g * most / norm for g in net.grad]
    return norm


def train(net, data):
    net.train()
    total = 0.0
    for x, y in data:
        p = net.forward(x)
        loss = -math.log(p if y else 1 - p)
        net.backward(x, p - y)
        clip(net, 0.5)
        net.step(args.lr)
        total += loss
    print("train_loss", total / len(data))


def test(net, data):
    net.eval()
    correct = 0
    for x, y in data:
        correct += (net.forward(x) > 0.5) == y
    return correct / len(data)


train_data = make_data(24)
test_data = make_data(16)
net = Net(3)
best = 0.0
for epoch in range(args.epochs):
    train(net, train_data)
    acc = test(net, test_data)
    print("acc", acc)
    best = max(best, acc)
print("best", best)
`;

export const CLASSIFY: EditedInPublic = {
  file: "classify.py",
  program,
  needs: ["python"],
  edits: {
    "loss every few batches": {
      // pytorch/examples, mnist: the batch's number for a print every --log-interval
      did: "number the batches and print some",
      diff: `
-    for x, y in data:
-        p = net.forward(x)
+    for i, (x, y) in enumerate(data):
+        p = net.forward(x)
@@
         total += loss
+        if i % 5 == 0:
+            print("batch_loss", loss)
`,
      asks: ["batch_loss"],
      expected: "answered",
    },
    "test loss beside accuracy": {
      // pytorch/examples a4e6972, build-nanogpt 41078d1: a second result of the evaluation
      did: "return the loss too",
      diff: `
     correct = 0
+    val_loss = 0.0
     for x, y in data:
-        correct += (net.forward(x) > 0.5) == y
-    return correct / len(data)
+        p = net.forward(x)
+        val_loss -= math.log(p if y else 1 - p)
+        correct += (p > 0.5) == y
+    return correct / len(data), val_loss / len(data)
@@
-    acc = test(net, test_data)
+    acc, val_loss = test(net, test_data)
     print("acc", acc)
+    print("val_loss", val_loss)
`,
      asks: ["val_loss"],
      expected: "answered",
    },
    "norm of the gradient": {
      // build-nanogpt 105f117: what clipping returns is printed
      did: "bind what clipping gives",
      diff: `
-        clip(net, 0.5)
+        norm = clip(net, 0.5)
         net.step(args.lr)
         total += loss
+        print("norm", norm)
`,
      asks: ["norm"],
      expected: "answered",
    },
    "running average": {
      // nanoGPT ab0718a7: running_mfu, set before the loop, smoothed in it
      did: "smooth a value over epochs",
      diff: `
 best = 0.0
+running = -1.0
+seen = 0
 for epoch in range(args.epochs):
@@
     best = max(best, acc)
+    if seen >= 1:
+        running = acc if running == -1.0 else 0.9 * running + 0.1 * acc
+    seen += 1
+    print(f"running acc {running * 100:.2f}%")
`,
      asks: ["running_acc"],
      expected: "answered",
    },
    "examples per second": {
      // cleanrl 30417314, 2828e837: start_time before the loop, SPS inside
      did: "time the training",
      diff: `
 import random
+import time
@@
 best = 0.0
+start_time = time.time()
 for epoch in range(args.epochs):
@@
     print("acc", acc)
+    print("SPS", int((epoch + 1) * len(train_data) / (time.time() - start_time)))
`,
      asks: ["SPS"],
      expected: "clock",
    },
    "size of the model": {
      // nanoGPT 34720df2, yolov3 9ce4ec48: a method that counts, printed once
      did: "count parameters in a method",
      diff: `
         self.training = True
+        print(f"number of parameters: {self.count():d}")
+
+    def count(self):
+        return len(self.w) + 1
@@
 net = Net(3)
+print("size", net.count())
`,
      asks: ["size"],
      expected: "open",
    },
    "accuracy by class": {
      // tfjs-examples baseball-node, pytorch-tutorial: counts per class, printed after the loop
      did: "count hits by class",
      diff: `
     correct = 0
+    hits = {0: 0, 1: 0}
+    count = {0: 0, 1: 0}
     for x, y in data:
         correct += (net.forward(x) > 0.5) == y
+        hits[y] += (net.forward(x) > 0.5) == y
+        count[y] += 1
+    for c in hits:
+        print("class_acc", hits[c] / max(count[c], 1))
     return correct / len(data)
`,
      asks: ["class_acc"],
      expected: "answered",
    },
    "accuracy on what was trained on": {
      // makemore c3aaadc: the same evaluation of another split
      did: "evaluate the training data too",
      diff: `
     acc = test(net, test_data)
+    train_acc = test(net, train_data)
     print("acc", acc)
+    print("train_acc", train_acc)
`,
      asks: ["train_acc"],
      expected: "answered",
    },
    "some predictions": {
      // build-nanogpt 4a63e6a: samples now and then, from inside the loop
      did: "print what the model says",
      diff: `
     best = max(best, acc)
+    if epoch % 2 == 1:
+        net.eval()
+        for x, y in test_data[:3]:
+            print("pred", net.forward(x), "label", y)
+        net.train()
`,
      asks: ["pred"],
      expected: "answered",
    },
    "an interval as an option": {
      // pytorch/examples: --log-interval, read by the print
      did: "an option for how often",
      diff: `
 parser.add_argument("--lr", type=float, default=0.2)
+parser.add_argument("--log-interval", type=int, default=6, help="batches between prints")
@@
     total = 0.0
-    for x, y in data:
+    for batch_idx, (x, y) in enumerate(data):
@@
         total += loss
+        if batch_idx % args.log_interval == 0:
+            print("at", batch_idx * 1, "step_loss", loss)
`,
      asks: ["step_loss"],
      expected: "answered",
    },
    "an exception shown": {
      // brain.js 4e6d0056, spinningup 41ce375: a line of the run inside try
      did: "catch, print, go on",
      diff: `
-        p = net.forward(x)
-        loss = -math.log(p if y else 1 - p)
+        try:
+            p = net.forward(x)
+        except OverflowError:
+            print("overflow", x)
+            raise
+        loss = -math.log(p if y else 1 - p)
+        print("p", p)
`,
      asks: ["p"],
      expected: "answered",
    },
    "more in the same line": {
      // faster-rcnn.pytorch dd2d06e, pytorch/examples 3243317: the existing print says more
      did: "another value in the print of the run",
      diff: `
-    print("train_loss", total / len(data))
+    print("train_loss", total / len(data), "last_loss", loss)
`,
      asks: ["last_loss"],
      expected: "answered",
    },
    "hardest examples": {
      did: "gather, sort, print the worst",
      diff: `
     total = 0.0
+    losses = []
     for x, y in data:
@@
         total += loss
+        losses.append(loss)
     print("train_loss", total / len(data))
+    losses.sort(reverse=True)
+    print("worst", losses[0])
+    print("median", losses[len(losses) // 2])
`,
      asks: ["worst", "median"],
      expected: "answered",
    },
    "all weights": {
      // Pytorch-UNet 0e7a962: a histogram for each parameter, under its name
      did: "print each weight under its own name",
      diff: `
     print("acc", acc)
+    for k, w in enumerate(net.w):
+        print(f"weight_{k} {w}")
`,
      asks: ["weight_1"],
      expected: "answered",
    },
    "back to training": {
      // Pytorch-UNet 773ef21: evaluation in the middle, then training mode again
      did: "evaluate inside the loop of training",
      diff: `
         total += loss
+        if y == 1:
+            net.eval()
+            clean = net.forward(x)
+            net.train()
+            print("clean", clean)
`,
      asks: ["clean"],
      expected: "answered",
    },
    "stop early to look": {
      did: "print once and leave",
      diff: `
     best = max(best, acc)
+    if epoch == 2:
+        print("weights_at_2", sum(net.w))
+        break
`,
      asks: ["weights_at_2"],
      expected: "answered",
    },
    "evaluation mode that was missing": {
      // pytorch-tutorial e217e42: model.eval() before the evaluation changes what it computes
      did: "a mode for lines of the run",
      diff: `
     total = 0.0
+    net.eval()
     for x, y in data:
         p = net.forward(x)
         loss = -math.log(p if y else 1 - p)
+        print("p", p)
`,
      asks: ["p"],
      expected: { refused: "changes what line" },
    },
    "the sum as a mean": {
      // nanoGPT 553f949f, cleanrl 9428ce60: the same name, another value
      did: "print another value under the same name",
      diff: `
-    print("train_loss", total / len(data))
+    print("train_loss", total)
`,
      asks: ["train_loss"],
      expected: { refused: "this run logs `train_loss` as `total / len(data)`, yours as `total`" },
    },
  },
};
