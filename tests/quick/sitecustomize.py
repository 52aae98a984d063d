"""Python imports this as a program starts.

What an import of TensorFlow makes stays until the end: to look through it for cycles, again and again and once more as
the program ends, takes half of the time of a small program. A quarter of the import itself is what Keras imports where
it is installed, and needs for nothing that a test does.
"""

import atexit
import gc
import sys

NOT_FOR_KERAS = ("IPython", "matplotlib", "pandas")


class Without:
    """Finds nothing, and lets Keras alone believe that these libraries are not installed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in NOT_FOR_KERAS:
            frame = sys._getframe(1)
            while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib"):
                frame = frame.f_back
            if frame is not None and frame.f_globals.get("__name__", "").startswith("keras."):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


gc.set_threshold(500_000)
atexit.register(gc.freeze)
sys.meta_path.insert(0, Without)
