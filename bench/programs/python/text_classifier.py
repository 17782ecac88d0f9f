#: about text classifier: EmbeddingBag, a collate function, the best model kept by deepcopy
#: needs torch
#: quick 3
#: full 100
import copy
import random
import sys
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(3)
torch.manual_seed(3)
NOUNS = "market goal film planet bank team actor atom stock match song cell".split()
LABELS = {
    "market": 0,
    "bank": 0,
    "stock": 0,
    "goal": 1,
    "team": 1,
    "match": 1,
    "film": 2,
    "actor": 2,
}


def make_text():
    words = [random.choice(NOUNS) for _ in range(random.randint(10, 40))]
    votes = Counter(LABELS.get(word, 3) for word in words)
    return votes.most_common(1)[0][0], " ".join(words)


texts = [make_text() for _ in range(4000)]
counts = Counter(word for _, text in texts for word in text.split())
vocabulary = {word: i for i, (word, _) in enumerate(counts.most_common())}


def collate(batch):
    labels, flat, offsets = [], [], [0]
    for label, text in batch:
        ids = [vocabulary[word] for word in text.split()]
        labels.append(label)
        flat.extend(ids)
        offsets.append(offsets[-1] + len(ids))
    return torch.tensor(labels), torch.tensor(flat), torch.tensor(offsets[:-1])


class Classifier(nn.Module):
    def __init__(self, size, dim, classes):
        super().__init__()
        self.embedding = nn.EmbeddingBag(size, dim)
        self.fc = nn.Linear(dim, classes)
        nn.init.uniform_(self.embedding.weight, -0.5, 0.5)

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


train_loader = DataLoader(texts[:3500], batch_size=16, shuffle=True, collate_fn=collate)
valid_loader = DataLoader(texts[3500:], batch_size=64, collate_fn=collate)
model = Classifier(len(vocabulary), 32, 4)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.9)


def evaluate(loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for label, text, offsets in loader:
            correct += (model(text, offsets).argmax(1) == label).sum().item()
            total += label.size(0)
    return correct / total


best, best_model, seen = 0.0, None, 0
for epoch in range(1, int(sys.argv[1]) + 1):
    model.train()
    for idx, (label, text, offsets) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = criterion(model(text, offsets), label)
        loss.backward()
        total_norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        #: ask step clipped = float(total_norm) where epoch = 2 and idx = 20
        optimizer.step()
        seen += len(label)
        if idx % 100 == 0:
            print(f"| epoch {epoch} | {idx} batches | loss {loss.item():.4f}")
    accuracy = evaluate(valid_loader)
    #: save torch.save([model.state_dict(), optimizer.state_dict()], f"epoch-{epoch}.pt")
    #: ask outer bias = model.fc.bias.abs().sum().item()
    if accuracy > best:
        best, best_model = accuracy, copy.deepcopy(model)
    scheduler.step()
    print(f"end of epoch {epoch} valid accuracy {accuracy:.3f}")
#: ask suffix kept = best_model.fc.weight.norm().item()
print("seen", seen, "best", best)
