#: about REINFORCE and a table of values in an environment of its own, with reset and step
#: needs numpy
#: quick 1200
#: full 24000
import sys

import numpy as np


class GridWorld:
    MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def __init__(self, size, seed):
        self.size = size
        self.rng = np.random.RandomState(seed)
        self.walls = {(i, i + 1) for i in range(1, size - 2)}
        self.position = (0, 0)
        self.steps = 0

    def reset(self):
        self.position, self.steps = (0, int(self.rng.randint(2))), 0
        return self.observe()

    def observe(self):
        x, y = self.position
        return np.array([x / self.size, y / self.size, x * y / self.size**2, 1.0])

    def step(self, action):
        self.steps += 1
        if self.rng.rand() < 0.1:
            action = self.rng.randint(4)
        dx, dy = self.MOVES[action]
        x, y = self.position
        moved = (min(max(x + dx, 0), self.size - 1), min(max(y + dy, 0), self.size - 1))
        if moved not in self.walls:
            self.position = moved
        goal = self.position == (self.size - 1, self.size - 1)
        return self.observe(), 1.0 if goal else -0.01, goal or self.steps >= 100, {}


class Agent:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.weights = self.rng.randn(4, 4) * 0.01
        self.baseline = 0.0
        self.memory = []

    def policy(self, state):
        z = self.weights @ state
        e = np.exp(z - z.max())
        return e / e.sum()

    def act(self, state):
        p = self.policy(state)
        action = int(self.rng.choice(4, p=p))
        self.memory.append([state, action, p])
        return action

    def learn(self, rewards, gamma=0.98, lr=0.05):
        total = 0.0
        for (state, action, p), reward in zip(reversed(self.memory), reversed(rewards)):
            total = reward + gamma * total
            advantage = total - self.baseline
            gradient = -np.outer(p, state)
            gradient[action] += state
            self.weights += lr * advantage * gradient
        self.baseline = 0.95 * self.baseline + 0.05 * total
        self.memory.clear()
        return total


env, agent = GridWorld(8, seed=1), Agent(seed=2)
returns = []
for episode in range(int(sys.argv[1])):
    state, done, rewards = env.reset(), False, []
    for t in range(200):
        state, reward, done, _ = env.step(agent.act(state))
        rewards.append(reward)
        #: ask step sure = float(agent.memory[-1][2].max()) where episode = 5 and t = 9
        if done:
            break
    returns.append(agent.learn(rewards))
    #: ask outer base = float(agent.baseline)
    if episode % 50 == 0:
        print("episode", episode, "length", len(rewards), "mean return", np.mean(returns[-50:]))
#: ask suffix norm = float(np.linalg.norm(agent.weights))
print("solved", sum(r > 0 for r in returns))
