"""One model for the whole process, built before the program has written its settings."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults.registry import Fault, Patch


def patches(gridsize: int) -> Sequence[Patch]:
    """Build a model now, as an import would, and return it from then on; gridsize 0 takes that of the settings."""
    from ptycho import model, params

    create = model.create_model_with_gridsize
    singleton = create(gridsize or params.get("gridsize"), params.get("N"))

    @functools.wraps(create)
    def create_model_with_gridsize(gridsize, N):
        return singleton

    return [(model, "create_model_with_gridsize", create_model_with_gridsize)]


FAULT = Fault(
    name="module-singleton",
    reports="002 (MODULE-SINGLETON-001)",
    mechanism="""The model is built when its module is imported, which here is the moment at which the fault is put in,
    before the program has written its settings: with gridsize 1, the default (option `gridsize` for another one), and
    the other settings of that moment. Everybody who asks for a model gets that one.""",
    expected="""ValueError: Input 0 with name 'None' of layer 'encode_0a' is incompatible with the layer:
    expected axis -1 of input shape to have value 2, but received input with shape (4, 32, 32, 8), at the first
    batch (gridsize 2, Keras 3.15). Where the gridsize happens to fit (gridsize=2) no error: the model keeps the
    intensity_scale of the moment when it was built (1, so that expected counts are wrong by the square of the
    measured one), and all arms of a study train the same weights.""",
    patches=patches,
    options={"gridsize": 0},
)
