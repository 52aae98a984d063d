import numpy as np
import tensorflow as tf

DIM, WORKERS, SIGMA, LR = 12, 16, 0.1, 0.05
GOAL = tf.constant(np.linspace(-1, 1, DIM).astype("float32"))


def perturbation(seed):
    return tf.random.stateless_normal((DIM,), seed=tf.stack([seed, 0]))


fast_perturbation = tf.function(perturbation, jit_compile=True)


def fitness(theta):
    return -tf.reduce_sum(tf.square(theta - GOAL))


@tf.function(jit_compile=True)
def worker(theta, seed):
    eps = fast_perturbation(seed)
    return fitness(theta + SIGMA * eps) - fitness(theta - SIGMA * eps)


def master(theta, seeds, scores):
    step = tf.zeros(DIM)
    for seed, score in zip(seeds, scores):
        step += score * fast_perturbation(seed)
    return theta + LR * step / (2 * SIGMA * WORKERS)


def train(generations=40):
    theta = tf.zeros(DIM)
    for g in range(generations):
        seeds = [tf.constant(1000 * g + k) for k in range(WORKERS)]
        scores = [worker(theta, s) for s in seeds]
        theta = master(theta, seeds, scores)
    return theta


theta = train()
print("final fitness %.4f" % float(fitness(theta)))
print("parameters", theta.numpy().round(2).tolist()[:4])
