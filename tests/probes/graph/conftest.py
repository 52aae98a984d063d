"""Capsules of the patients, made once a session: tracing costs more than what is tested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """`patient("fit", broken=True)` -> (folder, uids, ...): a Keras patient; made when first asked for."""
    made: dict[Any, Any] = {}

    def make(kind: str, **options: Any) -> Any:
        from . import patients

        key = (kind, *sorted(options.items()))
        if key not in made:
            made[key] = getattr(patients, kind)(tmp_path_factory.mktemp(kind) / "capsule", **options)
        return made[key]

    return make


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """`plain("chunks", fail=True)` -> (folder, uids): a patient that is a plain tf.function."""
    made: dict[Any, Any] = {}

    def make(kind: str, specs: Any = None, values: bool = True, **options: Any) -> tuple[Path, Any]:
        from . import patients

        key = (kind, str(specs), values, *sorted(options.items()))
        if key not in made:
            program, arguments = getattr(patients, kind)(**options)
            folder = tmp_path_factory.mktemp(kind) / "capsule"
            made[key] = patients.capsule(folder, program, arguments, specs=specs, values=values)
        return made[key]

    return make
