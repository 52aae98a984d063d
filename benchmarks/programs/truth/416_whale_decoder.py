"""Seq2seq for whale-song units: teacher forcing with scheduled sampling, then beam search."""
import numpy as np
import tensorflow as tf

UNITS, DIM, BEAM, START, STOP, PAD = 10, 24, 3, 1, 2, 0


def songs(n=96, seed=12):
    """Source: theme vectors. Target: unit sequences of different length, padded."""
    rng = np.random.default_rng(seed)
    theme = rng.integers(3, UNITS, n)
    src = np.eye(UNITS, dtype="float32")[theme]
    seqs = [[START] + [3 + (t + k) % (UNITS - 3) for k in range(rng.integers(2, 7))] + [STOP] for t in theme]
    width = max(map(len, seqs))
    tgt = np.full((n, width), PAD, "int32")
    for i, s in enumerate(seqs):
        tgt[i, : len(s)] = s
    return src, tgt


class Decoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.bridge = tf.keras.layers.Dense(DIM, "tanh")
        self.emb = tf.keras.layers.Embedding(UNITS, DIM)
        self.cell = tf.keras.layers.GRUCell(DIM)
        self.out = tf.keras.layers.Dense(UNITS)

    def one(self, token, state):
        h, _ = self.cell(self.emb(token), state)
        return self.out(h), h

    def unroll(self, src, tgt, forced):
        steps = tf.shape(tgt)[1] - 1
        state = self.bridge(src)
        logits = tf.TensorArray(tf.float32, size=steps)

        def body(t, tok, state, logits):
            lg, state = self.one(tok, state)
            own = tf.argmax(lg, -1, output_type=tf.int32)
            use_truth = tf.random.uniform(tf.shape(own)) < forced
            tok = tf.where(use_truth, tgt[:, t + 1], own)
            return t + 1, tok, state, logits.write(t, lg)

        _, _, _, logits = tf.while_loop(
            lambda t, *_: t < steps, body, (0, tgt[:, 0], state, logits),
            maximum_iterations=tgt.shape[1], parallel_iterations=1,
        )
        return tf.transpose(logits.stack(), [1, 0, 2])


def masked(tgt, logits):
    gold = tgt[:, 1:]
    m = tf.cast(gold != PAD, tf.float32)
    ce = tf.nn.sparse_softmax_cross_entropy_with_logits(gold, logits)
    return tf.reduce_sum(ce * m) / tf.reduce_sum(m)


def beam(dec, src, limit=9):
    """Hypotheses grow by one unit per step and finish at different times; -inf marks dead ones."""
    state = tf.repeat(dec.bridge(src[None]), BEAM, 0)
    score = tf.constant([0.0] + [-np.inf] * (BEAM - 1))
    seqs = tf.fill((BEAM, 1), START)
    done = []
    for _ in range(limit):
        lg, new = dec.one(seqs[:, -1], state)
        total = score[:, None] + tf.nn.log_softmax(lg)
        val, idx = tf.math.top_k(tf.reshape(total, (-1,)), BEAM)
        parent, tok = idx // UNITS, idx % UNITS
        seqs = tf.concat([tf.gather(seqs, parent), tok[:, None]], 1)
        state = tf.gather(new, parent)
        stop = tok == STOP
        for k in np.flatnonzero(stop):
            done.append((float(val[k]) / seqs.shape[1], seqs[k].numpy().tolist()))
        score = tf.where(stop, -np.inf, val)
        if not np.isfinite(score).any():
            break
    return max(done) if done else (float("-inf"), [])


def main():
    tf.keras.utils.set_random_seed(2)
    src, tgt = songs()
    dec, opt = Decoder(), tf.keras.optimizers.Adam(0.02)

    @tf.function
    def step(src, tgt, forced):
        with tf.GradientTape() as tape:
            loss = masked(tgt, dec.unroll(src, tgt, forced))
        g = tape.gradient(loss, dec.trainable_variables)
        opt.apply_gradients(zip(g, dec.trainable_variables))
        return loss

    for e in range(30):
        loss = step(src, tgt, tf.constant(max(0.3, 1 - e / 30), tf.float32))
        if e % 10 == 9:
            print(f"epoch {e + 1} loss {float(loss):.3f}")
    for i in range(3):
        s, seq = beam(dec, src[i])
        print("theme", int(src[i].argmax()), "best", seq, "score", round(s, 3))
    print("one token, no time left:", beam(dec, src[0], limit=1)[0] <= 0)


if __name__ == "__main__":
    main()
