import tensorflow as tf

from climate import OPTIMA
from evolve import generation, migrate

ISLANDS = len(OPTIMA)
POPULATION = 64


def devices(n):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * n)
    return tf.config.list_logical_devices("CPU")


def main():
    devs = devices(ISLANDS)
    populations = []
    for i, d in enumerate(devs):
        with tf.device(d.name):
            populations.append(tf.random.stateless_normal([POPULATION], seed=[i, 0]))
    for g in range(20):
        nxt = []
        for i, (d, p) in enumerate(zip(devs, populations)):
            with tf.device(d.name):
                nxt.append(generation(p, i, seed=[i, g + 1]))
        populations = migrate(nxt, 4) if g % 5 == 4 else nxt
    for i, p in enumerate(populations):
        print(f"island {i}: optimum {OPTIMA[i]:+.2f}, mean trait {float(tf.reduce_mean(p)):+.2f}")


if __name__ == "__main__":
    main()
