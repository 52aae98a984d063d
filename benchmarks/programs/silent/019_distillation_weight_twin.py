import numpy as np
import tensorflow as tf

TEMP = 2.0


def logits(n=50, classes=6, seed=0):
    rng = np.random.default_rng(seed)
    sharp = np.linspace(0.1, 6.0, n)[:, None]
    teacher = sharp * rng.normal(size=(n, classes))
    student = 0.3 * teacher + rng.normal(size=(n, classes))
    return teacher.astype("float32"), student.astype("float32")


def soft_divergence(teacher, student):
    p = tf.nn.softmax(teacher / TEMP)
    gap = tf.nn.log_softmax(teacher / TEMP) - tf.nn.log_softmax(student / TEMP)
    return tf.reduce_sum(p * gap, axis=-1, keepdims=True)


def confidence(teacher):
    return tf.reduce_max(tf.nn.softmax(teacher), axis=-1, keepdims=True)


@tf.function(jit_compile=True)
def distill_loss(teacher, student):
    weight = confidence(teacher)
    kl = soft_divergence(teacher, student)
    weighted = TEMP ** 2 * weight * kl
    return tf.reduce_mean(weighted)


teacher, student = (tf.constant(v) for v in logits())
print("distillation loss %.5f" % float(distill_loss(teacher, student)))
for shrink in (0.5, 1.0, 2.0):
    print("shrink %.1f -> %.5f" % (shrink, float(distill_loss(teacher, student * shrink))))
