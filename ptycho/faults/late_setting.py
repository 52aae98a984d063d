"""A setting that is written after the model that it should affect was built."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ptycho.faults.registry import Fault, Patch


def patches() -> Sequence[Patch]:
    """Decide the path when a layer is made, and switch XLA translation off when the model is complete."""
    from ptycho import model, params, tf_helper

    create, make = model.create_model_with_gridsize, tf_helper.Translation.__init__
    before: list[bool] = []

    @functools.wraps(make)
    def make_decided(self, use_xla=None, **kwargs):
        make(self, tf_helper.should_use_xla() if use_xla is None else use_xla, **kwargs)

    @functools.wraps(create)
    def create_then_set(gridsize, N):
        if not before:
            before.append(params.get("use_xla_translate"))
        params.set("use_xla_translate", before[0])  # a second model is as late as the first
        models = create(gridsize, N)
        params.set("use_xla_translate", False)  # the workaround, too late
        return models

    return [
        (tf_helper.Translation, "__init__", make_decided),
        (model, "create_model_with_gridsize", create_then_set),
    ]


FAULT = Fault(
    name="late-setting",
    reports="002, hypotheses H2 and H3",
    mechanism="""Layers decide when they are made which warp they use. The program switches XLA translation off,
    params.cfg['use_xla_translate'] = False, after the model is built. (The setting stays written when the
    fault is taken out.)""",
    expected="""No error. params.cfg['use_xla_translate'] is False, and the graph that is traced afterwards still holds
    the jit-compiled warp; a failure of that warp stays as it was. Written before the model is built the same
    setting takes the warp out of the graph.""",
    patches=patches,
)
