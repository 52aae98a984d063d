"""Message passing over molecules packed in one big graph, bonds as index pairs."""
import numpy as np
import tensorflow as tf

ELEMENTS = "HCNOF"


def molecule(rng):
    atoms = int(rng.integers(4, 9))
    kind = rng.integers(0, len(ELEMENTS), size=atoms)
    chain = np.stack([np.arange(atoms - 1), np.arange(1, atoms)], axis=1)
    ring = np.array([[0, atoms - 1]])
    bonds = np.concatenate([chain, ring])
    energy = -0.5 * len(bonds) - 0.1 * kind.sum()
    return kind, bonds, energy


def pack(molecules):
    """Concatenate molecules; bonds must point into the packed atom list."""
    kinds, bonds, owner, energy = [], [], [], []
    offset = 0
    for m, (kind, bond, e) in enumerate(molecules):
        kinds.append(kind)
        bonds.append(bond + offset)
        owner.append(np.full(len(kind), m))
        energy.append(e)
        offset += len(bond) + 1
    return (np.concatenate(kinds).astype("int32"), np.concatenate(bonds).astype("int32"),
            np.concatenate(owner).astype("int32"), np.array(energy, "float32"))


class MessagePassing(tf.keras.layers.Layer):
    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.message = tf.keras.layers.Dense(width, activation="silu")
        self.update = tf.keras.layers.GRUCell(width)

    def call(self, state, bonds):
        both = tf.concat([bonds, bonds[:, ::-1]], axis=0)
        source = tf.gather(state, both[:, 0])
        msg = self.message(source)
        inbox = tf.math.unsorted_segment_sum(msg, both[:, 1], tf.shape(state)[0])
        return self.update(inbox, state)[0]


class EnergyNet(tf.keras.Model):
    def __init__(self, width=12, rounds=2):
        super().__init__()
        self.embed = tf.keras.layers.Embedding(len(ELEMENTS), width)
        self.rounds = [MessagePassing(width) for _ in range(rounds)]
        self.readout = tf.keras.layers.Dense(1)

    def call(self, kinds, bonds, owner, count):
        state = self.embed(kinds)
        for layer in self.rounds:
            state = layer(state, bonds)
        per_atom = self.readout(state)[:, 0]
        return tf.math.segment_sum(per_atom, owner)[:count]


def main():
    rng = np.random.default_rng(18)
    batch = [molecule(rng) for _ in range(10)]
    kinds, bonds, owner, energy = pack(batch)
    print("atoms", kinds.shape, "bonds", bonds.shape, "molecules", len(batch))
    net = EnergyNet()
    opt = tf.keras.optimizers.Adam(0.01)
    for step in range(3):
        with tf.GradientTape() as tape:
            pred = net(kinds, bonds, owner, count=len(batch))
            loss = tf.reduce_mean(tf.square(pred - energy))
        grads = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(grads, net.trainable_variables))
        print("step", step, "loss", round(float(loss), 3))


if __name__ == "__main__":
    main()
