"""Power-curve residuals of a wind farm: a small ensemble trained with a custom loop."""
from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Farm:
    turbines: int = 6
    hours: int = 240
    rated: float = 2.3
    members: int = 3


def scada(farm: Farm, seed: int = 9) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = farm.turbines * farm.hours
    wind = rng.weibull(2.0, n) * 8.5
    rho = rng.normal(1.2, 0.03, n)
    power = farm.rated / (1 + np.exp(-(wind - 8) * 0.9)) * rho / 1.2
    return pd.DataFrame({
        "turbine": np.repeat(np.arange(farm.turbines), farm.hours),
        "wind": wind.astype("float32"),
        "density": rho.astype("float32"),
        "power": (power + rng.normal(0, 0.03, n)).astype("float32"),
    })


def add_reference(df: pd.DataFrame) -> pd.DataFrame:
    """Capacity factor of the turbine, used to scale its residuals."""
    ref = {k: float(np.sqrt(np.mean(np.square(p)))) for k, p in df.groupby("turbine")["power"]}
    return df.assign(scale=df["turbine"].map(ref))


def tensors(df: pd.DataFrame):
    x = np.stack([(df.wind - 8) / 4, (df.density - 1.2) / 0.03], axis=1)
    return tf.constant(x), tf.constant(df.power.to_numpy()), tf.constant(df.scale.to_numpy())


class Member(tf.Module):
    def __init__(self, seed):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.w1 = tf.Variable(g.normal((2, 16)) * 0.5)
        self.b1 = tf.Variable(tf.zeros(16))
        self.w2 = tf.Variable(g.normal((16, 1)) * 0.2)

    def __call__(self, x):
        return tf.squeeze(tf.tanh(x @ self.w1 + self.b1) @ self.w2, axis=1)


def make_step(member, rate):
    @tf.function
    def step(x, power, scale):
        with tf.GradientTape() as tape:
            resid = (member(x) - power) / scale
            loss = tf.reduce_mean(tf.square(resid))
        for v, g in zip(member.trainable_variables, tape.gradient(loss, member.trainable_variables)):
            v.assign_sub(rate * g)
        return loss

    return step


def main():
    farm = Farm()
    df = add_reference(scada(farm))
    print(df.groupby("turbine")[["wind", "power"]].mean().round(2).to_string())
    x, power, scale = tensors(df)
    finals = []
    for k in range(farm.members):
        step = make_step(Member(k), rate=0.1)
        for _ in range(40):
            loss = step(x, power, scale)
        finals.append(float(loss))
        print(f"member {k} loss {finals[-1]:.4f}")
    print("ensemble", round(float(np.mean(finals)), 4))


if __name__ == "__main__":
    main()
