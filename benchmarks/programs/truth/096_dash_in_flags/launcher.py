"""Environment of a run, chosen by profile; imported before TensorFlow."""
import os

PROFILE = "careful"
PROFILES = {
    "careful": ["—xla_cpu_enable_fast_math=false"],
    "quick": ["--xla_cpu_enable_fast_math=true"],
}
os.environ["XLA_FLAGS"] = " ".join(PROFILES[PROFILE])
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"
os.environ["OMP_NUM_THREADS"] = "2"
