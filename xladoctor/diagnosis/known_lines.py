"""Lines that the recording knows to be at fault, where that says more than the ranking of suspects."""

from __future__ import annotations

from xladoctor.diagnosis.argument_lines import with_argument_lines
from xladoctor.diagnosis.attempt import attempted
from xladoctor.diagnosis.generators import with_generator
from xladoctor.diagnosis.kept_at_import import with_kept
from xladoctor.diagnosis.late_setting import with_late_setting
from xladoctor.diagnosis.late_switch import with_late_switch
from xladoctor.diagnosis.loop_gradient import with_loop
from xladoctor.diagnosis.loop_start import with_loop_start
from xladoctor.diagnosis.missing_file import with_missing_file
from xladoctor.diagnosis.no_samples import with_no_samples
from xladoctor.diagnosis.none_size import with_none_size
from xladoctor.diagnosis.numpy_warnings import with_numpy_warning
from xladoctor.diagnosis.read_twice import with_read_twice
from xladoctor.diagnosis.stray_key import with_stray_key
from xladoctor.diagnosis.tensor_arrays import with_tensor_array
from xladoctor.diagnosis.uneven_lists import with_uneven_list
from xladoctor.diagnosis.untrained import with_stops
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording.run import Recording

_STEPS = (
    with_kept, with_late_switch, with_generator, with_stray_key, with_read_twice, with_stops, with_numpy_warning,
    with_loop, with_loop_start, with_tensor_array, with_none_size, with_no_samples, with_missing_file,
    with_late_setting, with_uneven_list, with_argument_lines,
)  # fmt: skip
"""Each leaves a diagnosis alone that is of another kind; the last to know a line has it before the others."""


def with_known_line(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with such a line as the first to suspect, where one is known."""
    for step in _STEPS:
        diagnosis = attempted(step, diagnosis, recording)
    return diagnosis
