"""Route support tickets to teams; vocabulary lookup sits inside the served function."""
import numpy as np
import tensorflow as tf

TEAMS = ["billing", "network", "hardware", "account"]
WORDS = ["refund", "invoice", "router", "packet", "screen", "fan", "login", "password"]
OPTIONS = {"compile": True, "oov_buckets": 2, "embed": 12}


def make_tickets(n, rng):
    team = rng.integers(0, len(TEAMS), size=n)
    first = np.array(WORDS)[team * 2]
    second = np.array(WORDS)[team * 2 + rng.integers(0, 2, size=n)]
    third = np.where(rng.random(n) < 0.2, "please", first)
    return np.stack([first, second, third], axis=1), team.astype("int32")


class TicketRouter(tf.Module):
    def __init__(self, options):
        super().__init__()
        init = tf.lookup.KeyValueTensorInitializer(
            tf.constant(WORDS), tf.range(len(WORDS), dtype=tf.int64))
        self.table = tf.lookup.StaticVocabularyTable(
            init, num_oov_buckets=options["oov_buckets"])
        rows = len(WORDS) + options["oov_buckets"]
        self.embed = tf.Variable(
            tf.random.stateless_normal([rows, options["embed"]], [1, 2]) * 0.1)
        self.out = tf.Variable(
            tf.random.stateless_normal([options["embed"], len(TEAMS)], [3, 4]) * 0.1)
        self.train_step = tf.function(self._train_step, jit_compile=options["compile"])

    def ids(self, words):
        return self.table.lookup(words)

    def logits(self, ids):
        return tf.reduce_mean(tf.gather(self.embed, ids), axis=1) @ self.out

    def _train_step(self, words, team, rate):
        ids = self.ids(words)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=team, logits=self.logits(ids)))
        variables = [self.embed, self.out]
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(rate * tf.convert_to_tensor(g))
        return loss


def main():
    rng = np.random.default_rng(11)
    words, team = make_tickets(64, rng)
    router = TicketRouter(OPTIONS)
    print("vocabulary size", int(router.table.size()))
    for epoch in range(5):
        loss = router.train_step(tf.constant(words), tf.constant(team), 0.5)
        print("epoch", epoch, "loss", round(float(loss), 4))
    pred = tf.argmax(router.logits(router.ids(tf.constant(words))), axis=1)
    print("accuracy", float(np.mean(pred.numpy() == team)))


if __name__ == "__main__":
    main()
