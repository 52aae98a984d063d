import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf
import numpy as np


def cost_matrix(a_xy, b_xy):
    diff = a_xy[:, None, :] - b_xy[None, :, :]
    return tf.reduce_sum(diff ** 2, axis=-1)


def sinkhorn(a, b, cost, eps=0.1, tol=1e-4, max_iter=100):
    kernel = tf.exp(-cost / eps)
    n = tf.shape(cost)[1]
    u = tf.ones((n, 1))
    v = tf.ones_like(b)

    def keep_going(i, u, v, gap):
        return tf.logical_and(i < max_iter, gap > tol)

    def sweep(i, u, v, gap):
        v = b / tf.matmul(kernel, u, transpose_a=True)
        new_u = a / tf.matmul(kernel, v)
        return i + 1, new_u, v, tf.reduce_max(tf.abs(new_u - u))

    i, u, v, gap = tf.while_loop(keep_going, sweep, [tf.constant(0), u, v, tf.constant(1.0)])
    plan = u * kernel * tf.transpose(v)
    return plan, i


rng = np.random.default_rng(13)
depots = tf.constant(rng.uniform(0, 1, (8, 2)), tf.float32)
shops = tf.constant(rng.uniform(0, 1, (13, 2)), tf.float32)
supply = tf.fill((8, 1), 1.0 / 8)
demand = rng.dirichlet(np.ones(13)).astype("float32").reshape(-1, 1)

solve = tf.function(sinkhorn)
plan, iters = solve(supply, tf.constant(demand), cost_matrix(depots, shops))
print("iterations", int(iters))
print("row error ", float(tf.reduce_max(tf.abs(tf.reduce_sum(plan, 1, keepdims=True) - supply))))
print("total     ", float(tf.reduce_sum(plan)))
