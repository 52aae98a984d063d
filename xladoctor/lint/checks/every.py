"""All checks: those of `FOLLOWED` see the code that XLA compiles as it is followed, those of `WHOLE` the
project as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xladoctor.lint.checks import (
    branch_rows,
    config_at_import,
    dropped_check,
    dynamic_size,
    environment_order,
    explicit_jit,
    float_width,
    global_jit,
    growing_array,
    growing_loop,
    host_op,
    masked_root,
    nan_of_maximum,
    partial_batch,
    seed_ignored,
    shape_from_value,
    slips,
    static_guard,
    variable_in_jit,
)
from xladoctor.lint.frames import Event
from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Project

FOLLOWED: tuple[Callable[[Event], Iterable[Hazard]], ...] = (
    host_op.see,
    variable_in_jit.see,
    shape_from_value.see,
    dynamic_size.see,
    branch_rows.see,
    float_width.see,
    dropped_check.see,
    growing_array.see,
    seed_ignored.see,
    masked_root.see,
    nan_of_maximum.see,
    growing_loop.see,
)
WHOLE: tuple[Callable[[Project], Iterable[Hazard]], ...] = (
    environment_order.find,
    config_at_import.find,
    static_guard.find,
    partial_batch.find,
    explicit_jit.find,
    global_jit.find,
    slips.find,
)
