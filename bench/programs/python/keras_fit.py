#: about Keras 3 on torch: functional model, callbacks, `fit` with validation
#: needs torch keras
#: quick 3
#: full 24
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(23)
rng = np.random.default_rng(23)
x = rng.normal(size=(1500, 20)).astype("float32")
y = (x[:, :4] ** 2).argmax(1)


class Report(keras.callbacks.Callback):
    seen = 0

    def on_epoch_end(self, epoch, logs=None):
        #: ask outer norm = float(np.linalg.norm(self.model.layers[1].get_weights()[0]))
        print("epoch", epoch, "loss", logs["loss"], "val", logs["val_accuracy"])

    def on_train_batch_end(self, batch, logs=None):
        #: ask step seen = float(logs["loss"]) where epoch = 1 and step = 20 when self.seen = 60
        self.seen += 1


inputs = keras.Input((20,))
hidden = layers.Dense(64, activation="relu")(inputs)
hidden = layers.Dropout(0.1)(hidden)
outputs = layers.Dense(4, activation="softmax")(hidden)
model = keras.Model(inputs, outputs)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    x,
    y,
    batch_size=30,
    epochs=int(sys.argv[1]),
    validation_split=0.2,
    verbose=0,
    callbacks=[Report(), keras.callbacks.ReduceLROnPlateau(patience=3)],
)
#: ask suffix head = float(np.abs(model.layers[-1].get_weights()[0]).max())
print("epochs", len(history.history["loss"]))
