"""Fetch features asynchronously and score them."""
import asyncio
import numpy as np
import tensorflow as tf

SOURCES = {"profile": 4, "history": 6, "context": 3}
WEIGHTS = {name: tf.ones([width]) for name, width in SOURCES.items()}


class FeatureService:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    async def fetch(self, name, width):
        await asyncio.sleep(0.01 * width)
        values = self.rng.normal(size=width)
        return values if name != "history" else values[:-1]


async def score(service, name, width):
    values = await service.fetch(name, width)
    return float(tf.tensordot(tf.constant(values, tf.float32), WEIGHTS[name], 1))


async def main():
    service = FeatureService(5)
    async with asyncio.TaskGroup() as group:
        tasks = {n: group.create_task(score(service, n, w)) for n, w in SOURCES.items()}
    print({n: round(t.result(), 2) for n, t in tasks.items()})


if __name__ == "__main__":
    asyncio.run(main())
