"""The network, in two faces that share every weight."""

import functools
from dataclasses import dataclass

import keras
from keras import layers as kl

from . import layers, losses, params, simulate


@dataclass
class PtychoNet:
    trainer: keras.Model   # inputs -> detector amplitudes (B, C, N, N)
    viewer: keras.Model    # inputs -> canvases (B, M, M, 2)


def _conv(x, width, name):
    return kl.Conv2D(width, 3, padding="same", activation="gelu", name=name)(x)


def _encoder(x, width):
    x = _conv(x, width, "enc1")
    x = kl.AveragePooling2D(2, name="down1")(x)
    x = _conv(x, 2 * width, "enc2")
    x = kl.AveragePooling2D(2, name="down2")(x)
    return _conv(x, 4 * width, "enc3")


def _decoder(x, width):
    x = kl.UpSampling2D(2, name="up2")(x)
    x = _conv(x, 2 * width, "dec2")
    x = kl.UpSampling2D(2, name="up1")(x)
    return _conv(x, width, "dec1")


def _head(x, members, name):
    return kl.Conv2D(members, 3, padding="same", name=name)(x)


@functools.lru_cache(maxsize=None)
def build_network(width=None):
    """Builds and compiles the network for the published settings."""
    size, members = params.get("N"), params.members()
    width = width or params.get("width")
    keras.utils.set_random_seed(params.get("seed"))

    frames = keras.Input((members, size, size), name="frames")
    offsets = keras.Input((2, members), name="offsets")

    code = _encoder(layers.FramesLast(name="frames_last")(frames), width)
    image = _decoder(code, width)
    views = layers.PolarViews(name="views")(_head(image, members, "amp"), _head(image, members, "phi"))

    # a compiled step schedules its own memory: no chunks there
    limit = None if params.get("jit_step") else params.get("merge_limit")
    canvas = layers.MergeViews(members, limit, name="canvas")(views, offsets)
    if layers.merging_enabled():
        flat = layers.CutViews(members, size, name="cut")(canvas, offsets)
    else:
        flat = layers.FlatViews(name="flat")(views)
    detector = layers.FarField(members, simulate.probe(), name="far_field")(flat)

    inputs = {"frames": frames, "offsets": offsets}
    net = PtychoNet(
        trainer=keras.Model(inputs, detector, name="trainer"),
        viewer=keras.Model(inputs, canvas, name="viewer"),
    )
    net.trainer.compile(
        optimizer=keras.optimizers.Adam(params.get("learning_rate")),
        loss=losses.DetectorLoss(),
        metrics=[losses.r_factor],
        jit_compile=bool(params.get("jit_step")),
    )
    net.viewer.compile(jit_compile=False)
    return net
