import json
import sys

import tensorflow as tf

RATES = tf.constant([[-30.0, 4.0], [0.5, -1.0]])


class Unstable(ArithmeticError):
    pass


@tf.function
def advance(state, step, n):
    for _ in tf.range(n):
        state = state + step * tf.linalg.matvec(RATES, state)
    return state


def main(step):
    state = advance(tf.constant([1.0, 0.4]), tf.constant(step), tf.constant(400))
    if not bool(tf.reduce_all(tf.math.is_finite(state))) or float(tf.norm(state)) > 1e3:
        raise Unstable(f"state left the allowed region with step {step}")
    print(json.dumps({"step": step, "state": state.numpy().tolist()}))


if __name__ == "__main__":
    try:
        main(float(sys.argv[1]))
    except Unstable as err:
        print(f"Unstable: {err}", file=sys.stderr)
        sys.exit(3)
