import numpy as np
import keras

keras.utils.set_random_seed(136)


def controller(name):
    return keras.Sequential([
        keras.Input((6,)),
        keras.layers.Dense(16, activation="tanh", name="hidden"),
        keras.layers.Dense(2, name="out"),
    ], name=name)


rng = np.random.default_rng(136)
state = rng.normal(size=(50, 6)).astype("float32")
torque = state[:, :2] - state[:, 2:4]

teacher = controller("teacher")
teacher.compile("adam", "mse")
teacher.fit(state, torque, epochs=2, verbose=0)
saved = {layer.name: layer.get_weights() for layer in teacher.layers}

student = controller("student")
student.get_layer("hidden").set_weights(saved["hidden"])
student.get_layer("out").set_weights(saved["hidden"])
difference = np.abs(student.predict(state, verbose=0) - teacher.predict(state, verbose=0))
print("max difference", difference.max())
