"""A small BERT by transformers' Trainer on random texts: an evaluation in each epoch."""

import numpy as np
import torch
import transformers
from torch.utils.data import Dataset

transformers.set_seed(1)


class Texts(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.words = torch.randint(5, 2000, (count, 64), generator=generator)
        self.labels = (self.words.float().mean(1) > 1000).long()

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        words = self.words[index]
        return {
            "input_ids": words,
            "attention_mask": torch.ones_like(words),
            "labels": self.labels[index],
        }


def compute_metrics(prediction):
    right = prediction.predictions.argmax(-1) == prediction.label_ids
    # ask spread: print("spread", float(np.std(prediction.predictions)))
    return {"acc": float(np.mean(right))}


config = transformers.BertConfig(
    vocab_size=2000,
    hidden_size=256,
    num_hidden_layers=4,
    num_attention_heads=4,
    intermediate_size=512,
)
model = transformers.BertForSequenceClassification(config)
arguments = transformers.TrainingArguments(
    output_dir="out",
    num_train_epochs=4,
    per_device_train_batch_size=32,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=20,
    report_to=[],
    disable_tqdm=True,
    seed=1,
)
trainer = transformers.Trainer(
    model,
    arguments,
    train_dataset=Texts(3200, 5),
    eval_dataset=Texts(640, 6),
    compute_metrics=compute_metrics,
)
trainer.train()
print("steps", trainer.state.global_step)
# ask final: print("final", float(sum(p.double().sum() for p in model.parameters())))
