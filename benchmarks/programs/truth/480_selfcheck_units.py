"""Self check of a small dimensional-analysis layer.  Each negative case must raise; its
traceback is logged for the lab journal and the check goes on."""
import sys
import traceback

import tensorflow as tf


class Quantity:
    def __init__(self, value, unit):
        self.value, self.unit = tf.convert_to_tensor(value, tf.float32), unit

    def __add__(self, other):
        if self.unit != other.unit:
            raise TypeError(f"cannot add {self.unit} and {other.unit}")
        return Quantity(self.value + other.value, self.unit)

    def __matmul__(self, other):
        return Quantity(tf.matmul(self.value, other.value), f"{self.unit}*{other.unit}")


def bad_units():
    return Quantity([1.0], "m") + Quantity([1.0], "s")


def bad_shapes():
    return Quantity(tf.ones([3, 4]), "N") + Quantity(tf.ones([3, 5]), "N")


def bad_product():
    return Quantity(tf.ones([2, 3]), "m") @ Quantity(tf.ones([2, 3]), "m")


def must_raise(fn, kind):
    try:
        fn()
    except kind:
        print(f"--- journal: {fn.__name__}", file=sys.stderr)
        traceback.print_exc()
        return True
    return False


def good():
    q = Quantity(tf.ones([3, 4]), "N") + Quantity(tf.ones([4]), "N")
    w = q @ Quantity(tf.ones([4, 2]), "m")
    return w.unit == "N*m" and w.value.shape == (3, 2) and float(w.value[0, 0]) == 8.0


CASES = [
    (bad_units, TypeError),
    (bad_shapes, tf.errors.InvalidArgumentError),
    (bad_product, tf.errors.InvalidArgumentError),
]

if __name__ == "__main__":
    outcome = {fn.__name__: must_raise(fn, kind) for fn, kind in CASES}
    outcome["good"] = good()
    for name, ok in outcome.items():
        print(f"{name:12s} {'as wanted' if ok else 'NOT as wanted'}")
    sys.exit(0 if all(outcome.values()) else 1)
