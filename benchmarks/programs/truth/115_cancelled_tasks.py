"""Race several solvers and cancel the losers."""
import asyncio
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(6)
A = rng.normal(size=(8, 8)) + 8 * np.eye(8)
MATRIX, RIGHT = tf.constant(A), tf.constant(rng.normal(size=(8, 1)))


async def direct():
    await asyncio.sleep(0)
    return "direct", tf.linalg.solve(MATRIX, RIGHT)


async def jacobi():
    x = tf.zeros_like(RIGHT)
    diagonal = tf.linalg.diag_part(MATRIX)[:, None]
    try:
        while True:
            x = x + (RIGHT - MATRIX @ x) / diagonal
            await asyncio.sleep(0.01)
    except asyncio.CancelledError:
        print("jacobi: CancelledError, stopped early")
        raise


async def impossible():
    await asyncio.sleep(0)
    return "cholesky", tf.linalg.inv(tf.zeros([2, 2]))


async def race():
    tasks = [asyncio.create_task(c()) for c in (jacobi, impossible, direct)]
    for done in asyncio.as_completed(tasks, timeout=20):
        try:
            name, x = await done
        except tf.errors.InvalidArgumentError as error:
            print("one solver failed:", error.message[-30:])
            continue
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return name, float(tf.reduce_max(tf.abs(MATRIX @ x - RIGHT)))


winner, residual = asyncio.run(race())
print("winner", winner, "residual ok", residual < 1e-9)
