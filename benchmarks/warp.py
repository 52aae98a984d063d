"""How fast images are moved, and their gradients: the warp of the model, against a four-corner gather, TensorFlow's own
`ImageProjectiveTransformV3`, a plain copy of the same arrays, and each of the warp's two passes alone.

All run in turn in each round, in one process; the median of the rounds counts. Each runs twice, and its second call
counts: the first finds the memory that another has left. Each is measured by the clock, and in
processor time (all threads), which other work on the machine changes little. GB/s are of processor time, and count each
array once: images in, images out, and with the gradient the upstream gradient in and the gradient out.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.figure import Figure

SHAPE = (1024, 78, 78, 1)
ROUNDS = 15
#: largest ratio of times that is allowed: "2 times as fast", "5 times as fast"
GATHER, TRANSFORM = 1 / 2, 1 / 5


def figures(rounds: int = ROUNDS, shape: tuple[int, ...] = SHAPE) -> list[Figure]:
    """Forward and forward with gradient, jit and plain, against each peer."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    found = []
    for gradient in (False, True):
        times = {}
        for path in ("jit", "plain"):
            times.update({(name, path): run for name, run in runs(shape, path, gradient).items()})
        clock, seconds = measure(times, rounds)
        what = f"[{', '.join(map(str, shape))}] forward{' + gradient' if gradient else ''}"
        size = 4 * shape[0] * shape[1] * shape[2] * shape[3] * (4 if gradient else 2) / 1e9
        speed = {key: size / value for key, value in seconds.items()}
        for path in ("jit", "plain"):
            name = f"warp {what}, {path}"
            # on the plain path the promise is the same numbers, not the speed
            limits = (GATHER, TRANSFORM) if path == "jit" else (None, None)
            for unit, each in (("ms", clock), ("ms of processor time", seconds)):
                own, gather, transform = (
                    each[key] * 1e3 for key in (("warp", path), ("gather", path), ("transform", "plain"))
                )
                found += [
                    Figure(name, own, unit, f"four-corner gather, {path}", gather, limits[0]),
                    Figure(name, own, unit, "ImageProjectiveTransformV3", transform, limits[1]),
                ]
            found += [
                Figure(f"{kind} {what}, {path}", speed[kind, path], "GB/s", f"copy, {path}", speed["copy", path])
                for kind in ("warp", "gather", "rows", "columns")
                if (kind, path) in speed
            ]
        found.append(
            Figure(
                f"ImageProjectiveTransformV3 {what}",
                speed["transform", "plain"],
                "GB/s",
                "copy, plain",
                speed["copy", "plain"],
            )
        )
    return found


def runs(shape: tuple[int, ...], path: str, gradient: bool) -> dict[str, Callable[[], Any]]:
    """What is timed, by name: each is checked against the first before."""
    import numpy as np
    import tensorflow as tf

    from benchmarks import _four_corners
    from ptycho import plain_warp, projective_warp_xla

    rng = np.random.default_rng(0)
    images, upstream = (tf.constant(rng.random(shape, np.float32)) for _ in range(2))
    shifts = tf.constant(rng.uniform(-5, 5, (shape[0], 2)).astype(np.float32))

    def transform(images: tf.Tensor, shifts: tf.Tensor) -> tf.Tensor:
        zero, one = tf.zeros_like(shifts[:, 0]), tf.ones_like(shifts[:, 0])
        rows = [one, zero, -shifts[:, 0], zero, one, -shifts[:, 1], zero, zero]
        return tf.raw_ops.ImageProjectiveTransformV3(
            images=images,
            transforms=tf.stack(rows, axis=1),
            output_shape=shape[1:3],
            fill_value=0.0,
            interpolation="BILINEAR",
            fill_mode="CONSTANT",
        )

    def copy(images: tf.Tensor, shifts: tf.Tensor) -> tf.Tensor:
        return images + 1.0

    own = projective_warp_xla.projective_warp_xla if path == "jit" else plain_warp.translate_plain
    kinds = {"warp": own, "gather": _four_corners.translate, "transform": transform, "copy": copy}
    if path == "jit":
        del kinds["transform"]  # XLA has no kernel of it
        if not gradient:
            kinds.update(rows=partial(one_pass, axis=1), columns=partial(one_pass, axis=2))

    def timed(kind: Callable[..., Any]) -> Callable[[], Any]:
        @tf.function(jit_compile=path == "jit")
        def both(images: tf.Tensor, shifts: tf.Tensor, upstream: tf.Tensor) -> Any:
            if kind is copy:
                return images + 1.0, upstream + 1.0
            with tf.GradientTape() as tape:
                tape.watch(images)
                moved = kind(images, shifts)
            return moved, tape.gradient(moved, images, output_gradients=upstream)

        @tf.function(jit_compile=path == "jit")
        def once(images: tf.Tensor, shifts: tf.Tensor) -> Any:
            return kind(images, shifts)

        return (lambda: both(images, shifts, upstream)) if gradient else (lambda: once(images, shifts))

    made = {name: timed(kind) for name, kind in kinds.items()}
    expected = tf.nest.flatten(made["warp"]())
    for name in made.keys() & {"gather", "transform"}:
        for a, b in zip(expected, tf.nest.flatten(made[name]()), strict=True):
            np.testing.assert_allclose(a[:, 1:-1, 1:-1], b[:, 1:-1, 1:-1], atol=1e-4, err_msg=name)
    return made


def one_pass(images: Any, shifts: Any, axis: int) -> Any:
    """Half of the warp: along y (axis 1), or along x (axis 2)."""
    import tensorflow as tf

    from ptycho import projective_warp_xla

    only = tf.constant([[0.0, 1.0]] if axis == 1 else [[1.0, 0.0]]) * shifts
    rows, columns, fractions, inside = projective_warp_xla._source(images, only)
    fraction, (near, far) = fractions[2 - axis], inside[2 - axis]
    moved = 0.0
    for number, weight in enumerate(((1 - fraction) * near, fraction * far)):
        indices = (rows + number, None) if axis == 1 else (None, columns + number)
        gathered = projective_warp_xla._gather_bhw(images, *indices)[..., 0]
        moved += tf.expand_dims(weight, 3 - axis) * gathered
    return moved


def measure(made: dict[Any, Callable[[], Any]], rounds: int) -> tuple[dict[Any, float], dict[Any, float]]:
    """Median seconds of each, by the clock and of processor time; all in turn in each round, the first not counted."""
    times: dict[Any, list[tuple[float, float]]] = {key: [] for key in made}
    for number in range(rounds + 1):
        for key, run in made.items():
            run()
            started = time.perf_counter(), time.process_time()
            run()
            if number:
                times[key].append((time.perf_counter() - started[0], time.process_time() - started[1]))
    clock, processor = (
        {key: statistics.median(spent[i] for spent in each) for key, each in times.items()} for i in (0, 1)
    )
    return clock, processor
