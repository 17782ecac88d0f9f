#: about LBFGS with a closure: a sine wave by an LSTM cell in double precision
#: needs torch
#: quick 4
#: full 130
import sys

import numpy as np
import torch
import torch.nn as nn

np.random.seed(2)
torch.manual_seed(2)
N, L, T = 40, 60, 20
x = np.array(range(L)) + np.random.randint(-4 * T, 4 * T, N).reshape(N, 1)
data = np.sin(x / 1.0 / T).astype("float64")


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 24)
        self.linear = nn.Linear(24, 1)

    def forward(self, input, future=0):
        outputs = []
        h_t = torch.zeros(input.size(0), 24, dtype=torch.double)
        c_t = torch.zeros(input.size(0), 24, dtype=torch.double)
        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            output = self.linear(h_t)
            outputs += [output]
        for _ in range(future):
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            output = self.linear(h_t)
            outputs += [output]
        return torch.cat(outputs, dim=1)


input, target = torch.from_numpy(data[3:, :-1]), torch.from_numpy(data[3:, 1:])
test_input, test_target = torch.from_numpy(data[:3, :-1]), torch.from_numpy(data[:3, 1:])
seq = Sequence()
seq.double()
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(seq.parameters(), lr=0.8, max_iter=6)
for i in range(int(sys.argv[1])):
    print("STEP: ", i)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = criterion(seq(input), target)
        loss.backward()
        calls.append(loss.item())
        return loss

    optimizer.step(closure)
    #: ask outer bias = seq.linear.bias.item()
    with torch.no_grad():
        future = 30
        pred = seq(test_input, future=future)
        for part in range(2):
            loss = criterion(pred[:, part : -future + part], test_target[:, : L - 1])
            #: ask step lag = pred[0, part].item() where i = 2 and part = 1
        print("test loss:", loss.item(), "calls", len(calls))
#: ask suffix norm = seq.lstm1.weight_hh.norm().item()
print("end", calls[-1])
