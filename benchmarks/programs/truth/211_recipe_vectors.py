import os; os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import collections, tempfile
import numpy as np, tensorflow as tf

first_season = ["tomato basil garlic", "garlic onion beef", "flour egg sugar", "egg milk flour butter"]
second_season = first_season + ["miso tofu seaweed", "tofu ginger garlic rice"]


def vocabulary(recipes, min_count=1):
    counts = collections.Counter(w for r in recipes for w in r.split())
    return {w: i + 1 for i, w in enumerate(sorted(k for k, c in counts.items() if c >= min_count))}


class SkipGram(tf.Module):
    def __init__(self, n_words, dim=12, name=None):
        super().__init__(name=name)
        self.inner = tf.Variable(tf.random.normal([n_words, dim], stddev=0.1, seed=1), name="inner")
        self.outer = tf.Variable(tf.zeros([n_words, dim]), name="outer")
        self.steps = tf.Variable(0, dtype=tf.int64)

    def loss(self, centre, context):
        logits = tf.gather(self.inner, centre) @ tf.transpose(self.outer)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(context, logits))


def pairs(recipes, vocab):
    out = [(vocab[a], vocab[b]) for r in recipes for a in r.split() for b in r.split() if a != b]
    return np.array(out, "int32").T


def train(module, data, rate=0.5, epochs=30):
    centre, context = map(tf.constant, data)
    for _ in range(epochs):
        with tf.GradientTape() as tape:
            value = module.loss(centre, context)
        for v, g in zip([module.inner, module.outer], tape.gradient(value, [module.inner, module.outer])):
            v.assign_sub(rate * tf.convert_to_tensor(g))
        module.steps.assign_add(1)
    return float(value)


folder = tempfile.mkdtemp()
vocab = vocabulary(first_season)
model = SkipGram(len(vocab) + 1)
print("season 1 loss", train(model, pairs(first_season, vocab)))
manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), folder, max_to_keep=2)
manager.save()

vocab = vocabulary(second_season)
model = SkipGram(len(vocab) + 1)
status = tf.train.Checkpoint(model=model).restore(tf.train.latest_checkpoint(folder))
print("continuing after", int(model.steps), "steps")
print("season 2 loss", train(model, pairs(second_season, vocab)))
