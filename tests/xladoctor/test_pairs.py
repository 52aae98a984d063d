"""Which operation made the array that a mean is taken of; none where pairs are wanted."""

from __future__ import annotations

import ast
import textwrap

import pytest

from xladoctor.sources.pairs import met


def found(text):
    """(line, text) of what met before the mean on the last line."""
    source = textwrap.dedent(text).strip("\n")
    got = met(ast.parse(source), len(source.splitlines()))
    return (got.line, got.text) if got is not None else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e = p - y\nnp.mean(e ** 2)", (1, "p - y")),
        ("def rmse(pred, truth):\n    res = pred - truth\n    return float(np.sqrt(np.mean(res ** 2)))",
         (2, "pred - truth")),
        ("hit = labels == guess\nprint(hit.mean())", (1, "labels == guess")),
        ("print(np.abs(model.predict(x) - y).mean())", (1, "model.predict(x) - y")),
        ("r = p - y\ns = r * r\ns.mean()", (1, "p - y")),
        ("np.mean(w * (p - y) ** 2)", (1, "p - y")),
        ("np.mean((model.predict(x).argmax(1) == y).astype(float))", (1, "model.predict(x).argmax(1) == y")),
        ("col = p[:, 0]\nnp.std(col / scale)", (2, "col / scale")),
        ("y = y.reshape(-1, 1)\nnp.average(p - y)", (2, "p - y")),
    ],
)  # fmt: skip
def test_what_meets(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "np.mean(p[:, None] - y)",
        "np.mean(p - y.T)",
        "np.mean(np.subtract.outer(p, y))",
        "col = p[:, None]\nnp.mean(col - p)",
        "k = a @ b\nk.mean()",
        "kernel(p).mean()",
        "np.mean(p)",
        "np.mean(p - 1.0)",
        "np.mean(p * p)",
        "p - y\nprint(1)",
    ],
)
def test_what_is_meant_or_not_written_out(text):
    assert found(text) is None


FUNCTIONS = """
def hits(scores, names):
    best = scores.argmax(axis=1)
    return best == names

def distances(a, b):
    return a[:, None] - b

good = hits(scores, names)
print(np.mean(CALL))
"""


@pytest.mark.parametrize(("call", "line"), [("good", 3), ("hits(p, y)", 3), ("distances(p, y)", None), ("f(p)", None)])
def test_what_a_function_of_the_program_returns(call, line):
    tree = ast.parse(FUNCTIONS.strip("\n").replace("CALL", call))
    got = met(tree, 9, inside=True)
    assert (got.line if got is not None else None) == line and met(tree, 9) is None
