/** @file A policy that learns from rewards, in NumPy, at top level; and what people add to such. */
import type { EditedInPublic } from "./edit.ts";

const program = `import argparse
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--episodes", type=int, default=5)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
np.random.seed(5)
rng = np.random.default_rng(3)
theta = rng.normal(size=(4, 2)) * 0.1


class Env:
    def reset(self):
        self.t = 0
        self.state = np.random.uniform(-1, 1, size=4)
        return self.state

    def step(self, action):
        self.t += 1
        noise = np.random.normal(0, 0.2, size=4)
        self.state = np.tanh(self.state + noise + (0.1 if action else -0.1))
        return self.state, float(self.state.sum()), self.t >= 6


def policy(state):
    logits = state @ theta
    z = np.exp(logits - logits.max())
    return z / z.sum()


def discounted(rewards):
    out, total = [], 0.0
    for r in reversed(rewards):
        total = r + 0.9 * total
        out.append(total)
    return np.array(out[::-1])


env = Env()
for episode in range(args.episodes):
    state = env.reset()
    states, actions, rewards = [], [], []
    done = False
    while not done:
        probs = policy(state)
        action = int(np.random.rand() < probs[1])
        states.append(state)
        actions.append(action)
        state, reward, done = env.step(action)
        rewards.append(reward)
    gains = discounted(rewards)
    grad = np.zeros_like(theta)
    for s, a, g in zip(states, actions, gains):
        p = policy(s)
        grad += np.outer(s, (np.arange(2) == a) - p) * g
    theta += args.lr * grad / len(rewards)
    print("reward", sum(rewards))
print("final", float(theta.sum()))
`;

export const REWARDS: EditedInPublic = {
  file: "rewards.py",
  program,
  needs: ["torch"],
  edits: {
    "reward of the episode": {
      // cleanrl 9d5a77b9: a print beside what is logged already
      did: "print what an episode came to",
      together: "plain",
      diff: `
     gains = discounted(rewards)
+    print(f"episode_length={len(rewards)}, first_gain={gains[0]}")
`,
      asks: ["episode_length", "first_gain"],
      expected: "answered",
    },
    "norm of the gradient": {
      // spinningup: quantities of the update beside the loss
      did: "compute a norm and print it",
      together: "plain",
      diff: `
     theta += args.lr * grad / len(rewards)
+    grad_norm = np.linalg.norm(grad)
+    print("grad_norm", float(grad_norm))
`,
      asks: ["grad_norm"],
      expected: "answered",
    },
    "only now and then": {
      // cleanrl a4b33731: if global_step % 100 == 0
      did: "print every other episode",
      together: "plain",
      diff: `
     print("reward", sum(rewards))
+    if episode % 2 == 0:
+        print("mean_gain", float(gains.mean()))
`,
      asks: ["mean_gain"],
      expected: "answered",
    },
    "explained variance": {
      // cleanrl, ppo: a variance that may be zero, in two statements, printed
      did: "how much the gains explain",
      together: "plain",
      diff: `
     grad = np.zeros_like(theta)
+    var_y = np.var(gains)
+    explained = np.nan if var_y == 0 else 1 - np.var(gains - np.array(rewards)) / var_y
+    print("explained_variance", float(explained))
`,
      asks: ["explained_variance"],
      expected: "answered",
    },
    "all weights": {
      // Pytorch-UNet 0e7a962: one value for each row under its own name
      did: "print each row of the weights",
      together: "plain",
      diff: `
     print("reward", sum(rewards))
+    for i, row in enumerate(theta):
+        print(f"theta_{i} {float(row[0])}")
`,
      asks: ["theta_2"],
      expected: "answered",
    },
    "losses of all steps": {
      // cleanrl 4c757558: an array before the steps, filled in them, its mean afterwards
      did: "gather in the step loop",
      together: "gathered",
      diff: `
     done = False
+    entropies = []
     while not done:
@@
         probs = policy(state)
+        entropies.append(float(-(probs * np.log(probs)).sum()))
@@
     gains = discounted(rewards)
+    print("entropy", np.mean(entropies).item())
`,
      asks: ["entropy"],
      expected: "answered",
    },
    "average of the last episodes": {
      // cleanrl: a deque of returns before the loop, its mean printed
      did: "smooth over episodes",
      together: "gathered",
      diff: `
 import argparse
+import collections
 import numpy as np
@@
 env = Env()
+recent = collections.deque(maxlen=3)
@@
     print("reward", sum(rewards))
+    recent.append(sum(rewards))
+    print("recent", sum(recent) / len(recent))
`,
      asks: ["recent"],
      expected: "answered",
    },
    "new top score": {
      // minGPT 52cb434: the best so far, and a line when it is beaten
      did: "remember the best",
      together: "gathered",
      diff: `
 env = Env()
+top_score = -1e9
@@
     theta += args.lr * grad / len(rewards)
+    if sum(rewards) > top_score:
+        top_score = sum(rewards)
+        print(f"new top score of {top_score}")
`,
      asks: ["new_top_score"],
      expected: "answered",
    },
    "an evaluation without noise": {
      // spinningup, test_agent: a function that plays episodes of its own
      did: "play greedily in another environment",
      together: "function",
      diff: `
 env = Env()
+
+
+def test_agent(env):
+    state, total, done = env.reset(), 0.0, False
+    while not done:
+        state, reward, done = env.step(int(policy(state).argmax()))
+        total += reward
+    return total
+
+
 for episode in range(args.episodes):
@@
     print("reward", sum(rewards))
+    score = test_agent(Env())
+    print("test_score", score)
`,
      truth: `
 env = Env()
+
+
+def test_agent(env):
+    state, total, done = env.reset(), 0.0, False
+    while not done:
+        state, reward, done = env.step(int(policy(state).argmax()))
+        total += reward
+    return total
+
+
 for episode in range(args.episodes):
@@
     print("reward", sum(rewards))
+    kept = np.random.get_state()
+    print("test_score", test_agent(Env()))
+    np.random.set_state(kept)
`,
      asks: ["test_score"],
      expected: "answered",
    },
    advantages: {
      // pytorch/examples 0598cff: normalised before use, here only to look
      did: "normalise a copy and print it",
      together: "plain",
      diff: `
     grad = np.zeros_like(theta)
+    adv = gains.copy()
+    adv -= adv.mean()
+    adv /= adv.std() + 1e-8
+    print("advantage", float(adv.max()))
`,
      asks: ["advantage"],
      expected: "answered",
    },
    "another discount": {
      // a number of the program tuned in the same commit: the run's own is asked
      did: "print while something else was changed",
      diff: `
-        total = r + 0.9 * total
+        total = r + 0.99 * total
@@
     gains = discounted(rewards)
+    last = gains[-1]
+    print("last_gain", float(last))
`,
      truth: `
     gains = discounted(rewards)
+    last = gains[-1]
+    print("last_gain", float(last))
`,
      asks: ["last_gain"],
      expected: "open",
    },
  },
};
