import tensorflow as tf
import keras

from preprocessing import cells
from trainer import Trainer

keras.utils.set_random_seed(9)
net = keras.Sequential([
    keras.Input((24, 24, 1)),
    keras.layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
    keras.layers.Conv2D(8, 3, padding="same", activation="relu"),
    keras.layers.Conv2D(1, 1, activation="sigmoid"),
])
net.summary()
trainer = Trainer(net)
trainer.optimizer.build(net.trainable_variables)
for x, y in tf.data.Dataset.from_tensor_slices(cells(18)).batch(6):
    print("loss", float(trainer.step(x, y)))
