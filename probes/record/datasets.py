"""Pipelines whose rows are not those that the program takes them for, by how they were put together.

A dataset that is shuffled again each time, given to `predict`: nobody knows which prediction is of which row. A last
batch that is dropped there, too. Two datasets of as many elements, shuffled apart and then zipped. Nothing is taken
from any iterator and no element is made: what a dataset was built from is in its Python objects.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .. import compat, compat_data, schema
from .frames import direct_caller, followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_DATASETS = 400
MAX_EVENTS = 20
MAX_LOOPS = 50
"""Loops of the program over datasets that are looked at, each line of one dataset once."""
_DEPTH = 60
_KNOWN = ("Shuffle", "Batch", "Zip", "Cache")
"""In the names of the classes whose line is worth a note."""
SAME_ROWS = ("Map", "Batch", "Prefetch", "Options", "Repeat", "Cache", "Shuffle", "ModelDataset", "AssertCardinality")
"""What leaves a dataset the rows that it had, and in an order that is known."""
_ARRAYS = "TensorSlice"
_SOME_ROWS = ("Batch", "Prefetch", "Options", "Repeat", "Cache", "Shuffle", "Take", "Skip", "AssertCardinality")
"""What leaves each row of a dataset as it was."""
_PARTS = ("Take", "Skip")
_OTHER_BATCHES = ("Padded", "Ragged", "Unbatch")
_DRAW = frozenset(
    {"Multinomial", "RandomGamma", "RandomShuffle", "RandomStandardNormal", "RandomUniform", "RandomUniformInt",
     "RngReadAndSkip", "StatefulStandardNormalV2", "StatefulUniform", "StatefulUniformInt", "TruncatedNormal"}
)  # fmt: skip
"""What draws other numbers each time."""
_METHODS = ("predict", "evaluate")
Passed = Callable[[Any, int, "Mapping[str, Any] | None", bool], None]
LOOP = "loop"
"""The method of what the program itself iterates."""


@dataclass(frozen=True)
class _Branch:
    """One of the datasets that are zipped: the shuffles that it went through, and where the last of them stands."""

    shuffles: tuple[tuple[Any, ...], ...]
    size: int
    spec: str
    where: Mapping[str, Any] | None


class DatasetRecorder:
    """Writes `dataset` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._where: weakref.WeakKeyDictionary[Any, Mapping[str, Any]] = weakref.WeakKeyDictionary()
        self._callers: dict[str, weakref.WeakKeyDictionary[Any, Mapping[str, Any]]] = {}
        """By the line that made them, what called the function there, for each dataset."""
        self._loops: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._made = self._looped = 0
        self._written: set[tuple[Any, ...]] = set()
        self._latest: tuple[Mapping[str, Any], Any] | None = None
        """The line of the latest loop, and its dataset."""
        self.passed: Passed | None = None
        """Called with each dataset that is gone through, how often, where, and whether in a loop of the program."""
        finder.when_imported("tensorflow", self._hook)

    def _hook(self, _: ModuleType) -> None:
        cls: Any = compat_data.dataset_class()

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: None) -> None:
            if self._made < MAX_DATASETS:
                self.guard.run("dataset", self._built, args[0])

        def iterated(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if self._looped < MAX_LOOPS:
                self.guard.run("dataset loop", self._iterated, args[0])

        self.guard.hooks.put(cls, "__init__", followed(cls.__init__, made))
        self.guard.hooks.put(cls, "__iter__", followed(cls.__iter__, iterated))

    def _built(self, dataset: Any) -> None:
        name = type(dataset).__name__
        if not any(word in name for word in _KNOWN) or compat.default_graph() is not None:
            return
        self._made += 1
        frames = user_frames(skip=4, limit=2)
        if frames:
            self._where[dataset] = frames[0]
            self._callers.setdefault(str(frames[0]), weakref.WeakKeyDictionary())[dataset] = frames[-1]
        if "Zip" in name:
            self._zipped(dataset._inputs(), self._where.get(dataset))

    def given(self, method: str, model: Any, data: Any, where: Mapping[str, Any] | None) -> bool:
        """A Keras method was given a dataset; whether it was looked at in which order it gives which of its rows."""
        if not isinstance(data, compat_data.dataset_class()):
            return False
        facts = {"method": method, "model": getattr(model, "name", None), "used": where}
        if self.passed is not None:
            self.passed(data, 2 if method == "fit" else 1, where, False)
        if is_empty(data):
            self._write("empty", None, **facts)
        if method not in _METHODS:
            return False
        found = list(chain(data))
        anew = shuffled_anew(found)
        if method == "predict" and anew:
            self._write("reshuffled", self._chosen(anew[0]), made=self._where.get(anew[0]), **facts)
        self._dropped(found, **facts)
        return True

    def _iterated(self, dataset: Any) -> None:
        """A loop of the program begins: what it does with the batches, its source says."""
        loop = direct_caller() if compat.default_graph() is None else None
        if loop is None:
            return
        if self.passed is not None:
            self.passed(dataset, 1, loop, True)
        latest, self._latest = self._latest, (loop, weakref.ref(dataset))
        other = latest[1]() if latest is not None and latest[0] == loop else None
        if other is not None and other is not dataset and other.element_spec != dataset.element_spec:
            self._zipped([other, dataset], loop)  # two at one line, one after the other: by `zip` of Python
        before = self._loops.setdefault(dataset, [])
        if loop in before:
            return
        self._looped += 1
        before.append(loop)
        found = list(chain(dataset))
        self._dropped(found, method=LOOP, model=None, used=loop)
        anew = shuffled_anew(found) if len(before) <= 2 else []
        if anew and len(before) == 1 and isinstance(dataset.element_spec, tuple):
            made = self._where.get(anew[0])
            caller = self._callers.get(str(made), {}).get(anew[0], made)
            self._write("shuffled-pass", caller, made=made, method=LOOP, model=None, used=loop)
        elif anew and len(before) == 2:
            places = {"made": self._where.get(anew[0]), "used": before[0], "other": loop}
            self._write("reshuffled", self._chosen(anew[0]), method=LOOP, model=None, **places)

    def _dropped(self, found: list[Any], **facts: Any) -> None:
        for batch in (d for d in found if _drops(d)):
            inputs = batch._inputs()
            rows, size = int(inputs[0].cardinality().numpy()), int(batch._batch_size.numpy())
            if rows > 0 and rows % size:
                self._write("dropped", self._where.get(batch), rows=[rows, rows - rows % size], **facts)

    def cached_draws(self, dataset: Any) -> Any:
        """The cache of a dataset that keeps what a function before it drew at random; None where none does."""
        found = list(chain(dataset))
        at = max((n for n, d in enumerate(found) if "Cache" in type(d).__name__), default=None)
        return found[at] if at is not None and any(draws(d) for d in found[at + 1 :]) else None

    def line_of(self, dataset: Any) -> Mapping[str, Any] | None:
        """Where a shuffle, a batch or a zip was made."""
        return self._where.get(dataset)

    # -- inside

    def _chosen(self, dataset: Any) -> Mapping[str, Any] | None:
        """Where it was decided that a dataset is shuffled: at the call of the function that does it, if it is called
        from several lines, as one that makes the data for training too.
        """
        where = self._where.get(dataset)
        callers: Mapping[Any, Mapping[str, Any]] = self._callers.get(str(where), {})
        return callers.get(dataset, where) if len({str(c) for c in callers.values()}) > 1 else where

    def _zipped(self, datasets: Sequence[Any], used: Mapping[str, Any] | None) -> None:
        branches = [self._branch(d) for d in datasets]
        known = [b for b in branches if b is not None]
        if len(known) < 2 or len(known) < len(branches) or len({b.size for b in known}) > 1:
            return
        if len({b.shuffles for b in known}) == 1:
            return
        shuffled = [b for b in known if b.shuffles]
        # Two of one kind, both shuffled, may be meant to have nothing to do with each other.
        if len(shuffled) == len(known) and len({b.spec for b in known}) == 1:
            return
        apart = [bool(b.shuffles) for b in known]
        self._write("zipped", shuffled[-1].where, used=used, shuffled=apart, rows=[known[0].size])

    def _branch(self, dataset: Any) -> _Branch | None:
        *steps, leaf = chain(dataset)
        if _ARRAYS not in type(leaf).__name__ or leaf._inputs():
            return None
        if not all(any(word in type(d).__name__ for word in SAME_ROWS) for d in steps):
            return None
        shuffles = [d for d in steps if _shuffles(d)]
        keys = tuple(_seeded(d) for d in shuffles)
        where = self._where.get(shuffles[0]) if shuffles else None
        return _Branch(keys, int(leaf.cardinality().numpy()), str(dataset.element_spec), where)

    def _write(self, what: str, where: Mapping[str, Any] | None, **facts: Any) -> None:
        key = (what, *sorted((where or {}).items()), *sorted((facts.get("used") or {}).items()))
        if key in self._written or len(self._written) >= MAX_EVENTS:
            return
        self._written.add(key)
        self.guard.sink.write(schema.DATASET, what=what, where=where, **facts)


def is_empty(dataset: Any) -> bool:
    """Whether a dataset is known to have no element; while a graph is built nothing is known."""
    elements = dataset.cardinality()
    return compat.is_eager(elements) and int(elements.numpy()) == 0


def chain(dataset: Any) -> Iterator[Any]:
    """A dataset and what it was made of, as long as it is one."""
    for _ in range(_DEPTH):
        yield dataset
        inputs = dataset._inputs()
        if len(inputs) != 1:
            return
        dataset = inputs[0]


def draws(dataset: Any) -> bool:
    """Whether a dataset calls a function that draws numbers anew for each element."""
    function = getattr(getattr(dataset, "_map_func", None), "function", None)
    graph = getattr(function, "graph", None)
    if graph is None:
        return False
    written = graph.as_graph_def()
    ops = {n.op for n in written.node} | {n.op for f in written.library.function for n in f.node_def}
    return bool(ops & _DRAW) or ("AssignVariableOp" in ops and any(o.startswith("StatelessRandom") for o in ops))


def shuffled_anew(found: list[Any]) -> list[Any]:
    """The shuffles of a pipeline that are drawn again at each pass: those above a cache are not."""
    cached = next((n for n, d in enumerate(found) if "Cache" in type(d).__name__), len(found))
    return [d for d in found[:cached] if is_shuffled_anew(d)]


def is_shuffled_anew(dataset: Any) -> bool:
    """Whether a dataset gives its rows in another order at each pass."""
    return _shuffles(dataset) and _anew(dataset)


def _shuffles(dataset: Any) -> bool:
    return "Shuffle" in type(dataset).__name__ and int(dataset._buffer_size.numpy()) != 1


def _seeded(dataset: Any) -> tuple[Any, ...]:
    """Two shuffles with equal ones give the same order; without a seed no two are equal."""
    seeds = tuple(int(s.numpy()) for s in (dataset._seed, dataset._seed2))
    return (*seeds, int(dataset._buffer_size.numpy()), _anew(dataset)) if any(seeds) else (id(dataset),)


def _anew(dataset: Any) -> bool:
    return getattr(dataset, "_reshuffle_each_iteration", None) is not False


def _drops(dataset: Any) -> bool:
    drops = getattr(dataset, "_drop_remainder", None)
    return "Batch" in type(dataset).__name__ and drops is not None and bool(drops.numpy())


def slices(dataset: Any, *, all_rows: bool = False) -> tuple[list[Any], int] | None:
    """The tensors whose rows a pipeline gives, flat and whole, and how many of them are a batch; None of one that
    computes something of them, that is made of anything else, or that leaves out rows where `all_rows` are wanted.
    """
    *steps, leaf = chain(dataset)
    names = [type(d).__name__ for d in steps]
    if not all(any(w in n for w in _SOME_ROWS) and not any(w in n for w in _OTHER_BATCHES) for n in names):
        return None
    if all_rows and any(w in n for w in _PARTS for n in names):
        return None
    sizes = [int(d._batch_size.numpy()) for d in steps if hasattr(d, "_batch_size")]
    if len(sizes) > 1:
        return None
    size = sizes[0] if sizes else 0
    if "Zip" in type(leaf).__name__:
        parts = [slices(d, all_rows=all_rows) for d in leaf._inputs()]
        found = [p for p in parts if p is not None]
        inner = {p[1] for p in found}
        if len(found) < len(parts) or len(inner) != 1 or (size and inner != {0}):
            return None
        return [t for p in found for t in p[0]], size or inner.pop()
    tensors = list(getattr(leaf, "_tensors", ())) if _ARRAYS in type(leaf).__name__ and not leaf._inputs() else []
    if not tensors or any(t.dtype.name in ("variant", "resource", "string") or not len(t.shape) for t in tensors):
        return None
    return tensors, size
