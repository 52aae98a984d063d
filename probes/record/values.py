"""The values that go into a capsule after a failure or a rows mismatch: the batch, as well as it is known, and the
variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import compat, schema
from .guard import Guard
from .shelf import Shelf

# numpy arrays beyond this are left out and said to be; the worker then fills them from the specs.
MAX_BYTES = 512 * 1024 * 1024
# How often the values of failing calls of one capsule are tried to be kept.
_TRIES = 3


class ValueWriter:
    """Writes `values.npz` and `recipe.json` into a capsule, once."""

    def __init__(self, guard: Guard, shelf: Shelf, enabled: bool, always: bool = False) -> None:
        self.sink = guard.sink
        self.shelf = shelf
        self.enabled = enabled
        self.always = always
        """Keep the values of calls that went well, too: of the first one of each step."""
        self._done: Counter[Path] = Counter()

    def of_call(
        self, folder: Path, concrete: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, needed: bool
    ) -> None:
        """The arguments of a direct call. They are `needed` if it failed: exactly those failed."""
        data = [v for v in leaves((args, kwargs)) if compat.tensor_info(v) is not None]
        self._write(folder, concrete, data, "exact", None, None, needed)

    def known(self, folder: Path) -> bool:
        """Whether the values of this capsule are kept already."""
        return folder in self._done

    def of_keras(
        self,
        folder: Path,
        concrete: Any,
        batch: Any,
        rows: int | None,
        batch_size: int | None,
        exact: bool,
        *,
        needed: bool = False,
    ) -> None:
        """The first `batch_size` rows of what was given to `fit`, `evaluate` or `predict`; `needed` as above.

        Keras has consumed the failing batch inside the failing call (and `fit` shuffles), so these rows are `redrawn`
        unless the data have only one batch.
        """
        arrays = [v for v in leaves(batch) if hasattr(v, "shape") and hasattr(v, "__getitem__")]
        n = batch_size or 32
        cut = [a[:n] for a in arrays if len(a.shape) > 0]
        self._write(folder, concrete, cut, "exact" if exact else "redrawn", rows, n, needed)

    def _write(
        self,
        folder: Path,
        concrete: Any,
        data: list[Any],
        recipe: str,
        rows: int | None,
        batch_size: int | None,
        needed: bool,
    ) -> None:
        if self._done[folder] and not (
            needed and self._done[folder] < _TRIES and not self.shelf.has_values(folder.name)
        ):
            return
        if not self._done[folder]:
            self.shelf.drop_values(folder.name)
        self._done[folder] += 1
        note = None
        if not self.enabled:
            data, recipe, note = [], "random", "values were not wanted"
        elif sum(compat.bytes_of(v) for v in data) > MAX_BYTES:
            data, recipe, note = [], "random", f"larger than {MAX_BYTES} bytes"
        elif not data:
            recipe, note = "random", "the data were no arrays"
        variables = list(getattr(concrete, "variables", ())) if self.enabled else []
        if sum(compat.bytes_of(v) for v in variables) > MAX_BYTES:
            variables, note = [], f"variables larger than {MAX_BYTES} bytes"
        facts = {
            "data": recipe,
            "variables": "after-failure" if variables else "random",
            "rows": rows,
            "batch_size": batch_size,
            "note": note,
        }
        from . import capsule as capsules  # imports numpy: not before the target has

        size = capsules.size_of_values(concrete, data, variables)

        def write(into: Path) -> None:
            capsules.write_values(into, concrete, data=data, variables=variables, recipe=facts, max_bytes=size)

        if self.shelf.add_values(folder.name, size, write, needed=needed):
            self.sink.write(schema.CAPSULE, capsule=folder.name, what="values", recipe=facts)


def leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    """Leaves in the order in which Keras and tf.nest flatten: lists and tuples as they stand, dicts by sorted key."""
    if value is None or depth > 6:
        return
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from leaves(value[key], depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item, depth + 1)
    else:
        yield value
