"""Report 003's program: an encoder trained in a TF1-style session to match a prior, by maximum mean discrepancy.

Each setting that the report names is a switch, so that all of its combinations can be run and audited. The node
of its message is `enc_1/MaximumMeanDiscrepancy/Exp`.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from ptycho.faults.registry import Program

NODE = "enc_1/MaximumMeanDiscrepancy/Exp"
SIGMAS = (1e-3, 1e-2, 0.1, 1.0, 5.0, 10.0, 25.0, 100.0)

PROGRAM = Program(
    name="mmd-session",
    reports="003",
    mechanism="""A session program with a Gaussian-kernel MMD loss in float64, whose sigmas are float32 constants and
    cast later. The message of the report comes from TensorFlow's generated GPU kernels, when the one for Exp cannot be
    compiled at its first use (libdevice or ptxas not found); none of the settings that the report
    changed takes part in that.""",
    expected="""On a CPU no error, whatever the settings: the message is in no CPU build of TensorFlow. Losses with
    float32 and float64 sigmas differ by about 1e-10 (rounding of the sigmas), with the other settings by less than
    1e-12. On a GPU where libdevice is not found: UnknownError: JIT compilation failed. [[{{node
    enc_1/MaximumMeanDiscrepancy/Exp}}]] (not measured here: no GPU).""",
    command="python -m ptycho.faults.mmd_session",
)


@dataclass(frozen=True)
class Settings:
    """What the report changed, layer by layer; None leaves TensorFlow's default.

    Attributes:
        sigmas_dtype: "float32" as it was, "float64" as it was changed to (layer 2).
        global_jit_level: "off", "on-1" or "on-2" (layer 3).
        common_subexpression_elimination: of the optimizer options (layer 4), as are the next two.
        function_inlining: see there.
        constant_folding: see there.
        meta_optimizer: False disables it (layer 4, rewriter), as are the next three.
        rewrite_constant_folding: see there.
        arithmetic_optimization: see there.
        layout_optimizer: see there.

    """

    sigmas_dtype: str = "float32"
    global_jit_level: str | None = None
    common_subexpression_elimination: bool | None = None
    function_inlining: bool | None = None
    constant_folding: bool | None = None
    meta_optimizer: bool | None = None
    rewrite_constant_folding: bool | None = None
    arithmetic_optimization: bool | None = None
    layout_optimizer: bool | None = None

    def __str__(self) -> str:
        chosen = {item.name: getattr(self, item.name) for item in fields(self)}
        return ", ".join(f"{name}={value}" for name, value in chosen.items() if value is not None)


SWITCHES = tuple(item.name for item in fields(Settings) if item.name not in ("sigmas_dtype", "global_jit_level"))

#: Everything that the report's fix sets in the program (layers 2 to 4).
REPORTED_FIX = Settings("float64", "off", **dict.fromkeys(SWITCHES, False))


def every_combination() -> Iterator[Settings]:
    """All 768 combinations of the switches, on and off, three jit levels and two dtypes."""
    for dtype, level, *values in itertools.product(
        ("float32", "float64"), ("off", "on-1", "on-2"), *[(False, True)] * len(SWITCHES)
    ):
        yield Settings(dtype, level, **dict(zip(SWITCHES, values, strict=True)))


def one_at_a_time() -> Iterator[Settings]:
    """The defaults, each single change to them, and the report's fix."""
    yield Settings()
    yield Settings(sigmas_dtype="float64")
    yield from (Settings(global_jit_level=level) for level in ("off", "on-1", "on-2"))
    yield from (replace(Settings(), **{name: value}) for name in SWITCHES for value in (False, True))
    yield REPORTED_FIX


def config_proto(settings: Settings) -> Any:
    """The settings as a ConfigProto."""
    import tensorflow as tf
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig

    config = tf.compat.v1.ConfigProto()
    optimizer, rewriter = config.graph_options.optimizer_options, config.graph_options.rewrite_options
    if settings.global_jit_level:
        levels = {"off": "OFF", "on-1": "ON_1", "on-2": "ON_2"}
        optimizer.global_jit_level = getattr(tf.compat.v1.OptimizerOptions, levels[settings.global_jit_level])
    for name in ("common_subexpression_elimination", "function_inlining", "constant_folding"):
        if getattr(settings, name) is not None:
            setattr(optimizer, f"do_{name}", getattr(settings, name))
    if settings.meta_optimizer is not None:
        rewriter.disable_meta_optimizer = not settings.meta_optimizer
    for name, key in (
        ("rewrite_constant_folding", "constant_folding"),
        ("arithmetic_optimization", "arithmetic_optimization"),
        ("layout_optimizer", "layout_optimizer"),
    ):
        if getattr(settings, name) is not None:
            setattr(rewriter, key, RewriterConfig.ON if getattr(settings, name) else RewriterConfig.OFF)
    return config


