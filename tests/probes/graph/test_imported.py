"""How a worker comes to TensorFlow: cycles are not looked for while it is imported, and are again afterwards."""

from __future__ import annotations

import gc
import sys
from importlib.util import spec_from_loader
from types import SimpleNamespace

import pytest

from probes.graph import imported


class Loader:
    """Stands for the TensorFlow that is found: notes whether cycles are collected; or is broken."""

    def __init__(self, broken: bool) -> None:
        self.broken, self.seen = broken, []

    def find_spec(self, name, path=None, target=None):
        return spec_from_loader(name, self) if name == "tensorflow" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        self.seen.append(("collects", gc.isenabled()))
        if self.broken:
            raise ImportError("broken")
        hide = lambda devices, kind: self.seen.append((kind, devices))  # noqa: E731
        module.config = SimpleNamespace(set_visible_devices=hide)


@pytest.fixture(params=[False, True], ids=["whole", "broken"])
def found(request, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    monkeypatch.delitem(sys.modules, "tensorflow")
    made = Loader(request.param)
    monkeypatch.setattr(sys, "meta_path", [made, *sys.meta_path])
    return made


def test_cycles_are_not_looked_for_during_the_import_and_are_afterwards(found):
    if found.broken:
        with pytest.raises(ImportError, match="broken"):
            imported.tensorflow()
        assert found.seen == [("collects", False)]
    else:
        assert imported.tensorflow() is imported.tensorflow()
        assert found.seen == [("collects", False), ("GPU", [])], "once, and on the processor only"
    assert gc.isenabled()
