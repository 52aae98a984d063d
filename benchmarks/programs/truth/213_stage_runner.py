"""Runs the stages of a small experiment one after the other, each in a process of its own."""
import os
import subprocess
import sys
import tempfile
import textwrap

OUT = tempfile.mkdtemp(prefix="stages_")

STAGES = {
    "simulate": """
        import numpy as np
        g = np.random.default_rng(1)
        t = np.linspace(0, 6, 300)
        np.save("decay.npy", np.stack([t, np.exp(-t / 1.7) + g.normal(0, 0.01, t.size)]).astype("f4"))
        print("simulated", t.size)
    """,
    "fit": """
        import numpy as np, tensorflow as tf
        t, s = np.load("decay.npy")
        tau = tf.Variable(1.0)

        @tf.function(jit_compile=True)
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.exp(-t / tau) - s) ** 2)
            tau.assign_sub(2.0 * tape.gradient(loss, tau))
            return loss

        for _ in range(80):
            step()
        np.save("tau.npy", tau.numpy())
    """,
    "report": """
        import numpy as np
        print("lifetime %.2f" % np.load("tau.npy"))
    """,
}


def environment(stage):
    env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
    if stage == "fit":
        env["TF_XLA_FLAGS"] = "--tf_xla_min_cluster_size=2 --xla_cpu_enable_fast_math=false"
    return env


for name, source in STAGES.items():
    print("stage", name, flush=True)
    subprocess.run([sys.executable, "-c", textwrap.dedent(source)],
                   cwd=OUT, env=environment(name), check=True)
print("all stages done")