def maximum_mean_discrepancy(x: Any, y: Any, sigmas: Any) -> Any:
    """Squared MMD of two samples (K D) and (L D), with a sum of Gaussian kernels of variances `sigmas`."""
    import tensorflow as tf

    def kernel(a, b):
        distances = tf.reduce_sum(tf.square(a[:, None, :] - b[None, :, :]), axis=-1)
        exponents = distances[None] / (2 * tf.cast(sigmas, distances.dtype)[:, None, None])
        return tf.reduce_mean(tf.reduce_sum(tf.exp(-exponents), axis=0))

    with tf.name_scope("MaximumMeanDiscrepancy"):
        return kernel(x, x) + kernel(y, y) - 2 * kernel(x, y)


def run(settings: Settings, steps: int = 3, seed: int = 0) -> list[float]:
    """Train for some steps in a session of its own; the loss before each."""
    import numpy as np
    import tensorflow as tf

    v1 = tf.compat.v1
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(16, 6))
    with tf.Graph().as_default():
        inputs = v1.placeholder(tf.float64, [None, 6], name="inputs")
        prior = v1.placeholder(tf.float64, [None, 3], name="prior")
        weights = v1.get_variable("encoder/weights", initializer=tf.constant(rng.normal(size=(6, 3))))
        bias = v1.get_variable("encoder/bias", initializer=tf.zeros([3], tf.float64))
        with tf.name_scope("enc_1"):
            codes = tf.tanh(inputs @ weights + bias)
            loss = maximum_mean_discrepancy(codes, prior, tf.constant(SIGMAS, dtype=settings.sigmas_dtype))
        train = v1.train.AdamOptimizer(0.01).minimize(loss)
        losses = []
        with v1.Session(config=config_proto(settings)) as session:
            session.run(v1.global_variables_initializer())
            for _ in range(steps):
                feed = {inputs: data, prior: rng.normal(size=(16, 3))}
                losses.append(float(session.run([loss, train], feed)[0]))
    return losses


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ptycho.faults.mmd_session",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="With XLA for the whole graph, on a CPU:\n"
        "  python -m ptycho.faults.mmd_session --global-jit-level on-2 --tf-xla-flags=--tf_xla_cpu_global_jit",
    )
    add = parser.add_argument
    add("--steps", type=int, default=3, help="training steps (default 3)")
    add("--sigmas-dtype", choices=("float32", "float64"), default="float32", help="of the constants (default float32)")
    add("--global-jit-level", choices=("off", "on-1", "on-2"), help="of the session's optimizer options")
    for name in SWITCHES:
        add(f"--{name.replace('_', '-')}", choices=("on", "off"), help="of the session (default: TensorFlow's own)")
    add("--tf-xla-flags", metavar="FLAGS", help="set TF_XLA_FLAGS before TensorFlow is imported")
    add("--xla-devices", choices=("true", "false"), help="set TF_XLA_ENABLE_XLA_DEVICES before the import")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--reported-fix", action="store_true", help="everything that report 003 set, all four layers")
    group.add_argument("--one-at-a-time", action="store_true", help="run the defaults and each single change to them")
    group.add_argument("--every-combination", action="store_true", help="run all 768 of them")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run it, or all of it."""
    args = build_parser().parse_args(argv)
    flags, devices = args.tf_xla_flags, args.xla_devices
    if args.reported_fix:
        flags, devices = flags or "--tf_xla_auto_jit=0", devices or "false"
    if flags is not None:
        os.environ["TF_XLA_FLAGS"] = flags
    if devices is not None:
        os.environ["TF_XLA_ENABLE_XLA_DEVICES"] = devices

    on_off = {None: None, "on": True, "off": False}
    chosen = Settings(
        args.sigmas_dtype, args.global_jit_level, **{name: on_off[getattr(args, name)] for name in SWITCHES}
    )
    if args.every_combination or args.one_at_a_time:
        started, results = time.perf_counter(), {}
        for settings in every_combination() if args.every_combination else one_at_a_time():
            results[settings] = run(settings, args.steps)
            if args.one_at_a_time:
                print(f"{results[settings][-1]:.12f}  {settings}")
        last = [losses[-1] for losses in results.values()]
        print(f"{len(results)} combinations ran, {time.perf_counter() - started:.0f} s")
        print(f"loss after {args.steps} steps: {min(last):.12f} to {max(last):.12f}")
        return 0

    settings = REPORTED_FIX if args.reported_fix else chosen
    print(f"settings: {settings}", flush=True)
    for step, loss in enumerate(run(settings, args.steps)):
        print(f"step {step}: loss {loss:.12f}", flush=True)
    print(f"node {NODE} ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
