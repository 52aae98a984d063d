"""A checkout that is also called `ptycho` and is not ours: other internals, public names only partly there.

Everything that real research code does and a recorder trips over: decorators, a `tf.function` object and a
`tf.custom_gradient` in the place of functions, a closure, an `lru_cache` that is cleared, names by value before and
after, layers that ignore their constructor's arguments, a settings accessor that touches every key. Keras 2 and 3.
"""

from __future__ import annotations

N, GRIDSIZE = 16, 2
PADDED = N + (GRIDSIZE - 1) * 4 + 10

MISSING = {
    "ptycho.custom_layers:ExtractPatchesPositionLayer.call",
    "ptycho.tf_helper:_flat_to_channel",
    "ptycho.tf_helper:translate",
    "ptycho.projective_warp_xla:projective_warp_xla",
    "ptycho.projective_warp_xla:_gather_bhw",
}

FILES: dict[str, str] = {
    "ptycho/__init__.py": '__version__ = "0.0-foreign"\n',
    "ptycho/params.py": """
DEFAULTS = {"N": 16, "gridsize": 2, "offset": 4, "max_position_jitter": 10, "use_xla_translate": True, "batch_size": 8}
cfg = {"N": 16}

def ensure_defaults():
    for key, value in DEFAULTS.items():
        cfg.setdefault(key, value)
        if cfg[key] is None:
            cfg[key] = value

def get(key):
    ensure_defaults()
    return cfg[key]

def get_padded_size():
    return get("N") + (get("gridsize") - 1) * get("offset") + get("max_position_jitter")
""",
    "ptycho/projective_warp_xla.py": """
import tensorflow as tf

@tf.custom_gradient
def _shift(images, translations):
    rows = tf.cast(tf.round(translations), tf.int32)
    def one(pair):
        return tf.roll(pair[0], pair[1], axis=[0, 1])
    moved = tf.map_fn(one, (images, rows), fn_output_signature=images.dtype)
    def grad(upstream):
        back = tf.map_fn(one, (upstream, -rows), fn_output_signature=images.dtype)
        return back, tf.zeros_like(translations)
    return moved, grad

@tf.function(reduce_retracing=True)
def translate_xla(images, translations):
    return _shift(images, translations)
""",
    "ptycho/tf_helper.py": """
import functools
import tensorflow as tf
from . import params
from .params import cfg as _cfg                       # by value
from .projective_warp_xla import translate_xla as _go

def logged(function):
    calls = []
    @functools.wraps(function)
    def inner(*args, **kwargs):
        calls.append(function.__name__)
        return function(*args, **kwargs)
    inner.calls = calls
    return inner

@functools.lru_cache(maxsize=None)
def should_use_xla():
    return bool(params.get("use_xla_translate"))

@logged
@logged
def _channel_to_flat(img):
    channels = img.shape[-1]
    size = tf.shape(img)
    return tf.reshape(tf.transpose(img, [0, 3, 1, 2]), [size[0] * channels, size[1], size[2], 1])

@tf.function
def flatten_offsets(offsets):
    return tf.reshape(tf.transpose(offsets[:, 0], [0, 2, 1]), [-1, 2])

def _make_padder(margin):
    def pad_patches(imgs):
        total = params.get_padded_size() - _cfg["N"]
        before = total // margin
        return tf.pad(imgs, [[0, 0], [before, total - before], [before, total - before], [0, 0]])
    return pad_patches

pad_patches = _make_padder(2)
_EARLY = {"pad": pad_patches}                         # taken before anybody can watch it

class Translation(tf.keras.layers.Layer):
    def __init__(self, use_xla=None, **kwargs):       # ignores what it is given
        super().__init__(**kwargs)
        self.use_xla = should_use_xla()
    def call(self, inputs):
        imgs, offsets = inputs
        return _go(imgs, offsets)
""",
    "ptycho/custom_layers.py": """
import tensorflow as tf
from .tf_helper import _EARLY, Translation, _channel_to_flat as to_flat, flatten_offsets, pad_patches

COLLAPSE = False

class ReassemblePatchesLayer(tf.keras.layers.Layer):
    def __init__(self, padded_size=None, **kwargs):   # ignores it
        super().__init__(**kwargs)
        self.move = Translation(use_xla=False)
    def call(self, inputs):
        patches, positions = inputs
        flat = pad_patches(to_flat(patches))
        assert _EARLY["pad"] is not None
        moved = self.move([flat, flatten_offsets(positions)])
        channels = patches.shape[-1]
        size = tf.shape(moved)
        groups = tf.reshape(moved, [-1, channels, size[1], size[2], 1])
        return tf.reduce_sum(groups, axis=[0, 1] if COLLAPSE else 1, keepdims=False)[None] if COLLAPSE else (
            tf.reduce_sum(groups, axis=1))
""",
    "ptycho/model.py": """
import tensorflow as tf
from . import params
from .custom_layers import ReassemblePatchesLayer as RPL

def create_compiled_model(gridsize, N):
    keras = tf.keras
    patterns = keras.layers.Input((N, N, gridsize**2), name="input")
    positions = keras.layers.Input((1, 2, gridsize**2), name="offsets")
    patches = keras.layers.Conv2D(gridsize**2, 3, padding="same", name="net")(patterns)
    whole = RPL(padded_size=999, name="reassembled")([patches, positions])
    out = keras.layers.Conv2D(1, 3, padding="same", name="out")(whole)
    model = keras.Model([patterns, positions], out, name="foreign")
    model.compile(optimizer="sgd", loss="mse")
    return model
""",
}

TRAIN = """
import hashlib
import sys
import numpy as np
import tensorflow as tf
import ptycho
from ptycho import custom_layers, params, tf_helper
from ptycho.tf_helper import _channel_to_flat

custom_layers.COLLAPSE = "collapse" in sys.argv
tf.keras.utils.set_random_seed(3)
params.cfg["use_xla_translate"] = False
print("xla", tf_helper.should_use_xla())
tf_helper.should_use_xla.cache_clear()
from ptycho.model import create_compiled_model
model = create_compiled_model(2, 16)
rng = np.random.default_rng(0)
x = [rng.random((16, 16, 16, 4), "float32"), rng.normal(size=(16, 1, 2, 4)).astype("float32")]
y = np.zeros((16, 30, 30, 1), "float32")
model.fit(x, y, batch_size=8, epochs=1, verbose=0)
digest = hashlib.sha256()
for array in [*model.get_weights(), model.predict(x, batch_size=8, verbose=0)]:
    digest.update(np.ascontiguousarray(array).tobytes())
print(digest.hexdigest())
print(_channel_to_flat.calls.count("_channel_to_flat") > 0, tf_helper.flatten_offsets.experimental_get_tracing_count())
print(tf_helper.flatten_offsets.get_concrete_function(tf.TensorSpec([None, 1, 2, 4])).structured_outputs.shape)
print(ptycho.__version__, isinstance(params.cfg, dict), sorted(params.cfg))
"""
