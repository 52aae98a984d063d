"""Mixed precision training of a text scorer."""
import numpy as np
import keras
from network import network, describe


def main():
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    keras.utils.set_random_seed(2)
    print(describe(network))
    expected = "bfloat16"
    for layer in network.layers:
        if layer.weights and layer.compute_dtype != expected:
            raise RuntimeError(f"layer {layer.name} computes in {layer.compute_dtype}, wanted {expected}")
    network.compile("adam", "mse")
    x = np.random.default_rng(0).integers(0, 50, (32, 9))
    network.fit(x, np.zeros((32, 1)), epochs=1, verbose=0)
    print("trained in", expected)


main()
