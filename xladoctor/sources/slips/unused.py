"""Results that go nowhere: of a function that changes nothing in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import OPTIMIZERS, dotted, last_name, names_in, nodes_of, walk
from xladoctor.sources.order import scope_at
from xladoctor.sources.slips.slip import Slip, assigns, within_body

_OF_DATA = frozenset({"batch", "cache", "filter", "interleave", "map", "prefetch", "repeat", "shuffle", "skip", "take"})
_MAKES_DATA = re.compile(r"\bDataset\b|\.(?:batch|prefetch|map)\(|image_dataset_from_directory|tfds\.load")
_OF_TENSORS = frozenset(
    {"boolean_mask", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "l2_normalize", "one_hot", "stop_gradient",
     "tensor_scatter_nd_add", "tensor_scatter_nd_update", "where"}
)  # fmt: skip
_OF_ARRAYS = frozenset(
    {"abs", "append", "clip", "concatenate", "delete", "expand_dims", "flip", "insert", "log1p", "nan_to_num", "pad",
     "repeat", "reshape", "roll", "sort", "sqrt", "squeeze", "transpose", "where"}
)  # fmt: skip
_OF_VALUES = frozenset(
    {"astype", "reshape", "dropna", "fillna", "sort_values", "sort_index", "reset_index", "set_index",
     "drop_duplicates"}
)  # fmt: skip
_OF_GENERATORS = frozenset({"permutation", "permuted"})
_OF_IMAGES = frozenset({"tf.image", "tensorflow.image", "keras.ops", "tf.keras.ops"})
_COPIES = {"dataclasses": frozenset({"replace", "asdict"}), "copy": frozenset({"replace", "copy", "deepcopy"})}
_BUILT_IN = frozenset({"sorted", "reversed"})
_QUIET = frozenset(
    {"abs", "astype", "copy", "float", "int", "len", "max", "mean", "min", "range", "reshape", "std", "sum", "var",
     "zip"}
)  # fmt: skip
_GIVEN = re.compile(
    r"(?:EarlyStopping|ModelCheckpoint|ReduceLROnPlateau|LearningRateScheduler|SwapEMAWeights|BackupAndRestore)$"
    r"|^(?:Adam\w*|compute_(?:class|sample)_weight)$|.Decay"
)
_CHANGES = re.compile(
    r"augment|center|centre|clip|crop|denoise|dropout|filter|flip|jitter|mask|normali[sz]e|noise|pad|scale|shuffle"
    r"|smooth|standardi[sz]e|stop_gradient|whiten"
)

_TRAINS = frozenset({"GradientTape", "apply_gradients", "compile", "fit"})
_BASES = frozenset({"Callback", "LearningRateSchedule"})
_TERM = re.compile(r"(?:^|_)(?:penalty|regularisation|regularization|reg|l2|kl)(?:_(?:loss|term|penalty))?$")


def unused(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each."""
    data = {dotted(t) for t, v, _ in assigns(tree) if _MAKES_DATA.search(ast.unparse(v))} - {None}
    copies = {a.asname or a.name: (n.module, a.name) for n in nodes_of(tree, ast.ImportFrom) for a in n.names}
    pure = {name for name, (module, of) in copies.items() if of in _COPIES.get(str(module), ())}
    own = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    pure |= (_BUILT_IN - set(own)) | {n for n, f in own.items() if _CHANGES.search(n.lower()) and _only_returns(f)}
    tried = {id(s) for n in nodes_of(tree, ast.Try) for s in n.body}
    for node in nodes_of(tree, ast.Expr):
        if isinstance(node.value, ast.Call) and id(node) not in tried:
            call = node.value
            if _is_pure(call, data) or (isinstance(call.func, ast.Name) and call.func.id in pure):
                name = ast.unparse(call.func)
                yield Slip(
                    "dropped-result",
                    node.lineno,
                    f"The result of `{name}(...)` goes nowhere",
                    f"`{name}` returns a new value and changes nothing in place. This line has no effect.",
                )
    yield from _writes(tree)
    yield from _never_read(tree)
    yield from _never_given(tree)
    yield from _terms_never_added(tree)
    yield from _loop_variables(tree)


def _writes(tree: ast.Module) -> Iterator[Slip]:
    """`states.write(i, y)` in a traced function: a `TensorArray` is not changed there, but for the result."""
    for function in nodes_of(tree, ast.FunctionDef):
        if not any("function" in ast.unparse(d) for d in function.decorator_list):
            continue
        arrays = {
            dotted(t) for t, v, _ in assigns(function) if isinstance(v, ast.Call) and last_name(v.func) == "TensorArray"
        }
        for node in walk(function):
            call = node.value if isinstance(node, ast.Expr) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            if call.func.attr in ("write", "scatter", "unstack") and dotted(call.func.value) in arrays:
                name = ast.unparse(call.func)
                yield Slip(
                    "dropped-result",
                    node.lineno,  # type: ignore[attr-defined]
                    f"The result of `{name}(...)` goes nowhere",
                    f"In a traced function `{name}` returns a new array, and the old one stays as it was: "
                    f"`{dotted(call.func.value)} = {name}(...)`.",
                )


