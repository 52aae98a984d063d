"""Draw from unequal streams until all of them are exhausted."""
import numpy as np
import tensorflow as tf


class Mixer:
    def __init__(self, streams, weights, seed):
        self.iterators = {name: iter(ds) for name, ds in streams.items()}
        self.weights = dict(weights)
        self.rng = np.random.default_rng(seed)
        self.ended = []

    def __iter__(self):
        while self.iterators:
            names = list(self.iterators)
            p = np.array([self.weights[n] for n in names])
            name = str(self.rng.choice(names, p=p / p.sum()))
            try:
                yield name, next(self.iterators[name])
            except StopIteration:
                del self.iterators[name]
                self.ended.append(name)
                print("end of sequence:", name)


def stream(values, batch):
    return tf.data.Dataset.from_tensor_slices(np.asarray(values, "float32")).batch(batch)


mixer = Mixer(
    {"web": stream(range(10), 4), "books": stream(range(100, 105), 2), "code": stream([7.0], 3)},
    {"web": 0.5, "books": 0.3, "code": 0.2}, seed=2)
total, batches = 0.0, 0
for name, batch in mixer:
    total += float(tf.reduce_sum(batch))
    batches += 1
iterator = iter(stream([1.0], 1))
iterator.get_next()
try:
    iterator.get_next()
except tf.errors.OutOfRangeError as error:
    print("OUT_OF_RANGE as expected:", type(error).__name__)
print("batches", batches, "total", total, "ended", mixer.ended)
assert batches == 7 and total == 45 + 510 + 7
