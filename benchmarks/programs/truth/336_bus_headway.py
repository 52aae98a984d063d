"""Simulate bus bunching; the horizon changes with each scenario."""
import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Scenario:
    name: str
    horizon: int
    holding: float


def scenarios():
    rng = np.random.default_rng(15)
    out = []
    for i in range(10):
        out.append(Scenario(f"day {i}", int(rng.integers(20, 40)) + i * 25,
                            round(float(rng.uniform(0.1, 0.6)), 3)))
    return out


class BusLine(tf.Module):
    def __init__(self, buses=8, headway=6.0):
        super().__init__()
        self.headway = headway
        self.position = tf.Variable(tf.range(buses, dtype=tf.float32) * headway)
        self.gen = tf.random.Generator.from_seed(3)

    @tf.function
    def simulate(self, horizon, holding):
        gaps = tf.TensorArray(tf.float32, size=horizon)
        for t in tf.range(horizon):
            gap = tf.roll(self.position, -1, axis=0) - self.position
            gap = tf.math.floormod(gap, self.headway * 8)
            late = self.gen.normal([8], stddev=0.3)
            hold = holding * tf.nn.relu(self.headway - gap)
            self.position.assign_add(1.0 + late * tf.sqrt(gap / self.headway) - hold)
            gaps = gaps.write(t, gap)
        return gaps.stack()

    def reset(self):
        self.position.assign(tf.range(8, dtype=tf.float32) * self.headway)


def main():
    line = BusLine()
    table = []
    for s in scenarios():
        line.reset()
        gaps = line.simulate(s.horizon, s.holding)
        spread = float(tf.math.reduce_std(gaps[-10:]))
        table.append((s.name, s.horizon, s.holding, spread))
    for name, horizon, holding, spread in table:
        print(f"{name:8s} horizon {horizon:4d} holding {holding:.3f} spread {spread:.2f}")
    print("best:", min(table, key=lambda r: r[-1])[0])


if __name__ == "__main__":
    main()