def _never_given(tree: ast.Module) -> Iterator[Slip]:
    """Callbacks, optimizers, schedules and weights of classes that are made, and that nothing gets."""
    own = {c.name for c in nodes_of(tree, ast.ClassDef) if any(last_name(b) in _BASES for b in c.bases)}
    for scope in (n for n in walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef))):
        read = {n.id for n in nodes_of(scope, ast.Name) if isinstance(n.ctx, ast.Load)}
        if isinstance(scope, ast.Module):
            read |= _exported(tree)
        trains = any(isinstance(n, ast.Call) and last_name(n.func) in _TRAINS for n in walk(scope))
        yield from _lists_never_given(scope, own) if trains and not isinstance(scope, ast.Module) else ()
        for node in within_body(scope):
            target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
            if not isinstance(node, ast.Assign) or not isinstance(target, ast.Name) or target.id in read or not trains:
                continue
            calls = nodes_of(node.value, ast.Call)
            made = next((n for n in calls if last_name(n.func) in own or _is_given(last_name(n.func))), None)
            whole = made is node.value or isinstance(node.value, ast.List | ast.Tuple)
            if made is not None and whole and not target.id.startswith("_"):
                yield Slip(
                    "dropped-result",
                    node.lineno,
                    f"`{target.id}` is made, and nothing gets it",
                    f"`{ast.unparse(made.func)}(...)` does nothing by itself: `compile` or `fit` has to get it. No "
                    f"line reads `{target.id}`.",
                )


def _lists_never_given(scope: ast.AST, own: set[str]) -> Iterator[Slip]:
    """`stops = []`, `stops.append(EarlyStopping())`, and nothing gets the list."""
    nodes = list(walk(scope))
    lists = {t.id for t, v, _ in assigns(scope) if isinstance(t, ast.Name) and isinstance(v, ast.List)}
    appends = [n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ("append", "insert") and n.args]
    for name in sorted(lists):
        ours = [c for c in appends if isinstance(c.func, ast.Attribute) and last_name(c.func.value) == name]
        reads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
        made = [c for c in ours if isinstance(c.args[-1], ast.Call)]
        made = [c for c in made if last_name(c.args[-1].func) in own or _is_given(last_name(c.args[-1].func))]  # type: ignore[attr-defined]
        if made and len(reads) == len(ours):
            yield Slip(
                "dropped-result",
                made[0].lineno,
                f"`{name}` is filled, and nothing gets it",
                f"`{ast.unparse(made[0].args[-1])[:60]}` does nothing by itself: `fit` has to get it. No line reads "
                f"`{name}`.",
            )


