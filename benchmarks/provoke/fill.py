"""A template as Python would print it: values for its fields, and a traceback that ends at its `raise`.

A value is chosen by what the expression is: a shape, a number, a type, a tensor, a name. The choice depends on the
template alone, so that a figure can be repeated.
"""

from __future__ import annotations

import re
from random import Random

from benchmarks.provoke.templates import Field, Template

_SHAPES = ("(None, 3)", "(2, 64, 64, 1)", "(32, 10)", "[2, 3]", "(128,)", "TensorShape([4, 5])", "()")
# What an expression is, by its words: the first that fits.
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"dtype|DType|\.type\b", ("float32", "<dtype: 'int32'>", "float64")),
    (r"^type\(|__class__|type_name", ("<class 'list'>", "<class 'str'>")),
    (
        r"^len\(|ndims?\b|rank|\.size\b|num_|_count|count_|length|num\b|prod\(|_size\b|channels?\b|width|height|ratio\b",
        ("2", "3", "17"),
    ),
    (r"\.shape\[|shape\[-?\d|dims?\[|axis|\bdim\b|_dim\b|dimension\b|arity|index|\bi\b", ("1", "4", "7")),
    (r"shape|\bdims\b|static", _SHAPES),
    (r"path|file|dir\b|directory", ("/data/run/weights.h5", "/home/user/data")),
    (r"device", ("/job:localhost/replica:0/task:0/device:CPU:0",)),
    (r"tensor|inputs?\b|labels|logits|\bx\b|\by\b|values?\b", ('Tensor("x:0", shape=(2, 3), dtype=float32)',)),
    (r"error|err\b|\be\b|exception|\bex\b", ("something went wrong",)),
    (r"__name__|name|op\b|layer|key|attr|cls|class", ("dense_1", "conv", "embedding")),
)


def text(template: Template) -> str:
    """The message, its fields filled."""
    pick = Random(template.id)
    return "".join(part if isinstance(part, str) else _value(part, pick) for part in template.parts)


def log(template: Template) -> str:
    """A log that ends with the traceback of this `raise`, as a run of a program prints it."""
    file = f"/usr/lib/python3.11/site-packages/{_installed(template)}"
    lines = [
        "Traceback (most recent call last):",
        '  File "/home/user/project/train.py", line 12, in <module>',
        "    main()",
        f'  File "{file}", line {template.line}, in {template.function}',
        f"    raise {template.exception}(",
    ]
    message = text(template)
    return "\n".join([*lines, f"{template.exception}: {message}" if message else template.exception]) + "\n"


def _installed(template: Template) -> str:
    """The path below site-packages: a wheel's own, or that of the folder of an installed package."""
    top = template.package.replace("-", "_")
    known = (top, "tensorflow", "tensorflow_core", "keras", "numpy")
    return template.file if template.file.partition("/")[0] in known else f"{top}/{template.file}"


def _value(field: Field, pick: Random) -> str:
    if field.kind == "d":
        return str(pick.choice((2, 3, 7, 64)))
    if field.kind == "f":
        return "0.5"
    for pattern, values in _KINDS:
        if re.search(pattern, field.expression):
            return pick.choice(values)
    return pick.choice(("None", "conv", "3", "['a', 'b']"))
