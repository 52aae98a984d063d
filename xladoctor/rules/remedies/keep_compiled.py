"""Compiled programs that outlive the process: the second run of the same program does not compile again."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.how_tested import RERUN, RemedyTest

FOR = ("slow-compile",)
REMEDY = Remedy(
    "keep-compiled",
    "Keep compiled programs for the next run",
    "safe",
    "`TF_XLA_FLAGS=--tf_xla_persistent_cache_directory=DIR`: XLA writes each compiled program "
    "to DIR and loads it when the same graph is compiled with the same shapes on the same device. The first run is as "
    "slow as before. Empty DIR after an update of TensorFlow. A TensorFlow without this flag ends with an error.",
)
TEST = RemedyTest(why_not=RERUN)