def _terms_never_added(tree: ast.Module) -> Iterator[Slip]:
    """`penalty = 0.01 * ...` in a step that takes a gradient, and no line reads the penalty."""
    for scope in (n for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
        if not any(isinstance(n, ast.Call) and last_name(n.func) == "GradientTape" for n in walk(scope)):
            continue
        read = {n.id for n in nodes_of(scope, ast.Name) if not isinstance(n.ctx, ast.Store)}
        read |= {n for s in walk(scope) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
        for target, value, line in assigns(scope):
            name = target.id if isinstance(target, ast.Name) else ""
            if _TERM.search(name) and name not in read and name[0] != "_" and isinstance(value, ast.Call | ast.BinOp):
                yield Slip(
                    "dropped-result",
                    line,
                    f"`{name}` is computed and added to no loss",
                    f"No line reads `{name}`: the gradient is that of the loss without it.",
                )


def _is_given(name: str) -> bool:
    """Whether it makes what does nothing before something gets it."""
    return name in OPTIMIZERS or _GIVEN.search(name) is not None


def _is_pure(call: ast.Call, data: set[str | None]) -> bool:
    name, holder = last_name(call.func), dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if holder is None or any(k.arg in ("out", "inplace") for k in call.keywords):
        return False
    root = holder.partition(".")[0]
    if holder in _OF_IMAGES or name in _COPIES.get(holder, ()):
        return True
    if root in ("tf", "tensorflow"):
        return name in _OF_TENSORS
    if holder in ("np", "numpy", "jnp"):
        return name in _OF_ARRAYS
    return (holder in data and name in _OF_DATA) or name in _OF_VALUES or (name in _OF_GENERATORS and bool(call.args))


def _only_returns(function: ast.FunctionDef) -> bool:
    """Whether a function gives back a new value and does nothing else: it assigns to plain names of its own, and calls
    only functions of NumPy, TensorFlow and Python that change nothing.
    """
    returns = list(nodes_of(function, ast.Return))
    if function.decorator_list or not returns or any(n.value is None for n in returns):
        return False
    for node in walk(function):
        if isinstance(
            node, ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom | ast.Await | ast.AugAssign | ast.With
        ):
            return False
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if not all(isinstance(t, ast.Name | ast.Tuple) for t in targets):
                return False
        if isinstance(node, ast.Call):
            root = (dotted(node.func) or "").split(".")
            quiet = root[0] in ("np", "numpy", "tf", "math") and root[1:2] not in (["random"], ["print"], ["debugging"])
            if any(k.arg == "out" for k in node.keywords) or not (quiet or last_name(node.func) in _QUIET):
                return False
    return True


def _never_read(tree: ast.Module) -> Iterator[Slip]:
    """What is made of a value by a function that should change it, while the program goes on with the value itself."""
    for scope in (n for n in walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef))):
        read = [n for n in nodes_of(scope, ast.Name) if isinstance(n.ctx, ast.Load)]
        names = {n.id for n in read}
        if isinstance(scope, ast.Module):
            names |= {n.name for n in nodes_of(tree, ast.alias)} | _exported(tree)
        for node in within_body(scope):
            if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
                continue
            target = node.targets[0]
            first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
            call = _call(node.value)
            if not isinstance(first, ast.Name) or first.id.startswith("_") or first.id in names or call is None:
                continue
            given = [a.id for a in call.args if isinstance(a, ast.Name)]
            if not given or not _CHANGES.search(last_name(call.func).lower()):
                continue
            later = {n.id for n in read if n.lineno > (node.end_lineno or node.lineno)}
            if given[0] in later | _iterated(node, later):
                yield _left(node, first.id, call, _source(node, given[0]))


def _loop_variables(tree: ast.Module) -> Iterator[Slip]:
    """`for s, w in zip(shadow, weights): s = 0.9 * s + 0.1 * w`: the name gets a new value, and the item stays."""
    for loop in nodes_of(tree, ast.For):
        names = names_in(loop.target)
        reads = [n for n in nodes_of(scope_at(tree, loop.lineno), ast.Name) if isinstance(n.ctx, ast.Load)]
        for node in loop.body:
            target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
            if not isinstance(node, ast.Assign) or not isinstance(target, ast.Name) or target.id not in names:
                continue
            within_it = any(isinstance(n, ast.Name) and n.id == target.id for n in walk(node.value))
            if within_it and not any(n.id == target.id and n.lineno > (node.end_lineno or 0) for n in reads):
                yield Slip(
                    "dropped-result",
                    node.lineno,
                    f"`{target.id}` gets a new value that nothing reads",
                    f"`{target.id} = ...` binds the name of the loop anew, and does not change the item that it stood "
                    "for. The next round takes the next item.",
                )


def _left(node: ast.Assign, name: str, call: ast.Call, given: str) -> Slip:
    return Slip(
        "dropped-result",
        node.lineno,
        f"`{name}` is never used: the program goes on with `{given}`",
        f"`{ast.unparse(call.func)}(...)` makes a new value, `{name}`, that nothing reads. What follows reads "
        f"`{given}`, which is as it was.",
    )


def _call(value: ast.expr) -> ast.Call | None:
    """The call of an assignment: itself, or for each item of a list."""
    inner = value.elt if isinstance(value, ast.ListComp) else value
    if isinstance(inner, ast.IfExp):
        inner = inner.body
    return inner if isinstance(inner, ast.Call) else None


def _iterated(node: ast.Assign, later: set[str]) -> set[str]:
    """The names that stand for the items of a list which is read later."""
    if not isinstance(node.value, ast.ListComp):
        return set()
    pairs = [(g.target, g.iter) for g in node.value.generators]
    return {t.id for t, i in pairs if isinstance(t, ast.Name) and isinstance(i, ast.Name) and i.id in later}


def _source(node: ast.Assign, name: str) -> str:
    """The list of the items, or the name itself."""
    for g in node.value.generators if isinstance(node.value, ast.ListComp) else ():
        if isinstance(g.target, ast.Name) and g.target.id == name and isinstance(g.iter, ast.Name):
            return g.iter.id
    return name


def _exported(tree: ast.Module) -> set[str]:
    """The strings of a module: a name may be asked for by one."""
    return {n.value for n in nodes_of(tree, ast.Constant) if isinstance(n.value, str)}
