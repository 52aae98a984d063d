import os
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

FILTER = """
import os, sys
import numpy as np
taps = int(sys.argv[1])
x = np.sin(np.linspace(0, 20, 128))
kernel = np.hanning(taps)
kernel /= kernel.sum()
y = np.convolve(x, kernel, "same")
if taps > len(x):
    raise SystemExit(f"ERROR: {taps} taps for {len(x)} samples")
y = y.reshape(16, 8) if taps % 2 else y.reshape(16, 9)
print(taps, float(np.abs(y).max()) < 1.0)
"""


def run_filter(taps):
    sys.stdout.flush()
    return subprocess.run([sys.executable, "-c", FILTER, str(taps)]).returncode


def network_agrees():
    import numpy as np
    import tensorflow as tf
    x = np.sin(np.linspace(0, 20, 128)).astype("float32")
    k = np.hanning(9).astype("float32")
    k /= k.sum()
    f = tf.function(lambda s: tf.nn.conv1d(s[None, :, None], k[:, None, None], 1, "SAME")[0, :, 0], jit_compile=True)
    return np.allclose(f(x), np.convolve(x, k, "same"), atol=1e-5)


expected = {9: 0, 31: 0, 8: 1, 301: 1}
verdicts = {}
for taps, status in expected.items():
    got = run_filter(taps)
    verdicts[taps] = got == status
    print(f"control with {taps:3d} taps: status {got}, expected {status}:", "ok" if verdicts[taps] else "WRONG")
verdicts["network"] = network_agrees()
print("negative control fails as it must; network agrees:", verdicts["network"])
sys.exit(0 if all(verdicts.values()) else 1)
