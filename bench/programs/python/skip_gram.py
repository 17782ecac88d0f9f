#: about word2vec in NumPy: skip-gram with negative sampling, rows of two matrices changed in place
#: needs numpy
#: quick 2
#: full 10
import sys

import numpy as np

rng = np.random.default_rng(8)
words = [f"w{i}" for i in range(400)]
topics = rng.integers(0, 8, len(words))
sentences = []
for _ in range(300):
    pool = [w for w, t in zip(range(len(words)), topics) if t == rng.integers(8)]
    pool = pool or [0, 1]
    sentences.append([int(w) for w in rng.choice(pool, size=18)])
counts = np.bincount([w for s in sentences for w in s], minlength=len(words)) + 1
table = counts**0.75 / (counts**0.75).sum()
dim, window, negatives, lr = 32, 3, 5, 0.05
center = (rng.random((len(words), dim)) - 0.5) / dim
context = np.zeros((len(words), dim))


def train_pair(c, o, lr):
    targets = np.concatenate([[o], rng.choice(len(words), size=negatives, p=table)])
    labels = np.zeros(len(targets))
    labels[0] = 1
    vectors = context[targets]
    score = 1 / (1 + np.exp(-(vectors @ center[c])))
    g = (score - labels)[:, None]
    gradient = (g * vectors).sum(0)
    context[targets] -= lr * g * center[c]
    center[c] -= lr * gradient
    return -np.log(score[0] + 1e-9) - np.log(1 - score[1:] + 1e-9).sum()


for epoch in range(int(sys.argv[1])):
    loss = pairs = 0
    for n, sentence in enumerate(sentences):
        for i, word in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if j != i:
                    loss += train_pair(word, sentence[j], lr)
                    pairs += 1
        #: ask step length = float(np.linalg.norm(center[sentence[0]])) where epoch = 1 and n = 40
    lr *= 0.95
    #: ask outer norm = float(np.linalg.norm(context))
    print("epoch", epoch, "pairs", pairs, "loss", loss / pairs)
#: ask suffix nearest = int(np.argmax(center @ center[3]))
np.save("vectors.npy", center)
