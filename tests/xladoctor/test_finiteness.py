"""A program that asks for NaN and acts on the answer reckons with it."""

import ast

import pytest

from xladoctor.sources.finiteness import nan_tests


def is_tested(code):
    """Whether a value is tested for NaN or infinity by intent."""
    return any(test.kind in ("asks", "stops") for test in nan_tests(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "if not np.isfinite(loss):\n    stop()",
        "finite = losses[np.isfinite(losses)]",
        "best = min(l for l in losses if not math.isnan(l))",
        "if loss != loss:\n    raise ValueError",
        "good = tf.where(tf.math.is_nan(g), 0.0, g)",
        "rate = rates[np.nanargmin(losses)]",
        "model.fit(x, callbacks=[keras.callbacks.TerminateOnNaN()])",
        "def broken(v):\n    return tf.reduce_any(tf.math.is_nan(v))",
        "ok = filter(lambda r: np.isfinite(r.loss), runs)",
        "if not loss == loss:\n    stop()",
        "if str(loss) == 'nan':\n    stop()",
        "if loss < float('inf'):\n    keep()",
        "tf.debugging.check_numerics(loss, 'loss')",
    ],
)
def test_found(code):
    assert is_tested(code)


@pytest.mark.parametrize(
    "code",
    ["print(np.isnan(loss))", "if loss != best:\n    go()", "x = np.nan", "df.isna()", "if loss < best:\n    go()"],
)
def test_not_found(code):
    assert not is_tested(code)
