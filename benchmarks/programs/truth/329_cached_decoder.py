"""Greedy decoding with a preallocated key/value cache, compiled with XLA."""
import numpy as np
import tensorflow as tf

CONFIG = dict(vocab=40, width=24, heads=4, cache_len=16, prompt=6, new_tokens=8,
              batch=3, rope=False, seed=2)


class CachedAttention(tf.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = cfg["heads"]
        self.dim = cfg["width"] // cfg["heads"]
        rng = np.random.default_rng(cfg["seed"])
        shape = (cfg["width"], 3 * cfg["width"])
        self.qkv = tf.Variable((rng.normal(size=shape) * 0.1).astype("float32"))

    def split(self, x):
        b, t = x.shape[0], x.shape[1]
        return tf.transpose(tf.reshape(x, [b, t, self.heads, self.dim]), [0, 2, 1, 3])

    def __call__(self, x, cache_k, cache_v, pos):
        q, k, v = [self.split(p) for p in tf.split(tf.einsum("btw,wz->btz", x, self.qkv), 3, axis=-1)]
        used = pos + x.shape[1]
        past_k = cache_k[:, :, :pos]
        past_v = cache_v[:, :, :pos]
        keys = tf.concat([past_k, k], axis=2)
        values = tf.concat([past_v, v], axis=2)
        scores = tf.einsum("bhqd,bhkd->bhqk", q, keys) / self.dim ** 0.5
        out = tf.einsum("bhqk,bhkd->bhqd", tf.nn.softmax(scores), values)
        tail = cache_k.shape[2] - used
        cache_k = tf.ensure_shape(
            tf.pad(keys, [[0, 0], [0, 0], [0, tail], [0, 0]]), cache_k.shape)
        cache_v = tf.ensure_shape(
            tf.pad(values, [[0, 0], [0, 0], [0, tail], [0, 0]]), cache_v.shape)
        out = tf.reshape(tf.transpose(out, [0, 2, 1, 3]), x.shape)
        return out, cache_k, cache_v


class Decoder(tf.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        rng = np.random.default_rng(cfg["seed"] + 1)
        self.embed = tf.Variable(rng.normal(size=(cfg["vocab"], cfg["width"])).astype("float32"))
        self.attn = CachedAttention(cfg)

    def step(self, tokens, cache_k, cache_v, pos):
        x = tf.gather(self.embed, tokens)
        h, cache_k, cache_v = self.attn(x, cache_k, cache_v, pos)
        logits = tf.matmul(h[:, -1], self.embed, transpose_b=True)
        return tf.argmax(logits, axis=-1, output_type=tf.int32)[:, None], cache_k, cache_v

    def empty_cache(self):
        cfg = self.cfg
        return tf.zeros([cfg["batch"], cfg["heads"], cfg["cache_len"],
                         cfg["width"] // cfg["heads"]])

    @tf.function(jit_compile=True)
    def generate(self, prompt):
        cfg = self.cfg
        token, k, v = self.step(prompt, self.empty_cache(), self.empty_cache(), 0)
        out = tf.zeros([cfg["new_tokens"], cfg["batch"]], tf.int32)
        for i in tf.range(cfg["new_tokens"]):
            out = tf.tensor_scatter_nd_update(out, [[i]], tf.transpose(token))
            token, k, v = self.step(token, k, v, cfg["prompt"] + i)
        return tf.transpose(out)


def main():
    cfg = CONFIG
    rng = np.random.default_rng(9)
    prompt = tf.constant(rng.integers(0, cfg["vocab"], (cfg["batch"], cfg["prompt"])), tf.int32)
    dec = Decoder(cfg)
    print("cache", dec.empty_cache().shape, "prompt", prompt.shape)
    print("generated", dec.generate(prompt).numpy().tolist())


if __name__ == "__main__":
    main()
