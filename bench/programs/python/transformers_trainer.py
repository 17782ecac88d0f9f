#: about transformers: a small BERT, `Trainer` with compute_metrics and a callback
#: needs torch transformers accelerate
#: quick 1
#: full 6
import sys
import warnings

import numpy as np
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

warnings.filterwarnings("ignore")
set_seed(3)


class Report(TrainerCallback):
    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        #: ask outer norm = model.classifier.weight.norm().item()
        print("epoch end", state.global_step)


class OwnTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True, **kwargs)
        self.at = self.state.global_step if model.training else None
        #: ask step seen = loss.item() where epoch = 0 and step = 9 when self.at = 9
        return (loss, outputs) if return_outputs else loss


def compute_metrics(pred):
    return {"accuracy": float((np.argmax(pred.predictions, 1) == pred.label_ids).mean())}


tokens = torch.randint(5, 200, (720, 24))
rows = [{"input_ids": t, "labels": int((t > 100).float().mean() > 0.5)} for t in tokens]
config = BertConfig(
    vocab_size=200,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
)
model = BertForSequenceClassification(config)
trainer = OwnTrainer(
    model=model,
    args=TrainingArguments(
        "out",
        num_train_epochs=float(sys.argv[1]),
        per_device_train_batch_size=16,
        per_device_eval_batch_size=40,
        learning_rate=5e-4,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=1000,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    ),
    train_dataset=rows[:640],
    eval_dataset=rows[640:],
    compute_metrics=compute_metrics,
    callbacks=[Report()],
)
trainer.remove_callback(PrinterCallback)
trainer.train()
#: ask suffix head = model.classifier.weight.abs().max().item()
print("log", [entry.get("eval_accuracy") for entry in trainer.state.log_history][:-1])
