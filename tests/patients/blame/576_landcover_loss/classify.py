import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import sys

from landcover.params import PARAMS, override
from landcover.pipeline import Pipeline

if __name__ == "__main__":
    Pipeline(override(PARAMS, sys.argv[1:])).run().report()
