"""What kind of line it is: what it computes, passes on or sets. Some kinds are seldom wrong, whatever has failed.

A length that a short function works out is wrong far more often than a loop's head or the call that starts the
training. That holds for programs of all authors, and it is known where no size can be followed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import around, last_name, parents_of, walk
from xladoctor.sources.setting_trees import is_settings
from xladoctor.sources.source import Source

KINDS = frozenset(
    {
        "computed setting", "data stage", "divides", "elementwise", "head", "indexed", "key", "layer called",
        "layer made", "list", "loops", "number", "option", "passes on", "random", "real", "returns", "returns count",
        "returns size", "size arithmetic", "slice", "starts", "tests", "training setting", "tuple", "type",
    }
)  # fmt: skip
_TRAINING = re.compile(
    r"(^|_)(seed|epochs?|lr|rate|patience|verbose|momentum|decay|dropout|noise|steps?|temperature|beta\d?|optimizer"
    r"|shuffle|warmup|log|path|dir|out|name)$",
    re.IGNORECASE,
)
"""Settings of a training that make no size and choose no type."""
_ENTRY = re.compile(r'\s*"?([\w.-]+)"?\s*[:=]')
_CALLS = {
    # These move axes or values about, and are no kind of their own.
    **dict.fromkeys(
        (
            "reshape", "transpose", "expand_dims", "squeeze", "swapaxes", "moveaxis", "flatten", "ravel", "permute",
            "Reshape", "Flatten", "Permute", "RepeatVector", "stack", "concat", "concatenate", "hstack", "vstack",
            "column_stack", "Concatenate", "tile", "repeat", "pad", "pad_sequences", "sum", "mean", "max", "min",
            "reduce_sum", "reduce_mean", "reduce_max", "argmax", "argmin", "norm", "std", "prod", "any", "all", "len",
            "range", "arange", "linspace", "enumerate",
        ),
        "",
    ),
    **dict.fromkeys(
        (
            "batch", "padded_batch", "map", "shuffle", "from_tensor_slices", "from_generator", "window", "unbatch",
            "zip", "take", "skip", "prefetch", "cache",
        ),
        "data stage",
    ),
    **dict.fromkeys(
        (
            "astype", "cast", "float32", "float64", "int32", "int64", "float16", "asarray", "array", "constant",
            "convert_to_tensor",
        ),
        "type",
    ),
    **dict.fromkeys(
        (
            "fit", "evaluate", "predict", "compile", "main", "run", "print", "summary", "set_seed", "set_random_seed",
            "train_on_batch", "save", "load_model", "set_weights", "load_weights",
        ),
        "starts",
    ),
    **dict.fromkeys(
        (
            "random", "normal", "uniform", "integers", "standard_normal", "choice", "permutation", "default_rng",
            "rand", "randn",
        ),
        "random",
    ),
}  # fmt: skip
_TYPES = frozenset({"float32", "float64", "int32", "int64"})
_WHOLE = frozenset({"len", "int", "min", "max", "ceil", "sum", "prod", "round", "abs"})
_ARITHMETIC = ast.Add | ast.Sub | ast.Mult | ast.FloorDiv | ast.Pow | ast.Mod
_SETS = ast.Add | ast.Sub | ast.Mult | ast.FloorDiv
_AROUND = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def kinds_of(source: Source, wanted: set[int]) -> dict[int, set[str]]:
    """The kinds of these lines of a file; of a file of settings only whether one sets how the training goes."""
    if is_settings(source.path):
        entries = {line: _ENTRY.match(source.line(line)) for line in wanted}
        return {line: {"training setting"} for line, m in entries.items() if m and _TRAINING.search(m[1])}
    parents = parents_of(source.tree)
    statements: dict[int, ast.stmt] = {}
    nodes: dict[int, list[ast.AST]] = {}
    for node in walk(source.tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            statements |= dict.fromkeys(range(node.lineno, max(node.lineno, last) + 1), node)
        if getattr(node, "lineno", None) in wanted and not _is_docstring(node, parents):
            nodes.setdefault(node.lineno, []).append(node)  # type: ignore[attr-defined]
    return {line: _of_line(statements[line], line, here, parents) for line, here in nodes.items() if line in statements}


Parents = dict[ast.AST, ast.AST]


def _is_docstring(node: ast.AST, parents: Parents) -> bool:
    return isinstance(node, ast.Constant) and isinstance(parents.get(node), ast.Expr)


def _of_line(statement: ast.stmt, line: int, nodes: list[ast.AST], parents: Parents) -> set[str]:
    found = {kind for node in nodes for kind in _of_node(node, parents)}
    found |= set(_of_statement(statement, line))
    operators = [n.op for n in nodes if isinstance(n, ast.BinOp)]
    if isinstance(statement, ast.Return):
        counts = any(isinstance(n, ast.Call) and last_name(n.func) == "len" for n in nodes)
        found |= {"returns count"} if counts or any(isinstance(op, _ARITHMETIC) for op in operators) else set()
        found |= {"returns size"} if "size arithmetic" in found else set()
    elif isinstance(statement, ast.Assign) and any(isinstance(op, _SETS) for op in operators):
        found |= {"computed setting"} if not _in_function(statement, parents) else set()
    return found - {""}


def _of_statement(statement: ast.stmt, line: int) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef) and statement.lineno == line:
        yield "head"
    yield {ast.Return: "returns", ast.For: "loops", ast.If: "tests", ast.While: "tests"}.get(type(statement), "")
    value = getattr(statement, "value", None)
    items = value.elts if isinstance(value, ast.Tuple) else [value]
    if value is not None and all(isinstance(item, ast.Name | ast.Attribute) for item in items):
        yield "passes on"
    if isinstance(value, ast.Call) and last_name(value.func) == "add_argument":
        yield "option"
        name = value.args[0].value if value.args and isinstance(value.args[0], ast.Constant) else ""
        yield from _training(str(name).strip("-").replace("-", "_"))
    targets = statement.targets[:1] if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    yield from _training(last_name(targets[0])) if isinstance(targets[0], ast.AST) else ()


def _training(name: str) -> Iterator[str]:
    if _TRAINING.search(name):
        yield "training setting"


def _in_function(statement: ast.stmt, parents: Parents) -> bool:
    holders = (n for n in (statement, *around(statement, parents)) if isinstance(n, _AROUND))
    return not isinstance(next(holders, None), ast.ClassDef | None)


def _of_node(node: ast.AST, parents: Parents) -> Iterator[str]:
    above = parents.get(node)
    if isinstance(node, ast.Constant):
        if type(node.value) is int and abs(node.value) > 1:
            yield "number"
        elif type(node.value) is float:
            yield "real"
        elif isinstance(node.value, str) and isinstance(above, ast.Dict) and node in above.keys:
            yield "key"
            yield from _training(node.value)
    elif isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.FloorDiv):
            yield "divides"
        if not isinstance(above, ast.BinOp):
            in_shape = isinstance(above, ast.List | ast.Tuple) and isinstance(parents.get(above), ast.Call)
            yield "size arithmetic" if _is_of_sizes(node, in_shape) else "elementwise"
    elif isinstance(node, ast.Subscript):
        cut = any(isinstance(n, ast.Slice) for n in walk(node.slice))
        yield "slice" if cut else "indexed" if isinstance(node.slice, ast.Name | ast.Attribute | ast.BinOp) else ""
    elif isinstance(node, ast.Call):
        yield _of_call(node)
    elif isinstance(node, ast.List | ast.ListComp | ast.GeneratorExp | ast.DictComp):
        yield "list"
    elif isinstance(node, ast.Tuple):
        yield "tuple" if isinstance(node.ctx, ast.Load) and len(node.elts) > 1 else ""
    elif (isinstance(node, ast.keyword) and node.arg == "dtype") or last_name(node) in _TYPES:
        yield "type"


def _of_call(call: ast.Call) -> str:
    if isinstance(call.func, ast.Call):
        return "layer called"
    name = last_name(call.func)
    if name in _CALLS:
        return _CALLS[name]
    of_keras = name[:1].isupper() and re.search(r"layers|keras", ast.unparse(call.func))
    return "layer made" if of_keras else ""


def _is_of_sizes(node: ast.BinOp, counts: bool) -> bool:
    """Whether a computation is one of whole numbers: counts and lengths, not the values of arrays. `counts`: what it is
    for says so.
    """
    for part in walk(node):
        if isinstance(part, ast.BinOp):
            if isinstance(part.op, ast.Div | ast.MatMult):
                return False
            counts = counts or isinstance(part.op, ast.FloorDiv | ast.Mod)
        elif isinstance(part, ast.Constant):
            if type(part.value) is float:
                return False
            counts = counts or type(part.value) is int
        elif isinstance(part, ast.Call):
            if last_name(part.func) not in _WHOLE:
                return False
            counts = True
        else:
            is_size = isinstance(part, ast.Attribute) and part.attr in ("shape", "size")
            counts = counts or is_size or (isinstance(part, ast.Name) and part.id.isupper())
    return counts
