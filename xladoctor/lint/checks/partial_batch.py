"""XD809: data in batches of a size that is pinned elsewhere, and a last batch that may be smaller."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Function, Module, Project
from xladoctor.sources.names import dotted

_SHAPES = ("batch_input_shape", "batch_shape")
_KERAS_RUNS = ("fit", "evaluate", "predict")
Pin = tuple[int, str, str]


def find(project: Project) -> Iterator[Hazard]:
    """`.batch(n)` without `drop_remainder`, or `fit(batch_size=n)`, in a module that pins that very `n`."""
    for module in project.modules:
        if module.mentions and "batch" in module.source.text:
            yield from _of_module(module)


def _of_module(module: Module) -> Iterator[Hazard]:
    pins: dict[tuple[object, Function | None], Pin] = {}
    for call, inside in module.calls:
        fixed = pin(module, call)
        if fixed is not None:
            size, words, leads_to = fixed
            key = _key(size, inside)
            if key is not None:
                pins.setdefault(key, (call.lineno, words, leads_to))
    for call, inside in module.calls if pins else ():
        found = batched(call)
        key = _key(found[0], inside) if found is not None else None
        if found is not None and key in pins:
            line, words, leads_to = pins[key]
            text = ast.unparse(found[0])
            pinned = f"{words} in {module.source.place(line)} fixes {text}"
            message = f"{found[1]} may end with a batch of fewer than {text} rows, and {pinned}. {found[2]}"
            yield Hazard("XD809", module, call, message, leads_to, "warning", inside.name if inside else None)


def _key(size: ast.expr, inside: Function | None) -> tuple[object, Function | None] | None:
    """What makes two sizes the same: a number; a constant or attribute of the module; a local name of one function."""
    if isinstance(size, ast.Constant):
        return (size.value, None) if isinstance(size.value, int) and size.value > 1 else None
    name = dotted(size)
    if name is None:
        return None
    return (name, None if name.isupper() or "." in name or inside is None else inside)


def pin(module: Module, call: ast.Call) -> tuple[ast.expr, str, str] | None:
    """The batch size that a call fixes, what does so, and what comes of another size."""
    name = module.full(call.func) or ""
    last = (dotted(call.func) or "").rpartition(".")[2]
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if name.startswith("keras.") and last in ("Input", "InputLayer") and "batch_size" in keywords:
        return keywords["batch_size"], f"{last}(batch_size=)", "keras-input-mismatch"
    for word in _SHAPES:
        size = _first(keywords.get(word))
        if size is not None and name.startswith("keras."):
            return size, f"{last}({word}=)", "keras-input-mismatch"
    shape = call.args[1] if len(call.args) > 1 else keywords.get("shape")
    size = _first(shape)
    if name == "tensorflow.ensure_shape" and size is not None:
        return size, "tf.ensure_shape", "contract-violation"
    if name == "tensorflow.reshape" and size is not None and not isinstance(size, ast.Constant):
        return size, "tf.reshape", "reshape-mismatch"
    size = _first(call.args[0] if call.args else keywords.get("shape"))
    if name == "tensorflow.TensorSpec" and size is not None:
        return size, "tf.TensorSpec", "contract-violation"
    if last == "set_shape" and isinstance(call.func, ast.Attribute) and size is not None:
        return size, "set_shape", "contract-violation"
    return None


def _first(node: ast.expr | None) -> ast.expr | None:
    return node.elts[0] if isinstance(node, ast.Tuple | ast.List) and node.elts else None


def batched(call: ast.Call) -> tuple[ast.expr, str, str] | None:
    """The size of batches that a call makes whose last may be smaller."""
    if not isinstance(call.func, ast.Attribute):
        return None
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if call.func.attr in ("batch", "padded_batch"):
        size = call.args[0] if call.args else keywords.get("batch_size")
        drops = "drop_remainder" in keywords or (call.func.attr == "batch" and len(call.args) > 1)
        if size is None or drops or _endless(call.func.value):
            return None
        return size, f".{call.func.attr}({ast.unparse(size)})", "Add drop_remainder=True, or pad the last batch."
    if call.func.attr in _KERAS_RUNS and "batch_size" in keywords and "steps_per_epoch" not in keywords:
        size = keywords["batch_size"]
        return size, f"{call.func.attr}(batch_size={ast.unparse(size)})", "Give it a multiple of that many samples."
    return None


def _endless(node: ast.expr) -> bool:
    """Whether the data before are repeated without end: then every batch is full."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "repeat" and not node.args and not node.keywords:
            return True
        node = node.func.value
    return False
