"""What the training learns of the rows that it is tested on, by lines before the split: a scaler, a choice of columns
or a resampling of all rows, a validation of the last class alone, lags that wrap around, lengths cut to fit.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, walk
from xladoctor.sources.predictions import inner
from xladoctor.sources.slips.slip import Slip

_FITTED = frozenset(
    {"FactorAnalysis", "FastICA", "IterativeImputer", "KNNImputer", "KernelPCA", "MaxAbsScaler", "MinMaxScaler", "NMF",
     "PCA", "PowerTransformer", "QuantileTransformer", "RobustScaler", "SelectFromModel", "SelectKBest",
     "SelectPercentile", "SimpleImputer", "StandardScaler", "TargetEncoder", "TruncatedSVD"}
)  # fmt: skip
_RESAMPLES = frozenset({"ADASYN", "BorderlineSMOTE", "RandomOverSampler", "SMOTE", "SMOTENC", "SVMSMOTE"})
_SCORES = frozenset({"chi2", "corr", "corrcoef", "corrwith", "f_classif", "f_regression", "mutual_info_classif",
                     "mutual_info_regression", "pearsonr", "spearmanr", "ttest_ind"})  # fmt: skip
_PART = re.compile(
    r"train|(?:^|_)(?:tr|fit|dev|seen|past|cal)(?:_|$)|\[:\w|iloc\[:|\[\w*~?(?:tr|train|idx|part|fold)", re.I
)
_ROWS = re.compile(
    r"train|test|(?:^|_)(?:tr|te|va|i|ix|idx|inds?|indices|is|in|mask|rows?|order|perm|keep|kept|sel|fold|part|ok|good|valid|out|"
    r"sub|pick\w*|chosen)(?:_|$)",
    re.IGNORECASE,
)
_LAG = re.compile(r"(?:^|_)(?:lag|prev|previous|past|before|yesterday|last|ago|shift(?:ed)?|back)(?:_|\d|\{|$)", re.I)
_MIXES = frozenset({"permutation", "shuffle", "sample", "train_test_split"})


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for call in view.calls("fit_transform", "fit_resample", "fit_sample"):
        yield from _before_the_split(view, call)
    yield from _chosen(view)
    for call in view.calls("fit"):
        yield from _last_class(view, call)
    for call in view.calls("roll"):
        yield from _wraps(view, call)
    for call in view.calls("min"):
        yield from _cut_to_fit(view, call)


def _before_the_split(view: View, call: ast.Call) -> Iterator[Slip]:
    """`x = StandardScaler().fit_transform(x)`, and then `train_test_split(x, y)`."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    maker = _maker(view, made) if made is not None else ""
    statement = view.statement(call)
    if maker not in _FITTED | _RESAMPLES or not call.args or not isinstance(statement, ast.Assign):
        return
    if any(_PART.search(ast.unparse(a)) or _is_part(view, a) for a in call.args):
        return
    first = statement.targets[0].elts[0] if isinstance(statement.targets[0], ast.Tuple) else statement.targets[0]
    line = _split(view, first, statement) if isinstance(first, ast.Name) else None
    if line is not None:
        yield _leak(call.lineno, f"`{maker}` is fitted to all rows, and line {line} deals them out afterwards")


def _maker(view: View, node: ast.expr) -> str:
    """The class of a scaler or the like."""
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        node = made[0].value if len(made) == 1 else node
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def _is_part(view: View, node: ast.expr) -> bool:
    """Whether rows are a part of others: by an index, or one of several results of a split."""
    if isinstance(node, ast.Subscript):
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        if isinstance(first, ast.Slice):
            return first.upper is not None or _is_part(view, node.value)
        rows = isinstance(first, ast.Compare | ast.UnaryOp) or bool(_ROWS.search(ast.unparse(first)))
        return rows or _is_part(view, node.value)
    if isinstance(node, ast.Name):
        made = view.back.named(view.file, node)
        return any(m.part is not None or _is_part(view, m.value) for m in made[:1])
    of = inner(node)
    return of is not None and _is_part(view, of)


