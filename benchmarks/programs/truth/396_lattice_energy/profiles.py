PROFILES = {
    "plain": {"TF_CPP_MIN_LOG_LEVEL": "1"},
    "repeatable": {
        "TF_CPP_MIN_LOG_LEVEL": "1",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "XLA_FLAGS": ["--xla_cpu_enable_fast_math=false"],
    },
    "fast": {
        "TF_ENABLE_ONEDNN_OPTS": "1",
        "XLA_FLAGS": ["--xla_cpu_enable_fast_math=true", "--tf_xla_min_cluster_size=2"],
    },
}
