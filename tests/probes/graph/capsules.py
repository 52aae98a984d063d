"""Makes capsules in tests as the recorder makes them in a target: uids for Python graphs, a folder,
values."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

from probes import compat_graph
from probes.record import capsule


class Uids:
    """Uids of FuncGraphs, by name of the Python function."""

    def __init__(self, concrete: Any) -> None:
        self.of_top = "g0"
        self.names: dict[str, list[str]] = {}
        self._of: dict[int, str] = {}
        for name, function in compat_graph.library_functions(concrete.graph).items():
            uid = self._of.setdefault(id(function.graph), f"g{len(self._of) + 1}:{function.graph.name}")
            self.names.setdefault(uid, []).append(name)

    def find(self, part: str) -> list[str]:
        return [uid for uid in self.names if part in uid]


def capsule_of(folder: Path, concrete: Any, data: list[Any], *, values: bool = True) -> tuple[Path, Uids]:
    """Write the capsule of a concrete function and its values."""
    uids = Uids(concrete)
    capsule.write_capsule(folder, concrete, graph_uid=uids.of_top, graphs=uids.names)
    if values:
        recipe = {
            "data": "exact",
            "variables": "after-failure",
            "rows": None,
            "batch_size": None,
            "note": None,
        }
        capsule.write_values(folder, concrete, data=data, recipe=recipe)
    return folder, uids


def newest_concrete(part: str) -> Any:
    """The newest concrete function whose name contains `part`: Keras keeps its own out of reach."""
    from tensorflow.python.eager.polymorphic_function import concrete_function

    found = [
        o for o in gc.get_objects() if isinstance(o, concrete_function.ConcreteFunction) and part in str(o.graph.name)
    ]
    return max(found, key=lambda c: int(c.name.decode().rsplit("_", 1)[1]))
