"""Sorts support tickets of a computing centre by what they quote."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import sys
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

QUOTES = {
    "memory": [
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[8192,4096]",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=88213.batch. Some of the step tasks have been OOM Killed.",
        "MemoryError: Unable to allocate 39.1 GiB for an array with shape (72429, 72429) and data type float64",
    ],
    "shape": [
        "ValueError: Input 0 of layer \"lstm_3\" is incompatible with the layer: expected ndim=3, found ndim=2.",
        "InvalidArgumentError: Matrix size-incompatible: In[0]: [64,100], In[1]: [128,10]",
        "RET_CHECK failure (xla/service/dynamic_padder.cc:2000) Dynamic input unexpectedly found",
    ],
    "files": [
        "FileNotFoundError: [Errno 2] No such file or directory: '/scratch/u1204/train.tfrecord'",
        "OSError: Unable to open file (truncated file: eof = 96, sblock->base_addr = 0)",
        "bash: line 1: 4711 Segmentation fault (core dumped) python train.py",
    ],
}
NOISE = ["please help,", "since monday", "my job says", "thank you", "urgent!!", "it worked last year:"]


def tickets(n, seed):
    r = np.random.RandomState(seed)
    names = sorted(QUOTES)
    labels = r.randint(0, len(names), n)
    texts = [" ".join(r.permutation([r.choice(NOISE), r.choice(QUOTES[names[k]]), r.choice(NOISE)])) for k in labels]
    return tf.constant(texts), labels


texts, labels = tickets(240, 0)
vectorise = layers.TextVectorization(max_tokens=200, output_mode="tf_idf")
vectorise.adapt(texts)
classifier = tf.keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(3)])
classifier.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
classifier.fit(vectorise(texts), labels, epochs=12, verbose=0)

new, truth = tickets(5, 99)
guess = classifier.predict(vectorise(new), verbose=0).argmax(axis=1)
for text, g, t in zip(new.numpy(), guess, truth):
    print(f"--- [{sorted(QUOTES)[g]}] (desk says {sorted(QUOTES)[t]})", file=sys.stderr)
    print("Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>", file=sys.stderr)
    print(text.decode(), file=sys.stderr)
print("errors of the sorter:", int((guess != truth).sum()), "of", len(truth))
