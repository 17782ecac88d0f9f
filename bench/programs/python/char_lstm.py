#: about characters by an LSTM whose hidden state goes from batch to batch; samples each epoch
#: needs torch
#: quick 3
#: full 75
import sys

import torch
from torch import nn

torch.manual_seed(7)
text = "the quick brown fox jumps over the lazy dog while the cat sleeps. " * 60
chars = sorted(set(text))
index = {c: i for i, c in enumerate(chars)}
data = torch.tensor([index[c] for c in text])
hidden_size, seq_len, batch_size = 64, 25, 8


class CharLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(chars), 32)
        self.lstm = nn.LSTM(32, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, len(chars))

    def forward(self, x, state):
        y, state = self.lstm(self.embed(x), state)
        return self.out(y), state


def sample(model, n=40):
    state, x, words = None, torch.tensor([[index["t"]]]), "t"
    with torch.no_grad():
        for _ in range(n):
            logits, state = model(x, state)
            x = torch.multinomial(torch.softmax(logits[:, -1], -1), 1)
            words += chars[x.item()]
    return words


model = CharLSTM()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()
rows = data[: len(data) // batch_size * batch_size].view(batch_size, -1)

for epoch in range(int(sys.argv[1])):
    h = torch.zeros(1, batch_size, hidden_size)
    c = torch.zeros(1, batch_size, hidden_size)
    total = 0.0
    for i in range(0, rows.size(1) - seq_len - 1, seq_len // 2):
        x, y = rows[:, i : i + seq_len], rows[:, i + 1 : i + seq_len + 1]
        h, c = h.detach(), c.detach()
        logits, (h, c) = model(x, (h, c))
        loss = criterion(logits.reshape(-1, len(chars)), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        #: ask step clipped = float(norm) where epoch = 1 and i = 24
        optimizer.step()
        total += loss.item()
    #: save torch.save([model.state_dict(), optimizer.state_dict()], f"epoch-{epoch}.pt")
    #: ask outer memory = c.norm().item()
    print(f"epoch {epoch} loss {total:.4f} sample {sample(model)!r}")
#: ask suffix spread = model.embed.weight.std().item()
torch.save(model.state_dict(), "lstm.pt")
