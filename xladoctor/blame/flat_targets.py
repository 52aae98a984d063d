"""Two targets side by side with the inputs, where Keras takes the third of three for weights of the rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, nodes_of, walk

_OTHER_STRUCTURE = "y_true and y_pred have different structures"
_WEIGHTS = re.compile(r"weight|mask|importance|(?:^|_)(?:sw|w)(?:$|_)", re.I)


def of_flat_targets(crash: Crash, hops: Mapping[Line, int], files: Files) -> Iterator[Candidate]:
    """The elements of a dataset that are made so, in the last function that it is mapped to, or where it is made."""
    if _OTHER_STRUCTURE not in crash.message:
        return
    trees = files.trees(f for f, _ in hops)
    calls = [(f, n) for f, tree in trees.items() for n in nodes_of(tree, ast.Call) if n.args]
    made = {last_name(n.args[0]) for _, n in calls if last_name(n.func) in ("map", "from_generator")}
    found = [
        (file, n.value)
        for file, tree in trees.items()
        for function in nodes_of(tree, ast.FunctionDef)
        if function.name in made
        for n in walk(function)
        if isinstance(n, ast.Return | ast.Yield)
    ]
    # What a dataset is mapped to comes after what it is made of.
    found = found or [(f, n.args[0]) for f, n in calls if last_name(n.func) == "from_tensor_slices"]
    for file, given in found:
        if isinstance(given, ast.Tuple) and len(given.elts) > 2 and not _WEIGHTS.search(ast.unparse(given.elts[-1])):
            reason = "Of three Keras takes the last one for weights of the rows: several targets are `(x, (a, b))`."
            yield Candidate(file, given.lineno, 8.6, reason, None, "other", strong=True)
