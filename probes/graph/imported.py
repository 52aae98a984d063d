"""TensorFlow in a worker: imported once, for the processor only, and then kept."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def tensorflow() -> Any:
    """TensorFlow, on the processor only: capsules are evaluated by value, and a GPU of the host may be in
    use.
    """
    if "tensorflow" not in sys.modules:
        with _for_good():
            import tensorflow as tf
        tf.config.set_visible_devices([], "GPU")
    import tensorflow as tf

    return tf


@contextmanager
def _for_good() -> Iterator[None]:
    """What is made inside stays: to look for cycles in it, then and at the end, is half of what an import costs."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()
