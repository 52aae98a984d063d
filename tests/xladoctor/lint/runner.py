"""Runs the programs of a folder in one process: `python runner.py FOLDER` prints what became of each as JSON.

Needs nothing but TensorFlow, so that any version of it can run this.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""


def outcome(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3].replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        value = module.run()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    made = {"value": str(getattr(value, "numpy", lambda: value)())}
    if hasattr(module, "plain"):
        made["differs"] = differs(value, module.plain)
    return made


def differs(value, plain):
    import numpy as np

    try:
        expected = plain()
    except Exception:
        return True
    if value.shape != expected.shape:
        return True
    return not bool(np.allclose(value.numpy(), expected.numpy(), equal_nan=True))


if __name__ == "__main__":
    folder = sys.argv[1]
    print(json.dumps({name[:-3]: outcome(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}))
