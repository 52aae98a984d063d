"""The warp that XLA compiles: bilinear, zero outside the image.

The model needs only translations, each as a pair (dx, dy). Split once for each image into a whole and a fractional
part, it loses no precision on large canvases. The same shift as a homography for each pixel does.
"""

from __future__ import annotations

import tensorflow as tf


def translate_xla(images: tf.Tensor, translations: tf.Tensor, use_jit: bool = True) -> tf.Tensor:
    """Move each image by its own translation.

    Args:
        images: (K H W c) real.
        translations: (K 2), (dx, dy) in pixels; positive moves the content right and down.
        use_jit: compile the warp by itself. False leaves it to an enclosing function.

    Returns:
        (K H W c), `out[k, y, x] = images[k, y - dy, x - dx]`.

    """
    translations = tf.cast(translations, images.dtype)
    if use_jit:
        return projective_warp_xla_jit(images, translations)
    return projective_warp_xla(images, translations)


@tf.function(jit_compile=True)
def projective_warp_xla_jit(images: tf.Tensor, transforms: tf.Tensor) -> tf.Tensor:
    """`projective_warp_xla`, compiled by XLA whatever TF_XLA_FLAGS say."""
    return projective_warp_xla(images, transforms)


@tf.custom_gradient
def projective_warp_xla(images: tf.Tensor, transforms: tf.Tensor):
    """Resample images on the grids that the transforms describe.

    The gradient for the images is the translation back, exactly so, because bilinear weights depend on the
    distance only: it costs no more than the warp. The gradient of a gather would be a scatter.

    Args:
        images: (K H W c) real.
        transforms: (K 2), the translation (dx, dy) of each image.

    Returns:
        (K H W c) of the dtype of `images`.

    """
    rows, columns, fractions, inside = _source(images, transforms)
    (fx, fy), ((x0, x1), (y0, y1)) = fractions, inside
    across, down = ((1 - fx) * x0, fx * x1), ((1 - fy) * y0, fy * y1)

    def gradient(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        by_dx = _blend(images, rows, columns, down, (x0, -x1)) * upstream
        by_dy = _blend(images, rows, columns, (y0, -y1), across) * upstream
        back = projective_warp_xla(upstream, -transforms)
        return back, tf.reduce_sum(tf.stack([by_dx, by_dy], axis=-1), axis=[1, 2, 3])

    return _blend(images, rows, columns, down, across), gradient


def _source(images: tf.Tensor, translations: tf.Tensor):
    """Where each output pixel comes from.

    Returns:
        First row (K H) and first column (K W) int32 to read; the fractions of a pixel (K 1) along x and y
        beyond them; and, along x and y, 1 or 0 as the first and the next column or row lie inside the image
        or not.

    """
    whole = tf.floor(-translations)
    fraction = -translations - whole
    whole = tf.cast(whole, tf.int32)
    height, width = tf.shape(images)[1], tf.shape(images)[2]
    columns = tf.range(width)[None, :] + whole[:, 0:1]
    rows = tf.range(height)[None, :] + whole[:, 1:2]

    def inside(first: tf.Tensor, size: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tuple(tf.cast((i >= 0) & (i < size), images.dtype) for i in (first, first + 1))

    return rows, columns, (fraction[:, 0:1], fraction[:, 1:2]), (inside(columns, width), inside(rows, height))


def _blend(images: tf.Tensor, rows: tf.Tensor, columns: tf.Tensor, down, across) -> tf.Tensor:
    """Weighted sum of the four neighbours of each source point: first along y, then along x.

    Args:
        images: (K H W c).
        rows: (K H) int32, first row to read.
        columns: (K W) int32, first column to read.
        down: weights (K H) of the first and of the next row, 0 outside of the image.
        across: weights (K W) of the first and of the next column, 0 outside of the image.

    Returns:
        (K H W c).

    """
    shape = tf.shape(images)
    last = [] if images.shape[-1] == 1 else [images.shape[-1]]  # without an axis of 1 XLA keeps rows contiguous
    size = [shape[0], shape[1], shape[2]]
    height, width = (shape[axis] if images.shape[axis] is None else images.shape[axis] for axis in (1, 2))
    one_row, one_column = tf.ones([1, height, 1], images.dtype), tf.ones([1, 1, width], images.dtype)

    def spread(weights: tf.Tensor) -> tf.Tensor:
        # the batch is that of the images, also where it is dynamic
        return tf.reshape(weights, size + [1] * len(last))

    down = [spread(weights[:, :, None] * one_column) for weights in down]
    across = [spread(weights[:, None, :] * one_row) for weights in across]
    # weights first: where images and translations differ in number, it is a reshape of whole images that says so
    with tf.control_dependencies([*down, *across]):
        mixed = sum(down[i] * tf.reshape(_gather_bhw(images, rows + i, None), size + last) for i in (0, 1))
        mixed = tf.reshape(mixed, shape)
        result = sum(across[j] * tf.reshape(_gather_bhw(mixed, None, columns + j), size + last) for j in (0, 1))
    return tf.reshape(result, shape)


def _gather_bhw(images: tf.Tensor, rows: tf.Tensor | None, columns: tf.Tensor | None) -> tf.Tensor:
    """Pixels of each image at the given rows and columns, the nearest one where these lie outside.

    Args:
        images: (K H W c).
        rows: (K H) int32, row to read for each output row; None leaves rows where they are.
        columns: (K W) int32, column to read for each output column; None leaves columns where they are.

    Returns:
        (K H W c).

    """
    single = images.shape[-1] == 1
    if single:  # without the last axis XLA keeps rows contiguous
        images = tf.squeeze(images, axis=-1)
    for axis, index in ((1, rows), (2, columns)):
        if index is not None:
            length = tf.shape(images)[axis]
            index = tf.reshape(tf.clip_by_value(index, 0, length - 1), [tf.shape(images)[0], length])
            images = tf.gather(images, index, axis=axis, batch_dims=1)
    return images[..., None] if single else images
