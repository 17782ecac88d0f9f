"""A training by the Trainer of transformers, as users write it."""

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)


class Said(TrainerCallback):
    def on_epoch_end(self, args, state, control, model=None, **named):
        # ask outer_norm: print("outer_norm", float(model.classifier.weight.norm()))
        pass


class Mine(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = super().training_step(model, inputs, num_items_in_batch)
        # ask step_loss of epoch = 1 and step = 20: print("step_loss", loss.item())
        return loss


def compute_metrics(prediction):
    right = prediction.predictions.argmax(1) == prediction.label_ids
    # ask accuracy: print("accuracy", float(right.mean()))
    return {"accuracy": float(right.mean())}


torch.manual_seed(1)
words = torch.randint(5, 900, (1_600, 64))
rows = [{"input_ids": one, "labels": int(one[0] > 450)} for one in words]
config = BertConfig(vocab_size=1_000, hidden_size=256, num_hidden_layers=4, num_attention_heads=4)
model = BertForSequenceClassification(config)
args = TrainingArguments(
    "out",
    num_train_epochs=3,
    per_device_train_batch_size=16,
    eval_strategy="epoch",
    save_strategy="no",
    report_to=[],
    disable_tqdm=True,
)
trainer = Mine(
    model=model,
    args=args,
    train_dataset=rows[:1_280],
    eval_dataset=rows[1_280:],
    compute_metrics=compute_metrics,
    callbacks=[Said()],
)
trainer.train()
print("final_norm", float(model.classifier.weight.norm()))
# ask suffix_norm: print("suffix_norm", float(model.classifier.weight.norm()) * 2)
