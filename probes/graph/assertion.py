"""A silent finding as a script: the same thing computed in two ways, and an assertion that they agree.

With the word `control` as its argument the script takes the one way twice, and must pass: so that what it shows is the
finding, and not that it can only fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import Unsupported
from .ir import Graph
from .measure import Array
from .phrases import is_drawn
from .script import sample, written

CONTROL = "control"
_OWN = frozenset(
    {
        "sys",
        "called",
        "one_by_one",
        "way",
        "plain",
        "compiled",
        "expected",
        "found",
        "deviation",
        "rows",
        "scale",
        "differ",
    }
)


def assertion(
    graph: Graph,
    arguments: Mapping[str, Array],
    test: Mapping[str, Any],
    told: Mapping[str, Any],
    *,
    title: str,
    batched: Sequence[str],
    times: int = 1,
    values: bool = True,
) -> str:
    """The script of a `silent.Silent` test of a graph with one output; `told` is what the test gave.

    `batched` are the inputs that are taken by rows, `times` how many items of the output make a row. Raises
    Unsupported for a graph that Python code cannot say, or only with numbers that it would draw anew at each call.
    """
    drawn = next((n.name for f in (graph, *graph.bodies.values()) for n in f.nodes.values() if is_drawn(n)), None)
    if drawn is not None:
        raise Unsupported(f"constant {drawn} is too large to be written")
    names, functions, body = written(graph, _OWN)
    parameters = ", ".join(names.values())
    lines = [f'"""{title} With the argument {CONTROL}: the one way twice, which passes."""', "", "import sys", ""]
    lines += ["import numpy as np", "import tensorflow as tf", "", "random = np.random.default_rng(0)"]
    lines += [f"{name} = {sample(arguments[tensor], values)[0]}" for tensor, name in names.items()]
    lines += ["", "", *functions]
    if test.get("way") == "xla":
        lines.append("@tf.function(jit_compile=True, autograph=False)")
    lines += [f"def program({parameters}):", *body, "", ""]
    given = ", ".join(f"{name}[rows]" if tensor in batched else name for tensor, name in names.items())
    if test["kind"] == "ways":
        lines += _ways(parameters, told)
    elif test["kind"] == "pair":
        lines += [f"expected, found = map(np.asarray, program({parameters}))"]
        lines += [f'found = expected if sys.argv[1:] == ["{CONTROL}"] else found']
        lines += _close(told, " and ".join(map(str, test["names"])))
    else:
        batch = len(arguments[next(t for t in names if t in batched)])
        lines += _of_rows(given, test, told, batch, times)
    return "\n".join(lines) + "\n"


def _ways(parameters: str, told: Mapping[str, Any]) -> list[str]:
    lines = ["compiled = tf.function(program, jit_compile=True, autograph=False)"]
    lines += [f'way = program if sys.argv[1:] == ["{CONTROL}"] else compiled']
    if told.get("raises"):
        return [
            "def called(way):",
            "    try:",
            f'        return f"returns {{way({parameters}).shape}}"',
            "    except tf.errors.OpError as error:",
            '        return f"raises {type(error).__name__}"',
            "",
            "",
            *lines,
            "expected, found = called(program), called(way)",
            f'assert found == expected, f"{told["slug"]}: plain mode {{expected}}, XLA {{found}}"',
        ]
    lines += [f"expected, found = np.asarray(program({parameters})), np.asarray(way({parameters}))"]
    lines += ['assert found.shape == expected.shape, f"wrong-shape-silent: plain {expected.shape}, XLA {found.shape}"']
    return lines if told["slug"] == "wrong-shape-silent" else [*lines, *_close(told, "plain mode and XLA")]


def _of_rows(given: str, test: Mapping[str, Any], told: Mapping[str, Any], batch: int, times: int) -> list[str]:
    by_row = f".reshape(len(rows), {times}, -1)" if times > 1 else ""
    lines = ["def called(rows):"]
    if test["kind"] == "size":
        lines += [f"    return np.asarray(program({given}))"]
    else:
        lines += [f"    return np.asarray(program({given})){by_row}"]
    lines += ["", "", "def one_by_one(rows):", "    return np.concatenate([called([row]) for row in rows])", "", ""]
    lines += [f'way = one_by_one if sys.argv[1:] == ["{CONTROL}"] else called']
    if test["kind"] == "size":
        good, bad = int(test["good"]), int(test["bad"])
        each = f"{times} * " if times > 1 else ""
        return [
            *lines,
            f"for rows in np.arange({good}), np.arange({bad}){f' % {batch}' if bad > batch else ''}:",
            "    found = len(way(rows))",
            f'    assert found == {each}len(rows), f"{told["slug"]}: {{len(rows)}} rows in, {{found}} out"',
        ]
    rows = [int(n) for n in test["rows"]]
    lines += [f"rows = np.array({rows})", f"expected, found = way(np.arange({batch}))[rows], way(rows)"]
    return [*lines, *_close(told, "rows in their batch and by themselves")]


def _close(told: Mapping[str, Any], between: str) -> list[str]:
    # A digit more or less is no matter: the deviation is many times the tolerance.
    tolerance = float(f"{told['tolerance'] * 3:.1g}")
    return [
        "scale = max(np.abs(expected).max(), np.abs(found).max()) or 1.0",
        "deviation = np.abs(found - expected).max() / scale",
        f'assert deviation <= {tolerance}, f"{told["slug"]}: {between} differ by {{deviation:.3g}}"',
    ]
