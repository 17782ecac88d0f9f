#: about DQN with gymnasium's CartPole: replay memory, target network, epsilon that decays
#: needs torch gymnasium
#: quick 12
#: full 180
import random
import sys
from collections import deque, namedtuple

import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "mask"))
random.seed(0)
torch.manual_seed(0)
env = gym.make("CartPole-v1")
env.action_space.seed(0)


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return random.sample(self.memory, n)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)
        )

    def forward(self, x):
        return self.layers(x)


policy_net, target_net = DQN(), DQN()
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-3, amsgrad=True)
memory = ReplayMemory(5000)
epsilon = 0.9


def optimize():
    if len(memory) < 64:
        return None
    batch = Transition(*zip(*memory.sample(64)))
    states, rewards = torch.stack(batch.state), torch.tensor(batch.reward)
    values = policy_net(states).gather(1, torch.tensor(batch.action)[:, None])[:, 0]
    with torch.no_grad():
        later = target_net(torch.stack(batch.next_state)).max(1)[0] * torch.tensor(batch.mask)
    loss = F.smooth_l1_loss(values, rewards + 0.99 * later)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


for episode in range(int(sys.argv[1])):
    observation, info = env.reset(seed=episode)
    state = torch.tensor(observation)
    for t in range(60):
        if random.random() < epsilon:
            action = int(env.action_space.sample())
        else:
            with torch.no_grad():
                action = policy_net(state).argmax().item()
        observation, reward, terminated, truncated, _ = env.step(action)
        next_state = torch.tensor(observation)
        memory.push(state, action, next_state, float(reward), 0.0 if terminated else 1.0)
        state = next_state
        loss = optimize()
        #: ask step angle = state[2].item() where episode = 4 and t = 6
        with torch.no_grad():
            for p, q in zip(target_net.parameters(), policy_net.parameters()):
                p.mul_(0.995).add_(0.005 * q)
        if terminated or truncated:
            break
    epsilon = max(0.05, epsilon * 0.97)
    #: ask outer lag = (target_net.layers[0].weight - policy_net.layers[0].weight).norm().item()
    print("episode", episode, "duration", t + 1, "loss", loss)
env.close()
#: ask suffix norm = policy_net.layers[2].weight.norm().item()
print("complete", len(memory))
