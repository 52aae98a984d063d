"""What functions of libraries take and give in an order of their own, or for all columns at once: sides of images,
parts of a split, what a scaler was fitted to.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.axis_orders import turned
from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import dotted, keyword, last_name, nodes_of, walk

_FITS = frozenset({"fit", "fit_transform"})


def of_libraries(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    halves = any(b == 2 * (a - 1) for a in crash.sizes for b in crash.sizes if a > 2) and _takes_half(hops, files)
    is_turned, inverts = bool(turned(crash.shapes)), crash.slug == "broadcast-mismatch" and _inverts(crash, files)
    for file, tree in files.trees(f for f, _ in hops).items():
        found: list[Found] = []
        for node in walk(tree):
            if isinstance(node, ast.Call) and is_turned:
                found += _sides(node)
            elif isinstance(node, ast.Call) and halves and last_name(node.func) == "fftfreq":
                found.append(
                    (node.lineno, 7.8, "It has all frequencies: of real signals `rfft` gives half, `rfftfreq`.")
                )
            elif isinstance(node, ast.Call) and inverts and last_name(node.func) in _FITS and len(node.args) == 1:
                said = "The scaler is fitted here: it takes back only tables with as many columns."
                found.append((node.lineno, 8.4 if _is_of_targets(tree, node) else 7.2, said))
            elif isinstance(node, ast.Assign) and crash.slug in ("keras-input-mismatch", "broadcast-mismatch"):
                found += _parts(node)
        yield from conventions(file, found, hops)


def _takes_half(hops: Mapping[Line, int], files: Files) -> bool:
    """Whether the program takes half spectra, of real signals."""
    trees = files.trees(f for f, _ in hops).values()
    return any(last_name(n) in ("rfft", "stft") for tree in trees for n in walk(tree))


def _inverts(crash: Crash, files: Files) -> bool:
    """Whether the line that failed takes back a scaling."""
    said = [f.function.lower() for f in crash.frames] + [files.code(f.file, f.line).lower() for f in crash.frames[-2:]]
    return any(word in text for text in said for word in ("inverse", "unscale", "denorm", "descale"))


def _is_of_targets(tree: ast.Module, fit: ast.Call) -> bool:
    """Whether what is fitted is kept by the name of targets, and fitted to several columns of a table: `y_scaler =
    Scaler().fit(table[COLUMNS])`.
    """
    key = fit.args[0].slice if isinstance(fit.args[0], ast.Subscript) else None
    made = [s for s in nodes_of(tree, ast.Assign) if any(n is fit for n in walk(s.value))]
    names = [last_name(t) for s in made for t in s.targets]
    several = isinstance(key, ast.List) or (isinstance(key, ast.Name) and key.id.isupper() and key.id.endswith("S"))
    return several and any(re.search(r"(?:^|_)(?:y|targets?|labels?)(?:_|$)", name) for name in names)


def _sides(call: ast.Call) -> Iterator[Found]:
    """`cv2.resize(image, size)` takes the width first, and gives the height first; a mesh grid turns its first axes."""
    name = dotted(call.func) or ""
    if name in ("cv2.resize", "cv.resize") and len(call.args) > 1 and not isinstance(call.args[1], ast.Tuple):
        yield call.lineno, 7.6, "OpenCV takes the width before the height, and gives images with the height first."
    elif last_name(call.func) == "meshgrid" and keyword(call, "indexing") is None:
        yield call.lineno, 6.6, "A mesh grid has the axis of its second argument first, unless `indexing` says `ij`."


def _parts(node: ast.Assign) -> Iterator[Found]:
    """`x_train, y_train, x_test, y_test = train_test_split(x, y)`: of each array the two parts come together."""
    value, target = node.value, node.targets[0]
    splits = isinstance(value, ast.Call) and last_name(value.func) == "train_test_split" and len(value.args) > 1
    names = [last_name(e).lower() for e in target.elts] if splits and isinstance(target, ast.Tuple) else []
    parts = ["train" if "tr" in n else "test" if any(w in n for w in ("te", "va")) else "" for n in names]
    if len(parts) > 3 and parts[0] == parts[1] and "" not in parts:
        yield node.lineno, 8.6, "Of each array the split gives both parts, one after the other."
