"""Python imports this as a program starts.

What an import of TensorFlow makes stays until the end: to look through it for cycles, again and again and once more as
the program ends, takes half of the time of a small program. A quarter of the import itself is what Keras imports where
it is installed, and needs for nothing that a test does; another quarter goes into 18,000 references to twenty types,
each compiled anew, and into signatures that are made of a function only to be taken apart again.
"""

import atexit
import gc
import inspect
import sys
import types
import typing

NOT_FOR_KERAS = ("IPython", "matplotlib", "pandas")
# Attributes of a function that say its signature in the place of its code.
SAID = {"__signature__", "_partialmethod", "__partialmethod__"}


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


def once(check):
    """`typing._type_check` that makes one reference to each of TensorFlow's types, which its modules call `_atypes`."""
    known = {}

    def checked(arg, *args, **more):
        if type(arg) is str and arg.startswith("_atypes."):
            if arg not in known:
                known[arg] = check(arg, *args, **more)
            return known[arg]
        return check(arg, *args, **more)

    return checked


def straight(getfullargspec):
    """`inspect.getfullargspec` that reads a plain function's code."""

    def read(func):
        if type(func) is not types.FunctionType or func.__dict__.keys() & SAID:
            return getfullargspec(func)
        code = func.__code__
        stars = [bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)]
        count, end = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[: end + sum(stars)]
        return inspect.FullArgSpec(
            list(names[:count]),
            names[end] if stars[0] else None,
            names[-1] if stars[1] else None,
            func.__defaults__ or None,
            list(names[count:end]),
            func.__kwdefaults__ or None,
            {name: func.__annotations__[name] for name in (*names, "return") if name in func.__annotations__},
        )

    return read


gc.set_threshold(500_000)
atexit.register(gc.freeze)
sys.meta_path.insert(0, Without)
typing._type_check = once(typing._type_check)
inspect.getfullargspec = straight(inspect.getfullargspec)
