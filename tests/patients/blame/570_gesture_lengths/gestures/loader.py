import tensorflow as tf


class Loader:
    """Iterable over (signal, length, label) batches."""

    def __init__(self, recordings, transform, batch, shuffle=False, seed=0):
        self.items = [(transform(r.signal), r.label) for r in recordings]
        self.batch, self.shuffle, self.seed = batch, shuffle, seed
        self.dataset = self._make()

    def _generate(self):
        for signal, label in self.items:
            yield signal, len(signal), label

    def _make(self):
        signature = (
            tf.TensorSpec((None, 6), tf.float32),
            tf.TensorSpec((), tf.int32),
            tf.TensorSpec((), tf.int32),
        )
        ds = tf.data.Dataset.from_generator(self._generate, output_signature=signature)
        if self.shuffle:
            ds = ds.shuffle(len(self.items), seed=self.seed)
        return ds.batch(self.batch).prefetch(1)

    def __iter__(self):
        return iter(self.dataset)