def _split(view: View, name: ast.Name, after: ast.stmt) -> int | None:
    """The line that deals out the rows of an array that was made of all of them, some for the training."""
    scope = view.scope(after)
    reads = [n for n in view.loads(scope, name.id) if n.lineno > (after.end_lineno or after.lineno)]
    cuts: dict[str, int] = {}
    for read in reads:
        above = view.above.get(read)
        if isinstance(above, ast.Call) and last_name(above.func) in ("train_test_split", "split"):
            return above.lineno
        if isinstance(above, ast.Subscript) and above.value is read:
            part = above.slice.elts[0] if isinstance(above.slice, ast.Tuple) and above.slice.elts else above.slice
            slice_of = isinstance(part, ast.Slice) and (part.lower is None) != (part.upper is None)
            if slice_of or isinstance(part, ast.Name | ast.UnaryOp):
                cuts[ast.unparse(part)] = above.lineno
    whole = any(isinstance(view.above.get(r), ast.Call) and _is_fit(view.above[r]) for r in reads)
    return min(cuts.values()) if len(cuts) > 1 and not whole else None


def _is_fit(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "fit"


def _chosen(view: View) -> Iterator[Slip]:
    """`x = x[:, order[:k]]`, by an order of how well each column goes with the labels of all rows."""
    for call in view.calls(*_SCORES):
        statement = view.statement(call)
        if len(call.args) < 2 or statement is None or any(_is_part(view, a) for a in call.args):
            continue
        if _PART.search(ast.unparse(call)):
            continue
        scope = view.scope(call)
        for pick in (n for n in nodes_of(scope, ast.Subscript) if isinstance(n.slice, ast.Tuple)):
            at = pick.slice.elts[-1] if isinstance(pick.slice, ast.Tuple) and len(pick.slice.elts) == 2 else None
            made = [m.value for m, _ in zip(view.made(at), range(8), strict=False)] if at is not None else []
            by_score = any(c is call for v in made for c in walk(v))
            sorts = any(isinstance(c, ast.Call) and last_name(c.func) in ("argsort", "where", "nonzero", "argpartition")
                        for v in [*made, *([at] if at is not None else [])] for c in walk(v))  # fmt: skip
            target = view.statement(pick)
            names = [t for t in getattr(target, "targets", []) if isinstance(t, ast.Name)]
            line = _split(view, names[0], target) if by_score and sorts and names and target is not None else None
            if line is not None:
                yield _leak(
                    call.lineno, f"Columns are chosen by the labels of all rows, and line {line} deals the rows out"
                )
                return


def _leak(line: int, title: str) -> Slip:
    return Slip(
        "fitted-before-split",
        line,
        title,
        "What is computed here knows the rows that are tested later, their labels too where it takes them. The score "
        "is better than it will be on new rows. Split first, fit with the training rows, and apply it to the others.",
    )


def _last_class(view: View, call: ast.Call) -> Iterator[Slip]:
    """`fit(x, y, validation_split=0.2)` of labels that stand class after class."""
    share = keyword(call, "validation_split")
    labels = keyword(call, "y") or (call.args[1] if len(call.args) > 1 else None)
    if share is None or labels is None or (isinstance(share, ast.Constant) and not share.value):
        return
    line = _in_blocks(view, labels, 6)
    if line is not None:
        yield Slip(
            "validation-of-one-class",
            call.lineno,
            "The validation has the last rows, and the labels stand class after class",
            f"`validation_split` takes the last rows as they are, before any shuffle. Line {line} puts the labels of "
            "one class after those of another: the validation is of the last class, of which the training has few or "
            "none. Mix rows and labels by one order first.",
        )


def _in_blocks(view: View, node: ast.expr, depth: int) -> int | None:
    """The line that makes labels in blocks: `np.repeat([0, 1], n)`, `np.concatenate([np.zeros(n), np.ones(m)])`."""
    if isinstance(node, ast.Name) and depth:
        made = view.back.values(view.file, node)
        return _in_blocks(view.of(made[0]), made[0].value, depth - 1) if len(made) == 1 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        lists = [s for s in (node.left, node.right) if isinstance(s, ast.BinOp) and isinstance(s.left, ast.List)]
        return node.lineno if len(lists) == 2 else None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name, first = last_name(node.func), node.args[0]
    if name == "repeat" and len(node.args) > 1:
        numbers = isinstance(first, ast.List | ast.Tuple) or (
            isinstance(first, ast.Call) and last_name(first.func) in ("arange", "range")
        )
        return node.lineno if numbers else None
    if name in ("concatenate", "hstack") and isinstance(first, ast.List | ast.Tuple):
        makers = [last_name(e.func) for e in first.elts if isinstance(e, ast.Call)]
        whole = len(makers) == len(first.elts) > 1 and {"zeros", "ones", "full"} >= set(makers) and len(set(makers)) > 1
        return node.lineno if whole else None
    of = inner(node)
    return _in_blocks(view, of, depth - 1) if of is not None and depth else None


def _wraps(view: View, call: ast.Call) -> Iterator[Slip]:
    """`table["load_lag24"] = np.roll(load, 24)`."""
    statement = view.statement(call)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    key = target.slice if isinstance(target, ast.Subscript) else None
    text = ast.unparse(key).strip("'\"f") if key is not None else target.id if isinstance(target, ast.Name) else ""
    if (
        not isinstance(statement, ast.Assign)
        or statement.value is not call
        or not _LAG.search(text)
        or len(call.args) < 2
    ):
        return
    scope = view.scope(call)
    trimmed = [
        n
        for n in walk(scope)
        if n.__class__ is ast.Slice and n.lineno > call.lineno and (n.lower is not None or n.upper is not None)
    ]
    if trimmed or "dropna" in ast.unparse(scope) or "periodic" in ast.unparse(scope).lower():
        return
    yield Slip(
        "lag-wraps",
        call.lineno,
        f"The first rows of `{text[:40]}` come from the end of the series",
        "`roll` moves what leaves at one end in at the other. So the first rows have values from after their time, and "
        "nothing shows it. `shift` of pandas has no value there; or leave these rows out.",
    )


def _cut_to_fit(view: View, call: ast.Call) -> Iterator[Slip]:
    """`n = min(len(x), len(y))`, `x[:n]` and `y[:n]`, where one of both has lost rows in its middle."""
    of = [a.args[0] for a in call.args if isinstance(a, ast.Call) and last_name(a.func) == "len" and a.args]
    statement = view.statement(call)
    names = [o for o in of if isinstance(o, ast.Name)]
    if len(names) != 2 or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return
    end = statement.targets[0].id
    cuts = {
        n.value.id
        for n in nodes_of(view.scope(call), ast.Subscript)
        if isinstance(n.value, ast.Name) and isinstance(n.slice, ast.Slice)
        and n.slice.lower is None and ast.unparse(n.slice.upper or n) == end
    }  # fmt: skip
    lost = [bool(re.search(r"\.(?:dropna|drop_duplicates|query)\(", _history(view, n))) for n in names]
    if {n.id for n in names} <= cuts and lost[0] != lost[1]:
        fewer = names[0].id if lost[0] else names[1].id
        yield Slip(
            "cut-to-fit",
            call.lineno,
            f"`{names[0].id}` and `{names[1].id}` are cut to the same length, and `{fewer}` has lost rows before",
            f"Rows of `{fewer}` were dropped wherever they stood, and the other array is cut at its end. From the "
            "first dropped row on, each row meets the next one's partner. Join both by their index, and drop then.",
        )


def _history(view: View, node: ast.Name) -> str:
    return " ".join(ast.unparse(m.value) for m in view.back.values(view.file, node) if names_in(m.value) != {node.id})
