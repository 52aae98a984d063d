import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(97)


class SelfPlay:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def position(self):
        board = np.zeros((8, 8, 2))
        for colour in (0, 1):
            cells = self.rng.choice(64, 8, replace=False)
            board[cells // 8, cells % 8, colour] = 1
        advantage = board[:4, :, 0].sum() - board[4:, :, 1].sum()
        return board, np.tanh(advantage / 4)

    def stream(self):
        while True:
            board, value = self.position()
            yield board.astype("float32"), np.array([value], "float32")


def value_net():
    board = keras.Input((8, 8, 2))
    x = layers.Conv2D(16, 3, activation="relu")(board)
    x = layers.Conv2D(16, 3, activation="relu")(x)
    x = layers.Flatten()(x)
    return keras.Model(board, layers.Dense(1, activation="tanh")(x))


net = value_net()
net.compile(optimizer="adam", loss="mse")
games = SelfPlay(97)
net.fit(games.stream(), steps_per_epoch=12, epochs=1, verbose=0)

board, value = games.position()
print("estimate", net.predict(board[None], verbose=0)[0, 0], "truth", value)
