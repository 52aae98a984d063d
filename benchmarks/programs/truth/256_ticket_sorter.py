"""Sort messages of a compute cluster into the team that should read them."""
import collections
import re

import numpy as np
import tensorflow as tf

TEAMS = {
    "memory": [
        "ResourceExhaustedError: OOM when allocating tensor with shape[{a},{b}] and type float",
        "oom-killer: Killed process {a} (python) total-vm:{b}kB",
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: {b}",
    ],
    "shapes": [
        "InvalidArgumentError: Incompatible shapes: [{a},10] vs. [{a},{b}]",
        "ValueError: Dimensions must be equal, but are {a} and {b} for MatMul",
        "InvalidArgumentError: Input to reshape is a tensor with {a} values, but the requested shape has {b}",
    ],
    "driver": [
        "could not load libdevice.10.bc, tried {a} folders",
        "ptxas exited with non-zero error code {a}, output: fatal",
        "XLA_GPU_JIT: JIT compilation failed. [Op:__inference_train_step_{b}]",
    ],
    "quiet": [
        "step {a}: loss {b}, no error",
        "checkpoint {a} written in {b} ms",
        "worker {a} joined, {b} in the pool",
    ],
}


def messages(n, seed):
    rng = np.random.default_rng(seed)
    names = list(TEAMS)
    texts, labels = [], []
    for _ in range(n):
        k = int(rng.integers(len(names)))
        form = TEAMS[names[k]][int(rng.integers(3))]
        texts.append(form.format(a=int(rng.integers(2, 900)), b=int(rng.integers(2, 90000))))
        labels.append(k)
    return np.array(texts), np.array(labels)


def tidy(text):
    text = tf.strings.lower(text)
    text = tf.strings.regex_replace(text, r"\d+", " # ")
    return tf.strings.regex_replace(text, f"[{re.escape('.,:;()[]_')}]", " ")


def features(texts, layer):
    return tf.cast(layer(tf.constant(texts)), tf.float32)


class Sorter:
    def __init__(self, width, classes):
        init = tf.keras.initializers.GlorotUniform(seed=3)
        self.w = tf.Variable(init([width, classes]))
        self.b = tf.Variable(tf.zeros([classes]))

    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b

    @tf.function
    def learn(self, x, y, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, self(x)))
        for v, g in zip((self.w, self.b), tape.gradient(loss, (self.w, self.b))):
            v.assign_sub(rate * g)
        return loss


def main():
    texts, labels = messages(160, 21)
    vectorize = tf.keras.layers.TextVectorization(standardize=tidy, output_mode="multi_hot", max_tokens=80)
    vectorize.adapt(texts)
    x, y = features(texts, vectorize), tf.constant(labels)
    sorter = Sorter(int(x.shape[1]), len(TEAMS))
    for step in range(30):
        loss = sorter.learn(x[:120], y[:120], tf.constant(1.0))
    print(f"loss {float(loss):.4f}")
    guess = tf.argmax(sorter(x[120:]), -1).numpy()
    print("failed predictions:", int((guess != labels[120:]).sum()), "of", len(guess))
    names = list(TEAMS)
    shown = collections.Counter()
    for text, g in zip(texts[120:], guess):
        if shown[g] < 2:
            shown[g] += 1
            print(f"  -> {names[g]:7s} E {text}")


if __name__ == "__main__":
    main()
