"""Recipe embedding: mean of the ingredient vectors."""
import tensorflow as tf


class TasteError(RuntimeError):
    """Something went wrong for a recipe; the message names it."""


class TasteSpace(tf.Module):
    def __init__(self, size, dim=8, seed=1):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.table = tf.Variable(g.normal((size, dim)) * 0.1, name="table")

    def embed(self, ids):
        vec = tf.gather(self.table, ids)
        mask = tf.cast(tf.not_equal(ids, 0), tf.float32)[:, None]
        return tf.reduce_sum(vec * mask, 0) / tf.maximum(tf.reduce_sum(mask), 1.0)


def embed_all(space, coded, names):
    out = []
    for name, ids in zip(names, coded):
        try:
            out.append(space.embed(tf.constant(ids)))
        except tf.errors.OpError as err:
            raise TasteError(f"recipe {name!r} has no embedding") from err
    return tf.stack(out)
