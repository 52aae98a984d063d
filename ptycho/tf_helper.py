"""Tensor operations of the model: layouts, translation, reassembly of patches, diffraction.

Functions call each other through this module's names when they run, so that each can be wrapped from outside.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from ptycho import params, plain_warp, projective_warp_xla

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


# --- switches ---------------------------------------------------------------------------------------------


def should_use_xla() -> bool:
    """Whether images are to be translated by the compiled warp.

    The environment variable USE_XLA_TRANSLATE decides if it is set, else `params.cfg['use_xla_translate']`.
    It is read while a layer is traced: a later change has no effect on existing traces.
    """
    value = os.environ.get("USE_XLA_TRANSLATE", "").strip().lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    if value:
        raise ValueError(f"USE_XLA_TRANSLATE={value!r}: expected one of {', '.join(_TRUE + _FALSE)}")
    return bool(params.get("use_xla_translate"))


# --- layouts ----------------------------------------------------------------------------------------------


def _channel_to_flat(channels: tf.Tensor) -> tf.Tensor:
    """(B N N C) -> (B*C N N 1); item `b*C + c` is channel c of row b."""
    moved = tf.transpose(channels, [0, 3, 1, 2])
    height, width = _side(channels, 1), _side(channels, 2)
    return tf.reshape(moved, [-1, height, width, 1])


def _flat_to_channel(flat: tf.Tensor, channels: int) -> tf.Tensor:
    """(B*C N N 1) -> (B N N C), the inverse of `_channel_to_flat`; `channels` is C."""
    height, width = _side(flat, 1), _side(flat, 2)
    return tf.transpose(tf.reshape(flat, [-1, channels, height, width]), [0, 2, 3, 1])


def flatten_offsets(offsets: tf.Tensor) -> tf.Tensor:
    """(B 1 2 C) -> (B*C 2), in the order of `_channel_to_flat`."""
    return _channel_to_flat(offsets)[:, 0, :, 0]


def _side(tensor: tf.Tensor, axis: int) -> int | tf.Tensor:
    """Size along an axis, as a number where it is known."""
    known = tensor.shape[axis]
    return tf.shape(tensor)[axis] if known is None else known


def pad_patches(patches: tf.Tensor, padded_size: int | None = None) -> tf.Tensor:
    """(K N N 1) -> (K P P 1), zeros around; P is `padded_size` or `params.get_padded_size()`."""
    size = params.get_padded_size() if padded_size is None else padded_size
    before = (size - patches.shape[1]) // 2
    after = size - patches.shape[1] - before
    return tf.pad(patches, [[0, 0], [before, after], [before, after], [0, 0]])


def crop_center(images: tf.Tensor, size: int) -> tf.Tensor:
    """(K P P c) -> (K size size c), the inverse of `pad_patches`."""
    before = (images.shape[1] - size) // 2
    return images[:, before : before + size, before : before + size, :]


# --- translation ------------------------------------------------------------------------------------------


def translate(imgs: tf.Tensor, offsets: tf.Tensor, use_xla: bool | None = None) -> tf.Tensor:
    """Move each image by its own offset, bilinearly; zeros come in at the border.

    Args:
        imgs: (K H W 1), real or complex.
        offsets: (K 2), (dx, dy) in pixels; positive moves the content right and down.
        use_xla: compiled warp or plain operations; None asks `should_use_xla()`.

    Returns:
        (K H W 1) of the dtype of `imgs`.

    """
    imgs, offsets = tf.convert_to_tensor(imgs), tf.convert_to_tensor(offsets)
    return translate_core(imgs, offsets, should_use_xla() if use_xla is None else use_xla)


def translate_core(images: tf.Tensor, translations: tf.Tensor, use_xla: bool) -> tf.Tensor:
    """`translate` with the path decided. Complex images are moved as two real ones."""
    if images.dtype.is_complex:
        real = translate_core(tf.math.real(images), translations, use_xla)
        imag = translate_core(tf.math.imag(images), translations, use_xla)
        return tf.complex(real, imag)
    if use_xla:
        return projective_warp_xla.translate_xla(images, translations)
    return plain_warp.translate_plain(images, translations)


@keras.saving.register_keras_serializable(package="ptycho")
class Translation(keras.layers.Layer):
    """[(K H W 1), (K 2)] -> (K H W 1): each image moved by its offset, see `translate`.

    `use_xla` fixes the path; None, the default, leaves it to the settings at the time of tracing.
    """

    def __init__(self, use_xla: bool | None = None, **kwargs) -> None:
        super().__init__(**kwargs)
        self.use_xla = use_xla

    def call(self, inputs):
        """See the class."""
        imgs, offsets = inputs
        return translate(imgs, offsets, use_xla=self.use_xla)

    def get_config(self):
        """Constructor arguments."""
        return {**super().get_config(), "use_xla": self.use_xla}


# --- reassembly of a group --------------------------------------------------------------------------------

Move = Callable[[list[tf.Tensor]], tf.Tensor]  # ([images, offsets]) -> images, such as a Translation layer


def mk_reassemble_position_batched_real(
    input_positions: tf.Tensor, padded_size: int | None = None, translation: Move | None = None
) -> Callable[[tf.Tensor], tf.Tensor]:
    """Make the function that sums real patches (B N N C) at `input_positions` (B 1 2 C) into (B P P 1)."""
    size = params.get_padded_size() if padded_size is None else padded_size
    move = Translation() if translation is None else translation

    def reassemble_patches_position_batched_real(imgs: tf.Tensor) -> tf.Tensor:
        return _reassemble_position_batched(imgs, input_positions, size, move)

    return reassemble_patches_position_batched_real


def _reassemble_position_batched(
    imgs: tf.Tensor, offsets_xy: tf.Tensor, padded_size: int, translation: Move
) -> tf.Tensor:
    """Sum the patches of each group at their positions.

    Args:
        imgs: (B N N C) real.
        offsets_xy: (B 1 2 C), (x, y) of each patch's centre, in pixels from its group's centre.
        padded_size: P.
        translation: moves images, such as a `Translation` layer.

    Returns:
        (B P P 1): one canvas per group.

    """
    channels = imgs.shape[-1]
    offsets_flat = flatten_offsets(offsets_xy)
    imgs_flat = _channel_to_flat(imgs)
    padded = pad_patches(imgs_flat, padded_size)
    moved = translation([padded, offsets_flat])
    return tf.reduce_sum(_flat_to_channel(moved, channels), axis=-1, keepdims=True)


def reassemble_patches(
    patches: tf.Tensor, fn_reassemble_real: Callable[[tf.Tensor], tf.Tensor], eps: float = 1e-3
) -> tf.Tensor:
    """Merge complex patches (B N N C) into one object per group (B P P 1), averaging where they overlap.

    `fn_reassemble_real` comes from `mk_reassemble_position_batched_real`. Where no patch lies the result is
    0; at a coverage far below `eps` (sub-pixel slivers at the rim) it falls to 0.
    """
    real = fn_reassemble_real(tf.math.real(patches))
    imag = fn_reassemble_real(tf.math.imag(patches))
    coverage = fn_reassemble_real(tf.ones_like(tf.math.real(patches)))
    return tf.complex(real / (coverage + eps), imag / (coverage + eps))


# --- reassembly of the whole object -----------------------------------------------------------------------


def reassemble_position(
    objects: tf.Tensor, offsets: tf.Tensor, central: int | None = None, weights: np.ndarray | None = None
) -> tuple[tf.Tensor, tf.Tensor, tuple[float, float]]:
    """Stitch the objects of all groups into one.

    Args:
        objects: (K P P 1) complex.
        offsets: (K 1 2 1), (x, y) of each one's centre, in pixels.
        central: side H of the central square of each object that is used; None uses all of it.
        weights: (H H) of the pixels of each, such as the intensity of the probe; None weighs all alike.

    Returns:
        `(object (M L), coverage (M L), (x, y) of the centre of pixel [0, 0])`; the weighted mean where objects
        overlap, 0 where there is none. The coverage is the sum of the weights.

    """
    if central is not None:
        objects = crop_center(objects, central)
    total, coverage, origin = shift_and_sum(objects, flatten_offsets(offsets), weights=weights)
    return tf.math.divide_no_nan(total, tf.cast(coverage, total.dtype)), coverage, origin


def shift_and_sum(
    images: tf.Tensor, offsets: tf.Tensor, chunk: int = 512, weights: np.ndarray | None = None
) -> tuple[tf.Tensor, tf.Tensor, tuple[float, float]]:
    """Weighted sum of images (K H H 1) centred at `offsets` (K 2); for values, not for gradients.

    Images are moved by the fraction of a pixel, `chunk` of them at a time; whole pixels are a matter of where they
    are added. Time is linear in K; memory, beyond the images and the sum, does not depend on K.

    Returns:
        `(sum (M L), sum of the weights at each pixel (M L) float, (x, y) of pixel [0, 0])`, both whole numbers.
        Weights are (H H); None counts images.

    """
    offsets = np.asarray(offsets, np.float32)
    corners = offsets - np.float32((images.shape[1] - 1) / 2)
    whole = np.floor(corners)
    fractions = corners - whole
    first = whole.min(axis=0)
    places = (whole - first).astype(int)
    side = images.shape[1] + 1  # a fractional move needs one more pixel, on the right and below
    columns, rows = places.max(axis=0) + side
    light = tf.ones(images.shape[1:3]) if weights is None else tf.cast(weights, tf.float32)
    light = light[None, ..., None]
    total, coverage = np.zeros((rows, columns), np.float32), np.zeros((rows, columns), np.float32)
    room = [[0, 0], [0, 1], [0, 1], [0, 0]]
    for start in range(0, len(offsets), chunk):
        part, by = tf.convert_to_tensor(images[start : start + chunk]), fractions[start : start + chunk]
        total = total.astype(part.dtype.as_numpy_dtype, copy=False)
        moved = translate(tf.pad(part * tf.cast(light, part.dtype), room), by)[..., 0].numpy()
        counts = translate(tf.pad(tf.repeat(light, len(part), axis=0), room), by)[..., 0].numpy()
        for (x, y), image, count in zip(places[start : start + chunk], moved, counts, strict=True):
            total[y : y + side, x : x + side] += image
            coverage[y : y + side, x : x + side] += count
    return tf.constant(total), tf.constant(coverage), (float(first[0]), float(first[1]))


# --- diffraction ------------------------------------------------------------------------------------------


def diffract(exit_waves: tf.Tensor) -> tf.Tensor:
    """Far-field amplitude of exit waves, (B N N C) complex -> (B N N C) real, zero frequency in the centre.

    The transform is unitary: the squares of the amplitudes of a pattern add up to those of its exit wave.
    """
    channels = exit_waves.shape[-1]
    side = exit_waves.shape[1]
    flat = _channel_to_flat(exit_waves)[..., 0]
    spectrum = tf.signal.fftshift(tf.signal.fft2d(flat), axes=(1, 2))
    # the square root has no gradient at 0; 1e-12 is far below one photon
    amplitude = tf.sqrt(tf.math.real(spectrum) ** 2 + tf.math.imag(spectrum) ** 2 + 1e-12 * side**2) / side
    return _flat_to_channel(amplitude[..., None], channels)
